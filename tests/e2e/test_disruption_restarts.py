"""Restarts in the middle of every kind of command: the leader loses its Lease to another tenon, and that one is killed.
Acted together (fleet.py). The first two tenons may not delete NodeClaims, so no command gets beyond its marks, and a
replacement waits until its startup taint is off. The third tenon may. The first one may not even see
PodDisruptionBudgets in the beginning."""

from bed.api import wait_for
from bed.tenon import NAMESPACE, Tenon
from faults import LEASE, bind, role
from fleet import FOUND, RECORD, ROUND_S, STARTED, WAITS, Stage, revision, scene
from test_consolidation import LARGE, SMALL
from world import DISRUPTED, condition, condition_of, ending


class Restarts(Stage):
    """Its points: all commands are in the middle; they are so again, under the second tenon."""

    def __init__(self, api, cluster, usual_flags, flags=()):
        super().__init__(api, cluster, usual_flags, flags)
        self.first, self.second = (Tenon(cluster, f"restarts-{name}", flags=usual_flags, group=None) for name in ("first", "second"))
        self.third = Tenon(cluster, "restarts-third", flags=[*usual_flags, "--disable-leader-election"])

    def play(self, acts):
        self.lay_out(acts)
        self.limit_rights()
        self.first.start()
        wait_for(lambda: len(self.denied()) >= 3, ROUND_S, "the first tenon is denied its watch three times")
        self.seen_blindly = [line for line in self.first.lines() if line["message"] in (FOUND, STARTED)]
        self.api.replace(role(self.first.name, ("nodeclaims", "delete")))
        self.second.start(until_it_leads=False)
        self.act_to_next_point()
        self.lose_the_lease()
        self.act_to_next_point()
        self.second.kill()
        self.third.start()
        self.act_to_next_point()

    @property
    def lease(self):
        api_version, kind, name, namespace = LEASE
        return {"apiVersion": api_version, "kind": kind, "metadata": {"name": name, "namespace": namespace}}

    def limit_rights(self):
        fleet = self.fleets()[0]        # the roles end with it
        fleet.create(role(self.first.name, ("nodeclaims", "delete"), ("poddisruptionbudgets", "watch")))
        fleet.create(role(self.second.name, ("nodeclaims", "delete")))
        for one in (self.first, self.second):
            fleet.create(bind(one.name, one.name))
            for namespace in (NAMESPACE, "kube-node-lease"):
                self.api.create({**bind(one.name, "tenon", kind="Role"), "kind": "RoleBinding",
                                 "metadata": {"name": one.name, "namespace": namespace}})

    def denied(self):
        return [line for line in self.first.lines("watch ended") if 'cannot watch resource "poddisruptionbudgets"' in line["error"]]

    def lose_the_lease(self):
        """The leader stands still, and its Lease ends at once."""
        self.first.process.pause()
        self.api.patch(self.lease, {"spec": {"leaseDurationSeconds": 1}})
        self.second.process.wait_until(self.second.leads)
        self.first.process.resume()
        assert self.first.process.wait(10) == 1
        assert self.first.lines("leader election lost")

    def clear(self):
        super().clear()
        for one in (self.first, self.second, self.third):
            if one.process.is_running():
                one.process.resume()
                one.stop()
            assert not one.stray_lines()
        self.api.delete(self.lease)     # that of the one that was killed


STAGE = Restarts


@scene
def test_nothing_is_disrupted_while_budgets_are_not_known(fleet):
    """The budget keeps its node later, too, from all three tenons."""
    fleet.pool()
    for name in "ab":
        fleet.new_node(name)
    yield
    for name in "ab":
        fleet.put(f"web-{name}", on=name)
        fleet.guard(f"web-{name}")
    yield
    assert not fleet.stage.seen_blindly
    for name in "ab":
        yield fleet.told(name, "DisruptionBlocked", "Pdb prevents pod evictions")
    yield       # a restart
    yield       # another one
    yield fleet.wait(lambda: fleet.stage.third.lines(STARTED), "the third tenon disrupts")
    for one in (fleet.stage.first, fleet.stage.second, fleet.stage.third):
        assert not [line for line in one.lines() if fleet.name() in line.get("command", "")]


def marks(fleet):
    """The commands that the fleet's Nodes were marked for, in their order: uuid to the marked versions of its Nodes."""
    found = {}
    for node in sorted((node for name, *_ in fleet.planned for node in fleet.way(fleet.claim_called(name))), key=revision):
        if RECORD in node["metadata"]["annotations"]:
            found.setdefault(node["metadata"]["annotations"][RECORD].split("/")[0], []).append(node)
    return found


# --- commands without replacement: their proof is old after a restart, so they are taken back, and found again

def is_taken_off(fleet, uuid):
    """Whether a later version of each Node of that command is clean."""
    return all(any(revision(later) > revision(node) and DISRUPTED not in later["spec"].get("taints", [])
                   and RECORD not in later["metadata"]["annotations"]
                   for later in fleet.stage.history.versions("Node", node["metadata"]["name"]))
               for node in marks(fleet)[uuid])


def survives_restarts(fleet, claims):
    for number in (1, 2):
        yield fleet.wait(lambda: len(marks(fleet)) == number, f"command {number} has marked its node")
        uuid = list(marks(fleet))[-1]
        assert not any(ending(fleet.claim(claim["metadata"]["name"])) for claim in claims)
        yield       # a restart
        yield fleet.wait(lambda: is_taken_off(fleet, uuid), "the command is taken back")
    yield fleet.wait(lambda: len(fleet.claims()) == len(claims) - 1, "the third tenon deletes it")
    gone, = (claim for claim in claims if not fleet.claim(claim["metadata"]["name"]))
    yield fleet.gone(gone)
    return fleet.went_after(gone, [])


@scene
def test_an_empty_node(fleet):
    fleet.pool(policy="WhenEmpty")
    claim = fleet.new_node("a")
    yield
    yield
    assert (yield from survives_restarts(fleet, [claim])) == "Empty"


@scene
def test_a_deletion_by_consolidation(fleet):
    fleet.pool()
    claims = yield from fleet.nodes_in_use("ab")
    yield
    assert (yield from survives_restarts(fleet, claims)) == "Underutilized"
    yield fleet.running(2)


# --- commands that wait for their replacement: it is paid for, so they go on

def goes_on_after_restarts(fleet, claim, reason):
    new, = yield fleet.wait(lambda: fleet.others("a"), "a replacement")
    yield fleet.wait(lambda: condition(fleet.claim(new["metadata"]["name"]), "Registered") == "True", "it is registered")
    for tenon in (fleet.stage.second, fleet.stage.third):
        now = fleet.claim(claim["metadata"]["name"])
        assert (ending(now), condition_of(now, "DisruptionReason")["reason"]) == ("", reason)
        yield       # a restart
        yield fleet.wait(lambda one=tenon: [line for line in one.lines("resuming disruption command")
                                            if list(marks(fleet))[0] in line["command"]], "the command is resumed")
    assert fleet.claim(new["metadata"]["name"])
    fleet.untaint(new, WAITS)
    yield fleet.gone(claim)
    yield fleet.running(1)
    assert fleet.went_after(claim, [fleet.claim(new["metadata"]["name"])]) == reason
    assert len(marks(fleet)) == 1 and fleet.all_claims() == {each["metadata"]["name"] for each in (claim, new)}
    yield fleet.wait(lambda: RECORD not in fleet.claim(new["metadata"]["name"])["metadata"]["annotations"], "the record is off")


@scene
def test_a_drifted_node_that_waits_for_its_replacement(fleet):
    pool = fleet.pool(after="Never", template={"startupTaints": [WAITS]})
    claim = fleet.new_node("a")
    yield
    fleet.put("web", on="a")
    fleet.api.patch(pool, {"spec": {"template": {"metadata": {"labels": {"team": "blue"}}}}})
    yield
    yield from goes_on_after_restarts(fleet, claim, "Drifted")


@scene
def test_a_large_node_that_waits_for_a_small_one(fleet):
    fleet.pool(types=(SMALL, LARGE), template={"startupTaints": [WAITS]})
    claim = fleet.new_node("a", type=LARGE)
    yield
    fleet.put("web", on="a")
    yield
    yield from goes_on_after_restarts(fleet, claim, "Underutilized")
