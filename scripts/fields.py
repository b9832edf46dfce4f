#!/usr/bin/env python3
"""docs/fields.md: every field of every kind that tenon serves, made from the definitions (deploy/chart-crds/definitions).

    scripts/fields.py            says whether it is what the definitions say; exit status 1: it is not
    scripts/fields.py --write    writes the page
    scripts/fields.py --self-test

So a field is described once, where the API server validates it; `kubectl explain` shows the same words.
"""

import argparse
import json
import sys
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parent.parent
DEFINITIONS, PAGE = ROOT / "deploy/chart-crds/definitions", ROOT / "docs/fields.md"
# In the order of `tenon crds`.
FILES = ("nodepools", "nodeclaims", "nodeoverlays", "ec2nodeclasses", "kwoknodeclasses", "capacitybuffers", "provisioners",
         "machines", "awsnodetemplates")
HEAD = """\
# Fields

<!-- Made by scripts/fields.py from deploy/chart-crds/definitions; change these. -->

Every field of the kinds that tenon serves, in the order of their definitions: what it means to tenon, its type and its
default. `[]` stands behind a list, of whose elements the rest is. `metadata` is Kubernetes' own. `kubectl explain
nodepool.spec` says the same in a cluster that has the definitions (`tenon crds`). `status` is written by tenon alone.
"""


def type_of(schema):
    if schema.get("x-kubernetes-int-or-string"):
        return "integer or string"
    if "enum" in schema:
        return ", ".join(f"`{word}`" for word in schema["enum"])
    inner = schema.get("items", schema.get("additionalProperties"))
    word = {"array": "list", "object": "map" if isinstance(inner, dict) else "object"}.get(schema.get("type"), schema.get("type", "any"))
    of = inner.get("type") if isinstance(inner, dict) else None
    return f"{word} of {of}s" if of and of not in ("object", "array") else word


def rows_of(schema, path=""):
    """(path, schema) of each field, outer fields first."""
    for key, value in schema.get("properties", {}).items():
        here = f"{path}.{key}" if path else key
        if here in ("apiVersion", "kind", "metadata"):
            continue
        yield here, value
        yield from rows_of(value, here)
        yield from rows_of(value.get("items", {}), f"{here}[]")


def cell(text):
    return " ".join(str(text).split()).replace("|", "\\|")


def row(path, schema, required):
    preset = f"`{json.dumps(schema['default'])}`" if "default" in schema else "required" if path in required else ""
    return f"| `{path}` | {cell(type_of(schema))} | {cell(preset)} | {cell(schema['description'])} |"


def required_of(schema, path=""):
    for key, value in schema.get("properties", {}).items():
        here = f"{path}.{key}" if path else key
        if key in schema.get("required", ()):
            yield here
        yield from required_of(value, here)
        yield from required_of(value.get("items", {}), f"{here}[]")


def section(definition):
    spec = definition["spec"]
    lines = []
    for version in spec["versions"]:
        schema = version["schema"]["openAPIV3Schema"]
        required = set(required_of(schema))
        lines += [f"\n## {spec['names']['kind']} ({spec['group']}/{version['name']})", "", cell(schema.get("description", "")), "",
                  "| field | type | default | meaning |", "|---|---|---|---|"]
        lines += [row(path, value, required) for path, value in rows_of(schema)]
    return "\n".join(lines) + "\n"


def page():
    found = sorted(file.stem for file in DEFINITIONS.glob("*.yaml"))
    if found != sorted(FILES):
        sys.exit(f"fields: FILES and {DEFINITIONS.relative_to(ROOT)} differ: {' '.join(found)}")
    return HEAD + "".join(section(yaml.safe_load((DEFINITIONS / f"{file}.yaml").read_text(encoding="utf-8"))) for file in FILES)


def check(text):
    """What is wrong with a page; empty: nothing."""
    wanted, got = page().splitlines(), text.splitlines()
    wrong = [f"missing: {line}" for line in wanted if line not in set(got)] + [f"extra: {line}" for line in got if line not in set(wanted)]
    return wrong or (["other order"] if wanted != got else [])


def self_test():
    lines = page().splitlines()
    at = next(number for number, line in enumerate(lines) if line.startswith("| `spec.weight`"))
    assert not check("\n".join(lines))
    assert check("\n".join(lines[:at] + lines[at + 1:])) == [f"missing: {lines[at]}"]
    assert check("\n".join([*lines, "| `spec.more` |"])) == ["extra: | `spec.more` |"]
    assert check("\n".join([*lines[:at], lines[at + 1], lines[at], *lines[at + 2:]])) == ["other order"]
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--self-test", action="store_true")
    words = parser.parse_args()
    if words.self_test:
        return self_test()
    if words.write:
        PAGE.write_text(page(), encoding="utf-8")
        return 0
    wrong = check(PAGE.read_text(encoding="utf-8"))
    print("\n".join(f"docs/fields.md: {each}" for each in wrong) if wrong else
          f"fields: {sum(line.startswith('| `') for line in page().splitlines())} fields, docs/fields.md has all of them and no others")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
