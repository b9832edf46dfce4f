"""Kubernetes objects for tests, with defaults for all fields that do not matter to a test."""

IMAGE = "registry.k8s.io/pause:3.10"
# Kinds that make pods; owners come before the kinds that they would recreate.
WORKLOADS = [("batch/v1", "CronJob"), ("batch/v1", "Job"), ("apps/v1", "Deployment"), ("apps/v1", "StatefulSet"),
             ("apps/v1", "DaemonSet"), ("apps/v1", "ReplicaSet"), ("v1", "Pod")]


def pod(name, namespace, cpu="100m", labels=None, **spec):
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": namespace, "labels": labels or {}},
            "spec": pod_spec(cpu, **spec)}


def pod_spec(cpu="100m", **spec):
    container = {"name": "main", "image": IMAGE, "resources": {"requests": {"cpu": cpu, "memory": "64Mi"}}}
    return {"containers": [container], "terminationGracePeriodSeconds": 0, **spec}


def deployment(name, namespace, replicas, cpu="100m", **spec):
    labels = {"app": name}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name, "namespace": namespace},
            "spec": {"replicas": replicas, "selector": {"matchLabels": labels},
                     "template": {"metadata": {"labels": labels}, "spec": pod_spec(cpu, **spec)}}}


def budget(name, namespace, app, min_available):
    return {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": name, "namespace": namespace},
            "spec": {"minAvailable": min_available, "selector": {"matchLabels": {"app": app}}}}


def spread(app, key="topology.kubernetes.io/zone"):
    """The constraint that replicas differ by one at most between the values of `key`."""
    return [{"maxSkew": 1, "topologyKey": key, "whenUnsatisfiable": "DoNotSchedule",
             "labelSelector": {"matchLabels": {"app": app}}}]


def kwok_class(name="default"):
    return {"apiVersion": "karpenter.kwok.sh/v1alpha1", "kind": "KWOKNodeClass", "metadata": {"name": name}}


def config_map(name, namespace, **data):
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": namespace}, "data": data}
