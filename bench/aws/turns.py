#!/usr/bin/env python3
"""How long turns of the engine are while types and prices are asked for anew (README.md): tenon with an API server inside.

    bench/aws/run.sh turns [--claims 5000] [--rounds 5] [--record FILE]

Prices change before each round, so that a new list is made. What a turn takes is its thread's processor time; the time by the
clock stands beside it and has in it what else the machine does. Exit: 0 all as promised.
"""

import argparse
import random
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "bench/aws")]

from record import RESULTS, record                                  # noqa: E402
from tests.aws.engine.tenon import Tenon                            # noqa: E402
from tests.aws.fake import Fake                                     # noqa: E402

LAUNCHES = 150      # one after the other, so that there is something to decide
TURN_MS = 10


def main():
    options = parse_arguments()
    with Fake(subnet_bits=16, everywhere=True, throttle=False) as fake, Tenon(fake) as tenon:
        tenon.launch(options.claims)
        tenon.rest()
        rounds = [one_round(fake, tenon, number) for number in range(options.rounds)]
    result = {"claims": options.claims, "rounds": options.rounds, "seconds of a refresh": [one["seconds"] for one in rounds],
              "longest turn, ms of processor": [one["turn_cpu_ms"] for one in rounds],
              "longest turn, ms": [one["turn_ms"] for one in rounds],
              "without a refresh, ms of processor": [one["before_cpu_ms"] for one in rounds],
              "without a refresh, ms": [one["before_ms"] for one in rounds]}
    record("turns", result, options.record)
    wrong = max(result["longest turn, ms of processor"]) > TURN_MS
    print("a refresh delays a turn" if wrong else "all held")
    return 1 if wrong else 0


def one_round(fake, tenon, number):
    draw = random.Random(number)
    for zone in fake.world.catalogue.zones[fake.settings.region]:
        for name in ("m5.large", "c5.large", "t3.nano", "t3a.nano"):
            fake.control.spot_price(name, zone, 0.002 + draw.random() / 10)
    return tenon.refresh(LAUNCHES)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--claims", type=int, default=5000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--record", type=Path, nargs="?", const=RESULTS, metavar="FILE", help="[bench/aws/results.json]")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
