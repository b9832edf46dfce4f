"""An API server, as far as definitions are tried on it: over the official client's connection, without its models."""

import json
import time

from kubernetes import config

DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
PATIENCE_SECONDS = 30


class Server:
    """Paths in, (status code, body) out. Unknown fields are refused, as kubectl asks for."""

    def __init__(self, kubeconfig):
        self.client = config.new_client_from_config(config_file=str(kubeconfig))

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

    def remove(self, definition):
        """Deletes a definition, and with it every object of its kind; nothing to do when there is none."""
        path = f"{DEFINITIONS}/{definition['metadata']['name']}"
        self.call("DELETE", path)
        wait(lambda: self.call("GET", path)[0] == 404, f"{path} to go")

    def install(self, definition):
        """Installs a definition unless it is there, and waits until its objects are served. Returns it as stored."""
        path = f"{DEFINITIONS}/{definition['metadata']['name']}"
        code, reply = self.write("POST", DEFINITIONS, definition)
        if code not in (201, 409):
            raise RuntimeError(f"{definition['metadata']['name']} is not accepted: {reply.get('message')}")
        wait(lambda: self.conditions(path).get("Established") == "True", f"{path} to be established")
        wait(lambda: self.call("GET", objects_path(definition))[0] == 200, f"{objects_path(definition)} to be served")
        return self.call("GET", path)[1]

    def conditions(self, path):
        conditions = self.call("GET", path)[1].get("status", {}).get("conditions") or []
        return {condition["type"]: condition["status"] for condition in conditions}

    def shape(self, definition):
        """How kubectl shows the kind: columns with their priorities, short names, categories and subresources."""
        group, version, plural = (definition["spec"]["group"], definition["spec"]["versions"][0]["name"],
                                  definition["spec"]["names"]["plural"])
        _, table = self.call("GET", objects_path(definition), accept="application/json;as=Table;g=meta.k8s.io;v=v1")
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
    """Where the objects of a definition live; those in namespaces in "default"."""
    spec = definition["spec"]
    namespace = "/namespaces/default" if spec["scope"] == "Namespaced" else ""
    return f"/apis/{spec['group']}/{spec['versions'][0]['name']}{namespace}/{spec['names']['plural']}"


def wait(holds, what):
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not holds():
        if time.monotonic() > deadline:
            raise RuntimeError(f"waited {PATIENCE_SECONDS} s for {what}")
        time.sleep(0.1)
