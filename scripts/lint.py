#!/usr/bin/env python3
"""Runs clang-tidy and cppcheck over the C sources.

    scripts/lint.py BUILD_DIR [FILE...]

BUILD_DIR is a configured build by clang with compile_commands.json; without FILE, all sources below src/ are
checked. clang-tidy does not check a clean file again until it, a header below src/, .clang-tidy or
this script changes; its records are in BUILD_DIR/lint. Exit: 0 clean, 1 findings, 2 wrong use.
"""

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CPPCHECK = [
    "cppcheck", "--enable=warning,performance,portability", "--std=c17", "--language=c", "--quiet", "--inline-suppr",
    "--error-exitcode=1", "--template=gcc", "--library=posix", "-I", "src", "-D_GNU_SOURCE",
    # System headers are not given to cppcheck; it knows their functions from its own library files.
    "--suppress=missingIncludeSystem",
    # NULL is a pointer here, not the number 0; symbols of the linker delimit one object.
    "--suppress=varFuncNullUB", "--suppress=comparePointers",
    # False in version 2.10: enumerators of 32 unsigned bits (INDEX_NONE), conditions on another loop's variable.
    # An array that is filled through a pointer counts as not filled; the compilers and clang-tidy look at that, too.
    "--suppress=integerOverflow", "--suppress=zerodivcond", "--suppress=uninitvar",
    # A vector's struct is made by a macro with typeof, which cppcheck 2.10 cannot follow.
    "--suppress=internalAstError", "--suppress=unknownMacro",
]

# The analyzer walks as many states of a function as this instead of 225,000: a sixth of the time, and it finds again all
# that it ever found here (docs/design/tests.md).
ANALYZER = [f"--extra-arg={word}" for word in ("-Xclang", "-analyzer-config", "-Xclang", "max-nodes=20000")]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=Path, help="folder with compile_commands.json")
    parser.add_argument("files", nargs="*", type=Path, help="sources; none: all below src/")
    options = parser.parse_args()
    commands = options.build / "compile_commands.json"
    if not commands.is_file():
        parser.error(f"{commands} does not exist; configure first: cmake --preset asan")
    os.chdir(ROOT)
    build, files = options.build.resolve(), sources_to_check(options)
    findings = run_clang_tidy(build, files) + run_cppcheck(build, [f for f in files if f.suffix == ".c"])
    print(f"lint: {len(files)} files, {findings} with findings")
    return 1 if findings else 0


def sources_to_check(options):
    known = {Path(entry["file"]).resolve()
             for entry in json.loads((options.build / "compile_commands.json").read_text())}
    wanted = [path.resolve() for path in options.files] or sorted((ROOT / "src").rglob("*.c"))
    return [path for path in wanted if path in known]


def run_clang_tidy(build, files):
    notes = build / "lint"
    notes.mkdir(exist_ok=True)
    common = hash_of([ROOT / ".clang-tidy", Path(__file__), build / "CMakeCache.txt", *sorted((ROOT / "src").rglob("*.h"))])
    todo = [path for path in files if not note_of(notes, path, common).exists()]
    print(f"clang-tidy: {len(todo)} of {len(files)} files have changed", flush=True)
    findings = 0
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for number, (path, done) in enumerate(zip(todo, pool.map(lambda p: clang_tidy(build, p), todo)), 1):
            print(f"[{number}/{len(todo)}] {path.relative_to(ROOT)}", flush=True)
            if done.returncode == 0:
                note_of(notes, path, common).touch()
                continue
            findings += 1
            print(done.stdout, flush=True)
    forget_old(notes, {note_of(notes, path, common) for path in files})
    return findings


def clang_tidy(build, path):
    return subprocess.run(["clang-tidy", "--quiet", *ANALYZER, "-p", str(build), str(path)],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)


def note_of(notes, path, common):
    return notes / hashlib.sha256(f"{common} {path} {hash_of([path])}".encode()).hexdigest()


def forget_old(notes, keep):
    for note in notes.iterdir():
        if note.is_file() and note not in keep:
            note.unlink()


def hash_of(paths):
    digest = hashlib.sha256()
    for path in paths:
        digest.update(path.read_bytes())
    return digest.hexdigest()


def run_cppcheck(build, files):
    """cppcheck keeps its own notes of what was clean. 1 when it finds something."""
    notes = build / "cppcheck"
    notes.mkdir(exist_ok=True)
    print(f"cppcheck: {len(files)} files", flush=True)
    names = [str(path.relative_to(ROOT)) for path in files]
    done = subprocess.run([*CPPCHECK, f"--cppcheck-build-dir={notes}", f"-j{os.cpu_count()}", *names], check=False)
    return 1 if done.returncode else 0


if __name__ == "__main__":
    if not shutil.which("clang-tidy") or not shutil.which("cppcheck"):
        sys.exit("lint: needs clang-tidy and cppcheck; scripts/setup.sh test installs them")
    sys.exit(main())
