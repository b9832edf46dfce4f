"""Small objects that the API server must accept or refuse, and their format.

A file in cases/ is about one kind: `definition` names its CustomResourceDefinition, `shape` says how kubectl shows the
kind (columns with their priority: those above 0 need -o wide), `base` is an object that is accepted, `row` says what
stands in the columns of such an object (all but its age), and each case says what is different about it:

    - that: a weight above the range            what the case shows; unique in its file
      with: {spec.weight: 101}                  path: value; null takes the member away
      refused: should be less than or equal     part of the API server's message, or a list of parts

Instead of `refused`, `accepted: true`, or `accepted: {path: value}` for what is stored then, defaults included (null:
nothing is stored there). With `then: {path: value}` the verdict is that on changing the object after it was accepted,
and with `status: {path: value}` that on writing its status. `karpenter: accepted|refused` stands where Karpenter's own
definition says otherwise, with `because`.

A path is made of keys with dots between them; a number is the place in a list. A key with a dot of its own stands in
the value. {repeat: N, of: X} is a list of N times X, {repeat: N, under: key-#, of: X} a map of N keys, where # is the number, and
{repeat: N, text: X} N times the text X.
"""

import copy
from dataclasses import dataclass
from pathlib import Path

import yaml

CASES = Path(__file__).resolve().parent / "cases"
FIELDS = {"that", "with", "then", "status", "refused", "accepted", "karpenter", "because"}
NOWHERE = object()


@dataclass(eq=False)
class Case:
    """One object, possibly one change of it, and the verdict that is expected."""

    definition: str
    title: str
    create: dict          # the object
    change: dict | None   # the object as it is written after, or None
    subresource: str      # "status" when the change goes there, else ""
    refused: list | None  # parts of the message, or None
    stored: dict          # path: value of what is stored
    karpenter: str | None
    because: str

    def expects(self):
        return "accepted" if self.refused is None else "refused"


def load(folder=CASES):
    """All cases. ValueError names the file and case that is wrong."""
    return [case for file in sorted(folder.glob("*.yaml")) for case in load_file(file)]


def load_shapes(folder=CASES):
    """How kubectl shows each kind, by the name of its definition."""
    return load_by_definition(folder, "shape")


def load_rows(folder=CASES):
    """By the name of the definition: an object, its status, and the text in its columns."""
    rows = load_by_definition(folder, "row")
    return {name: (changed(base, rows[name]["with"]), rows[name]["status"], rows[name]["cells"])
            for name, base in load_bases(folder).items()}


def load_bases(folder=CASES):
    """An object that is accepted, by the name of its definition."""
    return load_by_definition(folder, "base")


def load_by_definition(folder, field):
    documents = (yaml.safe_load(file.read_text(encoding="utf-8")) for file in sorted(folder.glob("*.yaml")))
    return {document["definition"]: document[field] for document in documents}


def load_file(file):
    document = yaml.safe_load(file.read_text(encoding="utf-8"))
    cases, titles = [], set()
    for number, told in enumerate(document["cases"]):
        case = read(document, told, f"{file.name}: {told.get('that', f'case {number}')}")
        if case.title in titles:
            raise ValueError(f"{case.title}: told twice")
        titles.add(case.title)
        cases.append(case)
    return cases


def read(document, told, title):
    if unknown := told.keys() - FIELDS:
        raise ValueError(f"{title}: unknown {', '.join(sorted(unknown))}")
    if ("refused" in told) == ("accepted" in told):
        raise ValueError(f"{title}: expected one of refused and accepted")
    if ("karpenter" in told) != ("because" in told):
        raise ValueError(f"{title}: karpenter and because belong together")
    create = changed(document["base"], told.get("with", {}))
    change, refused, accepted = None, told.get("refused"), told.get("accepted")
    if "then" in told or "status" in told:
        change = changed(create, {**told.get("then", {}), **told.get("status", {})})
    return Case(definition=document["definition"], title=title, create=create, change=change,
                subresource="status" if "status" in told else "",
                refused=[refused] if isinstance(refused, str) else refused,
                stored=accepted if isinstance(accepted, dict) else {},
                karpenter=told.get("karpenter"), because=told.get("because", ""))


def changed(base, paths):
    result = copy.deepcopy(base)
    for path, value in paths.items():
        put(result, path, expanded(value))
    return result


def expanded(value):
    """The value with every {repeat: …} in it written out."""
    if isinstance(value, list):
        return [expanded(element) for element in value]
    if not isinstance(value, dict):
        return value
    if "repeat" not in value:
        return {key: expanded(inner) for key, inner in value.items()}
    if "text" in value:
        return value["text"] * value["repeat"]
    numbers = range(value["repeat"])
    if "under" in value:
        return {value["under"].replace("#", str(number)): expanded(value["of"]) for number in numbers}
    return [expanded(value["of"]) for number in numbers]


def put(document, path, value):
    *way, last = map(key_of, path.split("."))
    for key in way:
        document = document[key] if isinstance(document, list) else document.setdefault(key, {})
    if value is None:
        del document[last]
    else:
        document[last] = copy.deepcopy(value)


def look_up(document, path):
    """The value at `path`; NOWHERE if there is none."""
    for key in map(key_of, path.split(".")):
        if isinstance(document, list):
            document = document[key] if isinstance(key, int) and key < len(document) else NOWHERE
        else:
            document = document.get(key, NOWHERE) if isinstance(document, dict) else NOWHERE
    return document


def key_of(text):
    return int(text) if text.isdigit() else text
