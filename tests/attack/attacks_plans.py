"""Attacks by pods: plans that take long, while other work must continue."""

import time
from pathlib import Path

import process
from world_objects import add_pods, add_pool

STOP_SECONDS = 3
CLAIM_SECONDS = 3


def pod(name, spec, cpu="1"):
    return {"apiVersion": "v1", "kind": "Pod",
            "metadata": {"namespace": "default", "name": name, "labels": {"app": name.partition("-")[0]}},
            "spec": {"schedulerName": "default-scheduler", "containers": [
                {"name": "c", "image": "c", "resources": {"requests": {"cpu": cpu, "memory": "1Gi"}}}], **spec},
            "status": {"phase": "Pending", "conditions": [
                {"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}]}}


def solver_seconds(tenon):
    """CPU time of the thread that plans, in seconds."""
    for task in Path(f"/proc/{tenon.pid}/task").iterdir():
        if (task / "comm").read_text().strip() == "solver":
            fields = (task / "stat").read_text().rpartition(")")[2].split()
            return (int(fields[11]) + int(fields[12])) / 100
    return 0


def add_odd_pods(api, count):
    """Adds pods of so many sizes that planning 1,500 of them without a time limit takes some seconds."""
    for number in range(count):
        api.put("pods", pod(f"odd-{number}", {}, f"{200 + 137 * number % 7000}m"))


def a_stop_ends_a_plan_that_is_under_way(program):
    with process.World(program) as world:
        add_pool(world.api)
        add_odd_pods(world.api, 1500)
        tenon = world.run("--effort=best", "--solve-deadline=1h")
        tenon.await_ready()
        process.wait_for(lambda: solver_seconds(tenon) > 0.5, 30, "a plan that takes long")
        assert ("POST", "nodeclaims", False) not in world.api.requests, "the plan was over before the stop"
        status, seconds = tenon.stop(30)
        assert status == 0, f"ended with {status}"
        assert seconds < STOP_SECONDS, f"the stop took {seconds:.1f} s"


def a_pod_that_takes_long_to_plan_does_not_hold_up_others(program):
    """A pod with 3,000 spread constraints does not keep later pods from getting nodes."""
    spreads = [{"topologyKey": f"example.com/key-{number}", "maxSkew": 1, "whenUnsatisfiable": "ScheduleAnyway",
                "labelSelector": {"matchLabels": {"app": "dear"}}} for number in range(3000)]
    with process.World(program) as world:
        add_pool(world.api)
        tenon = world.run("--solve-deadline=2s")
        tenon.await_ready()
        world.await_pool()
        world.api.put("pods", pod("dear-0", {"topologySpreadConstraints": spreads}, "8"))
        time.sleep(0.3)
        add_pods(world.api, 1)
        process.wait_for(lambda: any(claim["spec"]["resources"]["requests"].get("cpu", "").startswith("100")
                                     for claim in world.api.all("nodeclaims")), CLAIM_SECONDS, "a claim for the other pod")
        assert tenon.health("/readyz")[0] == 200
        status, seconds = tenon.stop(30)
        assert seconds < STOP_SECONDS, f"the stop took {seconds:.1f} s"
