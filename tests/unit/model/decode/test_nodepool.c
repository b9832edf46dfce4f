// NodePools, NodeClaims and node classes: what is read, what an API server refuses, what makes a pool not ready.
#include "base/time.h"
#include "harness/test.h"
#include "model/support/read.h"

TEST(pools_are_read_whole) {
    TestCluster *test = test_cluster_read(
        "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: default}\nspec:\n"
        "  weight: 10\n  limits: {cpu: 100, nodes: 5}\n"
        "  disruption: {consolidationPolicy: WhenEmpty, consolidateAfter: 30s, budgets: [{nodes: 10%}, {nodes: '5', "
        "reasons: [Drifted], schedule: '@daily', duration: 1h}]}\n"
        "  template:\n"
        "    metadata: {labels: {team: a}, annotations: {b: c}}\n"
        "    spec:\n"
        "      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}\n"
        "      taints: [{key: gpu, value: 'yes', effect: NoSchedule}]\n"
        "      startupTaints: [{key: init, effect: NoExecute}]\n"
        "      expireAfter: 24h30m\n      terminationGracePeriod: 90s\n"
        "      requirements:\n"
        "      - {key: kubernetes.io/arch, operator: In, values: [amd64, arm64], minValues: 2}\n"
        "      - {key: karpenter.k8s.aws/instance-cpu, operator: Gte, values: ['4']}\n"
        "status: {conditions: [{type: Ready, status: 'True'}]}\n"
        "---\napiVersion: karpenter.k8s.aws/v1\nkind: EC2NodeClass\nmetadata: {name: default}\n"
        "spec: {amiSelectorTerms: [{alias: al2023@latest}]}\n");
    const NodePool *pool = test_pool(test, "default");
    const NodeClaimTemplateSpec *spec = &pool->template_spec;

    assert_int_equal(pool->weight, 10);
    assert_true(pool->has_limits);
    assert_string_equal(test_resources(test, &pool->limits), "{\"cpu\":\"100\",\"nodes\":\"5\"}");
    assert_false(pool->is_static);
    assert_string_equal(test_label(test, &pool->template_labels, "team"), "a");
    assert_string_equal(test_label(test, &pool->template_annotations, "b"), "c");
    assert_string_equal(test_text(test, spec->node_class.kind), "EC2NodeClass");
    assert_string_equal(arena_text(&test->arena, taint_print(&test->arena, &test->cluster.symbols, spec->taints.items)),
                        "gpu=yes:NoSchedule");
    assert_int_equal(spec->startup_taints.count, 1);
    assert_int_equal(spec->expire_after_ns, 88200 * NS_PER_S);
    assert_string_equal(arena_text(&test->arena, spec->expire_after_text), "24h30m");
    assert_true(spec->has_termination_grace_period);
    assert_int_equal(spec->termination_grace_period_ns, 90 * NS_PER_S);
    assert_string_equal(test_expressions(test, &spec->requirements),
                        "kubernetes.io/arch In [amd64 arm64] minValues 2; karpenter.k8s.aws/instance-cpu Gte [4]");
    assert_int_equal(spec->requirements.items[1].line, 18);
    assert_int_equal(pool->not_ready.len, 0);
    assert_string_equal(test_warnings(test), "");
    test_cluster_free(test);
}

#define POOL_WITH(meta, spec, template)                                                                                \
    "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: p}\nspec:\n" spec "  template:\n" meta              \
    "    spec:\n      nodeClassRef: {group: g.x, kind: K, name: n1}\n" template

TEST(defaults_are_filled_in) {
    TestCluster *test = test_cluster_read(POOL_WITH("", "", "      requirements: []\n"));
    const NodePool *pool = test_pool(test, "p");

    assert_int_equal(pool->template_spec.expire_after_ns, 2592000 * NS_PER_S);
    assert_string_equal(arena_text(&test->arena, pool->template_spec.expire_after_text), "720h");
    assert_int_equal(pool->weight, 0);
    assert_false(pool->has_limits);
    assert_false(pool->template_spec.has_termination_grace_period);
    assert_string_equal(test_warnings(test), "test.yaml:1: NodePool p: K n1 is not in the input; defaults are used\n");
    assert_int_equal(pool->not_ready.len, 0);
    test_cluster_free(test);
}

TEST(never_and_static_pools) {
    TestCluster *test = test_cluster_read(
        POOL_WITH("", "  replicas: 3\n  limits: {nodes: 5}\n", "      requirements: []\n      expireAfter: Never\n"));
    const NodePool *pool = test_pool(test, "p");

    assert_true(pool->is_static);
    assert_int_equal(pool->replicas, 3);
    assert_int_equal(pool->template_spec.expire_after_ns, DURATION_NEVER);
    test_cluster_free(test);
}

// What an API server with Karpenter's CRDs refuses.
TEST(schema_violations_are_errors) {
#define REQUIREMENT(text) POOL_WITH("", "", "      requirements:\n      - " text "\n")
#define SPEC(text)        POOL_WITH("", text, "      requirements: []\n")
#define TEMPLATE(text)    POOL_WITH("", "", "      requirements: []\n      " text "\n")
#define LABELS(text)      POOL_WITH("    metadata: {labels: " text "}\n", "", "      requirements: []\n")
    static const struct {
        const char *yaml, *error;
    } cases[] = {
        {REQUIREMENT("{key: a, operator: In, values: []}"),
         "spec.template.spec.requirements[0]: requirements with operator 'In' must have a value defined (test.yaml:9, "
         "NodePool p)"},
        {REQUIREMENT("{key: a, operator: In}"), "spec.template.spec.requirements[0]: requirements with operator 'In' "
                                                "must have a value defined (test.yaml:9, NodePool p)"},
        {REQUIREMENT("{key: a, operator: Gt, values: ['1', '2']}"),
         "spec.template.spec.requirements[0]: requirements operator 'Gt', 'Lt', 'Gte', or 'Lte' must have a single "
         "positive integer value (test.yaml:9, NodePool p)"},
        {REQUIREMENT("{key: a, operator: Lte, values: ['-1']}"),
         "spec.template.spec.requirements[0]: requirements operator 'Gt', 'Lt', 'Gte', or 'Lte' must have a single "
         "positive integer value (test.yaml:9, NodePool p)"},
        {REQUIREMENT("{key: a, operator: In, values: [b], minValues: 2}"),
         "spec.template.spec.requirements[0]: requirements with 'minValues' must have at least that many values "
         "specified in the 'values' field (test.yaml:9, NodePool p)"},
        {REQUIREMENT("{key: a, operator: Exists, minValues: 51}"),
         "spec.template.spec.requirements[0]: minValues must be between 1 and 50, got 51 (test.yaml:9, NodePool p)"},
        {REQUIREMENT("{key: a, operator: 5}"), "spec.template.spec.requirements[0].operator: expected string, got "
                                               "number; quote it (test.yaml:9, NodePool p)"},
        {REQUIREMENT("{key: a, operator: Has}"),
         "spec.template.spec.requirements[0].operator: expected one of In, NotIn, Exists, DoesNotExist, Gt, Lt, Gte, "
         "Lte, got \"Has\" (test.yaml:9, NodePool p)"},
        {REQUIREMENT("{key: karpenter.sh/nodepool, operator: Exists}"),
         "spec.template.spec.requirements[0]: label \"karpenter.sh/nodepool\" is restricted (test.yaml:9, NodePool p)"},
        {REQUIREMENT("{key: kubernetes.io/hostname, operator: Exists}"),
         "spec.template.spec.requirements[0]: label \"kubernetes.io/hostname\" is restricted (test.yaml:9, NodePool "
         "p)"},
        {REQUIREMENT("{key: karpenter.sh/custom, operator: Exists}"),
         "spec.template.spec.requirements[0]: label domain \"karpenter.sh\" is restricted (test.yaml:9, NodePool p)"},
        {REQUIREMENT("{key: notkarpenter.sh/x, operator: Exists}"),
         "spec.template.spec.requirements[0]: label domain \"karpenter.sh\" is restricted (test.yaml:9, NodePool p)"},
        {REQUIREMENT("{key: 'a b', operator: Exists}"),
         "spec.template.spec.requirements[0]: key \"a b\" is not a qualified name: name part must consist of "
         "alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. "
         "'MyName',  or 'my.name',  or '123-abc') (test.yaml:9, NodePool p)"},
        {SPEC("  weight: 0\n"), "spec.weight: expected 1 to 100, got 0 (test.yaml:5, NodePool p)"},
        {SPEC("  weight: 101\n"), "spec.weight: expected 1 to 100, got 101 (test.yaml:5, NodePool p)"},
        {SPEC("  weight: '5'\n"), "spec.weight: expected number, got string (test.yaml:5, NodePool p)"},
        {SPEC("  replicas: -1\n"),
         "spec.replicas: must be greater than or equal to 0, got -1 (test.yaml:5, NodePool p)"},
        {SPEC("  replicas: 1\n  weight: 5\n"),
         "spec: 'weight' is not supported on static NodePools (test.yaml:5, NodePool p)"},
        {SPEC("  replicas: 1\n  limits: {cpu: 5}\n"),
         "spec: only 'limits.nodes' is supported on static NodePools (test.yaml:6, NodePool p)"},
        {SPEC("  limits: {cpu: many}\n"),
         "spec.limits.cpu: expected a quantity such as \"500m\" or \"2Gi\", got \"many\" (test.yaml:5, NodePool p)"},
        {SPEC("  disruption: {budgets: [{schedule: '@daily'}]}\n"),
         "spec.disruption.budgets[0]: 'schedule' must be set with 'duration' (test.yaml:5, NodePool p)"},
        {SPEC("  disruption: {budgets: [{nodes: 101%}]}\n"),
         "spec.disruption.budgets[0]: nodes must be a string with a number or a percentage, like \"5\" or \"10%\" "
         "(test.yaml:5, NodePool p)"},
        {SPEC("  disruption: {budgets: [{reasons: [Bored]}]}\n"),
         "spec.disruption.budgets[0].reasons[0]: expected one of Underutilized, Empty, Drifted, Unhealthy, got "
         "\"Bored\" (test.yaml:5, NodePool p)"},
        {SPEC("  disruption: {consolidationPolicy: Always}\n"),
         "spec.disruption.consolidationPolicy: expected one of WhenEmpty, WhenEmptyOrUnderutilized, Balanced, got "
         "\"Always\" (test.yaml:5, NodePool p)"},
        {SPEC("  disruption: {consolidateAfter: soon}\n"),
         "spec.disruption.consolidateAfter: expected a duration such as \"48h\" or \"Never\", got \"soon\" "
         "(test.yaml:5, NodePool p)"},
        {TEMPLATE("expireAfter: 30d"), "spec.template.spec.expireAfter: expected a duration such as \"48h\" or "
                                       "\"Never\", got \"30d\" (test.yaml:9, NodePool p)"},
        {TEMPLATE("terminationGracePeriod: Never"), "spec.template.spec.terminationGracePeriod: expected a duration "
                                                    "such as \"48h\", got \"Never\" (test.yaml:9, NodePool p)"},
        {TEMPLATE("taints: [{key: a}]"), "spec.template.spec.taints[0].effect: required (test.yaml:9, NodePool p)"},
        {TEMPLATE("taints: [{key: a, effect: Whenever}]"),
         "spec.template.spec.taints[0].effect: expected one of NoSchedule, PreferNoSchedule, NoExecute, got "
         "\"Whenever\" (test.yaml:9, NodePool p)"},
        {TEMPLATE("startupTaints: [{key: '', effect: NoSchedule}]"),
         "spec.template.spec.startupTaints[0]: taint key \"\": name part must be non-empty (test.yaml:9, NodePool p)"},
        {LABELS("{karpenter.sh/nodepool: a}"),
         "spec.template.metadata.labels[\"karpenter.sh/nodepool\"]: label \"karpenter.sh/nodepool\" is restricted "
         "(test.yaml:6, NodePool p)"},
        {LABELS("{karpenter.sh/mine: a}"),
         "spec.template.metadata.labels[\"karpenter.sh/mine\"]: label domain \"karpenter.sh\" is restricted "
         "(test.yaml:6, NodePool p)"},
        {LABELS("{a: 'b c'}"),
         "spec.template.metadata.labels.a: a valid label must be an empty string or consist of alphanumeric "
         "characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or "
         "'my_value',  or '12345') (test.yaml:6, NodePool p)"},
        {"apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: p}\nspec: {}\n",
         "spec.template: required (test.yaml:4, NodePool p)"},
        {"apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: p}\nspec: {template: {spec: {requirements: "
         "[]}}}\n",
         "spec.template.spec.nodeClassRef: required (test.yaml:4, NodePool p)"},
        {"apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: p}\nspec: {template: {spec: {requirements: [], "
         "nodeClassRef: {group: a/v1, kind: b, name: c}}}}\n",
         "spec.template.spec.nodeClassRef: group must not contain a '/': give the API group without version "
         "(test.yaml:4, NodePool p)"},
        {"apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: p}\nspec: {template: {spec: {requirements: [], "
         "nodeClassRef: {group: a, kind: b, name: ''}}}}\n",
         "spec.template.spec.nodeClassRef: name may not be empty (test.yaml:4, NodePool p)"},
        {"apiVersion: karpenter.sh/v1\nkind: NodeClaim\nmetadata: {name: p}\nspec: {requirements: [{key: a, operator: "
         "In}], nodeClassRef: {group: a, kind: b, name: c}}\n",
         "spec.requirements[0]: requirements with operator 'In' must have a value defined (test.yaml:4, NodeClaim p)"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(test_read_error(cases[i].yaml), cases[i].error);
}

static void assert_not_ready(const char *yaml, const char *start) {
    TestCluster *test = test_cluster_read(yaml);
    Slice not_ready = test_pool(test, "p")->not_ready;

    if (!slice_starts_with(not_ready, slice_of(start)) || (start[0] == 0 && not_ready.len))
        fail_msg("'%.*s' does not start with '%s'", SLICE_ARG(not_ready), start);
    test_cluster_free(test);
}

// What an API server lets pass and Karpenter's own validation finds.
TEST(runtime_violations_make_a_pool_not_ready) {
    assert_not_ready(REQUIREMENT("{key: karpenter.sh/capacity-type, operator: In, values: [spot, cheap]}"), "");
    assert_not_ready(REQUIREMENT("{key: karpenter.k8s.aws/instance-family, operator: In, values: [m5]}"), "");
    assert_not_ready(REQUIREMENT("{key: node.kubernetes.io/anything, operator: Exists}"), "");
    assert_not_ready(REQUIREMENT("{key: karpenter.sh/capacity-type, operator: In, values: [cheap]}"),
                     "no valid values found in karpenter.sh/capacity-type In [cheap], expected one of: [on-demand "
                     "reserved spot]");
    assert_not_ready(
        REQUIREMENT("{key: karpenter.sh/capacity-type, operator: In, values: [spot, cheap], minValues: 2}"),
        "not enough valid values found in karpenter.sh/capacity-type In [cheap spot] minValues 2");
    assert_not_ready(REQUIREMENT("{key: karpenter.k8s.aws/mine, operator: Exists}"),
                     "using label karpenter.k8s.aws/mine is not allowed as it might interfere with the internal "
                     "provisioning logic; specify a well known label: [karpenter.k8s.aws/capacity-reservation-id ");
    assert_not_ready(LABELS("{sub.karpenter.k8s.aws/x: a}"),
                     "invalid key name \"sub.karpenter.k8s.aws/x\" in labels, using label");
    assert_not_ready(LABELS("{notkarpenter.k8s.aws/x: a}"), "");
    assert_not_ready(REQUIREMENT("{key: a, operator: In, values: ['b c']}"),
                     "invalid value b c for key a, a valid label");
    assert_not_ready(TEMPLATE("taints: [{key: a, effect: NoSchedule}, {key: a, effect: NoExecute}]"), "");
    assert_not_ready(TEMPLATE("taints: [{key: a, effect: NoSchedule}]\n"
                              "      startupTaints: [{key: a, value: b, effect: NoSchedule}]"),
                     "duplicate taint Key/Effect pair a=NoSchedule");
}

TEST(status_decides_readiness) {
    assert_not_ready(TEMPLATE("expireAfter: 1h") "status: {conditions: [{type: Ready, status: 'False', reason: "
                                                 "UnhealthyDependents, message: NodeClassReady=False}]}\n",
                     "condition Ready is False, UnhealthyDependents: NodeClassReady=False");
    assert_not_ready(TEMPLATE("expireAfter: 1h") "status: {conditions: [{type: Ready, status: 'True'}]}\n", "");
    assert_not_ready(TEMPLATE("expireAfter: 1h") "status: {conditions: [{type: Other, status: 'False'}]}\n", "");
}

#define AWS_POOL                                                                                                       \
    "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: p}\nspec: {template: {spec: {requirements: [], "    \
    "nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: c}}}}\n---\n"
#define CLASS(rest) "apiVersion: karpenter.k8s.aws/v1\nkind: EC2NodeClass\nmetadata: {name: c}\n" rest

TEST(node_classes_are_read) {
    TestCluster *test = test_cluster_read(
        CLASS("spec:\n"
              "  amiSelectorTerms: [{alias: bottlerocket@latest}]\n"
              "  kubelet: {maxPods: 20, podsPerCore: null, kubeReserved: {cpu: 100m, memory: 1Gi}, evictionHard: "
              "{memory.available: 5%}}\n"
              "  blockDeviceMappings: [{deviceName: /dev/xvda, rootVolume: true, ebs: {volumeSize: 100Gi}}]\n"
              "  instanceStorePolicy: RAID0\n  connectionTracking: {udpTimeout: 30}\n"
              "  cpuOptions: {nestedVirtualization: enabled}\n"
              "  networkInterfaces: [{networkCardIndex: 0, deviceIndex: 1, interfaceType: efa-only}]\n"
              "status:\n"
              "  subnets: [{id: subnet-1, zone: us-east-1a, zoneID: use1-az1}]\n"
              "  capacityReservations: [{id: cr-1, availabilityZone: us-east-1a, instanceType: m5.large}]\n"));
    const EC2NodeClass *class = &test->cluster.ec2_node_classes.items[0];

    assert_string_equal(arena_text(&test->arena, class->ami_family), "Bottlerocket");
    assert_true(class->kubelet.has_max_pods);
    assert_int_equal(class->kubelet.max_pods, 20);
    assert_false(class->kubelet.has_pods_per_core);
    assert_string_equal(test_resources(test, &class->kubelet.kube_reserved), "{\"cpu\":\"100m\",\"memory\":\"1Gi\"}");
    assert_string_equal(test_label(test, &class->kubelet.eviction_hard, "memory.available"), "5%");
    assert_true(class->block_devices.items[0].root_volume);
    assert_string_equal(arena_text(&test->arena, class->block_devices.items[0].volume_size), "100Gi");
    assert_string_equal(arena_text(&test->arena, class->instance_store_policy), "RAID0");
    assert_true(class->has_connection_tracking);
    assert_true(class->nested_virtualization);
    assert_string_equal(test_text(test, class->network_interfaces.items[0].type), "efa-only");
    assert_string_equal(test_text(test, class->subnets.items[0].zone_id), "use1-az1");
    assert_string_equal(test_text(test, class->reservations.items[0].type), "default");
    assert_string_equal(test_text(test, class->reservations.items[0].state), "active");
    assert_int_equal(class->not_ready.len, 0);
    test_cluster_free(test);
}

TEST(families_follow_alias_and_field) {
    static const struct {
        const char *yaml, *family;
    } cases[] = {
        {CLASS("spec: {amiSelectorTerms: [{alias: al2@v1}]}\n"), "AL2"},
        {CLASS("spec: {amiSelectorTerms: [{alias: al2023@v20240807}]}\n"), "AL2023"},
        {CLASS("spec: {amiSelectorTerms: [{alias: windows2022@latest}]}\n"), "Windows2022"},
        {CLASS("spec: {amiSelectorTerms: [{alias: al2023@latest}], amiFamily: Custom}\n"), "Custom"},
        {CLASS("spec: {amiSelectorTerms: [{id: ami-1}], amiFamily: AL2}\n"), "AL2"},
        {CLASS("spec: {amiSelectorTerms: [{id: ami-1}]}\n"), "Custom"},
        {CLASS("spec: {}\n"), "Custom"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        TestCluster *test = test_cluster_read(cases[i].yaml);

        assert_string_equal(arena_text(&test->arena, test->cluster.ec2_node_classes.items[0].ami_family),
                            cases[i].family);
        test_cluster_free(test);
    }
}

TEST(wrong_node_classes_are_errors) {
    static const struct {
        const char *yaml, *error;
    } cases[] = {
        {CLASS("spec: {amiSelectorTerms: [{alias: al2023}]}\n"),
         "spec.amiSelectorTerms[0].alias: 'alias' is improperly formatted, must match the format 'family@version', got "
         "\"al2023\" (test.yaml:4, EC2NodeClass c)"},
        {CLASS("spec: {amiSelectorTerms: [{alias: ubuntu@latest}]}\n"),
         "spec.amiSelectorTerms[0].alias: family is not supported, must be one of the following: 'al2', 'al2023', "
         "'bottlerocket', 'windows2019', 'windows2022', 'windows2025' (test.yaml:4, EC2NodeClass c)"},
        {CLASS("spec: {amiSelectorTerms: [{alias: windows2019@v1}]}\n"),
         "spec.amiSelectorTerms[0].alias: windows families may only specify version 'latest' (test.yaml:4, "
         "EC2NodeClass c)"},
        {CLASS("spec: {amiSelectorTerms: [{alias: al2@latest}, {id: ami-1}]}\n"),
         "spec.amiSelectorTerms[0]: 'alias' cannot be specified with other terms (test.yaml:4, EC2NodeClass c)"},
        {CLASS("spec: {amiSelectorTerms: [{alias: al2@latest}], amiFamily: AL2023}\n"),
         "spec: if set, amiFamily must be 'AL2' or Custom when using an alias of it (test.yaml:4, EC2NodeClass c)"},
        {CLASS("spec: {amiFamily: Ubuntu}\n"),
         "spec.amiFamily: expected one of AL2, AL2023, Bottlerocket, Custom, Windows2019, Windows2022, Windows2025, "
         "got \"Ubuntu\"; since Karpenter v1 it is Custom, with the image given in amiSelectorTerms (test.yaml:4, "
         "EC2NodeClass c)"},
        {CLASS("spec: {kubelet: {maxPods: -1}}\n"),
         "spec.kubelet.maxPods: must be an integer greater than or equal to 0, got -1 (test.yaml:4, EC2NodeClass c)"},
        {CLASS("spec: {kubelet: {kubeReserved: {cpu: 1}}}\n"),
         "spec.kubelet.kubeReserved.cpu: expected string, got number; quote it (test.yaml:4, EC2NodeClass c)"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(test_read_error(cases[i].yaml), cases[i].error);
}

TEST(node_classes_make_their_pools_not_ready) {
    assert_not_ready(AWS_POOL CLASS("spec: {}\n"), "");
    assert_not_ready(
        AWS_POOL CLASS("spec: {kubelet: {kubeReserved: {gpu: '1'}}}\n"),
        "node class c: valid keys for kubeReserved are ['cpu','memory','ephemeral-storage','pid'], got gpu");
    assert_not_ready(AWS_POOL CLASS("spec: {kubelet: {systemReserved: {cpu: '-1'}}}\n"),
                     "node class c: systemReserved value cannot be a negative resource quantity");
    assert_not_ready(AWS_POOL CLASS("spec: {kubelet: {kubeReserved: {cpu: vcpus * 10}}}\n"),
                     "node class c: kubelet.kubeReserved.cpu is no quantity, and CEL expressions are not enabled");
    assert_not_ready(AWS_POOL CLASS("spec: {kubelet: {maxPods: max_pods * 2}}\n"),
                     "node class c: kubelet.maxPods is a CEL expression");
    assert_not_ready(AWS_POOL CLASS("spec: {kubelet: {evictionHard: {disk.free: 5%}}}\n"),
                     "node class c: valid keys for evictionHard are");
    assert_not_ready(AWS_POOL CLASS("spec: {kubelet: {evictionHard: {memory.available: 101%}}}\n"),
                     "node class c: evictionHard memory.available is neither a percentage nor a quantity: 101%");
    assert_not_ready(AWS_POOL CLASS("spec: {}\nstatus: {conditions: [{type: Ready, status: 'False', reason: "
                                    "SubnetsNotFound, message: none}]}\n"),
                     "node class c: condition Ready is False, SubnetsNotFound: none");
}

TEST(claims_are_read) {
    TestCluster *test = test_cluster_read(
        "apiVersion: karpenter.sh/v1\nkind: NodeClaim\n"
        "metadata: {name: default-abc, labels: {karpenter.sh/nodepool: default}}\nspec:\n"
        "  nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}\n"
        "  requirements: [{key: karpenter.sh/nodepool, operator: In, values: [default]}]\n"
        "  resources: {requests: {cpu: 2, pods: 5}}\n  expireAfter: Never\n"
        "status:\n  nodeName: n1\n  providerID: aws:///a/i-1\n  capacity: {cpu: 4}\n  allocatable: {cpu: 3920m}\n"
        "  conditions: [{type: Registered, status: 'True', reason: Registered, message: ''}]\n");
    const NodeClaim *claim = &test->cluster.node_claims.items[0];

    assert_string_equal(test_resources(test, &claim->requests), "{\"cpu\":\"2\",\"pods\":\"5\"}");
    assert_string_equal(test_expressions(test, &claim->spec.requirements), "karpenter.sh/nodepool In [default]");
    assert_int_equal(claim->spec.expire_after_ns, DURATION_NEVER);
    assert_string_equal(test_text(test, claim->node_name), "n1");
    assert_string_equal(test_text(test, claim->provider_id), "aws:///a/i-1");
    assert_string_equal(test_resources(test, &claim->allocatable), "{\"cpu\":\"3920m\"}");
    assert_string_equal(
        test_text(test, condition_get(&claim->conditions, &test->cluster.symbols, SLICE("Registered"))->status),
        "True");
    assert_null(condition_get(&claim->conditions, &test->cluster.symbols, SLICE("Ready")));
    test_cluster_free(test);
}
