#!/usr/bin/env bash
# Runs the unit tests in the coverage preset and writes what they reach to build/coverage/report/index.html.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

scripts/build.sh coverage
ctest --test-dir build/coverage --parallel "$jobs" --output-on-failure --no-tests=error --label-exclude property
mkdir -p build/coverage/report
gcovr --root . --filter src/ --object-directory build/coverage --html-details build/coverage/report/index.html \
    --print-summary
say "coverage: build/coverage/report/index.html"
