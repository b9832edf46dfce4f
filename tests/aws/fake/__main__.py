"""python3 -m tests.aws.fake --port 0: serves until it is interrupted; prints its address and nothing else."""

import argparse
import dataclasses
import logging
import signal
import threading

from tests.aws.fake.fake import Fake
from tests.aws.fake.settings import Settings


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    for field in dataclasses.fields(Settings):
        flag = "--" + field.name.replace("_", "-")
        if field.type is bool:
            parser.add_argument(flag, action=argparse.BooleanOptionalAction, default=field.default)
        else:
            parser.add_argument(flag, type=field.type, default=field.default)
    logging.basicConfig(level=logging.WARNING)
    done = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: done.set())
    with Fake(**vars(parser.parse_args())) as fake:
        fake.world.region(fake.settings.region)
        print(fake.url, flush=True)
        done.wait()


if __name__ == "__main__":
    main()
