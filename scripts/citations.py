#!/usr/bin/env python3
"""Checks that everything to which comments and pages refer exists: sections, names, links, files, tests.

    scripts/citations.py              checks this tree
    scripts/citations.py --self-test  plants dead ones in a copy of it and checks that each is found

docs/reference/README.md says how the reference is cited. Exit: 0 all there, 1 something dead, 2 wrong use.
"""

import argparse
import re
import shutil
import sys
import tempfile
from collections import defaultdict
from fnmatch import fnmatch
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
REFERENCE = "docs/reference"
HOUSE = "docs/design/README.md"     # its numbered list is the laws
FOLDERS = ("src", "tests", "bench", "scripts", "examples", "docs", "cmake", "deploy")

# The comments of a file, by its suffix; of a page everything but blocks of code.
C_COMMENT = re.compile(r'//[^\n]*|/\*.*?\*/|(?P<code>"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\')', re.DOTALL)
HASH_COMMENT = re.compile(r'(?:(?<=\s)|^)#[^\n]*|^description:[^\n]*|"""(?:[^"]|"(?!""))*"""', re.MULTILINE)
JSON_COMMENT = re.compile(r'"why": *"[^\n]*')
COMMENTS = {**dict.fromkeys([".c", ".h", ".cpp", ".go"], C_COMMENT), ".json": JSON_COMMENT,
            **dict.fromkeys([".py", ".sh", ".yaml", ".txt", ".cmake", ""], HASH_COMMENT)}
CODE_BLOCK = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
MARKER = re.compile(r"^([ \t]*)(//+|#+|\*)(?=[ \t\n])", re.MULTILINE)

# lifecycle.md 3.2 step 4, 7.2 and W9; users.md #18 to #21
NAME = r"(?:#?\d+(?:\.\d+)*(?:[A-E]\b)?|[A-Z]\d{1,3}\b)(?:\s+(?:step|row|item)\s+\d+)?"
MORE = r"(?:[,;]|,?\s+and|,?\s+to|;\s+texts)\s+"
CITATION = re.compile(rf"\.md(?:\]\([^)\s]*\))?,?\s+(?P<names>{NAME}(?:{MORE}{NAME})*)")
BETWEEN = re.compile(r"[,;]?\s+(?:and\s+|to\s+|texts\s+)?(?=#?\d|[A-Z]\d)(?<!step\s)(?<!row\s)(?<!item\s)")
OWN_SECTION = re.compile(r"§(\d+(?:\.\d+)*)(?:[–-](\d+(?:\.\d+)*))?")
# Names that are known without their page.
BARE = re.compile(r"(?:[QW](?<![\w.$%/-].)\d{1,2}|R(?<![\w.$%/-].)\d{3})\b(?![.-]\w)")
BARE_PAGES = {"Q": "scheduling", "W": "lifecycle", "R": "legacy"}
# Where W10 is the converter's warning, not a weak spot of lifecycle.md.
CONVERTER = re.compile(r"src/(?:cli/)?legacy/|tests/unit/legacy/|docs/(?:convert|design/legacy|reference/legacy)\.md")
LAWS = re.compile(r"\blaws?\s+(\d)(?:\s+and\s+(\d))?")

LINK = re.compile(r"(?<!`)\[[^\]]*\]\((?P<target>[^)\s]+)\)")
WORD = re.compile(r"[^\s`\"'(),;|\[\]]+")
FILE_TABLE = re.compile(r"^\| file \|.*\n(?:\|.*\n)+", re.MULTILINE)
# Tables of cases: a number, what holds, …, and the tests that hold it: `folder/file: name`.
CASE_TABLE = re.compile(r"^\|.*\| our test \|\n(?:\|.*\n)+", re.MULTILINE)
CASE = re.compile(r"^\| ([A-Z])(\d+) \|.*\| ([^|]*) \|$", re.MULTILINE)
CASE_TEST = re.compile(r"`([\w/]+): (\w+)`")
# Tables of acceptance rows: `folder/file` must have the row's number.
ROW_TABLE = re.compile(r"^\|.*\| carried by \|\n(?:\|.*\n)+", re.MULTILINE)
# "Rows: R010, R013 to R017."
PROMISE = re.compile(r"^Rows: (R\d{3}[^.]*)\.$", re.MULTILINE)
RANGE = re.compile(r"R(\d{3})(?:\s+to\s+R(\d{3}))?")
ROW = re.compile(r"^\| (R\d{3}) \|.*\| ([^|]*) \|$", re.MULTILINE)
# A mere name of data (pods.yaml) is as likely the user's as of this tree: it counts with its folder only.
PATH = re.compile(rf"[\w./+*-]+\.(?:c|h|cpp|py|sh|md)|[\w.+*-]+/[\w./+*-]*\.(?:yaml|json|csv|svg|cmake)"
                  rf"|(?:\.\.|{'|'.join(FOLDERS)})/[\w./+*-]+")
# What looks like a file of this tree and is none: names of objects, placeholders, what is built.
FOREIGN = re.compile(r".*karpenter(?:\.kwok)?\.sh|(?:.*/)?(?:DIR|FILE|NAME)(?:[./].*)?|build/.*")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--self-test", action="store_true", help="plant dead ones in a copy and see them caught")
    if parser.parse_args().self_test:
        return self_test()
    problems, counts = check(ROOT)
    for problem in problems:
        print(problem)
    print(f"citations: {counts['citation']} citations, {counts['link']} links, {counts['path']} paths, "
          f"{counts['test']} cases and their tests, {len(problems)} dead")
    return 1 if problems else 0


def check(root):
    """Everything dead in the tree at `root`, as lines "file:line: what", and how many of each kind were looked at."""
    tree = Tree(root)
    problems, counts = [], defaultdict(int)
    for name in tree.files:
        text = tree.read(name)
        if text is None or name == "scripts/citations.py":     # it names what must not exist
            continue
        prose = read_prose(name, text)
        for kind, finders in FINDERS.items():
            for offset, complaint in (found for finder in finders for found in finder(tree, name, prose)):
                counts[kind] += 1
                if complaint:
                    problems.append(f"{name}:{prose.count(chr(10), 0, offset) + 1}: {complaint}")
    return problems, counts


class Tree:
    """The files of a tree, and the names that its pages give."""

    def __init__(self, root):
        self.root = root
        self.files = sorted(p.relative_to(root).as_posix() for p in list_files(root))
        self.places = {place for name in self.files for place in [name, *(p.as_posix() for p in Path(name).parents)]}
        self.tails = defaultdict(list)      # last component -> places that end so
        for place in self.places:
            self.tails[place.rsplit("/", 1)[-1]].append(place)
        self.pages = {Path(name).stem: read_names(self.read(name)) for name in self.files
                      if name.startswith(REFERENCE + "/") and name != REFERENCE + "/README.md"}
        self.laws = set(re.findall(r"^(\d)\. \*\*", self.read(HOUSE), re.MULTILINE))
        self.anchors = {}

    def read(self, name):
        path = self.root / name
        if path.suffix != ".md" and path.suffix not in COMMENTS or path.stat().st_size > 1 << 20:
            return None
        return path.read_text(encoding="utf-8", errors="replace")

    def anchors_of(self, name):
        if name not in self.anchors:
            headings = re.findall(r"^#+ (.+)$", CODE_BLOCK.sub("", self.read(name)), re.MULTILINE)
            self.anchors[name] = {slug(heading) for heading in headings}
        return self.anchors[name]


def list_files(root):
    for top in root.iterdir():
        if top.is_file():
            yield top
        elif top.name in FOLDERS:
            yield from (p for p in top.rglob("*") if p.is_file() and "__pycache__" not in p.parts)


def slug(heading):
    return re.sub(r"[^\w\- ]", "", re.sub(r"[`*]|\]\([^)]*\)", "", heading).strip().lower()).replace(" ", "-")


def read_names(page):
    """What can be cited in a page: sections, items of lists and tables as "3.2.4", names in first columns."""
    names, section = set(), ""
    for line in page.splitlines():
        heading = re.match(r"#+ (\d+(?:\.\d+)*[A-E]?)\b", line)
        item = re.match(r"(?:(\d+)\. |\| (\d+) \|)", line)
        row = re.match(r"\| ((?:[A-Z]\d+)(?: / [A-Z]\d+)*) \|", line)
        if heading:
            section = heading.group(1)
            names.add(section)
        elif item:
            number = item.group(1) or item.group(2)
            names |= {f"{section}.{number}", f"#{number}"} if item.group(2) else {f"{section}.{number}"}
        elif row:
            names |= set(row.group(1).split(" / "))
    return names


def read_prose(name, text):
    """The text with all that is no comment blanked; offsets and lines stay."""
    suffix = Path(name).suffix
    if suffix == ".md":
        return CODE_BLOCK.sub(blank, text)
    kept, end = [], 0
    for match in COMMENTS[suffix].finditer(text):
        if "code" in match.re.groupindex and match.group("code"):
            continue
        kept += [blanks(text[end:match.start()]), match.group(0)]
        end = match.end()
    return MARKER.sub(blank, "".join(kept) + blanks(text[end:]))


def blank(match):
    return blanks(match.group(0))


def blanks(text):
    return "\n".join(" " * len(line) for line in text.split("\n"))


# Each finder gives pairs: an offset in the prose, and a complaint or None.

def find_citations(tree, name, prose):
    """Pages with the sections and names that are cited of them, and names that need no page."""
    cited = []
    for match in CITATION.finditer(prose):
        page = re.search(r"[\w.-]*$", prose[max(0, match.start() - 40):match.start()]).group(0)
        if page in tree.pages:
            cited.append(match.span())
            for part in BETWEEN.split(match.group("names")):
                yield match.start(), missing(tree, page, " ".join(part.split()))
        elif name.startswith(REFERENCE) and not exists(tree, page + ".md"):     # elsewhere it is a dead path
            yield match.start(), f"no such page: {page}.md"
    for match in BARE.finditer(prose):
        page = BARE_PAGES[match.group(0)[0]]
        is_warning = page == "lifecycle" and CONVERTER.match(name)
        if not is_warning and not any(start <= match.start() < end for start, end in cited):
            yield match.start(), missing(tree, page, match.group(0))


def missing(tree, page, part):
    known = re.sub(r" (?:step|row|item) ", ".", part) in tree.pages[page]
    return None if known else f"{page}.md has no {part}"


def find_laws(tree, name, prose):
    for match in LAWS.finditer(prose):
        for law in filter(None, match.groups()):
            yield match.start(), None if law in tree.laws else f"{HOUSE} has no law {law}"


def find_own_sections(tree, name, prose):
    """A page of the reference names its own sections as §4.4."""
    page = Path(name).stem
    if name.startswith(REFERENCE + "/") and page in tree.pages:
        for match in OWN_SECTION.finditer(prose):
            for part in filter(None, match.groups()):
                yield match.start(), missing(tree, page, part)


def find_links(tree, name, prose):
    for match in LINK.finditer(prose) if name.endswith(".md") else ():
        target = match.group("target")
        file, _, anchor = target.partition("#")
        place = normal(Path(name).parent / file) if file else name
        if re.match(r"[a-z]+:", target):
            continue
        if place not in tree.places:
            yield match.start(), f"no such file: {target}"
        elif anchor and (not place.endswith(".md") or anchor not in tree.anchors_of(place)):
            yield match.start(), f"no such heading: {target}"
        else:
            yield match.start(), None


def normal(path):
    parts = []
    for part in path.parts:
        if part == "..":
            parts = parts[:-1]
        elif part != ".":
            parts.append(part)
    return "/".join(parts) or "."


def find_paths(tree, name, prose):
    """Files that a comment or page names: from the root, from src/, from its own folder, or by the end of a path."""
    in_reference = name.startswith(REFERENCE + "/")
    for match in WORD.finditer(prose):
        path = match.group(0).rstrip(".:/")
        if not PATH.fullmatch(path) or FOREIGN.fullmatch(path) or in_reference and not path.startswith(FOLDERS):
            continue
        near = normal(Path(name).parent / path) in tree.places
        yield match.start(), None if near or exists(tree, path, room_of(name)) else f"no such file: {path}"


def find_file_tables(tree, name, prose):
    """Tables of a room's files, which name them without .c and .h."""
    for table in FILE_TABLE.finditer(prose) if name.endswith(".md") else ():
        for row in re.finditer(r"^\|([^|]*)\|", table.group(0), re.MULTILINE):
            for stem in re.finditer(r"`([\w*-]+)`", row.group(1)):
                known = exists(tree, stem.group(1))
                yield table.start() + row.start(), None if known else f"no such file: {stem.group(1)}"


def find_cases(tree, name, prose):
    """Rows of tables of cases: numbered without a gap, each with tests that are there, or saying why there is none."""
    last = 0
    for table in CASE_TABLE.finditer(prose) if name.endswith(".md") else ():
        for row in CASE.finditer(table.group(0)):
            at, last = table.start() + row.start(), last + 1
            yield at, None if int(row[2]) == last else f"case {row[1]}{row[2]} has the number of another one"
            tests = CASE_TEST.findall(row[3])
            if not tests and row[3] != "open" and not row[3].startswith("does not apply: "):
                yield at, f"case {row[1]}{row[2]}: expected tests, open or why it does not apply: {row[3]}"
            for file, test in tests:
                yield at, None if has_test(tree, file, test) else f"no such test: {file}: {test}"


def find_carried_rows(tree, name, prose):
    """Acceptance rows, each with files of tests that carry its number."""
    for table in ROW_TABLE.finditer(prose) if name.endswith(".md") else ():
        for row in ROW.finditer(table.group(0)):
            files = re.findall(r"`([\w/-]+)`", row[2])
            at = table.start() + row.start()
            for file in files:
                has = re.search(rf"(?<![A-Z]){row[1]}(?!\d)", text_of(tree, file))
                yield at, None if has else f"{row[1]} is not in {file}"
            if not files:
                yield at, f"{row[1]}: expected files of tests"


def find_promised_rows(tree, name, prose):
    """A page that says which acceptance rows its tables hold has each of them."""
    for promise in PROMISE.finditer(prose) if name.endswith(".md") else ():
        numbers = [int(number) for first, last in RANGE.findall(promise[1]) for number in range(int(first), int(last or first) + 1)]
        rows = {row[1] for table in ROW_TABLE.finditer(prose) for row in ROW.finditer(table.group(0))}
        for number in numbers:
            yield promise.start(), None if f"R{number:03}" in rows else f"R{number:03} has no row in {name}"


def path_of(file):
    """The path of a file of tests as tables name it."""
    suffix = {"e2e": ".py", "commands": ".py", "scenario": ".yaml"}.get(file.split("/")[0])
    return f"tests/{file}{suffix}" if suffix else f"tests/unit/{file}.c"


def text_of(tree, file):
    return tree.read(path_of(file)) if path_of(file) in tree.places else ""


def has_test(tree, file, test):
    in_python = file.startswith("e2e/")
    text = text_of(tree, file)
    return bool(re.search(rf"^def {test}\(" if in_python else rf"^TEST\w*\([^{{;]*\b{test}(?:, \w+)?\)", text, re.MULTILINE))


def exists(tree, path, room=None):
    """Whether a place ends with `path`: a pattern, maybe, or without its .c; a mere name is one of the own room."""
    if "*" in path:
        return any(fnmatch(place, path) or fnmatch(place, "*/" + path) for place in tree.places)
    if "/" in path or not path.endswith((".c", ".h")):
        room = None
    return any((place == end or place.endswith("/" + end)) and (not room or room_of(place) == room)
               for end in (path, path + ".c", path + ".h") for place in tree.tails[end.rsplit("/", 1)[-1]])


def room_of(name):
    parts = name.split("/")
    return parts[1] if parts[0] == "src" else parts[2] if parts[:2] == ["tests", "unit"] else None


FINDERS = {"citation": [find_citations, find_laws, find_own_sections], "link": [find_links], "path": [find_paths, find_file_tables],
           "test": [find_cases, find_carried_rows, find_promised_rows]}


# What the self-test plants: file, text, a part of the complaint that must follow.
PLANTED = [
    ("src/sched/planted1.c", "// Behaviour: reference lifecycle.md 3.99.", "lifecycle.md has no 3.99"),
    ("src/sched/planted2.c", "// Reference lifecycle.md 3.4, 7.2 and\n// 7.99; texts.", "lifecycle.md has no 7.99"),
    ("src/sched/planted3.h", "/* scheduling.md 2.1 to\n * 2.99 */", "scheduling.md has no 2.99"),
    ("src/sched/planted4.c", "int x; // quirk Q99", "scheduling.md has no Q99"),
    ("tests/planted5.py", "# R999: nothing", "legacy.md has no R999"),
    ("tests/planted6.yaml", 'description: "users.md #18 to #99: a storm"', "users.md has no #99"),
    ("tests/planted7.yaml", "# lifecycle.md 3.2 step 99", "lifecycle.md has no 3.2 step 99"),
    ("src/sched/planted8.c", "// DESIGN laws 2 and 9", "no law 9"),
    ("docs/planted9.md", "as in aws.md 99.1", "aws.md has no 99.1"),
    ("docs/planted10.md", "[plan](no-such.md)", "no such file: no-such.md"),
    ("docs/planted11.md", "[plan](plan.md#no-such-heading)", "no such heading: plan.md#no-such-heading"),
    ("docs/planted12.md", "[here](#nowhere)", "no such heading: #nowhere"),
    ("src/sched/planted13.c", "// See sched/no_such_file.c.", "no such file: sched/no_such_file.c"),
    ("docs/planted14.md", "tested by `tests/unit/sched/test_no_such.c`", "no such file: tests/unit/sched/test_no"),
    ("scripts/planted15.sh", "echo # as scripts/no-such.sh does", "no such file: scripts/no-such.sh"),
    ("src/sched/planted16.c", "// The page is no-such-page.md.", "no such file: no-such-page.md"),
    ("src/sched/planted17.c", "// As engine.h says.", "no such file: engine.h"),
    ("docs/planted25.md", "| file | what |\n|---|---|\n| `plan`, `no_such` | a plan |", "no such file: no_such"),
    ("docs/planted26.md", "| | what | our test |\n|---|---|---|\n| D001 | a | `disrupt/test_cost: no_such` |\n", "no such test"),
    ("docs/planted27.md", "| | what | our test |\n|---|---|---|\n| D001 | a | `e2e/test_pools: no_such` |\n", "no such test"),
    ("docs/planted28.md", "| | what | our test |\n|---|---|---|\n| D001 | a | open |\n| D003 | b | open |\n", "D003 has the"),
    ("docs/planted29.md", "| | what | our test |\n|---|---|---|\n| D001 | a | later |\n", "D001: expected tests"),
    ("docs/planted30.md", "| row | what | carried by |\n|---|---|---|\n| R001 | a | `model/test_hash` |\n", "R001 is not in"),
    ("docs/planted31.md", "| row | what | carried by |\n|---|---|---|\n| R001 | a | later |\n", "R001: expected files"),
    ("docs/planted32.md", "Rows: R001 to R001.", "R001 has no row"),
    ("docs/planted33.md", "| row | what | carried by |\n|---|---|---|\n| R002 | a | `scenario/no-such/one` |\n", "R002 is not in"),
    ("src/sched/planted18.c", "// Behaviour: reference changes-1.15.md 5.2.", "no such file: changes-1.15.md"),
    ("src/sched/planted19.c", "// Texts: lifecycle.md 3.4; texts 3.4, 7.99.", "lifecycle.md has no 7.99"),
    (REFERENCE + "/planted20.md", "## 1. One\nas §1.7 says", "has no 1.7"),
    (REFERENCE + "/planted21.md", "## 1. One\nas no-such-page.md 1.2 says", "no such page: no-such-page.md"),
]
HARMLESS = [
    ("src/sched/planted22.c", 'char *x = "lifecycle.md 3.99, Q99, sched/no_such_file.c";'),
    ("src/sched/planted23.c", "// lifecycle.md 3.2 step 4, 7.2; users.md #19. <no/such.h> is a library's"),
    ("docs/planted24.md", "```\ncat no/such.yaml # lifecycle.md 3.99\n```\n[site](https://example.org/no-such.md)"),
]


def self_test():
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder)
        for path in list_files(ROOT):
            (tree / path.relative_to(ROOT)).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, tree / path.relative_to(ROOT))
        planted = [name for name, *_ in PLANTED + HARMLESS]
        for name, text, *_ in PLANTED + HARMLESS:
            (tree / name).write_text(text + "\n", encoding="utf-8")
        new = [problem for problem in check(tree)[0] if problem.split(":")[0] in planted]
    failures = [f"not caught: {text!r}: expected {complaint!r}" for name, text, complaint in PLANTED
                if not any(problem.startswith(name + ":") and complaint in problem for problem in new)]
    failures += [f"wrongly caught: {problem}" for problem in new
                 if not any(problem.startswith(name + ":") and complaint in problem for name, _, complaint in PLANTED)]
    print(*failures, sep="\n", end="\n" if failures else "")
    total = len(PLANTED) + len(HARMLESS)
    print(f"citations self-test: {total - len(failures)} passed, {len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
