"""Objects that a cluster needs for tenon to create nodes."""


def add_pool(api, name="default"):
    api.put("kwoknodeclasses", {"apiVersion": "karpenter.kwok.sh/v1alpha1", "kind": "KWOKNodeClass",
                                "metadata": {"name": name}, "spec": {},
                                "status": {"conditions": [{"type": "Ready", "status": "True", "reason": "Ready",
                                                           "lastTransitionTime": "2026-01-01T00:00:00Z"}]}})
    api.put("nodepools", {"apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": {"name": name}, "spec": {
        "template": {"spec": {"requirements": [{"key": "kubernetes.io/arch", "operator": "In", "values": ["amd64"]}],
                              "nodeClassRef": {"group": "karpenter.kwok.sh", "kind": "KWOKNodeClass",
                                               "name": name}}}}})


def add_pods(api, count):
    """Adds unschedulable pods, each so large that it needs a node for itself."""
    for number in range(count):
        api.put("pods", {"apiVersion": "v1", "kind": "Pod", "metadata": {"namespace": "default", "name": f"pod-{number}"},
                         "spec": {"schedulerName": "default-scheduler", "containers": [
                             {"name": "c", "image": "c", "resources": {"requests": {"cpu": "100", "memory": "1Gi"}}}]},
                         "status": {"phase": "Pending", "conditions": [
                             {"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}]}})
