"""Two tenon processes and one Lease: the leader may die, stop or be suspended, and no node is created twice."""

import time

from faults import LEASE, TAKES_OVER_S, small_nodes

LEASE_S = 15    # duration of a Lease that is not renewed


def test_the_lease_is_karpenters_and_one_of_two_has_it(yard):
    first = yard.tenon("a")
    second = yard.follower("b")
    said = yard.wait(lambda: second.lines("waiting for the leader lease"), "the second asks")
    assert [line["holder"] for line in said] == [yard.holder()]
    spec = yard.api.get(*LEASE)["spec"]
    assert spec["leaseDurationSeconds"] == LEASE_S
    assert yard.holder()
    assert first.leads() and not second.leads()


def test_a_killed_leader_is_followed_while_pods_arrive(yard):
    first, second = yard.tenon("a"), yard.follower("b")
    yard.pool(requirements=[small_nodes()])
    web = yard.deploy("web", 10, cpu="600m")        # one per node
    yard.wait(lambda: len(yard.claims()) >= 3, "some claims are there")
    first.kill()
    killed = time.monotonic()
    yard.scale(web, 20)
    yard.wait(second.leads, "the second leads", TAKES_OVER_S)
    assert time.monotonic() - killed < TAKES_OVER_S
    yard.running(20)
    yard.ready_nodes(20)
    assert yard.is_whole() == 20


def test_a_leader_that_stops_hands_over_before_its_lease_ends(yard):
    first, second = yard.tenon("a"), yard.follower("b")
    held_by = yard.holder()
    assert first.stop() == 0
    stopped = time.monotonic()
    assert yard.holder() != held_by     # released, not only expired
    yard.wait(second.leads, "the second leads")
    assert time.monotonic() - stopped < LEASE_S / 2
    yard.pool()
    yard.deploy("web", 2)
    yard.running(2)
    assert not first.lines("created nodeclaim")


def test_a_leader_that_stood_still_does_not_come_back(yard):
    first, second = yard.tenon("a"), yard.follower("b")
    yard.pool(requirements=[small_nodes()])
    first.process.pause()
    yard.wait(second.leads, "the second leads", TAKES_OVER_S)
    yard.deploy("web", 4, cpu="600m")
    first.process.resume()
    assert first.process.wait(10) == 1
    assert first.lines("leader election lost")
    yard.running(4)
    yard.ready_nodes(4)
    assert yard.is_whole() == 4
    assert not first.lines("created nodeclaim")


def test_a_lease_that_somebody_deletes_is_made_again(yard):
    first, second = yard.tenon("a"), yard.follower("b")
    # A process that has never seen the Lease may create it while the leader has not noticed yet that it is deleted.
    yard.wait(lambda: second.lines("waiting for the leader lease"), "the second knows who leads")
    before = yard.api.get(*LEASE)
    yard.api.delete(before)
    lease = yard.wait(lambda: yard.api.get(*LEASE), "the Lease is there again")
    assert lease["metadata"]["uid"] != before["metadata"]["uid"]
    assert first.leads() and not second.leads()
    yard.pool()
    yard.deploy("web", 1)
    yard.running(1)
    assert first.process.is_running() and second.process.is_running()
    assert yard.is_whole() == 1
