"""What the first users' write-ups show of a launch on EC2 (docs/design/aws-rows.md), in today's names."""

import time

from world import CAPACITY_TYPE, condition_of, requirement

WINDOW_S, SOLVE_S = 10, 5   # at most: of a batch of pods; of planning, on a machine that others use too


def test_the_log_tells_a_launch_step_by_step(ec2):
    """R030: the sequence of messages, all about one pool, class and claim."""
    ec2.pool()
    ec2.deploy("web", 1)
    claim, = ec2.launched(1)
    name = claim["metadata"]["name"]
    ec2.wait(lambda: [line for line in ec2.tenon.lines("initialized nodeclaim") if name in str(line)], "it is initialized")
    told = [line["message"] for line in ec2.tenon.lines() if name in str(line) or ec2.namespace in str(line)
            or line["message"].startswith("discovered kubernetes version")]
    wanted = ["discovered kubernetes version", "discovered amis", "created nodeclaim", "created launch template",
              "launched nodeclaim", "registered nodeclaim", "initialized nodeclaim"]
    assert list(dict.fromkeys(message for message in told if message in wanted)) == wanted


def test_a_pod_gets_a_machine_of_its_size_in_under_a_minute(ec2, report):
    """R031, R105, R173: a pending pod is a request to EC2 when its batch is planned, and runs within a minute."""
    ec2.pool()
    begin = time.monotonic()
    ec2.deploy("web", 1)
    ec2.wait(ec2.fleets, "a fleet is asked for")
    asked = time.monotonic() - begin
    ec2.running(1)
    ran = time.monotonic() - begin
    report(f"aws: a pod's fleet is asked for after {asked:.1f} s, the pod runs after {ran:.1f} s")
    assert asked < WINDOW_S + SOLVE_S and ran < 60
    claim, = ec2.claims()
    assert int(claim["metadata"]["labels"]["karpenter.k8s.aws/instance-cpu"]) <= 2


def test_a_claim_is_one_request_to_ec2_and_goes_through_its_conditions(ec2):
    """R162, R179: launched, registered, initialized; the pod runs on the Node of the instance."""
    ec2.pool(requirements=[requirement(CAPACITY_TYPE, "In", "spot", "on-demand")])
    ec2.deploy("web", 1)
    ec2.running(1)
    claim, = ec2.launched(1)
    ec2.wait(lambda: condition_of(ec2.claim(claim["metadata"]["name"]), "Initialized")["status"] == "True", "it is initialized")
    claim = ec2.claim(claim["metadata"]["name"])
    reached = [condition_of(claim, kind)["lastTransitionTime"] for kind in ("Launched", "Registered", "Initialized")]
    assert reached == sorted(reached)
    call, = ec2.fleets()
    assert call["params"]["Type"] == "instant" and call["params"]["TargetCapacitySpecification"]["TotalTargetCapacity"] == 1
    pod, = ec2.pods()
    node = ec2.node(claim["status"]["nodeName"])
    assert pod["spec"]["nodeName"] == node["metadata"]["name"]
    assert node["spec"]["providerID"] == claim["status"]["providerID"]
