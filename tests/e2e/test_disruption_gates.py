"""What feature gates open: sick nodes are rebooted, and pods are told in which order scale-in should end them. Acted
together: fleet.py."""

from datetime import datetime, timezone

from bed.rights import SUBJECTS
from conftest import GATES
from fleet import scene
from test_surge import RBAC
from world import condition_of

FLAGS = ("--feature-gates", f"{GATES},NodeRepair=true,RebootForRepair=true,PodDeletionCostManagement=true")
COST, OURS = "controller.kubernetes.io/pod-deletion-cost", "tenon.sh/pod-deletion-cost"
REBOOT = "tenon-kwok-reboot"
SICK, REBOOTING = "KWOKRebootRequired", "karpenter.sh/rebooting"


def allow(fleet, role):
    """A role of bed/rights.py: in the test's namespace, or in all until the test is over."""
    scope, place = ("Cluster", {}) if role == REBOOT else ("", {"namespace": fleet.namespace})
    return fleet.create({"apiVersion": f"{RBAC}/v1", "kind": f"{scope}RoleBinding", "metadata": {"name": role, **place},
                         "roleRef": {"apiGroup": RBAC, "kind": "ClusterRole", "name": role},
                         "subjects": SUBJECTS})


def now():
    return datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def fall_ill(fleet, name):
    """The node's agent asks for a reboot."""
    node = fleet.node(fleet.node_name(name))
    sick = {"type": SICK, "status": "True", "reason": "E2EReboot", "message": "", "lastTransitionTime": now(), "lastHeartbeatTime": now()}
    fleet.api.patch(node, {"status": {"nodeInfo": {**node["status"]["nodeInfo"], "bootID": "first"},
                                      "conditions": [*node["status"]["conditions"], sick]}}, status=True)


def recover(fleet, name):
    node = fleet.node(fleet.node_name(name))
    fleet.api.patch(node, {"status": {"conditions": [each for each in node["status"]["conditions"] if each["type"] != SICK]}},
                    status=True)


@scene
def test_a_sick_node_is_fenced_drained_and_rebooted(fleet):
    allow(fleet, REBOOT)
    fleet.pool(after="Never")
    claim = fleet.new_node("a")
    yield
    fleet.put("web", on="a", owned=False)
    yield
    fall_ill(fleet, "a")
    yield fleet.wait(lambda: fleet.node(fleet.node_name("a"))["status"]["nodeInfo"]["bootID"] != "first", "the node has rebooted")
    assert any(each["key"] == REBOOTING for node in fleet.versions(fleet.node_of(claim)) for each in node["spec"].get("taints", []))
    assert not fleet.pods()     # evicted: it has no owner that would make it anew
    recover(fleet, "a")

    def has_ended():
        rebooting = condition_of(fleet.claim(fleet.name("a")), "Rebooting")
        return rebooting and rebooting["reason"] == "RebootSucceeded"
    yield fleet.wait(has_ended, "the claim says that the reboot has succeeded")
    assert all(each["key"] != REBOOTING for each in fleet.node(fleet.node_name("a"))["spec"].get("taints", []))
    fleet.stays("a")


@scene
def test_pods_are_told_in_which_order_scale_in_should_end_them(fleet):
    allow(fleet, "tenon-deletion-cost")
    fleet.pool()
    fleet.new_node("a")
    fleet.new_node("b")
    yield
    for name in "ab":       # too large for both to be on one node
        fleet.put(f"web-{name}", on=name, cpu="1200m")
    fleet.put("users", on="b", cpu="100m", annotations={COST: "7"})
    yield

    def costs():
        return {pod["metadata"]["name"]: pod["metadata"].get("annotations", {}) for pod in fleet.pods()}
    yield fleet.wait(lambda: all(int(costs()[pod].get(COST, 0)) < 0 for pod in ("web-a", "web-b")), "both pods have a cost")
    told = costs()
    assert told["web-a"][COST] != told["web-b"][COST]
    assert all(told[pod][OURS] == told[pod][COST] for pod in ("web-a", "web-b"))
    assert told["users"][COST] == "7" and OURS not in told["users"]
    fleet.stays("a", "b")
