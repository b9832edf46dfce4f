"""The calls of an API server that the tests of definitions need: through the official client's connection, without its
models."""

import copy
import itertools
import json
import time

from kubernetes import config

from . import cases
from .definitions import schema

DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
PATIENCE_SECONDS = 30


class NotAccepted(Exception):
    """The API server refuses a definition."""


class Server:
    """Calls by path that return (status code, body). Unknown fields are refused, as kubectl requests."""

    def __init__(self, kubeconfig):
        self.client = config.new_client_from_config(config_file=str(kubeconfig))
        self.marks = itertools.count(1)
        self.bases = cases.load_bases()

    def call(self, method, path, body=None, accept="application/json", **query):
        request = self.client.param_serialize(
            method, path, query_params=list(query.items()), body=body, auth_settings=["BearerToken"],
            header_params={"Accept": accept, "Content-Type": "application/json"})
        reply = self.client.call_api(*request)
        text = reply.read()
        try:
            return reply.status, json.loads(text)
        except ValueError:
            return reply.status, {"message": text.decode(errors="replace")}

    def write(self, method, path, body, **query):
        return self.call(method, path, body, fieldValidation="Strict", **query)

    def install(self, definitions, manager="tests"):
        """Installs or replaces definitions, and waits until the API server validates objects by them."""
        marked = {name: self.marked(definition) for name, definition in definitions.items()}
        for name, (definition, _) in marked.items():
            self.put(name, definition, manager)
        for name, (definition, mark) in marked.items():
            probe = {**self.bases[name], mark: "x"}
            wait(lambda: self.write("POST", objects_path(definition), probe, dryRun="All")[0] == 201,
                 f"objects to be judged by the new {name}")
            self.check_structure(name)

    def marked(self, definition):
        """The definition with an additional unique field, which is unknown until the definition is in force."""
        definition, mark = copy.deepcopy(definition), f"mark{next(self.marks)}"
        schema(definition)["properties"][mark] = {"type": "string", "description": "Sign of this definition."}
        return definition, mark

    def put(self, name, definition, manager):
        code, old = self.call("GET", f"{DEFINITIONS}/{name}")
        if code == 404:
            code, reply = self.write("POST", DEFINITIONS, definition, fieldManager=manager)
        else:
            definition["metadata"]["resourceVersion"] = old["metadata"]["resourceVersion"]
            code, reply = self.write("PUT", f"{DEFINITIONS}/{name}", definition, fieldManager=manager)
        if code not in (200, 201):
            raise NotAccepted(f"{name}: {reply.get('message')}")

    def check_structure(self, name):
        for condition in self.definition(name)["status"]["conditions"]:
            if condition["type"] == "NonStructuralSchema" and condition["status"] == "True":
                raise NotAccepted(f"{name}: {condition['message']}")

    def definition(self, name):
        """The definition as it is stored."""
        return self.must("GET", f"{DEFINITIONS}/{name}")

    def create(self, definition, thing):
        return self.must("POST", objects_path(definition), thing)

    def take(self, definition, thing):
        """Deletes an object; returns it as it was stored."""
        path = f"{objects_path(definition)}/{thing['metadata']['name']}"
        stored = self.must("GET", path)
        self.must("DELETE", path)
        return stored

    def rewrite(self, definition, thing):
        """Updates an object by a label only; returns it as it is stored then."""
        path = f"{objects_path(definition)}/{thing['metadata']['name']}"
        stored = self.must("GET", path)
        labels = stored["metadata"].setdefault("labels", {})
        labels["writes"] = str(int(labels.get("writes", 0)) + 1)
        return self.must("PUT", path, stored)

    def must(self, method, path, body=None):
        code, reply = self.call(method, path, body)
        if code not in (200, 201):
            raise RuntimeError(f"{method} {path}: {code} {reply.get('message')}")
        return reply

    def row(self, definition, thing, status):
        """The text in the columns of an object with that status, by the columns' names."""
        created = self.create(definition, thing)
        path = f"{objects_path(definition)}/{created['metadata']['name']}"
        try:
            self.must("PUT", f"{path}/status", {**created, "status": status})
            table = self.table(path)
        finally:
            self.call("DELETE", path)
        return dict(zip((column["name"] for column in table["columnDefinitions"]), table["rows"][0]["cells"]))

    def table(self, path):
        """The table that `kubectl get -o wide` shows."""
        return self.call("GET", path, accept="application/json;as=Table;g=meta.k8s.io;v=v1")[1]

    def shape(self, definition):
        """How kubectl shows the kind: columns with their priorities, short names, categories and subresources."""
        group, version, plural = (definition["spec"]["group"], definition["spec"]["versions"][0]["name"],
                                  definition["spec"]["names"]["plural"])
        table = self.table(objects_path(definition))
        _, listed = self.call("GET", f"/apis/{group}/{version}")
        resources = {resource["name"]: resource for resource in listed["resources"]}
        below = sorted(name.removeprefix(f"{plural}/") for name in resources if name.startswith(f"{plural}/"))
        return {
            "columns": {column["name"]: column["priority"] for column in table["columnDefinitions"]},
            "short_names": resources[plural].get("shortNames", []),
            "categories": resources[plural].get("categories", []),
            "subresources": below,
        }


def objects_path(definition):
    """The path of a definition's objects; namespaced ones are in "default"."""
    spec = definition["spec"]
    namespace = "/namespaces/default" if spec["scope"] == "Namespaced" else ""
    return f"/apis/{spec['group']}/{spec['versions'][0]['name']}{namespace}/{spec['names']['plural']}"


def wait(holds, what):
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not holds():
        if time.monotonic() > deadline:
            raise RuntimeError(f"waited {PATIENCE_SECONDS} s for {what}")
        time.sleep(0.02)
