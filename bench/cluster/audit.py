"""What a client asked of the API server, from the server's own audit log."""

import datetime
import json
from collections import Counter

from bed.rights import USER

POLICY = {
    "apiVersion": "audit.k8s.io/v1", "kind": "Policy", "omitStages": ["RequestReceived"],
    "rules": [
        # Who is measured; watches are seen when they begin and when they end.
        {"level": "Metadata", "users": ["tenon", "karpenter", USER]},
        # The pod that is first.
        {"level": "Metadata", "verbs": ["create"], "namespaces": ["lone"], "resources": [{"group": "", "resources": ["pods"]}]},
        {"level": "None"},
    ],
}


class Audit:
    """The audit log in `folder`, which the API server's `flags` make it write."""

    def __init__(self, folder):
        folder.mkdir(parents=True, exist_ok=True)
        self.policy = folder / "audit-policy.json"
        self.log = folder / "audit.jsonl"
        self.policy.write_text(json.dumps(POLICY), encoding="utf-8")
        self.log.unlink(missing_ok=True)
        self.flags = [f"--audit-policy-file={self.policy}", f"--audit-log-path={self.log}", "--audit-log-maxsize=10000"]

    def records(self, since=0):
        """What was written from the byte `since` on."""
        with open(self.log, "rb") as log:
            log.seek(since)
            return [json.loads(line) for line in log.read().splitlines(keepends=True) if line.endswith(b"\n")]

    def size(self):
        return self.log.stat().st_size if self.log.exists() else 0

    def calls(self, user, since=0):
        """How many calls of each kind the user made: (verb, what) to how many. A watch counts when it begins; what the
        server refused counts with its status."""
        count = Counter()
        for record in self.records(since):
            if record["user"]["username"] != user or "objectRef" not in record:
                continue
            if record["verb"] == "watch" and record["stage"] != "ResponseStarted":
                continue
            count[(record["verb"], what(record))] += 1
        return count

    def first(self, resource, namespace=None, since=0):
        """When the first object of a resource was asked to be made (seconds since 1970); None: never."""
        times = [seconds(record["requestReceivedTimestamp"]) for record in self.records(since)
                 if record["verb"] == "create" and record.get("objectRef", {}).get("resource") == resource
                 and "subresource" not in record["objectRef"] and succeeded(record)
                 and namespace in (None, record["objectRef"].get("namespace"))]
        return min(times, default=None)


def what(record):
    reference = record["objectRef"]
    name = "/".join(filter(None, (reference["resource"], reference.get("subresource"))))
    return name if succeeded(record) else f"{name} ({record['responseStatus']['code']})"


def succeeded(record):
    return record.get("responseStatus", {}).get("code", 200) < 400


def seconds(time):
    return datetime.datetime.fromisoformat(time.replace("Z", "+00:00")).timestamp()
