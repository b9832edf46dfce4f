#!/usr/bin/env python3
"""Writes the controller's rights into deploy/aws, as `tenon iam-policy` prints them.

    scripts/infrastructure.py [--tenon build/release/tenon] [--check]

--check: writes nothing; exit 1 and names what would change.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TEMPLATE = ROOT / "deploy/aws/cloudformation.yaml"
POLICIES = ROOT / "deploy/aws/terraform/policies"
GROUPS = ["NodeLifecycle", "IAMIntegration", "EKSIntegration", "Interruption", "ZonalShift", "ResourceDiscovery"]
CONDITIONS = {"ZonalShift": "ShiftsZones", "OldNodes": "HasOldNodes"}
BEGIN, END = "  # policies: begin\n", "  # policies: end\n"
# What stands for what the two languages fill in: nothing else of a policy may look like it.
CLUSTER, NODE_ROLE, QUEUE, ACCOUNT, REGION = "0cluster0", "0noderole0", "0queue0", "000000000000", "eu-west-1"
CLOUDFORMATION = {CLUSTER: "${ClusterName}", NODE_ROLE: "${NodeRole}", QUEUE: "${Queue.QueueName}", ACCOUNT: "${AWS::AccountId}",
                  REGION: "${AWS::Region}", "arn:aws:": "arn:${AWS::Partition}:", "amazonaws.com": "${AWS::URLSuffix}"}
TERRAFORM = {CLUSTER: "${cluster}", NODE_ROLE: "${node_role}", QUEUE: "${queue}", ACCOUNT: "${account}",
             REGION: "${region}", "arn:aws:": "arn:${partition}:", "amazonaws.com": "${dns_suffix}"}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tenon", type=Path, default=ROOT / "build/release/tenon")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    stale = {path: text for path, text in files(options.tenon).items()
             if not path.exists() or path.read_text(encoding="utf-8") != text}
    for path, text in stale.items():
        print(f"{path.relative_to(ROOT)} {'is not as tenon iam-policy prints it' if options.check else 'written'}")
        if not options.check:
            path.write_text(text, encoding="utf-8")
    return 1 if options.check and stale else 0


def files(tenon):
    """What the files should hold, by path."""
    policies = {group: print_policy(tenon, group) for group in GROUPS}
    policies["OldNodes"] = old_nodes(tenon, policies["NodeLifecycle"])
    made = {TEMPLATE: with_policies(TEMPLATE.read_text(encoding="utf-8"), policies)}
    for name, policy in policies.items():
        made[POLICIES / f"{name}.json.tftpl"] = fill(as_text(policy), TERRAFORM)
    return made


def print_policy(tenon, group, *flags):
    words = [tenon, "iam-policy", "--cluster-name", CLUSTER, "--region", REGION, "--account", ACCOUNT, "--node-role", NODE_ROLE,
             "--interruption-queue", QUEUE, "--enable-zonal-shift", "--group", group, *flags]
    return json.loads(subprocess.run(words, stdout=subprocess.PIPE, check=True, text=True).stdout)


def old_nodes(tenon, without):
    """What nodes of Karpenter up to 0.27 need beyond the others."""
    policy = print_policy(tenon, "NodeLifecycle", "--legacy")
    policy["Statement"] = [statement for statement in policy["Statement"] if statement not in without["Statement"]]
    return policy


def as_text(policy):
    return json.dumps(policy, indent=2) + "\n"


def fill(text, names):
    for name, place in names.items():
        text = text.replace(name, place)
    return text


def with_policies(template, policies):
    before, _, rest = template.partition(BEGIN)
    _, _, after = rest.partition(END)
    return before + BEGIN + "".join(resource(name, policy) for name, policy in policies.items()) + END + after


def resource(name, policy):
    """A managed policy of CloudFormation: names in keys of conditions need a text, in which !Sub fills them in."""
    text = "".join(f"        {line}\n" for line in fill(as_text(policy), CLOUDFORMATION).splitlines())
    condition = f"    Condition: {CONDITIONS[name]}\n" if name in CONDITIONS else ""
    return f"  {name}Policy:\n    Type: AWS::IAM::ManagedPolicy\n{condition}    Properties:\n      PolicyDocument: !Sub |\n{text}\n"


if __name__ == "__main__":
    sys.exit(main())
