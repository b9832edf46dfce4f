"""Registration: the writes from the creation of a NodeClaim until pods may use its Node."""

from world import (CAPACITY_TYPE, CLAIM, DISRUPTED, HOSTNAME, KARPENTER, NODE_CLASS, NODE_POOL, TYPE, ZONE, condition,
                   condition_of, requirement)

FINALIZER = "karpenter.sh/termination"
UNREGISTERED = "karpenter.sh/unregistered"
TAINT = {"key": "dedicated", "value": "db", "effect": "NoSchedule"}
STARTUP = {"key": "agent.e2e.example/missing", "value": "true", "effect": "NoSchedule"}


def test_what_is_written_into_a_claim(world):
    pool = world.pool(template={"taints": [TAINT], "startupTaints": [STARTUP], "expireAfter": "100h", "terminationGracePeriod": "1h"},
                      labels={"team": "red"}, annotations={"note": "x"},
                      requirements=[requirement("tier", "In", "gold"), requirement("kubernetes.io/arch", "In", "arm64")])
    world.pod("db", tolerations=[{"operator": "Exists"}])
    world.running(1)
    claim, = world.claims()
    meta, spec, name = claim["metadata"], claim["spec"], pool["metadata"]["name"]
    assert meta["name"].startswith(f"{name}-") and meta["generateName"] == f"{name}-"
    assert {key: meta["labels"][key] for key in ("team", "tier", NODE_POOL, "karpenter.kwok.sh/kwoknodeclass")} == \
        {"team": "red", "tier": "gold", NODE_POOL: name, "karpenter.kwok.sh/kwoknodeclass": "default"}
    now = world.pool_now()["metadata"]["annotations"]
    assert {key: meta["annotations"][key] for key in now if "hash" in key} == {key: now[key] for key in now if "hash" in key}
    assert meta["annotations"]["note"] == "x"
    assert FINALIZER in meta["finalizers"]
    owner, = meta["ownerReferences"]
    assert (owner["kind"], owner["name"], owner["uid"], owner["blockOwnerDeletion"]) == \
        ("NodePool", name, pool["metadata"]["uid"], True)
    assert (spec["taints"], spec["startupTaints"]) == ([TAINT], [STARTUP])
    assert (spec["expireAfter"], spec["terminationGracePeriod"]) == ("100h", "1h0m0s") or \
        (spec["expireAfter"], spec["terminationGracePeriod"]) == ("100h", "1h")
    wanted = {each["key"]: each.get("values") for each in spec["requirements"]}
    assert wanted["kubernetes.io/arch"] == ["arm64"] and all("arm64" in each for each in wanted[TYPE])
    assert not {"karpenter.sh/registered", "karpenter.sh/initialized"} & set(wanted)
    assert spec["resources"]["requests"] == {"cpu": "500m", "memory": "64Mi", "pods": "1"}


def test_what_is_written_into_a_node(world):
    world.pool(template={"taints": [TAINT]}, labels={"team": "red"}, annotations={"note": "x"})
    world.pod("db", tolerations=[{"operator": "Exists"}])
    world.running(1)
    node, = world.ready_nodes(1)
    claim, = world.claims()
    labels, meta = node["metadata"]["labels"], node["metadata"]
    for key in (NODE_POOL, TYPE, ZONE, CAPACITY_TYPE, "kubernetes.io/arch", "kubernetes.io/os", "karpenter.kwok.sh/instance-cpu"):
        assert labels[key] == claim["metadata"]["labels"][key], key
    assert labels[HOSTNAME] == claim["metadata"]["name"]
    assert (labels["team"], labels["karpenter.sh/registered"], labels["karpenter.sh/initialized"]) == ("red", "true", "true")
    assert meta["annotations"]["note"] == "x"
    assert FINALIZER in meta["finalizers"]
    assert [(owner["kind"], owner["uid"]) for owner in meta["ownerReferences"]] == [("NodeClaim", claim["metadata"]["uid"])]
    assert [taint for taint in node["spec"]["taints"] if taint["key"] == TAINT["key"]] == [TAINT]
    assert not [taint for taint in node["spec"]["taints"] if taint["key"] == UNREGISTERED]


def test_a_claims_conditions_in_the_end(world):
    world.pool()
    world.pod("web")
    world.running(1)
    claim = world.wait(lambda: next((claim for claim in world.claims() if condition(claim, "Ready") == "True"), None), "it is ready")
    for kind in ("Launched", "Registered", "Initialized", "Ready"):
        said = condition_of(claim, kind)
        assert (said["status"], said["reason"], said["message"]) == ("True", kind, ""), kind
        assert said["observedGeneration"] == claim["metadata"]["generation"]
    assert claim["status"]["capacity"]["cpu"] and claim["status"]["allocatable"]["cpu"]


def test_a_node_that_joins_late(world):
    """Until then the claim is launched but not registered, and pods wait for the node."""
    name = world.name("slow")
    world.create({"apiVersion": "karpenter.kwok.sh/v1alpha1", "kind": NODE_CLASS, "metadata": {"name": name},
                  "spec": {"nodeRegistrationDelay": "3s"}})
    world.pool(template={"nodeClassRef": {"group": "karpenter.kwok.sh", "kind": NODE_CLASS, "name": name}})
    world.pod("web")
    claim = world.wait(lambda: next((claim for claim in world.claims() if condition(claim, "Launched") == "True"), None), "a launch")
    assert not world.nodes()
    said = world.wait(lambda: next((said for said in [condition_of(world.claim(claim["metadata"]["name"]), "Registered")]
                                    if said and said["reason"] == "NodeNotFound"), None), "the condition says what is missing")
    assert (said["status"], said["message"]) == ("Unknown", "Node not registered with cluster")
    assert condition(world.claim(claim["metadata"]["name"]), "Ready") == "Unknown"
    world.running(1)
    assert len(world.claims()) == 1


def test_a_startup_taint_holds_the_node_back_until_somebody_lifts_it(world):
    world.pool(template={"startupTaints": [STARTUP]})
    world.pod("web")
    claim = world.wait(lambda: next((claim for claim in world.claims() if condition(claim, "Registered") == "True"), None),
                       "it is registered")
    name = claim["metadata"]["name"]
    said = world.wait(lambda: next((said for said in [condition_of(world.claim(name), "Initialized")]
                                    if said and said["reason"] == "StartupTaintsExist"), None), "it is not initialized")
    assert said["message"] == 'StartupTaint "agent.e2e.example/missing=true:NoSchedule" still exists'
    node, = world.nodes()
    assert "karpenter.sh/initialized" not in node["metadata"]["labels"]
    assert STARTUP in node["spec"]["taints"]
    world.api.patch(node, {"spec": {"taints": [taint for taint in node["spec"]["taints"] if taint["key"] != STARTUP["key"]]}})
    world.running(1)
    world.ready_nodes(1)
    assert len(world.claims()) == 1
    # It does not come back.
    assert STARTUP not in world.nodes()[0]["spec"].get("taints", [])


def test_a_claim_that_somebody_writes_is_launched(world):
    """A NodeClaim without a NodePool."""
    claim = world.create({"apiVersion": KARPENTER, "kind": CLAIM, "metadata": {"name": world.name("own"), "labels": world.selector},
                          "spec": {"nodeClassRef": {"group": "karpenter.kwok.sh", "kind": NODE_CLASS, "name": "default"},
                                   "requirements": [requirement(TYPE, "In", "c-4x-amd64-linux"), requirement(ZONE, "In", "test-zone-b")],
                                   "resources": {"requests": {"cpu": "1"}}, "expireAfter": "Never"}})
    node, = world.ready_nodes(1)
    assert (node["metadata"]["labels"][TYPE], node["metadata"]["labels"][ZONE]) == ("c-4x-amd64-linux", "test-zone-b")
    world.pod("web")
    world.running(1)
    assert len(world.claims()) == 1
    assert node["metadata"]["ownerReferences"][0]["uid"] == claim["metadata"]["uid"]


def test_a_class_that_is_gone_ends_the_claim(world, tenon):
    """A missing NodeClass counts as insufficient capacity: the claim has that reason and is deleted."""
    reference = {"group": "karpenter.kwok.sh", "kind": NODE_CLASS, "name": "no-such-class"}
    claim = world.create({"apiVersion": KARPENTER, "kind": CLAIM, "metadata": {"name": world.name("own"), "labels": world.selector},
                          "spec": {"nodeClassRef": reference, "requirements": [requirement(TYPE, "In", "c-4x-amd64-linux")]}})
    world.gone(claim)
    assert any(claim["metadata"]["name"] in str(line) for line in tenon.lines("failed launching nodeclaim"))
    assert not world.nodes()


def test_a_node_of_somebody_else_is_left_alone(world, make_node):
    make_node(world.name("theirs"), labels=world.selector)
    world.pool()
    world.pod("web", "1")
    world.running(1)
    assert not world.claims()
    node = world.node(world.name("theirs"))
    assert "finalizers" not in node["metadata"]
    assert DISRUPTED["key"] not in str(node["spec"])
