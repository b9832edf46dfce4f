"""deploy/aws is well-formed, and its two languages say the same, which is what tenon says of itself."""

import json
import re
import subprocess
import sys
from pathlib import Path

import hcl2
import pytest

from tests.aws.infrastructure.printed import ROOT, TEMPLATE, TENON, TERRAFORM, actions, filled_in_template, filled_in_terraform, policy, \
    template

GROUPS = ["NodeLifecycle", "IAMIntegration", "EKSIntegration", "Interruption", "ZonalShift", "ResourceDiscovery"]


def test_cfn_lint_finds_nothing():
    done = subprocess.run([Path(sys.executable).parent / "cfn-lint", "--non-zero-exit-code", "informational", TEMPLATE],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, text=True)
    assert done.returncode == 0, done.stdout


def test_the_files_are_what_the_script_writes():
    done = subprocess.run([sys.executable, ROOT / "scripts/infrastructure.py", "--check", "--tenon", TENON],
                          stdout=subprocess.PIPE, check=False, text=True)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("group", GROUPS)
def test_a_group_of_rights_is_the_printed_one(group):
    printed = policy("--enable-zonal-shift", group=group)
    assert filled_in_template(group) == printed
    assert filled_in_terraform(group) == printed


def test_old_nodes_add_what_the_printed_policy_adds():
    added = [statement for statement in policy("--legacy")["Statement"] if statement not in policy()["Statement"]]
    assert added and actions({"Statement": added}) == ["ec2:CreateTags"]
    assert filled_in_template("OldNodes")["Statement"] == added
    assert filled_in_terraform("OldNodes")["Statement"] == added


def test_all_groups_together_are_the_whole_policy():
    whole = policy("--enable-zonal-shift")
    assert [statement for group in GROUPS for statement in filled_in_template(group)["Statement"]] == whole["Statement"]


def test_the_policies_are_attached_to_the_controllers_role():
    role = template()["Resources"]["ControllerRole"]["Properties"]
    attached = json.dumps(role["ManagedPolicyArns"])
    for name in [*GROUPS, "OldNodes"]:
        assert f'"{name}Policy"' in attached
    assert '"ShiftsZones", {"Ref": "ZonalShiftPolicy"}' in attached and '"HasOldNodes", {"Ref": "OldNodesPolicy"}' in attached


def test_nodes_have_what_eks_asks_of_them():
    arns = template()["Resources"]["NodeRole"]["Properties"]["ManagedPolicyArns"]
    names = {arn["Sub"].rsplit("/", 1)[1] for arn in arns}
    assert names == {"AmazonEKS_CNI_Policy", "AmazonEKSWorkerNodePolicy", "AmazonEC2ContainerRegistryPullOnly",
                     "AmazonSSMManagedInstanceCore"}
    assert names == set(re.findall(r'"(Amazon\w+)"', (TERRAFORM / "nodes.tf").read_text(encoding="utf-8")))


# --- events


def test_events_may_be_sent_to_the_queue_and_by_tls_alone():
    allow, deny = template()["Resources"]["QueuePolicy"]["Properties"]["PolicyDocument"]["Statement"]
    assert allow["Principal"] == {"Service": ["events.amazonaws.com", "sqs.amazonaws.com"]} and allow["Action"] == "sqs:SendMessage"
    assert deny["Effect"] == "Deny" and deny["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}


def known_events():
    """Sources and types of the events that tenon acts upon."""
    text = (ROOT / "src/cloud/aws/events/queue_message.c").read_text(encoding="utf-8")
    table = text.split("event_kinds[] = {", 1)[1].split("};", 1)[0]
    return set(re.findall(r'\{"(aws\.\w+)", "([^"]+)"', table))


def test_the_rules_bring_what_tenon_acts_upon():
    rules = [thing["Properties"] for thing in template()["Resources"].values() if thing["Type"] == "AWS::Events::Rule"]
    patterns = {(rule["EventPattern"]["source"][0], rule["EventPattern"]["detail-type"][0]) for rule in rules}
    assert len(known_events()) == 5 and patterns == known_events()
    assert all(rule["Targets"][0]["Arn"] == {"GetAtt": "Queue.Arn"} for rule in rules)
    events = next(one["events"] for one in hcl("queue.tf")["locals"] if "events" in one)
    assert {(plain(event["source"]), plain(event["type"])) for event in events.values() if isinstance(event, dict)} == known_events()


# --- Terraform

# What python-hcl2 puts beside what it read.
PARSERS_OWN = {"local.__comments__", "local.__is_block__"}


def hcl(name):
    with open(TERRAFORM / name, encoding="utf-8") as file:
        return hcl2.load(file)


def plain(text):
    """Versions of python-hcl2 differ in whether a string keeps its quotation marks."""
    return text.strip('"')


def declared():
    """Addresses that expressions of the module may name."""
    names = set()
    for file in TERRAFORM.glob("*.tf"):
        parsed = hcl(file.name)
        names |= {f"var.{plain(name)}" for block in parsed.get("variable", []) for name in block}
        names |= {f"local.{plain(name)}" for block in parsed.get("locals", []) for name in block}
        for kind, prefix in (("resource", ""), ("data", "data.")):
            names |= {f"{prefix}{plain(of)}.{plain(name)}" for block in parsed.get(kind, []) for of, them in block.items()
                      for name in them}
    return names


def used():
    text = "\n".join(file.read_text(encoding="utf-8") for file in TERRAFORM.glob("*.tf"))
    text = re.sub(r"#.*|description *= *\".*\"|error_message *= *\".*\"", "", text)
    return set(re.findall(r"\b(?:var|local)\.\w+|\bdata\.aws_\w+\.\w+", text)) | \
        set(re.findall(r"(?<!data\.)(?<![\"\w])(aws_\w+\.\w+)", text))


def test_expressions_name_what_is_there_and_every_variable_is_used():
    assert used() and used() <= declared()
    assert {name for name in declared() if name.startswith(("var.", "local."))} - used() <= PARSERS_OWN


def test_no_instances_are_named_by_what_is_known_after_the_plan():
    """A caller's ids are unknown while its network is planned, and Terraform refuses them as keys."""
    text = "\n".join(file.read_text(encoding="utf-8") for file in TERRAFORM.glob("*.tf"))
    assert re.findall(r"for_each *= *(.*)", text)
    assert not re.findall(r"for_each *=[^\n]*var\..*", text)


def test_policies_ask_for_names_that_the_module_gives():
    names = set()
    for block in hcl("main.tf")["locals"]:
        names |= {plain(name) for name in block["names"]}
    for file in (TERRAFORM / "policies").iterdir():
        assert set(re.findall(r"\$\{(\w+)\}", file.read_text(encoding="utf-8"))) <= names, file.name


def test_every_policy_of_the_folder_is_in_the_list():
    text = (TERRAFORM / "main.tf").read_text(encoding="utf-8")
    assert {file.name.split(".")[0] for file in (TERRAFORM / "policies").iterdir()} == {
        name for name in [*GROUPS, "OldNodes"] if f'"{name}"' in text}
