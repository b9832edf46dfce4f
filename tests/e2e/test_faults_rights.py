"""Calls that RBAC denies: the log names the call and the user, tenon keeps running and retries, and continues once it is allowed."""

from faults import NAMESPACE, bind, role, small_nodes


def rights_without(yard, user, *taken):
    """Gives one user tenon's rights without some (resource, verb). Returns the complete role."""
    yard.create(role(user, *taken))
    yard.create(bind(user, user))
    return role(user)


def test_who_may_nothing_stays_up_and_says_so(yard):
    tenon = yard.follower("stranger", group=None)
    line = yard.wait_log(tenon, "failed to acquire leader lease", "leases")[0]
    assert f'User "{tenon.name}" cannot get resource "leases"' in line["error"]
    assert tenon.process.is_running()


def test_the_lease_is_taken_once_that_is_allowed(yard):
    tenon = yard.follower("unleased", group=None)
    yard.wait_log(tenon, "failed to acquire leader lease", "cannot get resource")
    yard.api.create({**bind(tenon.name, "tenon", kind="Role"), "kind": "RoleBinding",
                     "metadata": {"name": tenon.name, "namespace": NAMESPACE}})
    yard.wait(tenon.leads, "it leads")


def test_watches_that_are_denied_are_tried_again(yard):
    tenon = yard.unled("blind", group=None)
    denied = f'User "{tenon.name}" cannot watch resource "pods"'
    yard.wait_log(tenon, "watch ended", denied)
    yard.create(bind(tenon.name, "tenon"))
    yard.pool(requirements=[small_nodes()])
    yard.wanting(2)
    yard.registered(2)
    assert len([line for line in tenon.lines() if denied in line.get("error", "")]) < 30     # with growing pauses


def test_claims_that_may_not_be_made(yard):
    tenon = yard.unled("unclaiming", group=None)
    whole = rights_without(yard, tenon.name, ("nodeclaims", "create"))
    yard.pool(requirements=[small_nodes()])
    yard.wanting(2)
    denied = f'User "{tenon.name}" cannot create resource "nodeclaims"'
    yard.wait_log(tenon, None, denied)
    yard.api.replace(whole)
    yard.registered(2)
    assert len([line for line in tenon.lines() if denied in line.get("error", "")]) < 60     # with growing pauses
    assert tenon.process.is_running()


def test_nodes_that_may_not_be_changed(yard):
    tenon = yard.unled("unregistering", group=None)
    whole = rights_without(yard, tenon.name, ("nodes", "patch"), ("nodes", "update"))
    yard.pool(requirements=[small_nodes()])
    yard.wanting(2)
    yard.wait_log(tenon, None, f'User "{tenon.name}" cannot')
    yard.api.replace(whole)
    yard.registered(2)


def test_events_that_are_denied_hold_nothing_up(yard):
    tenon = yard.unled("mute", group=None)
    rights_without(yard, tenon.name, ("events", "create"), ("events", "patch"))
    yard.pool(requirements=[small_nodes()])
    pods = yard.wanting(2)
    yard.registered(2)
    assert not yard.events(pods[0])
    assert tenon.process.is_running()


def test_rights_that_are_taken_away_and_given_back(yard):
    tenon = yard.unled("demoted", group=None)
    binding = yard.create(bind(tenon.name, "tenon"))
    yard.pool(requirements=[small_nodes()])
    yard.wanting(1)
    yard.registered(1)
    yard.api.delete(binding)
    yard.wanting(1)
    yard.wait_log(tenon, None, f'User "{tenon.name}" cannot')
    yard.api.create(bind(tenon.name, "tenon"))
    yard.registered(2)
