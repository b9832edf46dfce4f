"""What deploy/aws holds, and what `tenon iam-policy` prints for the same cluster."""

import json
import os
import re
import subprocess
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[3]
TENON = os.environ.get("TENON", ROOT / "build/release/tenon")
TEMPLATE = ROOT / "deploy/aws/cloudformation.yaml"
TERRAFORM = ROOT / "deploy/aws/terraform"
FACTS = {"cluster": "shop", "region": "eu-west-1", "account": "123456789012", "node_role": "nodes", "queue": "events"}


def policy(*flags, group=None):
    words = [TENON, "iam-policy", "--cluster-name", FACTS["cluster"], "--region", FACTS["region"], "--account", FACTS["account"],
             "--node-role", FACTS["node_role"], "--interruption-queue", FACTS["queue"], *flags]
    words += ["--group", group] if group else []
    return json.loads(subprocess.run(words, stdout=subprocess.PIPE, check=True, text=True).stdout)


def actions(document):
    return [action for statement in document["Statement"] for action in statement["Action"]]


def template():
    """CloudFormation as plain values: {"Sub": text} for `!Sub text`, and so on."""
    class Loader(yaml.SafeLoader):
        pass

    def intrinsic(loader, name, node):
        kind = {yaml.ScalarNode: loader.construct_scalar, yaml.SequenceNode: loader.construct_sequence,
                yaml.MappingNode: loader.construct_mapping}[type(node)]
        return {name: kind(node) if isinstance(node, yaml.ScalarNode) else kind(node, deep=True)}
    Loader.add_multi_constructor("!", intrinsic)
    return yaml.load(TEMPLATE.read_text(encoding="utf-8"), Loader)


def filled_in_template(name):
    """A policy of CloudFormation as the stack would make it."""
    values = {"ClusterName": FACTS["cluster"], "NodeRole": FACTS["node_role"], "Queue.QueueName": FACTS["queue"],
              "AWS::AccountId": FACTS["account"], "AWS::Region": FACTS["region"], "AWS::Partition": "aws",
              "AWS::URLSuffix": "amazonaws.com"}
    text = template()["Resources"][f"{name}Policy"]["Properties"]["PolicyDocument"]["Sub"]
    return json.loads(re.sub(r"\$\{([^}]+)\}", lambda match: values[match[1]], text))


def filled_in_terraform(name):
    """A policy of the module as `templatefile` would make it."""
    values = {**FACTS, "partition": "aws", "dns_suffix": "amazonaws.com"}
    text = (TERRAFORM / f"policies/{name}.json.tftpl").read_text(encoding="utf-8")
    return json.loads(re.sub(r"\$\{([^}]+)\}", lambda match: values[match[1]], text))
