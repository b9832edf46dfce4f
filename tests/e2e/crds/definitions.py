"""CustomResourceDefinitions in folders, by name."""

from pathlib import Path

import yaml

OWN = Path(__file__).resolve().parents[3] / "deploy" / "chart-crds" / "definitions"


def read(folder=OWN):
    """The definitions in a folder."""
    documents = [yaml.safe_load(file.read_text(encoding="utf-8")) for file in sorted(Path(folder).glob("*.yaml"))]
    return {document["metadata"]["name"]: document for document in documents}


def schema(definition):
    """The schema of its only version."""
    return definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"]


def walk(definition):
    """(path, schema) of the object and of everything in it; elements of lists and values of maps are "path[]"."""
    return walk_schema("", schema(definition))


def walk_schema(path, node):
    yield path, node
    for name, inner in node.get("properties", {}).items():
        yield from walk_schema(f"{path}.{name}" if path else name, inner)
    for name in ("items", "additionalProperties"):
        if isinstance(node.get(name), dict):
            yield from walk_schema(f"{path}[]", node[name])
