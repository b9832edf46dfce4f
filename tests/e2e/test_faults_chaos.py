"""The first seconds of `make chaos`: kills in the middle of a scale-out leave no trace."""

from bed.tenon import install
from bed.api import Api, wait_for
from bed.cluster import Cluster
from chaos.killing import kill_again_and_again


def test_kills_leave_no_node_behind_and_make_none_twice(tmp_path):
    with Cluster(tmp_path / "chaos") as cluster:
        api = Api(cluster.layout.kubeconfig)
        wait_for(lambda: api.get("v1", "ServiceAccount", "default", "default"), what="the controller manager's first work")
        install(cluster)
        outcome = kill_again_and_again(cluster, api, nodes=30, seconds=10)
    assert not outcome.faults, outcome
    assert outcome.nodes == 30
