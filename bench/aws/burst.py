#!/usr/bin/env python3
"""Launches by tenon with an API server inside (tests/aws/engine), against the strict fake with EC2's default limits: how many
fleets, and how long from the first intent to launch until the last fleet is asked for.

    bench/aws/run.sh burst [--rounds 5] [--claims 1000] [--write-us 3000] [--record FILE]

Times are from the intent in tenon to the arrival in the fake, which is slow in Python: upper bounds. Exit: 0 all as promised.
"""

import argparse
import statistics
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "bench/aws")]

from record import RESULTS, record                                  # noqa: E402
from tests.aws.engine.tenon import Tenon, calls_of, refused         # noqa: E402
from tests.aws.fake import Fake                                     # noqa: E402

LONE_ROUNDS = 20
APART_S = 1.2
REFUSED = 0.3


def main():
    options = parse_arguments()
    bursts = [burst(options, share=0) for _ in range(options.rounds)]
    throttled = [burst(options, share=REFUSED) for _ in range(options.rounds)]
    lone = lone_launches(options)
    result = {
        "claims": options.claims, "rounds": options.rounds, "write to the API server, us": options.write_us,
        "instances": [one["instances"] for one in bursts], "fleets": [one["fleets"] for one in bursts],
        "refused": [one["refused"] for one in bursts], "calls": [one["calls"] for one in bursts],
        "last request after the first intent, ms": [one["last_ms"] for one in bursts],
        "lone request after its intent, ms": {"median": round(statistics.median(lone), 1), "most": round(max(lone), 1)},
        "30 % refused: instances": [one["instances"] for one in throttled],
        "30 % refused: calls": [one["calls"] for one in throttled],
        "30 % refused: of them refused": [one["refused"] for one in throttled],
        "calls with 30 % refused, as a multiple": multiple(bursts, throttled),
    }
    record("burst", result, options.record)
    wrong = broken_promises(result)
    print("\n".join(wrong) or "all held")
    return 1 if wrong else 0


def burst(options, share):
    """A burst by a process of its own, at a fake of its own, whose buckets are full."""
    with Fake(subnet_bits=16, seed=options.seed) as fake, Tenon(fake, options.write_us) as tenon:
        options.seed += 1
        before = len(fake.control.instances())
        if share:
            fake.control.fault("error", action="ec2:*", share=share, code="RequestLimitExceeded", status=503)
        launch = tenon.launch(options.claims)
        tenon.rest()
        fleets = calls_of(launch, "CreateFleet")
        return {"instances": len(fake.control.instances()) - before, "fleets": len(fleets), "refused": len(refused(launch)),
                "calls": len(launch["calls"]), "last_ms": after(launch, fleets[-1])}


def multiple(bursts, throttled):
    """What the fake's dice refused was not exactly 30 %; the calls that it did not refuse are so many of all."""
    passed = sum(one["calls"] - one["refused"] for one in throttled)
    return round(passed / (1 - REFUSED) / sum(one["calls"] for one in bursts), 2)


def lone_launches(options):
    with Fake() as fake, Tenon(fake, options.write_us) as tenon:
        launches = [lone_launch(tenon) for _ in range(LONE_ROUNDS)]
        return [after(launch, calls_of(launch, "CreateFleet")[0]) for launch in launches]


def lone_launch(tenon):
    """One without another like it a second before, which it would wait for."""
    time.sleep(APART_S)
    return tenon.launch(1)


def after(launch, call):
    """Milliseconds from the first intent to the call."""
    return round((call["time"] - launch["first_intent"]) * 1000, 1)


def broken_promises(result):
    claims = [result["claims"]] * result["rounds"]
    return [why for is_so, why in [
        (result["instances"] == claims == result["30 % refused: instances"], "not as many instances as claims"),
        (max(result["fleets"]) <= 12, "more than 12 fleets"),
        (max(result["refused"]) == 0, "calls were throttled"),
        (statistics.median(result["last request after the first intent, ms"]) <= 1100, "the last request came late"),
        (result["lone request after its intent, ms"]["median"] <= 60, "a lone request came late"),
        (result["calls with 30 % refused, as a multiple"] <= 1.5, "30 % of refusals cost more than half as many calls again")]
        if not is_so]


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--claims", type=int, default=1000)
    parser.add_argument("--write-us", type=int, default=3000, help="what a write to the API server takes")
    parser.add_argument("--seed", type=int, default=1, help="of the fake in the first round")
    parser.add_argument("--record", type=Path, nargs="?", const=RESULTS, metavar="FILE", help="[bench/aws/results.json]")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
