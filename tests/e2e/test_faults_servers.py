"""The API server or etcd end and come back: tenon stays up, nothing is lost, nothing is made twice."""

import pytest

from test_faults_leader import small_nodes


@pytest.mark.parametrize("crash", [False, True], ids=["stopped", "killed"])
@pytest.mark.parametrize("part", ["kube-apiserver", "etcd"])
def test_a_restart_in_the_middle_of_a_burst(yard, part, crash):
    tenon = yard.tenon()
    yard.pool(requirements=[small_nodes()])
    web = yard.deploy("web", 8, cpu="600m")
    yard.wait(lambda: len(yard.claims()) >= 2, "some claims are there")
    yard.restart(part, crash)
    yard.running(8)
    yard.scale(web, 12)     # what comes after the restart is seen as well
    yard.running(12)
    yard.ready_nodes(12)
    assert yard.is_whole() == 12
    assert tenon.process.is_running()


def test_an_api_server_that_stays_away_costs_the_lease(yard):
    tenon = yard.tenon()
    held_by = yard.holder()
    yard.cluster.processes["kube-apiserver"].stop()
    assert tenon.process.wait(20) == 1      # whoever runs it starts it again, as Kubernetes does
    assert tenon.lines("failed to renew leader lease")
    assert tenon.lines("leader election lost")
    yard.restart("kube-apiserver")
    tenon.start()
    assert yard.holder() != held_by
    yard.pool()
    yard.deploy("web", 2)
    yard.running(2)


def test_without_a_lease_it_waits_for_the_api_server(yard):
    tenon = yard.tenon(alone=True)
    yard.pool()
    yard.deploy("web", 1)
    yard.running(1)
    yard.cluster.processes["kube-apiserver"].stop()
    yard.wait_log(tenon, "watch ended", "Connection refused")
    yard.restart("kube-apiserver")
    yard.deploy("more", 1, cpu="3")
    yard.running(2)
    assert tenon.process.is_running()


def test_tenon_may_start_before_the_api_server(yard):
    yard.cluster.processes["kube-apiserver"].stop()
    tenon = yard.unled("early")
    yard.wait_log(tenon, None, "refused")
    yard.restart("kube-apiserver")
    yard.pool()
    yard.deploy("web", 1)
    yard.running(1)
    assert tenon.process.is_running()


def test_a_freeze_of_the_api_server_is_no_restart(yard):
    tenon = yard.tenon(alone=True)
    yard.pool(requirements=[small_nodes()])
    server = yard.cluster.processes["kube-apiserver"]
    yard.deploy("web", 6, cpu="600m")
    yard.wait(lambda: yard.claims(), "the first claims are there")
    server.pause()
    yard.sleep(5)       # what is frozen gives no sign to wait for
    server.resume()
    yard.running(6)
    yard.ready_nodes(6)
    assert yard.is_whole() == 6
    assert tenon.process.is_running()
