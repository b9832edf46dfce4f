"""The webhooks of 2023 on a real API server: one certificate for two replicas, Provisioners defaulted and refused, and
what can be written while tenon is down. Reference legacy.md 2.2, 2.5, 5.5; R010, R117, R130, R146, R152, R157."""

import base64
import ssl
import subprocess
import urllib.error
import urllib.request

import pytest
from kubernetes.dynamic.exceptions import DynamicApiError

import things
from bed.api import Api, wait_for
from bed.certificates import Authority
from bed.cluster import Cluster
from bed.layout import free_ports
from bed.tenon import NAMESPACE, Tenon, apply_definitions, install, tenon_definitions
from bed.webhooks import webhook_service
from conftest import WORK

REGISTRATION = "admissionregistration.k8s.io/v1"
MUTATING = "defaulting.webhook.karpenter.k8s.aws"
VALIDATING = ["validation.webhook.karpenter.k8s.aws", "validation.webhook.karpenter.sh", "validation.webhook.config.karpenter.sh"]
PATHS = {MUTATING: "/default/karpenter.k8s.aws", VALIDATING[0]: "/validate/karpenter.k8s.aws",
         VALIDATING[1]: "/validate/karpenter.sh", VALIDATING[2]: "/validate/config.karpenter.sh"}
TTL_AND_CONSOLIDATION = {"providerRef": {"name": "t"}, "ttlSecondsAfterEmpty": 30, "consolidation": {"enabled": True}}


class Bed:
    """A control plane, two replicas of tenon, and in front of the first one a Service without a selector."""

    def __init__(self, cluster):
        self.cluster = cluster
        self.ports = free_ports(2)
        self.replicas = [Tenon(cluster, f"tenon-{number}", ["--legacy-webhooks", "--webhook-port", port])
                         for number, port in enumerate(self.ports)]
        self.api = Api(cluster.layout.kubeconfig)

    def start(self):
        """The Secret is as a former process left it: another authority, and no certificate of it."""
        self.former = Authority(self.cluster.folder / "former", "former").certificate("former").read_text(encoding="ascii")
        self.api.create({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "karpenter-cert", "namespace": NAMESPACE},
                         "data": {"ca-cert.pem": encoded(self.former)}})
        webhook_service(self.api, NAMESPACE, self.ports[0])
        for replica in self.replicas:
            replica.start(until_it_leads=False)
        for replica in self.replicas:
            wait_for(lambda at=replica: at.lines("serving webhooks"), what=f"webhooks of {replica.name}")
        self.api = Api(self.cluster.layout.kubeconfig)     # knows the kinds that were installed

    def configuration(self, name):
        kind = "MutatingWebhookConfiguration" if name == MUTATING else "ValidatingWebhookConfiguration"
        return self.api.get(REGISTRATION, kind, name)

    def provisioner(self, name, spec, **options):
        return {"apiVersion": "karpenter.sh/v1alpha5", "kind": "Provisioner", "metadata": {"name": name}, "spec": spec, **options}

    def refusal(self, thing):
        """The API server's message on creating an object, without creating one that it takes."""
        try:
            self.api.of(thing).create(body=thing, query_params=[("dryRun", "All")])
        except DynamicApiError as error:
            return error.summary()
        return ""

    def defaulted(self, name):
        """The requirements of a Provisioner that was created with one, as it is read back."""
        arm = {"key": "kubernetes.io/arch", "operator": "In", "values": ["arm64"]}
        thing = self.provisioner(name, {"providerRef": {"name": "t"}, "requirements": [arm]})
        wait_for(lambda: "failed calling webhook" not in self.refusal(thing), what="the API server to reach the webhooks")
        self.api.create(thing)
        return [(row["key"], row["operator"], row["values"])
                for row in self.api.get("karpenter.sh/v1alpha5", "Provisioner", name)["spec"]["requirements"]]


DEFAULTED = [("kubernetes.io/arch", "In", ["arm64"]), ("kubernetes.io/os", "In", ["linux"]),
             ("karpenter.sh/capacity-type", "In", ["on-demand"]), ("karpenter.k8s.aws/instance-category", "In", ["c", "m", "r"]),
             ("karpenter.k8s.aws/instance-generation", "Gt", ["2"])]


def readiness(replica):
    """What /readyz lists; "" while it is not ready."""
    try:
        with urllib.request.urlopen(f"{replica.health_url}/readyz?verbose", timeout=10) as reply:
            return reply.read().decode()
    except urllib.error.HTTPError:
        return ""


def encoded(text):
    return base64.b64encode(text.encode()).decode()


@pytest.fixture(scope="module")
def bed():
    with Cluster(WORK / "webhooks", ("etcd", "kube-apiserver"),
                 flags={"kube-apiserver": ["--enable-aggregator-routing=true"]}) as cluster:
        install(cluster)
        apply_definitions(cluster, tenon_definitions("--legacy"))
        running = Bed(cluster)
        running.start()
        yield running


def test_two_replicas_have_one_certificate(bed):
    """Made by one of them, served by both; the former authority is trusted beside the new one."""
    secret = {key: base64.b64decode(text).decode() for key, text in
              bed.api.get("v1", "Secret", "karpenter-cert", NAMESPACE)["data"].items()}
    assert set(secret) == {"server-key.pem", "server-cert.pem", "ca-cert.pem"}
    assert [ssl.get_server_certificate(("127.0.0.1", port)) for port in bed.ports] == [secret["server-cert.pem"]] * 2
    assert sum(len(replica.lines("made a certificate for webhooks")) for replica in bed.replicas) == 1
    assert secret["ca-cert.pem"].count("BEGIN CERTIFICATE") == 2 and secret["ca-cert.pem"].endswith(bed.former)


def test_readiness_waits_for_the_webhooks(bed):
    """R129, R130: who waits for the Deployment may write a Provisioner next."""
    for replica in bed.replicas:
        assert "[+]webhooks ok" in wait_for(lambda at=replica: readiness(at), what=f"{replica.name} to be ready")


def test_configurations_are_made_with_the_bundle(bed):
    authorities = bed.api.get("v1", "Secret", "karpenter-cert", NAMESPACE)["data"]["ca-cert.pem"]
    for name, path in PATHS.items():
        webhook, = bed.configuration(name)["webhooks"]
        assert webhook["clientConfig"] == {"caBundle": authorities,
                                           "service": {"name": "karpenter", "namespace": NAMESPACE, "path": path, "port": 443}}
        policy = "Ignore" if name == "validation.webhook.config.karpenter.sh" else "Fail"
        assert (webhook["name"], webhook["failurePolicy"], webhook["sideEffects"]) == (name, policy, "None")


def test_a_provisioner_is_defaulted_through_the_service(bed):
    assert bed.defaulted("by-service") == DEFAULTED


def test_a_provisioner_is_refused_in_the_old_words(bed):
    """As kubectl shows it."""
    thing = bed.provisioner("refused", TTL_AND_CONSOLIDATION)
    done = subprocess.run(["kubectl", "create", "-f", "-"], input=str(thing).replace("'", '"').replace("True", "true"),
                          capture_output=True, text=True, check=False, env=bed.cluster.environment())
    assert done.stderr.strip().endswith(
        'admission webhook "validation.webhook.karpenter.sh" denied the request: validation failed: expected exactly one, '
        "got both: spec.consolidation.enabled, spec.ttlSecondsAfterEmpty")
    assert bed.api.get("karpenter.sh/v1alpha5", "Provisioner", "refused") is None


def test_an_update_is_judged(bed):
    with pytest.raises(DynamicApiError, match="invalid value: cannot be negative: spec.ttlSecondsAfterEmpty"):
        bed.api.patch(bed.provisioner("by-service", {}), {"spec": {"ttlSecondsAfterEmpty": -1}})
    bed.api.patch(bed.provisioner("by-service", {}), {"spec": {"ttlSecondsAfterEmpty": 30}})


def test_awss_rules_are_its_webhooks(bed):
    template = {"apiVersion": "karpenter.k8s.aws/v1alpha1", "kind": "AWSNodeTemplate", "metadata": {"name": "t"},
                "spec": {"subnetSelector": {"a": "b"}, "securityGroupSelector": {"a": "b"}}}
    assert bed.refusal(template) == ""
    template["spec"]["amiFamily"] = "AL3"
    assert ('admission webhook "validation.webhook.karpenter.k8s.aws" denied the request: validation failed: invalid value: AL3 '
            "not in AL2, Bottlerocket, Ubuntu, Custom, Windows2019, Windows2022: spec.provider.amiFamily") in bed.refusal(template)
    inline = bed.provisioner("inline", {"provider": {"subnetSelector": {"a": "b"}}})
    assert "missing field(s): provider.securityGroupSelector" in bed.refusal(inline)


def test_levels_of_the_log_are_judged(bed):
    """R153, and only of ConfigMaps that are Karpenter's."""
    settings = things.config_map("config-logging", NAMESPACE, **{"loglevel.controller": "loud"})
    assert bed.refusal(settings) == ""
    settings["metadata"]["labels"] = {"app.kubernetes.io/part-of": "karpenter"}
    assert 'unrecognized level: "loud": data[loglevel.controller]' in bed.refusal(settings)


def test_a_bundle_that_somebody_changed_is_written_again(bed):
    authorities = bed.api.get("v1", "Secret", "karpenter-cert", NAMESPACE)["data"]["ca-cert.pem"]
    for name in PATHS:
        configuration = bed.configuration(name)
        configuration["webhooks"][0]["clientConfig"]["caBundle"] = encoded(bed.former)
        bed.api.replace(configuration)
    for name in PATHS:
        wait_for(lambda of=name: bed.configuration(of)["webhooks"][0]["clientConfig"]["caBundle"] == authorities,
                 what=f"the bundle of {name}")


def test_a_standby_answers_at_its_url(bed):
    """The second replica, which does not hold the Lease."""
    assert not bed.replicas[1].leads() or not bed.replicas[0].leads()
    standby = next(number for number, replica in enumerate(bed.replicas) if not replica.leads())
    for name, path in PATHS.items():
        configuration = bed.configuration(name)
        client = configuration["webhooks"][0]["clientConfig"]
        del client["service"]
        client["url"] = f"https://localhost:{bed.ports[standby]}{path}"
        bed.api.replace(configuration)
    bed.replicas[1 - standby].stop()
    assert bed.defaulted("by-url") == DEFAULTED


def test_with_tenon_down_only_the_old_objects_cannot_be_written(bed):
    """failurePolicy Fail holds up what the webhooks are about, and nothing else."""
    for replica in bed.replicas:
        if replica.name in bed.cluster.processes:
            replica.stop()
    assert "failed calling webhook" in bed.refusal(bed.provisioner("late", {"providerRef": {"name": "t"}}))
    bed.api.create(things.pod("web", "default"))
    bed.api.create({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "node"}})
    bed.api.create({"apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": {"name": "pool"}, "spec": {"template": {
        "spec": {"nodeClassRef": {"group": "karpenter.kwok.sh", "kind": "KWOKNodeClass", "name": "default"}, "requirements": []}}}})
    bed.api.create(things.config_map("others", "default", key="value"))
    logging = things.config_map("config-logging", "default", key="value")       # of the chart's release: Helm rolls it back
    logging["metadata"]["labels"] = {"app.kubernetes.io/part-of": "karpenter"}
    bed.api.create(logging)
    bed.api.delete(bed.provisioner("by-url", {}))
    assert bed.api.get("karpenter.sh/v1alpha5", "Provisioner", "by-url") is None
