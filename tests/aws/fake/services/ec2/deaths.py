"""Instances that tests have doomed: as they start, some end again with a reason, as those whose KMS key has no grant."""

import itertools
from dataclasses import asdict, dataclass
from fnmatch import fnmatchcase


@dataclass
class Doom:
    number: int
    after: float = 1.0          # seconds after the launch
    code: str = "Client.InternalError"
    message: str = "Client.InternalError: Client error on launch"
    type: str = "*"
    zone: str = "*"
    kms_key: str = None         # only of volumes with this key
    times: int = None           # how many instances at most


class Deaths:
    def __init__(self):
        self._dooms, self._numbers = [], itertools.count(1)

    def add(self, **about):
        self._dooms.append(Doom(next(self._numbers), **about))
        return self._dooms[-1].number

    def clear(self):
        self._dooms.clear()

    def list(self):
        return [asdict(doom) for doom in self._dooms]

    def mark(self, instance):
        """Sets the end of a new instance if it is doomed."""
        for doom in self._dooms:
            if doom.times != 0 and is_meant(doom, instance.launch):
                doom.times = doom.times and doom.times - 1
                instance.ended, instance.reason = instance.launched + doom.after, (doom.code, doom.message)
                return


def is_meant(doom, launch):
    keys = {(one.get("Ebs") or {}).get("KmsKeyId") for one in launch.data.get("BlockDeviceMappings") or ()}
    return fnmatchcase(launch.type, doom.type) and fnmatchcase(launch.zone, doom.zone) and doom.kms_key in {None} | keys
