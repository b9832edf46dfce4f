"""One tenant's pods must not delay others: pods that are accepted by the API server and costly to plan."""

import time

import pytest
from faults import small_nodes
from world import HOSTNAME, NODE_POOL, ZONE

PLANNED = "found provisionable pod(s)"      # the log's line for each plan
TAINT = {"key": "e2e.example/victims"}      # keeps the other pods off the victim's nodes
CLAIM_SECONDS, STOP_SECONDS = 3, 3


def selector(number):
    return {"matchLabels": {"app": f"app-{number}"}}


def spreads(count):
    return {"topologySpreadConstraints": [
        {"maxSkew": 1, "topologyKey": f"example.com/key-{i}", "whenUnsatisfiable": "ScheduleAnyway",
         "labelSelector": selector(i)} for i in range(count)]}


def anti_affinity(required, preferred):
    terms = [{"topologyKey": HOSTNAME, "labelSelector": selector(i)} for i in range(max(required, preferred))]
    return {"affinity": {"podAntiAffinity": {
        "requiredDuringSchedulingIgnoredDuringExecution": terms[:required],
        "preferredDuringSchedulingIgnoredDuringExecution": [
            {"weight": 1, "podAffinityTerm": term} for term in terms[:preferred]]}}}


def node_terms(*terms):
    return {"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {
        "nodeSelectorTerms": [{"matchExpressions": expressions} for expressions in terms]}}}}


def other_terms(number):
    return node_terms([{"key": "node.kubernetes.io/instance-type", "operator": "NotIn", "values": [f"t{number}"]},
                       {"key": "example.com/a", "operator": "DoesNotExist"}],
                      [{"key": ZONE, "operator": "NotIn", "values": [f"t{number}"]}])


def other_zones(number):
    return node_terms([{"key": ZONE, "operator": "NotIn", "values": [f"z-{number}-{i}" for i in range(200)]}])


def ports(count, address=""):
    numbered = [{"containerPort": 1, "hostPort": 1 + i, "protocol": "TCP", **({"hostIP": address} if address else {})}
                for i in range(count)]
    return {"initContainers": [{"name": "ports", "image": "none", "restartPolicy": "Always", "ports": numbered}]}


HOSTILE = {
    "6,000 spread constraints": [spreads(6000)],
    "5,000 preferred anti-affinity terms": [anti_affinity(0, 5000)],
    "6,000 required anti-affinity terms": [anti_affinity(6000, 0)],
    "100 pods with OR terms of their own": [other_terms(i) for i in range(100)],
    "300 pods with 200 excluded zones each": [other_zones(i) for i in range(300)],
    "20,000 host ports beside 1,000 with addresses": [ports(20000), ports(1000, "10.0.0.1")],
}


def plan_began(tenon, planned):
    """Whether a plan is under way, or was made since `planned` of them had been made."""
    return tenon.metric("tenon_engine_jobs_running") > 0 or len(tenon.lines(PLANNED)) > planned


def claims_of(yard, pool):
    return [claim for claim in yard.claims() if claim["metadata"]["labels"][NODE_POOL] == pool["metadata"]["name"]]


@pytest.mark.parametrize("specs", HOSTILE.values(), ids=HOSTILE.keys())
def test_pods_of_others_get_their_claim(yard, specs):
    """The claim of a later pod comes within seconds of that pod, and a stop ends the process within seconds."""
    tenon = yard.tenon(alone=True)
    yard.pool("hostile", requirements=[small_nodes()])
    victims = yard.pool("victims", requirements=[small_nodes()], template={"taints": [{**TAINT, "effect": "NoSchedule"}]})
    for number, spec in enumerate(specs):
        planned = len(tenon.lines(PLANNED))
        yard.pending(f"hostile-{number}", cpu="100m", **spec)
    yard.wait(lambda: plan_began(tenon, planned), "the plan for the hostile pods has begun")
    began = time.monotonic()
    yard.pending("victim", tolerations=[{**TAINT, "operator": "Exists"}], nodeSelector={NODE_POOL: yard.name("victims")})
    yard.wait(lambda: claims_of(yard, victims), "a claim for the other pod", 20)
    seconds = time.monotonic() - began
    assert seconds < CLAIM_SECONDS + 1, f"the claim took {seconds:.1f} s"     # one second is the batch's
    began = time.monotonic()
    tenon.stop()
    seconds = time.monotonic() - began
    assert seconds < STOP_SECONDS, f"the stop took {seconds:.1f} s"
