"""Watches that cannot go on where they were: the server has forgotten (410), ends them, or has no cache."""

from test_faults_leader import small_nodes


def forget(yard):
    """The server forgets what was before now: etcd compacts, and a server that has just begun remembers nothing."""
    yard.compact()
    yard.restart("kube-apiserver")


def test_what_happened_while_it_slept_is_seen_after_a_410(yard):
    tenon = yard.tenon(alone=True)
    yard.pool()
    old = yard.deploy("old", 2)
    yard.running(2)
    yard.ready_nodes(1)
    tenon.process.pause()
    yard.api.delete(old)
    yard.deploy("new", 3, cpu="3")
    forget(yard)
    tenon.process.resume()
    yard.running(3)
    assert tenon.process.is_running()


def test_a_storm_of_410s(yard):
    tenon = yard.tenon(alone=True)
    yard.pool(requirements=[small_nodes()])
    web = yard.deploy("web", 2, cpu="600m")
    yard.running(2)
    for count in (4, 6, 8):
        tenon.process.pause()
        yard.scale(web, count)
        forget(yard)
        tenon.process.resume()
    yard.running(8)
    yard.ready_nodes(8)
    assert yard.is_whole() == 8
    assert tenon.process.is_running()


def test_a_server_without_watch_cache(yard):
    with yard.api_server_with("--watch-cache=false"):
        tenon = yard.tenon(alone=True)
        yard.pool(requirements=[small_nodes()])
        web = yard.deploy("web", 3, cpu="600m")
        yard.running(3)
        # Here the server asks etcd itself, which answers that it has forgotten in the middle of a stream.
        tenon.process.pause()
        yard.scale(web, 5)
        yard.wait(lambda: len(yard.pods()) == 5, "the pods are there")
        yard.compact()
        tenon.process.resume()
        yard.running(5)
        yard.ready_nodes(5)
        assert yard.is_whole() == 5
        assert tenon.process.is_running()


def test_a_claim_that_went_while_nobody_looked_is_forgotten(yard):
    tenon = yard.tenon(alone=True)
    yard.pool()
    yard.deploy("web", 1)
    yard.running(1)
    node, = yard.ready_nodes(1)
    tenon.process.pause()
    claim, = yard.claims()
    for thing in (claim, node):     # as somebody does who takes finalizers off by hand
        yard.api.patch(thing, {"metadata": {"finalizers": None}})
        yard.api.delete(thing)
    forget(yard)
    tenon.process.resume()
    # The pods of a node that is gone are removed by the controller manager; tenon gives the next ones a node.
    again = yard.wait(lambda: [other for other in yard.claims() if other["metadata"]["uid"] != claim["metadata"]["uid"]],
                      "another claim", 60)
    assert len(again) == 1
    yard.running(1)
    assert yard.is_whole() == 1
