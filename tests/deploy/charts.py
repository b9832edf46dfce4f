"""The charts as Helm renders them: names, rights, settings. test_chart.py of tests/e2e installs them."""

import re
import subprocess
import unittest
from collections import Counter

import yaml

import helm
from helm import CHART, CLUSTER, CRD_CHART, OUR_IMAGE, ROOT, controller, identity, only, template, variables

# The component groups of Karpenter's chart (reference legacy.md R149 to R157), by what belongs to each.
GROUPS = {
    "PodDisruptionBudget": ["PodDisruptionBudget"],
    "ServiceAccount": ["ServiceAccount"],
    "Secret of certificates": ["Secret"],
    "ConfigMap of logging": ["ConfigMap config-logging"],
    "ConfigMap of settings": ["ConfigMap karpenter-global-settings"],
    "RBAC": ["ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"],
    "Service": ["Service"],
    "Deployment": ["Deployment"],
    "Webhooks": ["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"],
}
RBAC = {"ClusterRole": 3, "ClusterRoleBinding": 2, "Role": 2, "RoleBinding": 2}
LEGACY = [*CLUSTER, "--set", "legacy.enabled=true"]

# What the seeds' Terraform sets (reference legacy.md R126, R127; with the queue of R128).
SEED = ["--set", r"serviceAccount.annotations.eks\.amazonaws\.com/role-arn=arn:aws:iam::123456789012:role/karpenter",
        "--set", "settings.aws.clusterName=seed",
        "--set", "settings.aws.defaultInstanceProfile=KarpenterNodeInstanceProfile-seed",
        "--set", "settings.aws.interruptionQueueName=seed-queue"]

# Variables of `tenon run` that no setting is for, and why.
NOT_SETTINGS = {
    "KUBE_CLIENT_QPS": "by controller.env, as with Karpenter", "KUBE_CLIENT_BURST": "likewise", "ENABLE_PROFILING": "likewise",
    "SCHEDULER_CONFIG": "a file: controller.env with extraVolumes", "INSTANCE_TYPES_FILE_PATH": "likewise",
    "DISABLE_LEADER_ELECTION": "two replicas need it", "LEADER_ELECTION_NAME": "the Lease is Karpenter's",
    "LEADER_ELECTION_NAMESPACE": "the release's", "METRICS_ADDRESS": "all", "HEALTH_PROBE_ADDRESS": "all",
    "DISABLE_CONTROLLER_WARMUP": "without effect", "MEMORY_LIMIT": "without effect",
    "KARPENTER_SERVICE": "with legacy.enabled", "LEGACY_WEBHOOKS": "likewise", "WEBHOOK_PORT": "likewise"}


def groups(things):
    """How many objects each component group has."""
    found = Counter()
    for thing in things:
        kind, _, name = identity(thing)
        group = next((group for group, members in GROUPS.items() if kind in members or f"{kind} {name}" in members), None)
        found[group or f"{kind} {name}"] += 1
    return found


class Inventory(unittest.TestCase):
    def test_both_charts_pass_lint(self):
        helm.helm("lint", "--strict", CHART, *CLUSTER)
        helm.helm("lint", "--strict", CRD_CHART)

    def test_without_legacy_objects_five_groups(self):
        self.assertEqual(groups(template(*CLUSTER)), {"PodDisruptionBudget": 1, "ServiceAccount": 1, "RBAC": 9, "Service": 1,
                                                      "Deployment": 1})

    def test_with_legacy_objects_nine_groups(self):
        things = template(*LEGACY)
        found = groups(things)
        self.assertEqual(set(found), set(GROUPS))
        kinds = Counter(thing["kind"] for thing in things)
        self.assertEqual((kinds["MutatingWebhookConfiguration"], kinds["ValidatingWebhookConfiguration"]), (1, 3))
        self.assertEqual({kind: kinds[kind] for kind in RBAC}, RBAC)

    def test_each_object_of_karpenters_chart_is_there_under_its_name(self):
        theirs = template(*CLUSTER, chart=helm.peer_charts() / "karpenter")
        ours = template(*CLUSTER)
        self.assertEqual({identity(thing) for thing in theirs} - {identity(thing) for thing in ours}, set())

    def test_what_cannot_be_changed_is_karpenters(self):
        theirs = template(*CLUSTER, chart=helm.peer_charts() / "karpenter", release="kp")
        ours = template(*CLUSTER, release="kp")
        for field in (lambda things: only(things, "Deployment")["spec"]["selector"],
                      lambda things: only(things, "Service")["spec"]["selector"],
                      lambda things: only(things, "PodDisruptionBudget")["spec"]["selector"],
                      lambda things: only(things, "Deployment")["spec"]["template"]["spec"]["serviceAccountName"],
                      lambda things: {identity(thing): thing["roleRef"] for thing in things if "roleRef" in thing}):
            self.assertEqual(field(ours), field(theirs))

    def test_a_whole_file_of_karpenters_values_is_accepted(self):
        things = template(*CLUSTER, *OUR_IMAGE, "--values", helm.peer_charts() / "karpenter" / "values.yaml")
        self.assertEqual(controller(things)["image"], controller(template(*CLUSTER))["image"])
        theirs = template(*CLUSTER, chart=helm.peer_charts() / "karpenter")
        skipped = {"KUBERNETES_MIN_VERSION", "KARPENTER_SERVICE", "MEMORY_LIMIT", "CPU_REQUESTS", "IGNORE_DRA_REQUESTS",
                   "FEATURE_GATES", "AWS_FEATURE_GATES"}    # what is null there is the program's default here
        for name, value in variables(theirs).items():
            if name not in skipped:
                self.assertEqual(variables(things).get(name), value, name)
        gates = variables(theirs)["FEATURE_GATES"]
        self.assertEqual(sorted(variables(things)["FEATURE_GATES"].split(",")), sorted(gates.split(",")))

    def test_karpenters_image_is_refused(self):
        values = ["--values", helm.peer_charts() / "karpenter" / "values.yaml"]
        self.assertIn("controller.image.repository is Karpenter's", helm.helm("template", "karpenter", CHART, *CLUSTER, *values, fails=True))


    def test_what_is_empty_in_a_file_is_as_if_it_were_not_there(self):
        usual = template(*LEGACY)
        for name in ("controller.resources", "controller.securityContext", "additionalAnnotations", "additionalLabels", "podAnnotations",
                     "controller.extraVolumeMounts", "controller.sidecarVolumeMounts", "settings.featureGates", "settings.aws",
                     "settings.awsFeatureGates", "extraObjects", "controller.outputPaths"):
            with self.subTest(name):
                self.assertEqual(template(*LEGACY, "--set", f"{name}=null"), usual)
        for name in ("additionalAnnotations", "additionalLabels"):
            self.assertEqual(template("--set", f"{name}=null", chart=CRD_CHART), template(chart=CRD_CHART))


    def test_all_values_of_another_charts_release_are_refused(self):
        answer = helm.helm("template", "karpenter", CHART, *CLUSTER, "--set", "legacy=null", fails=True)
        self.assertIn("--reset-then-reuse-values", answer)


class Definitions(unittest.TestCase):
    def test_they_are_those_of_the_program_and_stay(self):
        for words, values in (([], []), (["--legacy"], ["--set", "legacy.enabled=true"])):
            with self.subTest(words):
                self.compare(words, values)

    def compare(self, words, values):
        printed = {thing["metadata"]["name"]: thing for thing in yaml.safe_load_all(
            subprocess.run([TENON, "crds", *words], stdout=subprocess.PIPE, text=True, check=True).stdout)}
        for thing in template(*values, chart=CRD_CHART):
            self.assertEqual(thing["metadata"]["annotations"].pop("helm.sh/resource-policy"), "keep")
            expected = printed.pop(thing["metadata"]["name"])
            for part in ("annotations", "labels"):
                self.assertEqual(thing["metadata"].pop(part), expected["metadata"].pop(part, {}))
            self.assertEqual(thing, expected)
        self.assertEqual(printed, {})

    def test_karpenters_are_among_them(self):
        theirs = {identity(thing) for thing in template(chart=helm.peer_charts() / "karpenter-crd")}
        self.assertEqual(theirs - {identity(thing) for thing in template(chart=CRD_CHART)}, set())

    def test_nothing_takes_the_annotation_off(self):
        things = template("--set", r"additionalAnnotations.helm\.sh/resource-policy=delete", chart=CRD_CHART)
        self.assertEqual({thing["metadata"]["annotations"]["helm.sh/resource-policy"] for thing in things}, {"keep"})


class Settings(unittest.TestCase):
    def test_the_seeds_values(self):
        things = template(*SEED, namespace="karpenter")
        found = variables(things)
        self.assertEqual((found["CLUSTER_NAME"], found["INTERRUPTION_QUEUE"]), ("seed", "seed-queue"))
        account = only(things, "ServiceAccount")
        self.assertEqual(account["metadata"]["annotations"],
                         {"eks.amazonaws.com/role-arn": "arn:aws:iam::123456789012:role/karpenter"})
        settings = only(template(*SEED, *LEGACY[2:]), "ConfigMap", "karpenter-global-settings")
        self.assertEqual(settings["data"]["aws.defaultInstanceProfile"], "KarpenterNodeInstanceProfile-seed")

    def test_old_settings_that_are_null_are_not_there(self):
        def settings(*words):
            return only(template(*LEGACY, *words), "ConfigMap", "karpenter-global-settings")["data"]
        usual = settings()
        self.assertEqual(settings("--set-json", 'settings.aws={"tags":null,"defaultInstanceProfile":null}'), usual)
        self.assertEqual(settings("--set-json", 'settings.featureGates={"driftEnabled":null}'), usual)
        self.assertEqual(settings("--set", "settings.featureGates.driftEnabled=true"), {**usual, "featureGates.driftEnabled": "true"})
        self.assertEqual(settings("--set-json", 'settings.aws={"tags":{"a":"b"},"enablePodENI":false}'),
                         {**usual, "aws.tags": '{"a":"b"}', "aws.enablePodENI": "false"})

    def test_other_old_settings_are_other_pods(self):
        def annotations(*words):
            return only(template(*words), "Deployment")["spec"]["template"]["metadata"].get("annotations")
        profile = ["--set", "settings.aws.defaultInstanceProfile=other"]
        self.assertNotEqual(annotations(*LEGACY), annotations(*LEGACY, *profile))
        self.assertEqual(annotations(*LEGACY), annotations(*LEGACY, "--set", "replicas=3"))
        self.assertIsNone(annotations(*CLUSTER, *profile))
        self.assertEqual(annotations(*CLUSTER, "--set", "podAnnotations.a=b"), {"a": "b"})

    def test_manifests_of_a_users_own_stay(self):
        things = template(*CLUSTER, "--set-json", 'extraObjects=[{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"{{ .Release.Name }}-x"}}]')
        self.assertEqual(only(things, "Namespace")["metadata"]["name"], "karpenter-x")

    def test_what_has_no_effect_is_said_to_the_program(self):
        found = variables(template(*CLUSTER, "--set", "settings.enableDRA=true,settings.ignoreDRARequests=false"))
        self.assertEqual((found["AWS_FEATURE_GATES"], found["IGNORE_DRA_REQUESTS"]), ("DRAEFA=true,DRANVIDIAGPU=true", "false"))

    def test_a_cluster_has_a_name_on_aws(self):
        self.assertIn("settings.clusterName is empty", helm.helm("template", "karpenter", CHART, fails=True))
        self.assertEqual(variables(template("--set", "settings.provider=kwok"))["PROVIDER"], "kwok")

    def test_the_newer_name_wins(self):
        both = ["--set", "settings.clusterName=new,settings.aws.clusterName=old"]
        self.assertEqual(variables(template(*both))["CLUSTER_NAME"], "new")

    def test_false_and_zero_are_said(self):
        found = variables(template(*CLUSTER, "--set", "settings.vmMemoryOverheadPercent=0,settings.disruption=false"))
        self.assertEqual((found["VM_MEMORY_OVERHEAD_PERCENT"], found["DISRUPTION"]), ("0", "false"))

    def test_gates_by_their_names(self):
        found = variables(template(*CLUSTER, "--set", "settings.featureGates.nodeRepair=true", "--set",
                                   "settings.featureGates.driftEnabled=true", "--set", "settings.awsFeatureGates.nodeClassCEL=true"))
        self.assertEqual((found["FEATURE_GATES"], found["AWS_FEATURE_GATES"]), ("NodeRepair=true", "NodeClassCEL=true"))

    def test_each_variable_of_the_program_has_a_setting(self):
        rows = re.findall(r"^\| `--[\w-]+` \| `(\w+)` \|", (ROOT / "docs" / "run.md").read_text(encoding="utf-8"), re.M)
        template_text = (CHART / "templates" / "_helpers.tpl").read_text(encoding="utf-8")
        settings = dict(re.findall(r"^([A-Z_]+) (\w+) \w+$", template_text, re.M))
        every = ",".join(f"settings.{setting}={sample(setting)}" for setting in settings.values())
        found = variables(template("--set-string", every))
        self.assertEqual({name: found.get(name) for name in settings}, {name: sample(settings[name]) for name in settings})
        rendered = variables(template(*CLUSTER, "--set", "controller.resources.requests.cpu=1,settings.featureGates.nodeRepair=true,"
                                      "settings.awsFeatureGates.nodeClassCEL=true"))
        self.assertGreater(len(rows), 30)
        self.assertEqual(set(rows) - set(rendered) - set(settings) - set(NOT_SETTINGS), set())
        self.assertEqual(set(settings) - set(rows), set())

    def test_a_wrong_word_is_refused(self):
        for setting in ("settings.effort=hard", "settings.provider=gcp", "replicas=two", "controller.metrics.port=0",
                        "settings.batchIdleDuration=1 second", "logLevel=loud", "controller.image.digest=latest"):
            with self.subTest(setting):
                answer = helm.helm("template", "karpenter", CHART, *CLUSTER, "--set", setting, fails=True)
                self.assertIn(setting.split("=")[0].replace(".", "/"), answer)


def sample(setting):
    """A value that the schema lets through."""
    words = {"preferencePolicy": "Ignore", "minValuesPolicy": "BestEffort", "consolidation": "classic", "effort": "best",
             "expirationJitter": "5%", "provider": "kwok", "vmMemoryOverheadPercent": "0.05", "reservedENIs": "1"}
    if re.search("Duration|Interval|Lead|Deadline", setting):
        return "7m"
    if re.search("Name|Endpoint|Bundle|Queue", setting):
        return "word"
    return words.get(setting, "true")


class Safety(unittest.TestCase):
    def test_the_container_may_nothing(self):
        security = controller(template(*CLUSTER))["securityContext"]
        self.assertEqual(security, {"privileged": False, "allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True,
                                    "runAsNonRoot": True, "runAsUser": 65532, "runAsGroup": 65532,
                                    "capabilities": {"drop": ["ALL"]}, "seccompProfile": {"type": "RuntimeDefault"}})

    def test_a_users_profile_joins_it(self):
        security = controller(template(*CLUSTER, "--set", "controller.securityContext.seLinuxOptions.level=s0"))["securityContext"]
        self.assertEqual((security["seLinuxOptions"], security["readOnlyRootFilesystem"]), ({"level": "s0"}, True))

    def test_an_empty_profile_is_none(self):
        empty = [f"controller.securityContext.{name}={{}}" for name in ("appArmorProfile", "seLinuxOptions", "seccompProfile")]
        words = [word for one in empty for word in ("--set-json", one)]
        self.assertEqual(controller(template(*CLUSTER, *words))["securityContext"], controller(template(*CLUSTER))["securityContext"])

    def test_the_pods_keep_off_nodes_of_pools_old_and_new(self):
        affinity = only(template(*CLUSTER), "Deployment")["spec"]["template"]["spec"]["affinity"]["nodeAffinity"]
        (term,) = affinity["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]
        self.assertEqual([(one["key"], one["operator"]) for one in term["matchExpressions"]],
                         [("karpenter.sh/nodepool", "DoesNotExist"), ("karpenter.sh/provisioner-name", "DoesNotExist")])

    def test_the_rights_are_the_tables(self):
        rights = yaml.safe_load((CHART / "files" / "rights.yaml").read_text(encoding="utf-8"))
        things = template(*CLUSTER)
        cluster = [*only(things, "ClusterRole", "karpenter")["rules"], *only(things, "ClusterRole", "karpenter-core")["rules"]]
        self.assertCountEqual(cluster, rights["cluster"])
        self.assertEqual(only(things, "Role", "karpenter")["rules"], rights["lease"])
        self.assertEqual(only(things, "Role", "karpenter-dns")["rules"], rights["dns"])

    def test_rights_that_are_asked_for(self):
        def core(*words):
            return only(template(*CLUSTER, *words), "ClusterRole", "karpenter-core")["rules"]
        usual = core()
        patches = {"apiGroups": [""], "resources": ["pods"], "verbs": ["patch"]}
        self.assertEqual(core("--set", "rbac.surge=true")[len(usual):],
                         [{"apiGroups": ["apps"], "resources": ["deployments"], "verbs": ["get", "patch"]}])
        self.assertEqual(core("--set", "rbac.podDeletionCost=true")[len(usual):], [patches])
        self.assertEqual(core("--set", "settings.featureGates.podDeletionCostManagement=true")[len(usual):], [patches])
        self.assertEqual(core("--set-json", 'additionalClusterRoleRules=[{"verbs":["get"]}]')[len(usual):], [{"verbs": ["get"]}])

    def test_a_network_policy(self):
        spec = only(template(*CLUSTER, "--set", "networkPolicy.enabled=true"), "NetworkPolicy")["spec"]
        self.assertEqual([port["port"] for rule in spec["ingress"] for port in rule["ports"]], ["http-metrics", "http"])
        self.assertEqual(spec["podSelector"], only(template(*CLUSTER), "Deployment")["spec"]["selector"])

    def test_the_webhooks_lead_to_the_service(self):
        things = template(*LEGACY)
        ports = {port["name"]: port["containerPort"] for port in controller(things)["ports"]}
        service = {port["name"]: port["port"] for port in only(things, "Service")["spec"]["ports"]}
        self.assertEqual((ports["https-webhook"], service["https-webhook"]), (8443, 443))
        for thing in things:
            if thing["kind"].endswith("WebhookConfiguration"):
                hook = thing["webhooks"][0]
                policy = "Ignore" if "config" in hook["name"] else "Fail"
                self.assertEqual((hook["failurePolicy"], hook["clientConfig"]["service"]["name"]), (policy, "karpenter"))
                self.assertEqual(hook["name"], thing["metadata"]["name"])


TENON = None
