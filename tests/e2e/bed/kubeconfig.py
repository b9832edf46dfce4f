"""Writes kubeconfig files for the clients of a cluster. They are JSON, which is YAML too, and hold no other file's path."""

import base64
import json
import os


def write(path, server, authority, user):
    """`authority`: file with the certificate of who signed the server's; None: not checked. `user`: members of the
    user as kubeconfig has them (`with_certificate`, `with_token`)."""
    cluster = {"server": server}
    if authority:
        cluster["certificate-authority-data"] = encode(authority)
    config = {
        "apiVersion": "v1", "kind": "Config", "current-context": "tenon-test",
        "clusters": [{"name": "tenon-test", "cluster": cluster}],
        "users": [{"name": "user", "user": user}],
        "contexts": [{"name": "tenon-test", "context": {"cluster": "tenon-test", "user": "user"}}],
    }
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
        json.dump(config, file, indent=2)
        file.write("\n")


def with_certificate(certificate, key):
    return {"client-certificate-data": encode(certificate), "client-key-data": encode(key)}


def with_token(token):
    return {"token": token}


def encode(path):
    return base64.b64encode(path.read_bytes()).decode("ascii")
