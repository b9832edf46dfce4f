"""Restarts of the API server and etcd: tenon keeps running, nothing is lost, nothing is created twice."""

import time

import pytest

from faults import GROUP, small_nodes


@pytest.mark.parametrize("crash", [False, True], ids=["stopped", "killed"])
@pytest.mark.parametrize("part", ["kube-apiserver", "etcd"])
def test_a_restart_in_the_middle_of_a_burst(yard, part, crash):
    tenon = yard.tenon()
    yard.pool(requirements=[small_nodes()])
    yard.wanting(6)
    yard.wait(yard.claims, "the first claims are there")
    yard.restart(part, crash)
    yard.wanting(2)     # pods created after the restart are seen as well
    yard.registered(8)
    assert tenon.process.is_running()


def test_an_api_server_that_stays_away_costs_the_lease(yard):
    tenon = yard.tenon()
    held_by = yard.holder()
    yard.cluster.processes["kube-apiserver"].stop()
    assert tenon.process.wait(30) == 1      # Kubernetes would restart it
    assert tenon.lines("failed to renew leader lease")
    assert tenon.lines("leader election lost")
    yard.restart("kube-apiserver")
    tenon.start()
    assert yard.holder() != held_by
    yard.pool()
    yard.wanting(2)
    yard.registered(1)


def test_without_a_lease_it_waits_for_the_api_server(yard):
    tenon = yard.tenon(alone=True)
    yard.pool(requirements=[small_nodes()])
    yard.wanting(1)
    yard.registered(1)
    yard.cluster.processes["kube-apiserver"].stop()
    yard.wait_log(tenon, "watch ended", "connect to server")
    yard.restart("kube-apiserver")
    yard.wanting(1)
    yard.registered(2)
    assert tenon.process.is_running()


def test_tenon_may_start_before_the_api_server(yard):
    yard.cluster.processes["kube-apiserver"].stop()
    tenon = yard.unled("early", group=GROUP)     # the chart's account has no token yet
    yard.wait_log(tenon, None, "connect to server")
    yard.restart("kube-apiserver")
    yard.pool()
    yard.wanting(1)
    yard.registered(1)
    assert tenon.process.is_running()


def test_a_freeze_of_the_api_server_is_no_restart(yard):
    tenon = yard.tenon(alone=True)
    yard.pool(requirements=[small_nodes()])
    yard.wanting(6)
    yard.wait(yard.claims, "the first claims are there")
    server = yard.cluster.processes["kube-apiserver"]
    server.pause()
    time.sleep(3)       # a suspended process gives no sign to wait for
    server.resume()
    yard.wanting(1)
    yard.registered(7)
    assert tenon.process.is_running()
