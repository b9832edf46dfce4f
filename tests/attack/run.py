#!/usr/bin/env python3
"""Attacks a release build of tenon that uses a fake API server: after each attack it must still work as it should.

    run.py PROGRAM [--only WORD] [--jobs N]

An attack is a public function of attacks_*.py whose first parameter is `program`; it fails by an assertion. Several run
in parallel, since they mostly wait. The last line is "N passed, N failed". Exit: 0 all passed, 1 something failed.
"""

import argparse
import inspect
import sys
import time
import traceback
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import attacks_api
import attacks_binary
import attacks_limits
import attacks_plans
import attacks_ports

MODULES = (attacks_api, attacks_limits, attacks_plans, attacks_ports, attacks_binary)


def attacks():
    for module in MODULES:
        for name, function in inspect.getmembers(module, inspect.isfunction):
            if function.__module__ == module.__name__ and [*inspect.signature(function).parameters][:1] == ["program"]:
                yield name, function


def carry_out(attack, program):
    """Runs one attack. Returns whether it passed; prints why not."""
    name, function = attack
    begun = time.monotonic()
    try:
        function(program)
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        print(f"FAILED  {name} after {time.monotonic() - begun:.1f} s: {error} ({Path(where.filename).name}:"
              f"{where.lineno})", flush=True)
        return False
    print(f"ok      {name}, {time.monotonic() - begun:.1f} s", flush=True)
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--only", default="", help="the attacks whose name holds this")
    parser.add_argument("--jobs", type=int, default=4, help="attacks at the same time")
    options = parser.parse_args()
    program = str(Path(options.program).resolve())
    chosen = [attack for attack in attacks() if options.only in attack[0]]
    with ThreadPoolExecutor(options.jobs) as pool:
        results = list(pool.map(lambda attack: carry_out(attack, program), chosen))
    print(f"{sum(results)} passed, {len(results) - sum(results)} failed")
    return 0 if results and all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
