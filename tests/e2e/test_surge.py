"""tenon.sh/surge: the only pod of a Deployment is started elsewhere before its node goes; without the right it is evicted."""

import things
from bed.rights import SUBJECTS

RBAC = "rbac.authorization.k8s.io"
SURGE = "tenon.sh/surge"


def served(world, surge):
    """A Deployment of one pod that asks to be surged, and runs. Returns its NodeClaim."""
    thing = things.deployment("web", world.namespace, 1, "500m", **world.placed({}))
    thing["spec"]["template"]["metadata"]["annotations"] = {SURGE: surge}
    world.api.create(thing)
    world.waiting(1)
    world.pool()
    world.running(1)
    return world.claims()[0]


def allow(world):
    """tenon may patch the Deployments of the test's namespace."""
    world.api.create({"apiVersion": f"{RBAC}/v1", "kind": "RoleBinding",
                      "metadata": {"name": "tenon-surge", "namespace": world.namespace},
                      "roleRef": {"apiGroup": RBAC, "kind": "ClusterRole", "name": "tenon-surge"},
                      "subjects": SUBJECTS})


def serving(world):
    """Pods that are ready and not going away."""
    return [pod for pod in world.pods() if not pod["metadata"].get("deletionTimestamp")
            and any(each["type"] == "Ready" and each["status"] == "True" for each in pod["status"].get("conditions", []))]


def test_another_pod_is_ready_before_the_old_one_goes(world):
    allow(world)
    claim = served(world, "true")
    old, = world.pods()
    budget = world.api.create(things.budget("web", world.namespace, "web", 1))     # it would refuse an eviction for ever
    world.api.delete(claim)
    world.event(old, "Surging", "The Deployment starts another pod before this one goes")
    gaps = []

    def gone():
        gaps.extend([] if serving(world) else ["nobody serves"])
        return not world.claim(claim["metadata"]["name"])

    world.wait(gone, "the old node's claim is gone")
    assert not gaps
    new, = world.running(1)
    assert new["metadata"]["annotations"][f"{SURGE}-for"].startswith(old["metadata"]["uid"])
    assert new["spec"]["nodeName"] != old["spec"]["nodeName"]
    assert not world.events(old, "Evicted")
    assert len(world.claims()) == 1
    world.api.delete(budget)


def test_without_the_right_it_is_evicted_and_told_why(world):
    claim = served(world, "10m")
    old, = world.pods()
    world.api.delete(claim)
    assert 'cannot get resource "deployments"' in world.event(old, "SurgeFailed", "evicted without another one")
    world.event(old, "Evicted", "Evicted pod")
    world.gone(claim)
    world.running(1)
