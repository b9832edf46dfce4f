#!/usr/bin/env python3
"""Checks the rules of layering: which room may include which header, and which calls are forbidden in pure rooms.

    scripts/layering.py              checks this tree
    scripts/layering.py --self-test  plants violations in a copy of it, one by one, and checks that each is found

The rules are the tables of rooms and of rooms within rooms in docs/design/README.md. Exit: 0 clean, 1
violations, 2 wrong use.
"""

import argparse
import re
import shutil
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import planted

ROOT = Path(__file__).resolve().parent.parent
TABLE = "docs/design/README.md"

# Headers of a library, by the name that the table uses for it. Any other header in <> is the C or C++ library's,
# open to all rooms but for the list after this one.
LIBRARY_HEADERS = {
    "xxHash": r"xxh",
    "simdjson": r"simdjson",
    "libyaml": r"yaml\.h",
    "expat": r"expat",
    "Clp": r"(coin/|Clp|Coin)",
    "libcurl": r"curl/",
    "libmicrohttpd": r"microhttpd",
    "OpenSSL": r"openssl/",
    "SQLite": r"sqlite3",
    "ncurses": r"(ncurses|ncursesw/|curses)",
}

# Law 1: rooms without system calls, clock, output and lasting variables.
PURE_ROOMS = {"model", "sched", "disrupt", "ctl"}
PURE_HEADERS = re.compile(
    r"(time|unistd|fcntl|pthread|threads|signal|poll|dlfcn|netdb|syslog|spawn|locale)\.h|(sys|arpa|netinet|net|linux)/")
PURE_CALLS = re.compile(
    r"(?<![\w.>])(?:"
    r"time|clock|clock_gettime|clock_system_wall_ns|clock_system_mono|clock_system_awake|gettimeofday|"
    r"localtime|localtime_r|gmtime|gmtime_r|mktime|strftime|sleep|usleep|nanosleep|"
    r"printf|vprintf|fprintf|vfprintf|dprintf|puts|fputs|putchar|putc|fputc|fwrite|perror|"
    r"fopen|fdopen|freopen|fread|fgets|getline|open|openat|read|write|close|stat|remove|unlink|rename|mkdir|opendir|"
    r"getenv|secure_getenv|setenv|putenv|system|popen|fork|execv|execvp|kill|signal|exit|_exit|atexit|"
    r"rand|rand_r|srand|random|srandom|drand48|getrandom|arc4random|socket|connect|send|recv|mmap|ioctl|syscall"
    r")\s*\(")
PURE_NAMES = re.compile(r"\b(stdout|stderr|stdin|environ)\b")
# `static` at the start of a declaration of a variable; functions have a '(' before any '=' or ';'.
MUTABLE_STATIC = re.compile(r"^\s*static\s+(?!inline\b)(?P<declaration>[^;={(]*)(?P<end>[;={(])", re.MULTILINE)

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.MULTILINE)
NOISE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)


@dataclass
class Room:
    rooms: set       # that it may include, itself and theirs too
    headers: set     # single headers of other rooms
    libraries: set
    everything: bool


@dataclass
class SubRoom:
    rooms: set       # sub-rooms of the same room that it may include, itself and theirs too
    doors: set       # its headers that other rooms may include


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--self-test", action="store_true", help="plant violations in a copy and see them caught")
    if parser.parse_args().self_test:
        return self_test()
    problems = check(ROOT)
    for problem in problems:
        print(problem)
    count = sum(1 for _ in sources(ROOT / "src"))
    print(f"layering: {count} files, {len(problems)} violations")
    return 1 if problems else 0


def check(root):
    """Every violation in the tree at `root`, as lines "file:line: what"."""
    rooms, subs = read_tables(root)
    return [problem for path in judged(root) for problem in check_file(root, path, rooms, subs)]


def judged(root):
    """The files that rules hold for: the sources, and what judges plans."""
    yield from sources(root / "src")
    yield from sources(root / "tests/property/checker")
    yield from sources(root / "tests/property/generator")
    yield from sources(root / "tests/property/exact")
    yield from sources(root / "tests/property/old")


def check_file(root, path, rooms, subs):
    name = path.relative_to(root)
    text = path.read_text(encoding="utf-8")
    if name.parts[0] == "tests":
        return [f"{name}:{line}: {what}" for line, what in check_checker(root, text)]
    room = name.parts[1]
    if len(name.parts) < 3 or room not in rooms:
        return [f"{name}:1: lies in no room of {TABLE}"]
    folder = name.parent.relative_to("src").as_posix()
    if folder != room and folder not in subs:
        return [f"{name}:1: lies in no row of the table of rooms within rooms in {TABLE}"]
    found = check_includes(root / "src", room, rooms, text) + check_sub_includes(folder, subs, text)
    if room in PURE_ROOMS:
        found += check_purity(text)
    return [f"{name}:{line}: {what}" for line, what in sorted(found)]


def sources(folder):
    return sorted(p for p in folder.rglob("*") if p.suffix in {".c", ".h", ".cpp", ".hpp"})


def read_tables(root):
    rooms = read_table(root / TABLE)
    return rooms, read_sub_table(root / TABLE, rooms)


def read_table(page):
    """The rooms of the table in `page`, with what they may use closed over the rooms they name."""
    rooms = {}
    for line in page.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        name = re.fullmatch(r"`(\w+)`", cells[0])
        if not line.startswith("|") or len(cells) != 4 or not name:
            continue
        uses = re.findall(r"`([^`]+)`", cells[2])
        rooms[name.group(1)] = Room(
            rooms={use for use in uses if "/" not in use} | {name.group(1)},
            headers={use for use in uses if "/" in use},
            libraries={library for library in re.split(r",\s*", cells[3]) if library},
            everything=cells[2] == "everything")
    if not rooms:
        sys.exit(f"{page}: found no table of rooms")
    for room in rooms.values():
        close(room, rooms)
    return rooms


def read_sub_table(page, rooms):
    """The rooms within rooms of the table in `page`, with what they may use closed over what they name."""
    subs = {}
    for line in page.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        name = re.fullmatch(r"`(\w+(?:/\w+)+)`", cells[0])
        if not line.startswith("|") or len(cells) != 4 or not name or name.group(1).split("/")[0] not in rooms:
            continue
        room = name.group(1).split("/")[0]
        uses = {f"{room}/{use}" for use in re.findall(r"`([^`]+)`", cells[2])}
        doors = {f"{name.group(1)}/{door}" for door in re.findall(r"`([^`]+)`", cells[3])}
        subs[name.group(1)] = SubRoom(rooms=uses | {name.group(1)}, doors=doors)
    for sub in subs.values():
        close(sub, subs)
    return subs


def close(room, rooms):
    unknown = room.rooms - rooms.keys()
    if unknown:
        sys.exit(f"{TABLE}: the table names no room {', '.join(sorted(unknown))}")
    while True:
        reached = set().union(*(rooms[name].rooms for name in room.rooms))
        if reached <= room.rooms:
            return
        room.rooms |= reached


def check_includes(src, room, rooms, text):
    """Doors and libraries that are not open to a file of this room: pairs of line and complaint."""
    found = []
    for match in INCLUDE.finditer(text):
        quote, header = match.groups()
        why = wrong_door(src, rooms[room], header) if quote == '"' else wrong_library(rooms[room], header)
        if why:
            shown = f'"{header}"' if quote == '"' else f"<{header}>"
            found.append((line_of(text, match.start()), f"{room} may not include {shown}: {why}"))
    return found


def wrong_door(src, rule, header):
    """Why `header` is not open to a room with this rule; None when it is."""
    if not (src / header).is_file():
        return "there is no such file below src/"
    target = header.split("/")[0]
    if rule.everything or target in rule.rooms or header in rule.headers:
        return None
    return f"no door to {target}"


def check_sub_includes(folder, subs, text):
    """Headers of rooms within rooms that are not open to a file of this folder: pairs of line and complaint.

    What lies in the room itself may use all that is in it and is open to all that is in it; so it is with a folder and
    the folders within it."""
    found = []
    for match in INCLUDE.finditer(text):
        quote, header = match.groups()
        target = header.rpartition("/")[0]
        if quote != '"' or target not in subs or target == folder:
            continue
        inside = target.split("/")[0] == folder.split("/")[0]
        if inside and (related(target, folder) or (folder in subs and target in subs[folder].rooms)):
            continue
        if not inside and header in subs[target].doors:
            continue
        why = f"no door from {folder} to {target}" if inside else f"it is no door of {target}"
        found.append((line_of(text, match.start()), f'{folder} may not include "{header}": {why}'))
    return found


def related(target, folder):
    """Whether one folder lies in the other."""
    return target.startswith(folder + "/") or folder.startswith(target + "/")


def wrong_library(rule, header):
    for library, pattern in LIBRARY_HEADERS.items():
        if re.match(pattern, header) and library not in rule.libraries:
            return f"{library} is not its library"
    return None


def check_purity(text):
    """Clocks, system calls, output and lasting variables in a room that must not have them."""
    found = []
    for match in INCLUDE.finditer(text):
        if match.group(1) == "<" and PURE_HEADERS.match(match.group(2)):
            found.append((line_of(text, match.start()), f"<{match.group(2)}> in a pure room (law 1)"))
    code = NOISE.sub(blank, text)
    for match in PURE_CALLS.finditer(code):
        found.append((line_of(code, match.start()), f"{match.group(0)}…) in a pure room (law 1)"))
    for match in PURE_NAMES.finditer(code):
        found.append((line_of(code, match.start()), f"{match.group(0)} in a pure room (law 1)"))
    for match in MUTABLE_STATIC.finditer(code):
        variable = match.group("declaration").split("*")[-1]    # of a pointer, what it says of the pointer itself
        if match.group("end") != "(" and not re.search(r"\bconst\b", variable):
            found.append((line_of(code, match.start("declaration")), "a variable that outlives its call (law 1)"))
    return found


def check_checker(root, text):
    """Checker and exact yardstick judge the planner: they and the generator may share nothing with it but base and text."""
    found = []
    for match in INCLUDE.finditer(text):
        room = match.group(2).split("/")[0]
        if room not in {"base", "text"} and (root / "src" / room).is_dir():
            found.append((line_of(text, match.start()),
                          f"the checker may not include \"{match.group(2)}\": it judges the planner"))
    return found


def blank(match):
    """Comment or literal as spaces, so that lines keep their numbers."""
    return re.sub(r"[^\n]", " ", match.group(0))


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1


# What the self-test plants: file below the root, line to add, a part of the complaint that must follow.
PLANTED = [
    ("src/base/planted.c", '#include "text/value.h"', "base may not include \"text/value.h\": no door to text"),
    ("src/text/planted.c", '#include "model/names.h"', "no door to model"),
    ("src/model/planted.h", '#include "sched/plan.h"', "no door to sched"),
    ("src/model/planted.c", "#include <yaml.h>", "libyaml is not its library"),
    ("src/cloud/planted.cpp", "#include <simdjson.h>", "simdjson is not its library"),
    ("src/cli/planted.c", "#include <expat.h>", "expat is not its library"),
    ("src/cloud/planted.c", "#include <coin/Clp_C_Interface.h>", "Clp is not its library"),
    ("src/sched/planted.c", '#include "cloud/aws/catalogue.h"', "no door to cloud"),
    ("src/sched/planted.c", '#  include "base/no_such.h"', "no such file"),
    ("src/ctl/planted.c", '#include "cloud/aws/catalogue.h"', "no door to cloud"),
    ("src/ctl/planted.c", '#include "kube/rest.h"', "no door to kube"),
    ("src/ctl/claim/planted.c", '#include "ctl/node/drain.h"', "no door from ctl/claim to ctl/node"),
    ("src/sched/index/planted.c", '#include "sched/bin/bin.h"', "no door from sched/index to sched/bin"),
    ("src/state/planted.c", '#include "model/decode/schemas.h"', "it is no door of model/decode"),
    ("src/ctl/attic/planted.c", "int x;", "lies in no row of the table of rooms within rooms"),
    ("src/attic/planted.c", "int x;", "lies in no room"),
    ("src/planted.c", "int x;", "lies in no room"),
    ("src/sched/planted.c", "#include <time.h>", "<time.h> in a pure room"),
    ("src/sched/planted.c", "#include <sys/stat.h>", "<sys/stat.h> in a pure room"),
    ("src/model/planted.c", "static long now(void) { return time(0); }", "time(…) in a pure room"),
    ("src/ctl/planted.c", "Mono now(void) { return clock_system_mono(); }", "clock_system_mono(…) in a pure room"),
    ("src/model/planted.c", "void f(void) { printf(\"x\"); }", "printf(…) in a pure room"),
    ("src/disrupt/planted.c", "int f(void) { return rand ( ); }", "rand (…) in a pure room"),
    ("src/sched/planted.c", "void f(void) { fputs(x, stderr); }", "stderr in a pure room"),
    ("src/sched/planted.c", "char *f(void) { return getenv(\"HOME\"); }", "getenv(…) in a pure room"),
    ("src/sched/planted.c", "static int counter;", "outlives its call"),
    ("src/sched/planted.c", "static const char *name = \"a\";", "outlives its call"),
    ("src/sched/planted.c", "int f(void) {\n    static int calls = 0;\n    return ++calls;\n}", "outlives its call"),
    ("tests/property/checker/planted.c", '#include "sched/plan.h"', "judges the planner"),
    ("tests/property/exact/planted.c", '#include "sched/packing/floor.h"', "judges the planner"),
    ("tests/property/old/planted.c", '#include "legacy/defaults.h"', "judges the planner"),
]

# What looks like a violation and is none.
HARMLESS = [
    ("src/sched/planted.c", "// #include \"cli/main.h\" would be wrong; so would printf(), time(0) and stderr"),
    ("src/sched/planted.c", "static const char text[] = \"rand() getenv(x) stdout\";"),
    ("src/sched/planted.c", "static const char *const texts[] = {\"a\"};\nstatic char *f(void) { return 0; }"),
    ("src/sched/planted.c", "static const struct { int x; } table[] = {{1}};"),
    ("src/sched/planted.c", "static int plan_time(int x);\nint f(Room *r) { return r->open(r) + plan_time(1); }"),
    ("src/ctl/planted.c", '#include "cloud/cloud.h"\n#include "kube/kube.h"\n#include "sched/plan.h"'),
    ("src/sched/place/planted.c", '#include "sched/solver.h"\n#include "sched/index/universe.h"'),
    ("src/sched/planted.c", '#include "sched/place/improve.h"'),
    ("src/state/planted.c", '#include "model/decode/pod.h"'),
    ("src/engine/planted.c", "#include <time.h>\n#include \"ctl/planned.h\""),
    ("src/cli/planted.c", '#include "cloud/aws/catalogue.h"\n#include <stdio.h>'),
    ("src/text/planted.c", "#include <yaml.h>"),
    ("tests/property/checker/planted.c", '#include "text/value.h"\n#include "checker/world.h"'),
]


def self_test():
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder)
        copy_tree(tree)
        tables = read_tables(tree)
        return planted.self_test("layering", [((name, line), complaint) for name, line, complaint in PLANTED], HARMLESS,
                                 lambda case: with_planted(tree, *case, tables))


def copy_tree(tree):
    """The real sources and rules, plus the headers that planted lines need and that later rooms will bring."""
    shutil.copytree(ROOT / "src", tree / "src")
    (tree / TABLE).parent.mkdir(parents=True)
    shutil.copy(ROOT / TABLE, tree / TABLE)
    for header in ("kube/kube.h", "kube/rest.h", "cloud/cloud.h", "ctl/planned.h", "sched/plan.h", "model/names.h",
                   "text/value.h", "cloud/aws/catalogue.h"):
        path = tree / "src" / header
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            path.write_text("#pragma once\n", encoding="utf-8")


def with_planted(tree, name, line, tables):
    path = tree / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(line + "\n", encoding="utf-8")
    problems = check_file(tree, path, *tables)
    path.unlink()
    return problems


if __name__ == "__main__":
    sys.exit(main())
