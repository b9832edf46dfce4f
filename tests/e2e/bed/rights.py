"""What tenon may do in a cluster of the bed: what its chart gives it, no more, as its chart's ServiceAccount.

The rules are those of deploy/chart/files/rights.yaml, which is made from the program's table, with the objects of 2023 among them.
The group `tenon` has them as well, for users with a certificate. Rules that the chart gives on request alone are roles that a test
binds where it wants them.
"""

from pathlib import Path

import yaml

TABLE = Path(__file__).resolve().parents[3] / "deploy" / "chart" / "files" / "rights.yaml"
ACCOUNT, NAMESPACE = "karpenter", "kube-system"
USER = f"system:serviceaccount:{NAMESPACE}:{ACCOUNT}"       # as the API server calls it
GROUP = "tenon"
RBAC = "rbac.authorization.k8s.io"
SUBJECTS = [{"apiGroup": RBAC, "kind": "Group", "name": GROUP},
            {"kind": "ServiceAccount", "name": ACCOUNT, "namespace": NAMESPACE}]
ON_REQUEST = {
    "tenon-surge": [{"apiGroups": ["apps"], "resources": ["deployments"], "verbs": ["get", "patch"]}],      # rbac.surge
    "tenon-deletion-cost": [{"apiGroups": [""], "resources": ["pods"], "verbs": ["patch"]}],                # rbac.podDeletionCost
    # Of the gate RebootForRepair with the provider kwok: the Node itself plays the restart (docs/run.md).
    "tenon-kwok-reboot": [{"apiGroups": [""], "resources": ["nodes/status"], "verbs": ["patch"]}],
}


# Of the calls that the account makes, what was asked and whether it was allowed.
AUDIT = {"apiVersion": "audit.k8s.io/v1", "kind": "Policy", "omitStages": ["RequestReceived"],
         "rules": [{"level": "Metadata", "users": [USER]}, {"level": "None"}]}


def rules(*parts):
    table = yaml.safe_load(TABLE.read_text(encoding="utf-8"))
    return [rule for part in parts for rule in table[part]]


def role(name, given, namespace=None):
    place = {"namespace": namespace} if namespace else {}
    return {"apiVersion": f"{RBAC}/v1", "kind": "Role" if namespace else "ClusterRole", "metadata": {"name": name, **place},
            "rules": given}


def binding(name, namespace=None):
    place = {"namespace": namespace} if namespace else {}
    kind = "Role" if namespace else "ClusterRole"
    return {"apiVersion": f"{RBAC}/v1", "kind": f"{kind}Binding", "metadata": {"name": name, **place}, "subjects": SUBJECTS,
            "roleRef": {"apiGroup": RBAC, "kind": kind, "name": name}}


def cluster_role():
    """The role of what tenon does in all namespaces."""
    return role("tenon", rules("cluster", "legacy"))


def objects():
    """All that is applied, as a List."""
    items = [{"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": ACCOUNT, "namespace": NAMESPACE}},
             cluster_role(), binding("tenon"),
             role("tenon", rules("lease", "legacyLease", "dns"), NAMESPACE), binding("tenon", NAMESPACE),
             *(role(name, given) for name, given in ON_REQUEST.items())]
    return {"apiVersion": "v1", "kind": "List", "items": items}
