"""Watches that cannot continue where they were: the server has dropped the revision (410), or reads each from etcd."""

from faults import small_nodes


def forget(yard):
    """Makes the server forget its history: etcd compacts it, and a restarted server has an empty cache."""
    yard.compact()
    yard.restart("kube-apiserver")


def test_what_happened_while_it_slept_is_seen_after_a_410(yard):
    tenon = yard.tenon(alone=True)
    yard.pool(requirements=[small_nodes("1", "4")])
    gone = yard.wanting(2)
    yard.registered(2)
    tenon.process.pause()
    for pod in gone:
        yard.api.delete(pod, grace_seconds=0)
    yard.wanting(3, cpu="3")        # one per node of the larger kind
    forget(yard)
    tenon.process.resume()
    yard.registered(5)
    assert yard.labels("karpenter.kwok.sh/instance-cpu") == {"1": 2, "4": 3}
    assert tenon.process.is_running()


def test_a_storm_of_410s(yard):
    tenon = yard.tenon(alone=True)
    yard.pool(requirements=[small_nodes()])
    yard.wanting(2)
    for _ in range(3):
        tenon.process.pause()
        yard.wanting(2)
        forget(yard)
        tenon.process.resume()
    yard.registered(8)
    assert tenon.process.is_running()


def test_a_server_without_watch_cache(yard):
    with yard.api_server_with("--watch-cache=false"):
        tenon = yard.tenon(alone=True)
        yard.pool(requirements=[small_nodes()])
        yard.wanting(3)
        yard.registered(3)
        # Without its cache the server reads from etcd, which reports in the middle of a stream that the revision is gone.
        tenon.process.pause()
        yard.wanting(2)
        yard.compact()
        tenon.process.resume()
        yard.registered(5)
        assert tenon.process.is_running()


def test_a_claim_that_went_while_nobody_looked_is_forgotten(yard):
    tenon = yard.tenon(alone=True)
    yard.pool(requirements=[small_nodes()])
    pod, = yard.wanting(1)
    yard.registered(1)
    tenon.process.pause()
    claim, = yard.claims()
    for thing in (claim, *yard.nodes()):        # as a user who removes finalizers by hand
        yard.api.patch(thing, {"metadata": {"finalizers": None}})
        yard.api.delete(thing)
    yard.api.delete(pod, grace_seconds=0)
    yard.wanting(1)
    forget(yard)
    tenon.process.resume()
    yard.registered(1)
    assert yard.claims()[0]["metadata"]["uid"] != claim["metadata"]["uid"]
