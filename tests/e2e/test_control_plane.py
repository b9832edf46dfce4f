"""The test bed itself: the parts work together as in a cluster, so that the results of tenon's tests there are meaningful."""

import base64
import json
import ssl
import subprocess
import urllib.request
from collections import Counter

import kubernetes
import pytest
import urllib3

import things
from bed import kubeconfig
from bed.api import Api, ConflictError, wait_for
from bed.certificates import Authority


def pods(api, namespace):
    return api.list("v1", "Pod", namespace)


def running(api, namespace, count, seconds=30):
    """All pods of the namespace, once `count` of them run."""
    def look():
        found = [pod for pod in pods(api, namespace) if pod["status"].get("phase") == "Running"]
        return found if len(found) == count else None
    return wait_for(look, seconds, f"{count} pods run")


# --- scheduler, controllers and kwok together

def test_kubectl_sees_the_release_and_the_nodes(cluster, make_node):
    make_node("kubectl-a")
    version = json.loads(subprocess.check_output(["kubectl", "version", "-o", "json"], env=cluster.environment()))
    assert version["serverVersion"]["gitVersion"] == version["clientVersion"]["gitVersion"] == "v1.36.1"
    nodes = subprocess.check_output(["kubectl", "get", "nodes"], env=cluster.environment(), text=True)
    assert nodes.splitlines()[1].split()[:2] == ["kubectl-a", "Ready"]


def test_a_deployment_runs_spread_over_zones(api, namespace, make_node):
    zones = {f"spread-{zone}": zone for zone in "abc"}
    for name, zone in zones.items():
        make_node(name, zone)
    api.create(things.deployment("web", namespace, 6, topologySpreadConstraints=things.spread("web")))
    placed = Counter(zones[pod["spec"]["nodeName"]] for pod in running(api, namespace, 6))
    assert placed == {"a": 2, "b": 2, "c": 2}


def test_a_pod_waits_for_the_node_that_it_fits(api, namespace, make_node):
    make_node("small", cpu="1")
    pod = api.create(things.pod("big", namespace, cpu="2"))
    condition = wait_for(lambda: scheduled(api, pod), what="the scheduler's verdict")
    assert (condition["status"], condition["reason"]) == ("False", "Unschedulable")
    assert "1 Insufficient cpu" in condition["message"]
    make_node("large", cpu="4")
    assert running(api, namespace, 1)[0]["spec"]["nodeName"] == "large"


def scheduled(api, pod):
    now = api.get("v1", "Pod", pod["metadata"]["name"], pod["metadata"]["namespace"])
    return next((condition for condition in now["status"].get("conditions", [])
                 if condition["type"] == "PodScheduled"), None)


def test_a_deleted_deployment_leaves_no_pods(api, namespace, make_node):
    make_node("gone")
    deployment = api.create(things.deployment("web", namespace, 3))
    running(api, namespace, 3)
    api.delete(deployment)
    wait_for(lambda: not pods(api, namespace), what="no pod is left")


def test_a_node_has_a_lease_that_is_renewed(api, make_node):
    make_node("leased")
    lease = wait_for(lambda: api.get("coordination.k8s.io/v1", "Lease", "leased", "kube-node-lease"), what="a lease")
    assert lease["spec"]["leaseDurationSeconds"] == 40


def test_an_eviction_that_breaks_a_budget_is_refused(api, namespace, make_node):
    make_node("evicting")
    api.create(things.deployment("web", namespace, 2))
    first, second = running(api, namespace, 2)
    budget = api.create(things.budget("web", namespace, "web", 1))
    wait_for(lambda: api.get("policy/v1", "PodDisruptionBudget", "web", namespace)["status"].get("disruptionsAllowed") == 1,
             what="the budget is counted")
    api.patch(budget, {"spec": {"minAvailable": 2}})
    wait_for(lambda: api.get("policy/v1", "PodDisruptionBudget", "web", namespace)["status"]["disruptionsAllowed"] == 0,
             what="the budget is used up")
    with pytest.raises(kubernetes.client.ApiException) as refused:
        evict(api, first)
    assert refused.value.status == 429
    api.delete(budget)
    evict(api, second)
    wait_for(lambda: second["metadata"]["uid"] not in [pod["metadata"]["uid"] for pod in pods(api, namespace)],
             what="the evicted pod goes")


def evict(api, pod):
    name, namespace = pod["metadata"]["name"], pod["metadata"]["namespace"]
    api.core.create_namespaced_pod_eviction(name, namespace, kubernetes.client.V1Eviction(
        metadata=kubernetes.client.V1ObjectMeta(name=name, namespace=namespace)))


# --- the API server as tenon's client meets it

def test_apply_belongs_to_its_manager(api, namespace):
    api.apply(things.config_map("owned", namespace, color="red"), manager="one")
    with pytest.raises(ConflictError) as refused:
        api.apply(things.config_map("owned", namespace, color="blue"), manager="two")
    assert 'conflict with "one"' in json.loads(refused.value.body)["message"]
    taken = api.apply(things.config_map("owned", namespace, color="blue"), manager="two", force=True)
    assert taken["data"] == {"color": "blue"}
    # A manager that does not own a field any more does not remove it by leaving it out.
    kept = api.apply(things.config_map("owned", namespace), manager="one")
    assert kept["data"] == {"color": "blue"}


def test_a_patch_of_an_old_version_conflicts(api, namespace):
    old = api.create(things.config_map("versions", namespace, color="red"))
    api.patch(old, {"data": {"color": "green"}})
    with pytest.raises(ConflictError):
        api.patch(old, {"metadata": {"resourceVersion": old["metadata"]["resourceVersion"]}, "data": {"color": "blue"}})
    now = api.patch(old, {"data": {"color": None, "size": "big"}})
    assert now["data"] == {"size": "big"}


def test_a_watch_goes_on_where_another_ended(api, namespace):
    first = api.create(things.config_map("watched", namespace, turn="1"))
    second = api.patch(first, {"data": {"turn": "2"}})
    api.patch(first, {"data": {"turn": "3"}})
    api.delete(first)
    assert [(kind, data) for kind, data in changes(api, namespace, first, 3)] == \
        [("MODIFIED", "2"), ("MODIFIED", "3"), ("DELETED", "3")]
    assert [(kind, data) for kind, data in changes(api, namespace, second, 2)] == [("MODIFIED", "3"), ("DELETED", "3")]


def changes(api, namespace, after, count):
    """The first events after the version of an object."""
    found = []
    watch = kubernetes.watch.Watch()
    for event in watch.stream(api.core.list_namespaced_config_map, namespace, timeout_seconds=30,
                              field_selector=f"metadata.name={after['metadata']['name']}",
                              resource_version=after["metadata"]["resourceVersion"]):
        found.append((event["type"], event["object"].data["turn"]))
        if len(found) == count:
            watch.stop()
    return found


def test_a_watch_from_a_forgotten_version_is_told_so(cluster, api, namespace):
    # A server that has just started has no earlier changes in its cache.
    cluster.restart("kube-apiserver")
    with pytest.raises(kubernetes.client.ApiException) as refused:
        for _ in kubernetes.watch.Watch().stream(api.core.list_namespaced_config_map, namespace, resource_version="1",
                                                 timeout_seconds=10):
            pass
    assert refused.value.status == 410


def test_a_list_comes_in_pages(api, namespace):
    names = [f"page-{number:02}" for number in range(25)]
    for name in names:
        api.create(things.config_map(name, namespace))
    found, pages, token = [], 0, None
    while token is None or token:
        page = api.core.list_namespaced_config_map(namespace, limit=10, _continue=token or "")
        found += [item.metadata.name for item in page.items if item.metadata.name.startswith("page-")]
        token, pages = page.metadata._continue or "", pages + 1
    assert found == names
    assert pages == 3


# --- access control

def test_a_stranger_may_do_nothing_until_a_role_says_so(cluster, api, namespace, tmp_path):
    cluster.write_kubeconfig(tmp_path / "kubeconfig", "stranger")
    stranger = kubernetes.client.CoreV1Api(kubernetes.config.new_client_from_config(str(tmp_path / "kubeconfig")))
    with pytest.raises(kubernetes.client.ApiException) as refused:
        stranger.list_namespaced_config_map(namespace)
    assert refused.value.status == 403
    assert 'User "stranger" cannot list resource "configmaps"' in json.loads(refused.value.body)["message"]
    group = "rbac.authorization.k8s.io"
    api.create({"apiVersion": f"{group}/v1", "kind": "RoleBinding", "metadata": {"name": "view", "namespace": namespace},
                "roleRef": {"apiGroup": group, "kind": "ClusterRole", "name": "view"},
                "subjects": [{"apiGroup": group, "kind": "User", "name": "stranger"}]})
    wait_for(lambda: may_list(stranger, namespace), what="the role counts")


def may_list(user, namespace):
    try:
        user.list_namespaced_config_map(namespace)
        return True
    except kubernetes.client.ApiException as error:
        assert error.status == 403
        return False


def test_an_accounts_token_is_its_identity(cluster, api, namespace, tmp_path):
    wait_for(lambda: api.get("v1", "ServiceAccount", "default", namespace), what="the namespace's account")
    token = api.core.create_namespaced_service_account_token("default", namespace, {"spec": {"expirationSeconds": 600}})
    kubeconfig.write(tmp_path / "kubeconfig", cluster.layout.url("kube-apiserver"), cluster.authority.certificate("ca"),
                     kubeconfig.with_token(token.status.token))
    account = kubernetes.client.AuthenticationV1Api(kubernetes.config.new_client_from_config(str(tmp_path / "kubeconfig")))
    review = account.create_self_subject_review(kubernetes.client.V1SelfSubjectReview())
    assert review.status.user_info.username == f"system:serviceaccount:{namespace}:default"
    claims = json.loads(base64.urlsafe_b64decode(token.status.token.split(".")[1] + "=="))
    assert claims["exp"] - claims["iat"] == 600


def test_the_server_is_known_by_its_authority_alone(cluster, tmp_path):
    other = Authority(tmp_path / "pki", "other")
    with pytest.raises(urllib.error.URLError) as refused:
        urllib.request.urlopen(cluster.layout.url("kube-apiserver") + "/readyz",
                               context=ssl.create_default_context(cafile=other.certificate("other")))
    assert isinstance(refused.value.reason, ssl.SSLCertVerificationError)


# --- parts that are restarted

@pytest.mark.parametrize("crash", [False, True], ids=["stopped", "killed"])
@pytest.mark.parametrize("part", ["kube-apiserver", "etcd"])
def test_a_part_comes_back_and_nothing_is_lost(cluster, api, namespace, make_node, part, crash):
    make_node(f"lasting-{part}-{'killed' if crash else 'stopped'}")
    api.create(things.deployment("web", namespace, 2))
    before = {pod["metadata"]["uid"] for pod in running(api, namespace, 2, 90)}
    cluster.restart(part, crash=crash)
    wait_for(lambda: answers(cluster), what="the API server is ready again")
    assert {pod["metadata"]["uid"] for pod in pods(api, namespace)} == before
    # Scheduler, controllers and kwok reconnect by themselves, some of them after half a minute.
    api.patch({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "namespace": namespace}},
              {"spec": {"replicas": 4}})
    assert before < {pod["metadata"]["uid"] for pod in running(api, namespace, 4, 90)}


def answers(cluster):
    try:
        return Api(cluster.layout.kubeconfig).core.list_namespace()
    except (urllib3.exceptions.HTTPError, kubernetes.client.ApiException):
        return None
