#!/usr/bin/env python3
"""Writes the scenario of the scale benchmark: a day of a large cluster.

    make_day.py [--deployments 100] [--replicas 1000] > day-5000.yaml

Each node (8 CPUs) takes about twenty pods, so that 100 deployments of 1,000 replicas end on about 5,000 nodes. The
first hour fills the cluster; then the deployments breathe, some roll, jobs come and go, spot instances are taken back,
nodes expire, and tenon is killed once.
"""
import argparse

HEAD = """\
# A day of a cluster of {nodes:,} nodes and {pods:,} pods. Written by make_day.py; bench/sim/README.md says what it is for.
apiVersion: tenon.sh/v1alpha1
kind: Scenario
name: day-{nodes}
description: a day of {pods:,} pods on about {nodes:,} nodes
seed: 5
duration: 24h
cluster: {{region: us-east-1, bindsPerSecond: 300}}
settings: {{effort: fast, disruption: "false"}}
timeline:
- at: 0s
  apply:
  - apiVersion: karpenter.k8s.aws/v1
    kind: EC2NodeClass
    metadata: {{name: default}}
    spec:
      amiSelectorTerms: [{{alias: al2023@latest}}]
      role: KarpenterNodeRole-day
      subnetSelectorTerms: [{{tags: {{karpenter.sh/discovery: day}}}}]
      securityGroupSelectorTerms: [{{tags: {{karpenter.sh/discovery: day}}}}]
{pools}
  - {{apiVersion: v1, kind: Namespace, metadata: {{name: shop}}}}
  - apiVersion: apps/v1
    kind: DaemonSet
    metadata: {{name: node-agent, namespace: kube-system}}
    spec:
      selector: {{matchLabels: {{app: node-agent}}}}
      template:
        metadata: {{labels: {{app: node-agent}}}}
        spec:
          priorityClassName: system-node-critical
          tolerations: [{{operator: Exists}}]
          containers: [{{name: agent, image: agent, resources: {{requests: {{cpu: 100m, memory: 128Mi}}}}}}]
"""

POOL = """\
  - apiVersion: karpenter.sh/v1
    kind: NodePool
    metadata: {{name: {name}}}
    spec:
      template:
        metadata: {{labels: {{tier: {name}}}}}
        spec:
          nodeClassRef: {{group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}}
          expireAfter: {expire}
          requirements:
          - {{key: karpenter.k8s.aws/instance-category, operator: In, values: [c, m, r]}}
          - {{key: karpenter.k8s.aws/instance-cpu, operator: In, values: ["8"]}}
          - {{key: kubernetes.io/arch, operator: In, values: [amd64]}}
          - {{key: karpenter.sh/capacity-type, operator: In, values: [{capacity}]}}"""

POOLS = [("general", "720h", "on-demand"), ("spot", "720h", "spot"), ("short", "16h", "on-demand")]

DEPLOYMENT = """\
- at: {at}s
  apply:
  - apiVersion: apps/v1
    kind: Deployment
    metadata: {{name: {name}, namespace: shop}}
    spec:
      replicas: {replicas}
      selector: {{matchLabels: {{app: {name}}}}}
      template:
        metadata: {{labels: {{app: {name}}}}}
        spec:
          nodeSelector: {{tier: {tier}}}{rules}
          containers: [{{name: app, image: app, resources: {{requests: {{cpu: 375m, memory: {memory}Mi}}}}}}]
- {{at: {breathes}, every: 10m, until: 23h30m, load: {{namespace: shop, name: {name}, low: {low}, high: {high}, peak: {peak}h, noise: 2%}}}}
"""

SPREAD = """
          topologySpreadConstraints:
          - maxSkew: {skew}
            topologyKey: topology.kubernetes.io/zone
            whenUnsatisfiable: DoNotSchedule
            labelSelector: {{matchLabels: {{app: {name}}}}}"""

BUDGET = """\
- at: {at}s
  apply:
    apiVersion: policy/v1
    kind: PodDisruptionBudget
    metadata: {{name: {name}, namespace: shop}}
    spec: {{maxUnavailable: 10%, selector: {{matchLabels: {{app: {name}}}}}}}
"""

ROLL = """\
- at: {hour}h7m
  patch:
    kind: Deployment
    namespace: shop
    name: {name}
    merge: {{spec: {{template: {{metadata: {{annotations: {{rolled: "{hour}"}}}}}}}}}}
"""

JOB = """\
- at: {hour}h15m
  apply:
    apiVersion: batch/v1
    kind: Job
    metadata: {{name: night-{hour}, namespace: shop}}
    spec:
      completions: {completions}
      parallelism: {parallelism}
      template:
        metadata:
          labels: {{app: night}}
          annotations: {{sim.tenon.sh/run-seconds: "600"}}
        spec:
          restartPolicy: OnFailure
          nodeSelector: {{tier: general}}
          containers: [{{name: work, image: work, resources: {{requests: {{cpu: 375m, memory: 512Mi}}}}}}]
"""

TAIL = """\
- at: 75m
  expect:
  - {{measure: running-pods, value: ">= {enough}"}}
  - {{measure: pending-pods, value: 0, within: 5m}}
- {{at: 9h3m, fault: {{type: spot-interrupt, count: {interrupted}}}}}
- {{at: 15h3m, fault: {{type: spot-interrupt, count: {interrupted}}}}}
- {{at: 11h32m, fault: {{type: kill-controller, delay: 5s}}}}
- at: 23h45m
  expect:
  - {{measure: pending-pods, value: 0, within: 10m}}
"""


def tier_of(number):
    """70 % of the deployments on demand, 20 % on spot, 10 % on nodes that expire within the day."""
    return "short" if number % 10 == 9 else "spot" if number % 10 in (4, 8) else "general"


def deployment(number, count, replicas):
    name = f"app-{number:03}"
    at = 10 + number * 2400 // count
    rules = SPREAD.format(skew=max(2, replicas // 100), name=name) if number % 10 in (1, 6) else ""
    yield DEPLOYMENT.format(
        at=at, name=name, replicas=replicas, tier=tier_of(number), rules=rules, memory=512 + 64 * (number % 8),
        low=replicas * 85 // 100, high=replicas * 105 // 100, peak=10 + number % 8,
        breathes=f"{5400 + 6 * (number % 100)}s")
    if number % 2 == 0:
        yield BUDGET.format(at=at, name=name)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--deployments", type=int, default=100)
    parser.add_argument("--replicas", type=int, default=1000)
    options = parser.parse_args()
    pods = options.deployments * options.replicas
    nodes = pods // 20

    pools = "\n".join(POOL.format(name=name, expire=expire, capacity=capacity) for name, expire, capacity in POOLS)
    print(HEAD.format(nodes=nodes, pods=pods, pools=pools), end="")
    for number in range(options.deployments):
        print("".join(deployment(number, options.deployments, options.replicas)), end="")
    for hour in range(3, 23, 2):
        print(ROLL.format(hour=hour, name=f"app-{(hour * 7) % options.deployments:03}"), end="")
        print(JOB.format(hour=hour, completions=pods // 100, parallelism=pods // 200), end="")
    print(TAIL.format(enough=pods * 97 // 100, interrupted=max(1, nodes // 250)), end="")


if __name__ == "__main__":
    main()
