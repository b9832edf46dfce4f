#!/usr/bin/env python3
"""Minutes of trouble for a tenon on AWS (README.md): a real control plane, the strict fake, credentials that end each minute,
thousands of messages, two kills.

    bench/aws/run.sh soak [--minutes 15] [--messages 10000] [--nodes 24] [--record FILE]

Exit: 0 all that it promises held; 1 something did not, and the last lines say what.
"""

import argparse
import json
import random
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/e2e"), str(ROOT / "bench/cluster"), str(ROOT / "bench/aws")]

from audit import Audit, succeeded                                  # noqa: E402
from aws_world import NAME, Cloud, Ec2World                         # noqa: E402
from bed.api import unanswered                                      # noqa: E402
from bed.rights import USER                                         # noqa: E402
from bed.samples import Samples                                     # noqa: E402
from record import RESULTS, record                                  # noqa: E402
from world import CAPACITY_TYPE, HOSTNAME, requirement              # noqa: E402

WORK = ROOT / "build" / "bench-aws"
ROLE = f"arn:aws:iam::111122223333:role/KarpenterControllerRole-{NAME}"
TOKEN = "the-web-identity-token-of-the-soak"
SESSION_S = 60
OWNERLESS_S = 180           # how long an instance may be without a NodeClaim
# Of a hundred messages: what they are about. Interruptions come apart, by the clock.
MIX = {"rebalance of ours": 40, "interruption of others": 25, "health of others": 10, "no kind that is known": 10, "broken": 15}
BROKEN = ["", "no JSON", "[" * 5000, '{"version": "0", "source": "aws.ec2", "detail-type": 7}', '{"time": "yesterday"}',
          '{"version": "0", "source": "aws.ec2", "detail-type": "EC2 Spot Instance Interruption Warning", "detail": []}']


class SoakCloud(Cloud):
    """Its tenon has a role whose sessions end after a minute, by the token of a web identity."""

    def environment(self):
        token = self.cluster.folder / "token"
        token.write_text(TOKEN, encoding="ascii")
        self.aws.control("settings", session_seconds=SESSION_S)
        self.aws.control("web_token", token=TOKEN, seconds=24 * 3600)
        kept = {key: value for key, value in self.aws.environment().items() if "KEY" not in key}
        return {**kept, "AWS_ROLE_ARN": ROLE, "AWS_WEB_IDENTITY_TOKEN_FILE": str(token)}


    def secrets(self):
        return [TOKEN, "session-"]      # as tokens of the fake's sessions begin


class Messages:
    """Messages that come evenly over the time, and how many of each kind came."""

    def __init__(self, soak, count, seconds):
        self.soak, self.count, self.seconds = soak, count, seconds
        self.random = random.Random(1)
        self.kinds = self.random.choices(list(MIX), list(MIX.values()), k=count)
        self.sent = {kind: 0 for kind in MIX}

    def send_until(self, elapsed):
        due = min(self.count, int(self.count * elapsed / self.seconds))
        for kind in self.kinds[sum(self.sent.values()):due]:
            self.send(kind)
            self.sent[kind] += 1

    def send(self, kind):
        control, stranger = self.soak.aws.control, f"i-0{self.random.getrandbits(64):016x}"
        if kind == "rebalance of ours":
            control("event", kind="rebalance", instance=self.random.choice(self.soak.alive)["id"])
        elif kind == "interruption of others":
            control("event", kind="spot_interruption", instance=stranger)
        elif kind == "health of others":
            control("event", kind="health", instance=stranger)
        elif kind == "broken":
            control("put", body=self.random.choice(BROKEN))
        else:
            control("put", body='{"version": "0", "source": "aws.ec2", "detail-type": "Unheard of", "detail": {}}')


class Soak:
    def __init__(self, cloud, world, options):
        self.cloud, self.aws, self.world, self.options = cloud, cloud.aws, world, options
        self.seconds = options.minutes * 60
        self.alive = self.aws.instances()
        self.samples = Samples()    # of the life that goes on
        self.lives = []             # the samples of those that ended
        self.interrupted = {}       # names of claims by instance
        self.ownerless = {}         # instance: since when it has no claim
        self.ownerless_longest = 0.0
        self.kills = [self.seconds / 6, self.seconds / 3]
        self.random = random.Random(2)

    def run(self):
        began, messages = time.monotonic(), Messages(self, self.options.messages, self.seconds * 0.9)
        next_sample = next_interruption = 0.0
        while (elapsed := time.monotonic() - began) < self.seconds:
            messages.send_until(elapsed)
            if elapsed >= next_sample:
                next_sample = elapsed + 2
                self.sample()
            if elapsed >= next_interruption and elapsed < self.seconds * 0.9:
                next_interruption = elapsed + self.options.interruption_seconds
                self.interrupt()
            if self.kills and elapsed >= self.kills[0]:
                self.kills.pop(0)
                self.kill()
            time.sleep(0.2)
        return messages.sent

    def sample(self):
        now, claims = time.monotonic(), self.world.claims()
        self.alive = self.aws.instances()
        owned = {claim["status"]["providerID"].rsplit("/", 1)[1] for claim in claims if claim.get("status", {}).get("providerID")}
        self.ownerless = {one["id"]: self.ownerless.get(one["id"], now) for one in self.alive if one["id"] not in owned}
        self.ownerless_longest = max([self.ownerless_longest, *(now - since for since in self.ownerless.values())])
        self.samples.take(self.cloud.tenon.process, nodes=len(self.alive))

    def interrupt(self):
        """One of our instances is taken back, two minutes after it was told."""
        ready = {claim["status"]["providerID"].rsplit("/", 1)[1]: claim["metadata"]["name"] for claim in self.world.claims()
                 if claim.get("status", {}).get("nodeName") and "deletionTimestamp" not in claim["metadata"]}
        free = sorted(ready.keys() - self.interrupted.keys())
        if free:
            chosen = self.random.choice(free)
            self.interrupted[chosen] = ready[chosen]
            self.aws.control("event", kind="spot_interruption", instance=chosen)

    def kill(self):
        self.cloud.tenon.kill()
        self.lives.append(self.samples)
        self.samples = Samples()
        self.cloud.tenon.start(until_it_leads=False)

    # --- what came of it

    def settle(self):
        """Waits for the queue to be empty, the pods to run and the instances to be those of the claims; what did not come."""
        return unanswered([lambda: self.aws.control("queue")["messages"] == 0, self.all_run, self.is_one_to_one], OWNERLESS_S)

    def all_run(self):
        """all pods run"""
        pods = self.world.pods()
        return len(pods) == self.options.nodes and all(one["status"].get("phase") == "Running" for one in pods)

    def is_one_to_one(self):
        """each instance has a claim and each claim an instance"""
        owned = [claim.get("status", {}).get("providerID", "").rsplit("/", 1)[-1] for claim in self.world.claims()]
        return sorted(owned) == sorted(one["id"] for one in self.world.instances())

    def judge(self, sent, records):
        deleted = [one["objectRef"]["name"] for one in records if is_call(one, "delete")]
        made = [one["objectRef"].get("name") for one in records if is_call(one, "create")]
        queue, held = self.aws.control("queue"), self.samples.summary()
        errors = [one for one in self.aws.control("totals") if one["code"] not in ("ok", "DryRunOperation", "no reply")]
        launched = len({one["id"] for one in self.aws.instances(alive=False)})
        log = self.cloud.tenon.process.log.read_text(errors="replace")
        return {
            "minutes": self.options.minutes, "nodes": self.options.nodes, "messages": sum(sent.values()) + len(self.interrupted),
            "messages by kind": {**sent, "interruption of ours": len(self.interrupted)},
            "messages deleted": queue["deleted"], "messages left": queue["messages"],
            "interrupted claims deleted once": sum(deleted.count(name) == 1 for name in self.interrupted.values()),
            "interrupted claims deleted more often": sum(deleted.count(name) > 1 for name in self.interrupted.values()),
            "claims deleted though not interrupted": len(set(deleted) - set(self.interrupted.values())),
            "claims made": len(made), "instances launched": launched,
            "longest without owner, s": round(self.ownerless_longest, 1),
            "credentials asked for": len(self.aws.calls("AssumeRoleWithWebIdentity")),
            "errors of AWS": {f"{one['action']} {one['code']}": one["count"] for one in errors},
            "memory of the last life, MB": held["rss"], "descriptors": held["files"], "threads": held["threads"],
            "kills": len(self.lives), "secrets in the log": sum(secret in log for secret in self.cloud.secrets()),
        }


def is_call(one, verb):
    reference = one.get("objectRef", {})
    return (one["verb"], reference.get("resource"), one["user"]["username"]) == (verb, "nodeclaims", USER) \
        and "subresource" not in reference and succeeded(one)


def broken_promises(result):
    """What did not hold, as sentences."""
    interrupted = result["messages by kind"]["interruption of ours"]
    return [why for is_so, why in [
        (result["messages left"] == 0 and result["messages deleted"] == result["messages"], "not each message was received"),
        (result["interrupted claims deleted once"] == interrupted, "an interruption did not have its effect once"),
        (result["claims deleted though not interrupted"] == 0, "a claim went without a reason"),
        (result["claims made"] == result["instances launched"], "claims and instances are not as many"),
        (result["longest without owner, s"] <= OWNERLESS_S, "an instance had no owner for long"),
        (abs(result["memory of the last life, MB"]["growth"]) <= 1, "memory grew"),
        (result["descriptors"]["growth"] <= 2, "descriptors grew"),
        (result["secrets in the log"] == 0, "a log tells a secret"),
        (not result["not settled"], "it did not settle"), (result["kills"] == 2, "tenon was not killed twice")] if not is_so]


def main():
    options = parse_arguments()
    audit = Audit(WORK / "soak-audit")
    cloud = SoakCloud(WORK / "soak", "ReservedCapacity=true", flags={"kube-apiserver": audit.flags})
    cloud.start()
    try:
        cloud.api.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "soak"}})
        world = Ec2World(cloud, "soak")
        world.pool(requirements=[requirement(CAPACITY_TYPE, "In", "spot")])
        apart = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
            {"topologyKey": HOSTNAME, "labelSelector": {"matchLabels": {"app": "web"}}}]}}
        world.deploy("web", options.nodes, affinity=apart)
        world.wait(lambda: len([one for one in world.pods() if one["status"].get("phase") == "Running"]) == options.nodes,
                   "all pods run", 180)
        soak = Soak(cloud, world, options)
        sent = soak.run()
        missing = soak.settle()
        result = {**soak.judge(sent, audit.records()), "not settled": missing}
        (WORK / "soak.json").write_text(json.dumps(soak.samples.rows), encoding="utf-8")
    finally:
        cloud.cluster.stop()
    record("soak", result, options.record)
    wrong = broken_promises(result)
    print("\n".join(wrong) or "all held")
    return 1 if wrong else 0


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--minutes", type=float, default=15)
    parser.add_argument("--messages", type=int, default=10000)
    parser.add_argument("--nodes", type=int, default=24)
    parser.add_argument("--interruption-seconds", type=float, default=6, help="an instance of ours is taken back so often")
    parser.add_argument("--record", type=Path, nargs="?", const=RESULTS, metavar="FILE", help="[bench/aws/results.json]")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
