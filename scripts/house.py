#!/usr/bin/env python3
"""Measures the sources and checks limits: folder sizes, circular calls, complexity, type names, places of declarations.

    scripts/house.py              checks this tree and prints the numbers
    scripts/house.py --self-test  plants violations beside it, one by one, and checks that each is found

Exceptions, with reasons, are in the tables of docs/design/README.md, "The house in numbers". It only reads the sources:
in clang-format's layout a definition begins in the first column. Exit: 0 clean, 1 violations, 2 wrong use.
"""

import argparse
import re
import sys
import tempfile
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

import planted

ROOT = Path(__file__).resolve().parent.parent
PAGE = "docs/design/README.md"
SUBJECTS_MAX = 25           # of a folder: a .c with its .h is one
MEAN_MAX, MOST_MAX = 3.5, 20  # cyclomatic complexity of functions; a switch counts as one branch

NOISE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*'
                   r'|__attribute__\(\(format\([^)]*\)\)\)', re.DOTALL | re.MULTILINE)
# A function's head, from the first column to the '{' of its body or the ';' of its declaration. In ErrCode(name)(…) the
# parentheses keep a macro of that name out.
HEAD = re.compile(r"^(?!typedef\b|return\b|else\b|extern\b)(?P<type>[A-Za-z_][\w \t*]*?)[ *(]\(?(?P<name>\w+)\)?"
                  r"\((?P<args>[^;{}]*)\)(?P<end>;|\s*\{)", re.MULTILINE)
BRANCH = re.compile(r"\b(?:if|for|while|switch)\b|&&|\|\||\?")
CALL = re.compile(r"(?<![\w.>])(\w+)\s*\(")     # not through a member: tables of functions are no circles
BODY = re.compile(r"^(?:typedef )?(?:struct|enum|union)(?: (?P<tag>\w+))? \{", re.MULTILINE)
ALIAS = re.compile(r"^typedef (?!struct (\w+) \1;)[^;{}]*?\b(?P<name>\w+);", re.MULTILINE)  # a mere promise is none


@dataclass
class Function:
    name: str
    body: str
    static: bool


@dataclass
class Source:
    path: Path      # below src/
    functions: list = field(default_factory=list)
    declared: list = field(default_factory=list)    # names
    types: list = field(default_factory=list)       # names with their bodies, and aliases

    @property
    def subject(self):
        return str(self.path.with_suffix(""))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--self-test", action="store_true", help="plant violations and see them caught")
    if parser.parse_args().self_test:
        return self_test()
    numbers, problems = judge(read_tree(ROOT / "src"), read_page())
    for problem in problems:
        print(problem)
    for number in numbers:
        print(f"house: {number}")
    print(f"house: {len(problems)} violations")
    return 1 if problems else 0


def judge(sources, page):
    """Checks the sources; returns lines with numbers, and lines with violations."""
    numbers, problems = [], []
    for check in (judge_folders, judge_complexity, judge_circles, judge_types, judge_declarations):
        number, found = check(sources, page)
        numbers.append(number)
        problems += found
    return numbers, problems


def read_page():
    return (ROOT / PAGE).read_text(encoding="utf-8")


def read_tree(src):
    return [read(src, path) for path in sorted(src.rglob("*")) if path.suffix in {".c", ".h", ".cpp"}]


def read(src, path):
    source = Source(path.relative_to(src))
    text = NOISE.sub(blank, path.read_text(encoding="utf-8"))
    for match in HEAD.finditer(text):
        if match["end"] == ";":
            source.declared.append(match["name"])
        else:
            body = text[match.end():closing(text, match.end())]
            source.functions.append(Function(match["name"], body, "static" in match["type"].split()))
    source.types = list(types_of(text))
    return source


def closing(text, at):
    """Where the brace before `at` is closed."""
    depth = 1
    for match in re.compile(r"[{}]").finditer(text, at):
        depth += 1 if match[0] == "{" else -1
        if depth == 0:
            return match.start()
    return len(text)


def types_of(text):
    for match in BODY.finditer(text):
        end = closing(text, match.end())
        yield from {match["tag"], *re.findall(r"\w+", text[end:text.index(";", end)])} - {None}
    for match in ALIAS.finditer(text):
        yield match["name"]


def exceptions(page, title):
    """The table below the line that starts with `title`: what the first cell has in backquotes, and the reason."""
    rows = []
    for line in page.partition(f"\n**{title}")[2].split("\n\n**")[0].splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        names = re.findall(r"`([^`]+)`", cells[0])
        if line.startswith("|") and len(cells) == 2 and names and cells[1]:
            rows.append((names, cells[1]))
    return rows


def judge_folders(sources, page):
    folders = defaultdict(set)
    for source in sources:
        folders[source.path.parent.as_posix()].add(source.subject)
    excused = {name for names, _ in exceptions(page, "Folders") for name in names}
    fullest = max(folders, key=lambda folder: len(folders[folder]))
    problems = [f"src/{folder}: {len(subjects)} subjects, at most {SUBJECTS_MAX}"
                for folder, subjects in sorted(folders.items())
                if len(subjects) > SUBJECTS_MAX and folder not in excused]
    problems += [f"{PAGE}: {name} needs no exception" for name in sorted(excused)
                 if len(folders[name]) <= SUBJECTS_MAX]
    subjects = sum(len(folder) for folder in folders.values())
    return (f"{len(sources)} files, {subjects} subjects in {len(folders)} folders, {len(folders[fullest])} at most "
            f"({fullest}; limit {SUBJECTS_MAX})"), problems


def judge_complexity(sources, _page):
    functions = [(1 + len(BRANCH.findall(function.body)), function.name, source.path)
                 for source in sources for function in source.functions]
    mean = sum(branches for branches, _, _ in functions) / len(functions)
    most = max(functions)
    problems = [f"src/{path}: {name} has a complexity of {branches}, at most {MOST_MAX}"
                for branches, name, path in functions if branches > MOST_MAX]
    if mean > MEAN_MAX:
        problems.append(f"src: functions have a complexity of {mean:.2f} on average, at most {MEAN_MAX}")
    return (f"{len(functions)} functions, complexity {mean:.2f} on average (limit {MEAN_MAX}), {most[0]} at most "
            f"({most[1]}; limit {MOST_MAX})"), problems


def judge_circles(sources, page):
    """Circles of files of one room, each of which calls a function of the next one."""
    owner = {function.name: source for source in sources for function in source.functions if not function.static}
    calls = defaultdict(set)
    for source in sources:
        own = {function.name for function in source.functions if function.static}
        for function in source.functions:
            for name in CALL.findall(function.body):
                target = owner.get(name)
                if target and name not in own and target.subject != source.subject \
                        and target.path.parts[0] == source.path.parts[0]:
                    calls[source.subject].add(target.subject)
    found = circles(calls)
    named = [set(names) for names, _ in exceptions(page, "Circles")]
    problems = [f"src: a circle of calls: {', '.join(sorted(circle))}" for circle in found if circle not in named]
    problems += [f"{PAGE}: there is no such circle: {', '.join(sorted(circle))}" for circle in named
                 if circle not in found]
    return f"{len(found)} circles of files, {sum(circle in named for circle in found)} with a reason", problems


def circles(calls):
    """Sets of more than one node that all reach each other."""
    reach = {}
    for start in calls:
        seen, todo = set(), [start]
        while todo:
            for target in calls.get(todo.pop(), ()):
                if target not in seen:
                    seen.add(target)
                    todo.append(target)
        reach[start] = seen
    found = []
    for start in sorted(calls):
        circle = {node for node in reach[start] if start in reach.get(node, ())}
        if start in circle and circle not in found:
            found.append(circle)
    return found


def judge_types(sources, _page):
    """Names of types that two headers define."""
    definers = defaultdict(set)
    for source in sources:
        if source.path.suffix == ".h":
            for name in source.types:
                definers[name].add(source.path.as_posix())
    problems = [f"src: {name} is defined by {' and '.join(sorted(paths))}"
                for name, paths in sorted(definers.items()) if len(paths) > 1]
    return f"{len(definers)} types in headers, {len(problems)} of them defined twice", problems


def judge_declarations(sources, page):
    """A function stands in the header of its file; of a file without one in one page of its folder."""
    headers = {source.subject for source in sources if source.path.suffix == ".h"}
    owner = {function.name: source for source in sources for function in source.functions
             if not function.static and source.path.suffix != ".h"}
    pages = {name for names, _ in exceptions(page, "Pages") for name in names}
    behind, problems, counted, used = defaultdict(set), [], 0, set()
    for source in sources:
        for name in source.declared if source.path.suffix == ".h" else ():
            target = owner.get(name)
            if not target:
                continue
            counted += 1
            if target.subject == source.subject:
                continue
            header = source.path.as_posix()
            used |= {header} & pages
            if header in pages or (is_inside(source) and target.path.parent == source.path.parent):
                continue
            behind[target.path].add(header)
            if target.subject in headers or target.path.parent != source.path.parent:
                problems.append(f"src/{header}: declares {name}, which is defined in {target.path}")
    problems += [f"src/{path}: is declared by {' and '.join(sorted(where))}" for path, where in sorted(behind.items())
                 if len(where) > 1]
    problems += [f"{PAGE}: {name} is no page of several files" for name in sorted(pages - used)]
    return f"{counted} functions in headers, {len(problems)} in a wrong one; {len(pages)} pages of several files", \
        problems


def is_inside(source):
    """Whether a header is what the files of a folder share, and nobody else's."""
    return source.path.stem.endswith("parts") or source.path.stem == "store"


def blank(match):
    return re.sub(r"[^\n]", " ", match.group(0))


# What the self-test plants: files below src/ with their texts, a part of the complaint that must follow.
BRANCHY = "int planted(int a) {\n" + "    if (a)\n        a++;\n" * MOST_MAX + "    return a;\n}\n"
PLANTED = [
    ({f"net/planted_{i}.c": "int x;\n" for i in range(SUBJECTS_MAX)}, "subjects, at most"),
    ({"net/planted.c": BRANCHY}, "planted has a complexity of 21"),
    ({"net/planted_a.c": "int planted_a(void) {\n    return planted_b();\n}\n",
      "net/planted_b.c": "int planted_b(void) {\n    return planted_a();\n}\n"}, "net/planted_a, net/planted_b"),
    ({"net/planted.h": "typedef struct {\n    int a;\n} Arena;\n"}, "Arena is defined by base/arena.h"),
    ({"net/planted.h": "enum Planted { PLANTED };\n", "base/planted.h": "typedef int Planted;\n"},
     "Planted is defined by"),
    ({"net/planted.h": "int arena_planted(int a);\n", "base/planted.c": "int arena_planted(int a) {\n}\n"},
     "declares arena_planted"),
    ({"net/planted_a.h": "int planted(int a);\n", "net/planted_b.h": "int planted(int a);\n",
      "net/planted.c": "int planted(int a) {\n}\n"}, "net/planted.c: is declared by"),
]

# What looks like a violation and is none.
HARMLESS = [
    {"net/planted_a.c": "int planted_a(Table *t) {\n    return t->planted_b();\n}\n",
     "net/planted_b.c": "int planted_b(void) {\n    return planted_a(0);\n}\n"},
    {"net/planted_a.c": "static int planted_b(void) {\n    return 0;\n}\nint planted_a(void) {\n"
                            "    return planted_b();\n}\n",
     "net/planted_b.c": "int planted_b(void) {\n    return planted_a(); // planted_b()\n}\n"},
    {"net/planted.h": "typedef struct Planted Planted;\n", "net/planted_b.h": "struct Planted {\n    int a;\n};\n"},
    {"net/planted.c": "typedef struct {\n    int a;\n} Arena;\n"},
    {"net/planted_a.h": "int planted(int a);\n", "net/planted.c": "int planted(int a) {\n    return a;\n}\n"},
    {"net/planted.c": "int planted(int a) {\n    switch (a) {\n" + "    case 1:\n" * 30 + "    }\n    return 0;\n}\n"},
]


def self_test():
    sources, page = read_tree(ROOT / "src"), read_page()
    before = judge(sources, page)[1]
    return planted.self_test("house", PLANTED, HARMLESS, lambda files: with_planted(files, sources, page, before))


def with_planted(files, sources, page, before):
    """The violations that come with `files`."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            path = Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        problems = judge(sources + read_tree(Path(folder)), page)[1]
    return [problem for problem in problems if problem not in before]


if __name__ == "__main__":
    sys.exit(main())
