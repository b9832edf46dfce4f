"""What Karpenter asked AWS for in a run of all sets, kept so that tenon can be compared without Karpenter."""

import json
import lzma
import re
from pathlib import Path

HERE = Path(__file__).resolve().parent


class Recording:
    """A file of compressed JSON, {set: what was asked}; its name has Karpenter's version (karpenter/go.mod)."""

    def __init__(self):
        version = re.search(r"github.com/aws/karpenter-provider-aws v([\d.]+)", (HERE / "karpenter" / "go.mod").read_text())
        self.path = HERE / f"karpenter-{version[1]}.json.xz"

    def read(self):
        return json.loads(lzma.decompress(self.path.read_bytes()))

    def write(self, found):
        self.path.write_bytes(lzma.compress(json.dumps(found, sort_keys=True).encode(), preset=9))
