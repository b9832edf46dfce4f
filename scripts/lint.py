#!/usr/bin/env python3
"""Runs clang-tidy and cppcheck over the C sources.

    scripts/lint.py BUILD_DIR [FILE...]

BUILD_DIR is a configured build by clang with compile_commands.json; without FILE, all sources below src/ are
checked. clang-tidy does not check a clean file again until it, a header that it includes, .clang-tidy, the flags or
this script change; the records lie in the user's cache and serve all clones, as do cppcheck's notes of all sources.
Exit: 0 clean, 1 findings, 2 wrong use.
"""

import argparse
import contextlib
import fcntl
import functools
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tenon" / "lint"
NOTES = CACHE.parent / "cppcheck"
KEPT_S = 14 * 24 * 3600  # records that nobody has asked for since are deleted
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
    findings = run_clang_tidy(build, files)
    findings += run_cppcheck([f for f in files if f.suffix == ".c"], build / "cppcheck" if options.files else NOTES)
    print(f"lint: {len(files)} files, {findings} with findings")
    return 1 if findings else 0


def sources_to_check(options):
    """The wanted sources that the build compiles, each with its command, in which the tree's place does not matter."""
    entries = json.loads((options.build / "compile_commands.json").read_text())
    commands = {Path(entry["file"]).resolve(): entry["command"].replace(str(ROOT), "") for entry in entries}
    wanted = [path.resolve() for path in options.files] or sorted((ROOT / "src").rglob("*.c"))
    return {path: commands[path] for path in wanted if path in commands}


def run_clang_tidy(build, files):
    CACHE.mkdir(parents=True, exist_ok=True)
    forget_old()
    version = subprocess.run(["clang-tidy", "--version"], stdout=subprocess.PIPE, check=True).stdout
    common = digest_of(version, (ROOT / ".clang-tidy").read_bytes(), Path(__file__).read_bytes())
    records = {path: CACHE / digest_of(common, command, *contents_of(path)) for path, command in files.items()}
    todo = [path for path in files if not is_recorded(records[path])]
    print(f"clang-tidy: {len(todo)} of {len(files)} files have changed", flush=True)
    findings = 0
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for number, (path, done) in enumerate(zip(todo, pool.map(lambda p: clang_tidy(build, p), todo)), 1):
            print(f"[{number}/{len(todo)}] {path.relative_to(ROOT)}", flush=True)
            if done.returncode == 0:
                records[path].touch()
                continue
            findings += 1
            print(done.stdout, flush=True)
    return findings


def clang_tidy(build, path):
    return subprocess.run(["clang-tidy", "--quiet", *ANALYZER, "-p", str(build), str(path)],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)


def contents_of(source):
    """Names and contents of a source and of all of the tree's files that it includes, in the order of the first mention."""
    found, todo = {}, [source]
    while todo:
        path = todo.pop()
        if path in found:
            continue
        found[path], included = read_source(path)
        todo += [place / name for name in reversed(included) for place in (ROOT / "src", path.parent) if (place / name).is_file()]
    return [part for path, text in found.items() for part in (str(path.relative_to(ROOT)), text)]


@functools.cache
def read_source(path):
    text = path.read_text()
    return text, re.findall(r'^ *# *include "([^"]+)"', text, re.MULTILINE)


def is_recorded(record):
    if not record.exists():
        return False
    record.touch()
    return True


def forget_old():
    oldest = time.time() - KEPT_S
    for record in CACHE.iterdir():
        if record.stat().st_mtime < oldest:
            record.unlink(missing_ok=True)


def digest_of(*parts):
    digest = hashlib.sha256()
    for part in parts:
        data = part if isinstance(part, bytes) else part.encode()
        digest.update(b"%d:" % len(data) + data)
    return digest.hexdigest()


def run_cppcheck(files, notes):
    """1 when it finds something. `notes`: the folder in which cppcheck keeps what it knows of each source; a list of other
    sources makes it forget."""
    print(f"cppcheck: {len(files)} files", flush=True)
    names = [str(path.relative_to(ROOT)) for path in files]
    with alone(notes):
        done = subprocess.run([*CPPCHECK, f"--cppcheck-build-dir={notes}", f"-j{os.cpu_count()}", *names], check=False)
    return 1 if done.returncode else 0


@contextlib.contextmanager
def alone(folder):
    """Makes a folder, and keeps other processes that ask for it waiting."""
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


if __name__ == "__main__":
    if not shutil.which("clang-tidy") or not shutil.which("cppcheck"):
        sys.exit("lint: needs clang-tidy and cppcheck; scripts/setup.sh test installs them")
    sys.exit(main())
