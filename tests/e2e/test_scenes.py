"""The scenes of tests/scenes on the real kube-scheduler: it places each pod where the scene says, and nowhere else.

The embedded scheduler must pass the same files (tests/unit/sim/scheduler/test_scenes.c), so the two agree where both pass.
"""

import pytest

from bed.api import Api
from bed.cluster import Cluster
from conftest import WORK
from scenes.extender import Extender
from scenes.player import Player, load_scenes

# No controllers: volumes are not bound, budgets are not counted, and the finalizers that protect volumes would stay.
PARTS = ("etcd", "kube-apiserver", "kube-scheduler")


@pytest.fixture(scope="module")
def player():
    extender = Extender()
    with Cluster(WORK / "scenes", PARTS, disabled_admission=("StorageObjectInUseProtection",),
                 scheduler_configuration=extender.configuration()) as cluster:
        yield Player(Api(cluster.layout.kubeconfig), extender.passed)
    extender.close()


@pytest.mark.parametrize("scene", [scene for _, scene in load_scenes()], ids=lambda scene: scene["scene"])
def test_scene(player, scene):
    differences, verdicts = player.play(scene)
    assert verdicts > 0
    assert not differences, "\n".join([scene["scene"], *differences])
