#!/usr/bin/env python3
"""Tests of deploy/: the charts as rendered, the writer of the image, packages and pages.

    tests/e2e/python.sh tests/deploy/run.py PROGRAM [unittest's arguments, such as -k WORD]

The last line is "N passed, N failed". Exit: 0 all passed, 1 something failed.
"""

import io
import re
import sys
import unittest
from pathlib import Path

import charts
import completions
import installs
import layers
import maintained
import packages
import releases

MODULES = [charts, completions, installs, layers, maintained, packages, releases]


def main():
    program, *rest = sys.argv[1:]
    suite = unittest.TestSuite()
    loader = unittest.TestLoader()
    if rest[:1] == ["-k"]:
        loader.testNamePatterns = [f"*{word}*" for word in rest[1:]]
    for module in MODULES:
        module.TENON = str(Path(program).resolve())
        suite.addTests(loader.loadTestsFromModule(module))
    said = io.StringIO()
    result = unittest.TextTestRunner(said).run(suite)
    # scripts/test.sh would count its "Ran N tests" as well as the line below.
    print(re.sub(r"^Ran \d+ tests? in.*\n", "", said.getvalue(), flags=re.M), end="")
    bad = len(result.failures) + len(result.errors)
    # A class that cannot be set up is an error, but no test that was run.
    print(f"{max(result.testsRun - bad, 0)} passed, {bad} failed")
    return 1 if bad or not result.testsRun else 0


if __name__ == "__main__":
    sys.exit(main())
