"""The API server through the official Python client, by kind: one-line calls for the tests.

    api.create({"apiVersion": "v1", "kind": "Pod", ...})
    api.get("v1", "Pod", "web-1", "default")      # a dict; None when it does not exist
"""

import time

import kubernetes
from kubernetes.dynamic import DynamicClient
from kubernetes.dynamic.exceptions import ConflictError, NotFoundError

MERGE = "application/merge-patch+json"


class Api:
    """One user's view of a cluster; objects are dicts, as in YAML."""

    def __init__(self, kubeconfig):
        self.client = kubernetes.config.new_client_from_config(str(kubeconfig))
        self.core = kubernetes.client.CoreV1Api(self.client)
        self.dynamic = DynamicClient(self.client)

    def resource(self, api_version, kind):
        return self.dynamic.resources.get(api_version=api_version, kind=kind)

    def create(self, thing):
        return self.of(thing).create(body=thing, namespace=namespace_of(thing)).to_dict()

    def replace(self, thing):
        return self.of(thing).replace(body=thing, namespace=namespace_of(thing)).to_dict()

    def apply(self, thing, manager, force=False):
        """Server-side apply."""
        return self.of(thing).server_side_apply(body=thing, name=thing["metadata"]["name"], namespace=namespace_of(thing),
                                                field_manager=manager, force_conflicts=force).to_dict()

    def patch(self, thing, change, status=False):
        """Merges `change` into the object that `thing` names; `status`: through the status subresource."""
        resource = self.of(thing)
        target = resource.subresources["status"] if status else resource
        return target.patch(body=change, name=thing["metadata"]["name"], namespace=namespace_of(thing),
                            content_type=MERGE).to_dict()

    def get(self, api_version, kind, name, namespace=None):
        try:
            return self.resource(api_version, kind).get(name=name, namespace=namespace).to_dict()
        except NotFoundError:
            return None

    def list(self, api_version, kind, namespace=None, **selection):
        return self.resource(api_version, kind).get(namespace=namespace, **selection).to_dict()["items"]

    def delete(self, thing, grace_seconds=None):
        """Deletes an object; no error if it does not exist."""
        options = {"apiVersion": "v1", "kind": "DeleteOptions", "gracePeriodSeconds": grace_seconds}
        try:
            self.of(thing).delete(name=thing["metadata"]["name"], namespace=namespace_of(thing), body=options)
        except NotFoundError:
            pass

    def delete_all(self, api_version, kind, namespace):
        """Deletes all objects of a kind in a namespace and what they own, without grace period."""
        self.resource(api_version, kind).delete(namespace=namespace, field_selector=f"metadata.namespace={namespace}", body={
            "apiVersion": "v1", "kind": "DeleteOptions", "gracePeriodSeconds": 0, "propagationPolicy": "Background"})

    def of(self, thing):
        return self.resource(thing["apiVersion"], thing["kind"])


def namespace_of(thing):
    """The namespace of an object as an argument; absent if the kind has none."""
    return thing["metadata"].get("namespace", "default")


def wait_for(question, seconds=30, what=None):
    """Polls until the answer is true, and returns it. AssertionError after the timeout."""
    deadline = time.monotonic() + seconds
    while True:
        answer = question()
        if answer:
            return answer
        assert time.monotonic() < deadline, f"not within {seconds} s: {what or question.__doc__ or question}"
        time.sleep(0.05)


def unanswered(questions, seconds):
    """Waits for each in turn, and returns what was missed, as texts."""
    missed = []
    for question in questions:
        try:
            wait_for(question, seconds)
        except AssertionError as error:
            missed.append(str(error).splitlines()[0])
    return missed


__all__ = ["Api", "ConflictError", "NotFoundError", "wait_for", "unanswered", "namespace_of"]
