"""What the autoscalers are given: a NodePool, and Deployments whose pods spread over zones."""

KWOK = "karpenter.kwok.sh"
CPUS = ["1", "500m", "250m", "2"]       # one Deployment each
NAMESPACE = "burst"
LONE = "lone"


def node_class():
    return {"apiVersion": f"{KWOK}/v1alpha1", "kind": "KWOKNodeClass", "metadata": {"name": "default"}}


def node_pool():
    """On-demand machines with Linux and at most 16 CPUs; everything may be consolidated after half a minute."""
    requirements = [("karpenter.sh/capacity-type", "In", "on-demand"), ("kubernetes.io/os", "In", "linux"),
                    ("kubernetes.io/arch", "In", "amd64"), (f"{KWOK}/instance-cpu", "Lt", "17")]
    return {"apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": {"name": "default"}, "spec": {
        "template": {"spec": {
            "nodeClassRef": {"group": KWOK, "kind": "KWOKNodeClass", "name": "default"},
            "expireAfter": "Never",
            "requirements": [{"key": key, "operator": operator, "values": [value]} for key, operator, value in requirements]}},
        "disruption": {"consolidateAfter": "30s", "consolidationPolicy": "WhenEmptyOrUnderutilized",
                       "budgets": [{"nodes": "100%"}]}}}


def namespace(name):
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}


def deployment(name, where, replicas, cpu, memory="1Gi"):
    labels = {"app": name}
    container = {"name": "main", "image": "registry.k8s.io/pause:3.10",
                 "resources": {"requests": {"cpu": cpu, "memory": memory}}}
    spread = {"maxSkew": 1, "topologyKey": "topology.kubernetes.io/zone", "whenUnsatisfiable": "DoNotSchedule",
              "labelSelector": {"matchLabels": labels}}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name, "namespace": where},
            "spec": {"replicas": replicas, "selector": {"matchLabels": labels},
                     "template": {"metadata": {"labels": labels},
                                  "spec": {"containers": [container], "topologySpreadConstraints": [spread],
                                           "terminationGracePeriodSeconds": 0}}}}


def burst(pods):
    """Four Deployments of `pods` altogether."""
    shares = [pods // len(CPUS) + (number < pods % len(CPUS)) for number in range(len(CPUS))]
    return [deployment(f"web-{number}", NAMESPACE, share, cpu) for number, (share, cpu) in enumerate(zip(shares, CPUS))]
