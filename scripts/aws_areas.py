#!/usr/bin/env python3
"""Counts the unit tests of the AWS provider by the areas of upstream's tests, and holds them against docs/design/aws-rows.md.

    scripts/aws_areas.py build/release/tests

The page's table says which tests are of which area: suites as `room suite`, or the beginning of one, or of the names in it;
the longest that fits counts. Exit: 0 each area has as many as the page says; 1 one has fewer, or a suite of the room
`cloud` is of none.
"""

import re
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).resolve().parent.parent / "docs" / "design" / "aws-rows.md"
TABLE = re.compile(r"^\| area \|.*\n\|[-|]+\n((?:\|.*\n)+)", re.MULTILINE)


def main():
    if len(sys.argv) != 2:
        print(__doc__.splitlines()[2].strip(), file=sys.stderr)
        return 2
    areas = read_areas(PAGE.read_text(encoding="utf-8"))
    places = {place: area for area, (_, _, wanted) in areas.items() for place in wanted}
    counts, strangers = dict.fromkeys(areas, 0), set()
    for room in sorted({place.split()[0] for place in places}):
        for test in list_tests(Path(sys.argv[1]), room):
            place = max((one for one in places if test.startswith(one)), key=len, default=None)
            if place:
                counts[places[place]] += 1
            elif room == "cloud":
                strangers.add(test.split()[1])
    return report(areas, counts, strangers)


def read_areas(page):
    """{area: (upstream's cases, tests at least, places)}"""
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in TABLE.search(page)[1].splitlines()]
    return {area: (int(upstream or 0), int(least), re.findall(r"`([^`]+)`", where)) for area, upstream, least, where in rows}


def list_tests(folder, room):
    """Lines "room suite name" of all tests of a room, each row of a table being one."""
    for program in sorted(folder.glob(f"{room}*_tests")):
        listed = subprocess.run([program, "--list"], stdout=subprocess.PIPE, text=True, check=True).stdout
        yield from (f"{room} {line}" for line in listed.splitlines())


def report(areas, counts, strangers):
    few = [area for area, (_, least, _) in areas.items() if counts[area] < least]
    for area, (upstream, least, _) in areas.items():
        print(f"{counts[area]:5} {area} (upstream {upstream}, the page {least}){' FEWER' if area in few else ''}")
    for suite in sorted(strangers):
        print(f"cloud {suite}: of no area of {PAGE.name}")
    print(f"aws areas: {sum(counts.values())} tests, {len(few) + len(strangers)} violations")
    return 1 if few or strangers else 0


if __name__ == "__main__":
    sys.exit(main())
