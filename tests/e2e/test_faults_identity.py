"""Identities of server and client: certificates and tokens that are wrong, expired, or changed while tenon runs."""

import base64
import json
import subprocess
import time

import pytest

from bed import kubeconfig
from bed.certificates import Authority
from faults import GROUP, NAMESPACE, bind

ACCOUNT = "system:serviceaccount:{}:default"


def stranger(yard, name, path, text):
    """Starts a tenon with that kubeconfig, and waits until it has logged in one line why it cannot connect."""
    tenon = yard.follower(name, flags=["--kubeconfig", path])
    line, = yard.wait_log(tenon, "failed to acquire leader lease", text)
    assert [each for each in tenon.lines() if each["level"] == "ERROR"] == [line]
    assert tenon.process.is_running()
    return tenon


def admin(yard):
    return kubeconfig.with_certificate(yard.cluster.authority.certificate("admin"), yard.cluster.authority.key("admin"))


def test_a_server_of_another_authority_is_refused(yard, tmp_path):
    other = Authority(tmp_path, "other")
    path = yard.write_user("other", admin(yard), authority=other.certificate("other"))
    tenon = stranger(yard, "deceived", path, "certificate")
    assert not tenon.lines("created nodeclaim")


def test_a_server_under_another_name_is_refused(yard):
    path = yard.write_user("renamed", admin(yard))
    config = json.loads(path.read_text(encoding="utf-8"))
    config["clusters"][0]["cluster"]["tls-server-name"] = "another.example"
    path.write_text(json.dumps(config), encoding="utf-8")
    stranger(yard, "misled", path, "another.example")


@pytest.mark.parametrize("kind", ["unknown", "expired"])
def test_a_token_that_is_no_good_is_told_and_not_shown(yard, kind):
    token = "no-such-token-7f3a" if kind == "unknown" else old_token(yard)
    path = yard.write_user(kind, kubeconfig.with_token(token))
    tenon = stranger(yard, kind, path, "Unauthorized")
    assert token not in tenon.process.log.read_text(encoding="utf-8")


def test_a_token_file_is_read_again(yard):
    file = yard.cluster.folder / f"{yard.namespace}.token"
    file.write_text(old_token(yard), encoding="utf-8")
    path = yard.write_user("rotating", {"tokenFile": str(file)})
    tenon = stranger(yard, "rotating", path, "Unauthorized")
    account = ACCOUNT.format(yard.namespace)
    yard.create(bind(account, "tenon"))
    yard.api.create({**bind(account, "tenon", kind="Role"), "kind": "RoleBinding",
                     "metadata": {"name": yard.namespace, "namespace": NAMESPACE}})
    file.write_text(fresh_token(yard), encoding="utf-8")
    yard.pool()
    yard.wanting(1)
    yard.registered(1)
    assert tenon.process.is_running()


def test_a_client_certificate_of_another_authority_is_nobody(yard, tmp_path):
    other = Authority(tmp_path, "other")
    other.issue_client("someone", "someone", GROUP)
    path = yard.write_user("someone", kubeconfig.with_certificate(other.certificate("someone"), other.key("someone")))
    stranger(yard, "someone", path, "Unauthorized")


# --- tokens of the namespace's account

def fresh_token(yard):
    yard.wait(lambda: yard.api.get("v1", "ServiceAccount", "default", yard.namespace), "the namespace's account")
    return yard.api.core.create_namespaced_service_account_token(
        "default", yard.namespace, {"spec": {"expirationSeconds": 600}}).status.token


def old_token(yard):
    """The token of the API server with times that ended ten minutes ago, signed with the server's key."""
    header, claims, _ = fresh_token(yard).split(".")
    now = int(time.time())
    said = {**json.loads(unpadded(claims)), "iat": now - 1200, "nbf": now - 1200, "exp": now - 600}
    signed = f"{header}.{padded(json.dumps(said).encode())}"
    done = subprocess.run(["openssl", "dgst", "-sha256", "-sign", yard.cluster.layout.pki / "accounts.key"],
                          input=signed.encode(), stdout=subprocess.PIPE, check=True)
    return f"{signed}.{padded(plain_signature(done.stdout))}"


def plain_signature(der):
    """The two numbers of an ECDSA signature, 32 bytes each, out of openssl's sequence of two integers."""
    first = 4 + der[3]
    numbers = der[4:first], der[first + 2:]
    return b"".join(number.lstrip(b"\0").rjust(32, b"\0") for number in numbers)


def padded(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def unpadded(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
