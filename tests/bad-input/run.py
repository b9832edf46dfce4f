#!/usr/bin/env python3
"""Runs `tenon plan` on broken input: each case must end with exit 2 and one clear line.

    run.py [--tenon] PROGRAM [--only WORD]

Each run must have exit status 2, no standard output, exactly one line that starts with "error: " and contains the words of
its case, and use at most 200 MB of memory and 10 seconds. Warnings may precede the error. The last line is "N passed, N
failed". Exit: 0 all passed, 1 something failed.
"""

import argparse
import os
import signal
import sys
import tempfile
import time
from pathlib import Path

import generate

MEMORY_MAX = 200 * 1000 * 1000
SECONDS_MAX = 10
EXIT_BAD_INPUT = 2


class Run:
    """One run of the program: its output, memory and time."""

    def __init__(self, program, arguments, folder):
        out, err = folder / "stdout", folder / "stderr"
        started = time.monotonic()
        pid = os.posix_spawn(program, [program, "plan", *arguments], os.environ, file_actions=[
            (os.POSIX_SPAWN_OPEN, 0, "/dev/null", os.O_RDONLY, 0),
            (os.POSIX_SPAWN_OPEN, 1, str(out), os.O_WRONLY | os.O_CREAT, 0o600),
            (os.POSIX_SPAWN_OPEN, 2, str(err), os.O_WRONLY | os.O_CREAT, 0o600)])
        self.status, usage = wait(pid)
        self.seconds = time.monotonic() - started
        self.memory = usage.ru_maxrss * 1024
        self.out, self.err = (path.read_bytes().decode(errors="replace") for path in (out, err))


def wait(pid):
    """Waits for the exit status (negative: the signal) and the resource usage; kills a process that runs far too long."""
    signal.signal(signal.SIGALRM, lambda *_: os.kill(pid, signal.SIGKILL))
    signal.alarm(3 * SECONDS_MAX)
    try:
        _, status, usage = os.wait4(pid, 0)
    finally:
        signal.alarm(0)
    return os.waitstatus_to_exitcode(status), usage


def complaints(case, run):
    """The violations of the run, a line each."""
    errors = [line for line in run.err.splitlines() if not line.startswith("warning: ")]
    if run.status != EXIT_BAD_INPUT:
        yield f"exit {run.status}, expected {EXIT_BAD_INPUT}"
    if run.out:
        yield f"printed {len(run.out)} characters to standard output"
    if len(errors) != 1 or not errors[0].startswith("error: "):
        yield f"expected one line \"error: ...\", got {len(errors)}"
    for word in case.words:
        if not any(word in line for line in errors):
            yield f"the message does not say \"{word}\""
    if run.memory > MEMORY_MAX:
        yield f"used {run.memory // 1000000} MB"
    if run.seconds > SECONDS_MAX:
        yield f"took {run.seconds:.1f} s"


def run_case(program, case, check):
    """Runs a case. Returns whether it passed, its resource usage, and its name."""
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        (folder / "input").mkdir()
        run = Run(program, generate.write(case, folder / "input"), folder)
        found = list(check(case, run))
    for complaint in found:
        print(f"FAILED  {case.name}: {complaint}")
    if found:
        print("".join(f"        {line[:300]}\n" for line in run.err.splitlines()[:5]), end="")
    return not found, run.memory, run.seconds, case.name


def refuses(_case, run):
    if run.status == EXIT_BAD_INPUT or run.status < 0:
        yield f"sound input, and yet exit {run.status}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", nargs="?")
    parser.add_argument("--tenon")
    parser.add_argument("--only", default="", help="run the cases whose name holds this")
    options = parser.parse_args()
    program = options.tenon or options.program or parser.error("which program?")
    results = [run_case(program, case, refuses) for case in generate.sound_inputs()]
    results += [run_case(program, case, complaints) for case in generate.all_cases() if options.only in case.name]
    _, memory, _, largest = max(results, key=lambda result: result[1])
    _, _, seconds, slowest = max(results, key=lambda result: result[2])
    passed = sum(result[0] for result in results)
    print(f"most memory: {memory // 1000000} MB ({largest}); longest: {seconds:.1f} s ({slowest})")
    print(f"{passed} passed, {len(results) - passed} failed")
    return 0 if passed == len(results) else 1


if __name__ == "__main__":
    sys.exit(main())
