// Pods from manifests: constraints, defaults, spec sharing, and what an API server would refuse.
#include "base/time.h"
#include "harness/test.h"
#include "model/support/read.h"

#define POD(name) "apiVersion: v1\nkind: Pod\nmetadata: {name: " name "}\n"

TEST(metadata_and_status_are_read) {
    TestCluster *test = test_cluster_read("apiVersion: v1\n"
                                          "kind: Pod\n"
                                          "metadata:\n"
                                          "  name: web\n"
                                          "  namespace: shop\n"
                                          "  uid: u-1\n"
                                          "  creationTimestamp: '2026-11-21T05:00:00Z'\n"
                                          "  deletionTimestamp: '2026-11-21T06:00:00Z'\n"
                                          "  labels: {app: web}\n"
                                          "  annotations: {karpenter.sh/do-not-disrupt: 'true', other: text}\n"
                                          "  ownerReferences:\n"
                                          "  - {apiVersion: apps/v1, kind: ReplicaSet, name: web-1, uid: u-2, "
                                          "controller: true}\n"
                                          "spec: {nodeName: n1, containers: [{name: a}], runtimeClassName: null}\n"
                                          "status:\n"
                                          "  phase: Running\n"
                                          "  startTime: '2026-11-21T05:00:10Z'\n"
                                          "  nominatedNodeName: n2\n"
                                          "  conditions: [{type: Ready, status: 'True'}]\n");
    const Pod *pod = test_pod(test, "web");

    assert_string_equal(arena_text(&test->arena, pod_print_name(&test->arena, &test->cluster.symbols, pod)),
                        "shop/web");
    assert_string_equal(test_text(test, pod->uid), "u-1");
    assert_int_equal(pod->created_ns, 1795237200 * NS_PER_S);
    assert_int_equal(pod->started_ns, 1795237210 * NS_PER_S);
    assert_true(pod->deleting);
    assert_true(pod->ready);
    assert_false(pod->gated);
    assert_int_equal(pod->phase, POD_RUNNING);
    assert_string_equal(test_text(test, pod->node_name), "n1");
    assert_string_equal(test_text(test, pod->nominated_node_name), "n2");
    assert_string_equal(test_label(test, &pod->labels, "app"), "web");
    assert_string_equal(test_label(test, &pod->annotations, "karpenter.sh/do-not-disrupt"), "true");
    assert_int_equal(pod->annotations.count, 1);
    assert_true(pod_is_owned_by(pod, NAME_APPS_V1, test_symbol(test, "ReplicaSet")));
    assert_false(pod_is_owned_by(pod, NAME_APPS_V1, NAME_DAEMON_SET));
    assert_string_equal(test_text(test, pod_controller(pod)->name), "web-1");
    assert_int_equal(pod->line, 1);
    assert_string_equal(arena_text(&test->arena, symbol_text(&test->cluster.symbols, pod->file)), "test.yaml");
    assert_string_equal(test_warnings(test), "");
    test_cluster_free(test);
}

#define OWNED(name, kind, controller)                                                                                  \
    "apiVersion: v1\nkind: Pod\nmetadata: {name: " name ", ownerReferences: [{apiVersion: apps/v1, kind: " kind        \
    ", name: o, uid: u, controller: " controller "}]}\nspec: {containers: []}\n---\n"

TEST(pods_know_whether_a_daemon_set_controls_them) {
    TestCluster *test = test_cluster_read(OWNED("agent", "DaemonSet", "true") OWNED("web", "ReplicaSet", "true")
                                              OWNED("kin", "DaemonSet", "false") POD("alone") "spec: {containers: []}");

    assert_true(test_pod(test, "agent")->of_daemon);
    assert_false(test_pod(test, "web")->of_daemon);
    assert_false(test_pod(test, "kin")->of_daemon);
    assert_false(test_pod(test, "alone")->of_daemon);
    test_cluster_free(test);
}

TEST(pods_without_status_are_pending) {
    TestCluster *test = test_cluster_read(POD("a") "spec: {containers: [], schedulingGates: [{name: g}]}\n---\n" POD(
        "b") "spec: {containers: [], schedulingGates: []}\nstatus: {}\n---\n" POD("c") "spec: {containers: "
                                                                                       "[]}\nstatus: "
                                                                                       "{conditions: [{type: "
                                                                                       "PodScheduled, status: "
                                                                                       "'False', reason: "
                                                                                       "SchedulingGated}]}\n");

    assert_int_equal(test_pod(test, "a")->phase, POD_PENDING);
    assert_true(test_pod(test, "a")->gated);
    assert_false(test_pod(test, "b")->gated);
    assert_true(test_pod(test, "c")->gated);
    assert_int_equal(test_pod(test, "b")->node_name, NAME_EMPTY);
    assert_string_equal(test_text(test, test_pod(test, "b")->ns), "default");
    assert_null(pod_controller(test_pod(test, "b")));
    test_cluster_free(test);
}

TEST(node_affinity_is_read) {
    TestCluster *test = test_cluster_read(POD(
        "p") "spec:\n"
             "  containers: []\n"
             "  nodeSelector: {disk: ssd}\n"
             "  affinity:\n"
             "    nodeAffinity:\n"
             "      requiredDuringSchedulingIgnoredDuringExecution:\n"
             "        nodeSelectorTerms:\n"
             "        - matchExpressions: [{key: zone, operator: In, values: [b, a]}, {key: gpu, operator: Exists}]\n"
             "        - matchExpressions: [{key: cpu, operator: Gt, values: ['4']}]\n"
             "        - matchFields: [{key: metadata.name, operator: In, values: [n1]}]\n"
             "      preferredDuringSchedulingIgnoredDuringExecution:\n"
             "      - weight: 7\n"
             "        preference: {matchExpressions: [{key: spot, operator: DoesNotExist}]}\n");
    const PodSpec *spec = test_pod(test, "p")->spec;

    assert_string_equal(test_label(test, &spec->node_selector, "disk"), "ssd");
    assert_true(spec->has_required_node_terms);
    assert_int_equal(spec->required_node_terms.count, 3);
    assert_string_equal(test_expressions(test, &spec->required_node_terms.items[0].expressions),
                        "zone In [b a]; gpu Exists");
    assert_string_equal(test_expressions(test, &spec->required_node_terms.items[1].expressions), "cpu Gt [4]");
    assert_false(spec->required_node_terms.items[1].has_match_fields);
    assert_true(spec->required_node_terms.items[2].has_match_fields);
    assert_int_equal(spec->required_node_terms.items[0].expressions.items[1].line, 11);
    assert_int_equal(spec->preferred_node_terms.count, 1);
    assert_int_equal(spec->preferred_node_terms.items[0].weight, 7);
    assert_string_equal(test_expressions(test, &spec->preferred_node_terms.items[0].expressions), "spot DoesNotExist");
    test_cluster_free(test);
}

TEST(pod_affinity_is_read) {
    TestCluster *test = test_cluster_read(
        POD("p") "spec:\n"
                 "  containers: []\n"
                 "  affinity:\n"
                 "    podAffinity:\n"
                 "      requiredDuringSchedulingIgnoredDuringExecution:\n"
                 "      - topologyKey: zone\n"
                 "        labelSelector: {matchLabels: {app: db}, matchExpressions: [{key: tier, operator: NotIn, "
                 "values: [x]}]}\n"
                 "        namespaces: [one, two]\n"
                 "        namespaceSelector: {}\n"
                 "    podAntiAffinity:\n"
                 "      preferredDuringSchedulingIgnoredDuringExecution:\n"
                 "      - {weight: 100, podAffinityTerm: {topologyKey: host}}\n");
    const PodSpec *spec = test_pod(test, "p")->spec;
    const PodAffinityTerm *term = &spec->affinity.required.items[0], *other = &spec->anti_affinity.preferred.items[0];

    assert_int_equal(spec->affinity.required.count, 1);
    assert_string_equal(test_text(test, term->topology_key), "zone");
    assert_string_equal(test_expressions(test, &term->selector->expressions), "app In [db]; tier NotIn [x]");
    assert_int_equal(term->namespaces.count, 2);
    assert_string_equal(test_text(test, term->namespaces.items[1]), "two");
    assert_int_equal(term->namespace_selector->expressions.count, 0);
    assert_int_equal(spec->anti_affinity.preferred.count, 1);
    assert_int_equal(other->weight, 100);
    assert_null(other->selector);
    assert_null(other->namespace_selector);
    test_cluster_free(test);
}

TEST(topology_spread_is_read_with_defaults) {
    TestCluster *test = test_cluster_read(
        POD("p") "spec:\n"
                 "  containers: []\n"
                 "  topologySpreadConstraints:\n"
                 "  - {topologyKey: zone, maxSkew: 2, whenUnsatisfiable: DoNotSchedule, minDomains: 3, "
                 "labelSelector: {}}\n"
                 "  - {topologyKey: host, maxSkew: 1, whenUnsatisfiable: ScheduleAnyway, nodeAffinityPolicy: Ignore, "
                 "nodeTaintsPolicy: Honor}\n");
    const TopologySpreadVec *spreads = &test_pod(test, "p")->spec->spreads;

    assert_int_equal(spreads->count, 2);
    assert_int_equal(spreads->items[0].max_skew, 2);
    assert_int_equal(spreads->items[0].min_domains, 3);
    assert_false(spreads->items[0].schedule_anyway);
    assert_false(spreads->items[0].ignore_node_affinity);
    assert_false(spreads->items[0].honor_node_taints);
    assert_int_equal(spreads->items[0].selector->expressions.count, 0);
    assert_true(spreads->items[1].schedule_anyway);
    assert_true(spreads->items[1].ignore_node_affinity);
    assert_true(spreads->items[1].honor_node_taints);
    assert_null(spreads->items[1].selector);
    test_cluster_free(test);
}

TEST(tolerations_ports_and_volumes_are_read) {
    TestCluster *test = test_cluster_read(POD(
        "p") "spec:\n"
             "  containers:\n"
             "  - name: a\n"
             "    ports: [{containerPort: 80}, {containerPort: 53, hostPort: 5353, protocol: UDP, hostIP: 10.0.0.1}]\n"
             "  initContainers:\n"
             "  - {name: i, ports: [{containerPort: 1, hostPort: 1}]}\n"
             "  - {name: s, restartPolicy: Always, ports: [{containerPort: 2, hostPort: 2}]}\n"
             "  tolerations: [{operator: Exists}, {key: gpu, value: a, effect: NoSchedule}]\n"
             "  resourceClaims: [{name: g}]\n"
             "  volumes:\n"
             "  - {name: cfg, configMap: {name: c}}\n"
             "  - {name: data, persistentVolumeClaim: {claimName: claim}}\n"
             "  - {name: tmp, ephemeral: {volumeClaimTemplate: {spec: {storageClassName: fast}}}}\n");
    const PodSpec *spec = test_pod(test, "p")->spec;

    assert_int_equal(spec->host_ports.count, 2);
    assert_int_equal(spec->host_ports.items[0].port, 5353);
    assert_int_equal(spec->host_ports.items[0].protocol, PROTOCOL_UDP);
    assert_string_equal(test_text(test, spec->host_ports.items[0].ip), "10.0.0.1");
    assert_int_equal(spec->host_ports.items[1].port, 2);
    assert_string_equal(test_text(test, spec->host_ports.items[1].ip), "0.0.0.0");
    assert_int_equal(spec->tolerations.count, 2);
    assert_int_equal(spec->tolerations.items[0].op, TOLERATION_EXISTS);
    assert_int_equal(spec->tolerations.items[0].effect, EFFECT_NONE);
    assert_int_equal(spec->tolerations.items[1].op, TOLERATION_EQUAL);
    assert_int_equal(spec->tolerations.items[1].effect, EFFECT_NO_SCHEDULE);
    assert_true(spec->has_resource_claims);
    assert_int_equal(spec->volumes.count, 2);
    assert_string_equal(test_text(test, spec->volumes.items[0].claim_name), "claim");
    assert_false(spec->volumes.items[0].ephemeral);
    assert_string_equal(test_text(test, spec->volumes.items[1].claim_name), "tmp");
    assert_true(spec->volumes.items[1].ephemeral);
    assert_string_equal(test_text(test, spec->volumes.items[1].storage_class), "fast");
    test_cluster_free(test);
}

// API server default: on the host's network every container port is a host port.
TEST(host_network_makes_ports_host_ports) {
    TestCluster *test = test_cluster_read(POD("p") "spec: {hostNetwork: true, containers: [{name: a, ports: "
                                                   "[{containerPort: 8080}]}]}\n");

    assert_int_equal(test_pod(test, "p")->spec->host_ports.count, 1);
    assert_int_equal(test_pod(test, "p")->spec->host_ports.items[0].port, 8080);
    test_cluster_free(test);
}

// Two pods of one template: what the scheduler does not see may differ.
TEST(equal_specs_are_shared) {
#define SPEC(volume, env, node)                                                                                        \
    "spec:\n  nodeName: " node "\n  containers: [{name: a, image: " env ", resources: {requests: {cpu: 1}}}]\n"        \
    "  volumes: [{name: " volume ", projected: {}}]\n"
    TestCluster *test = test_cluster_read(POD("a") SPEC("kube-api-access-x", "one", "n1") "---\n" POD("b") SPEC(
        "kube-api-access-y", "two", "n2") "---\n" POD("c") SPEC("v", "one", "n1") "  nodeSelector: {a: b}\n");

    assert_ptr_equal(test_pod(test, "a")->spec, test_pod(test, "b")->spec);
    assert_ptr_not_equal(test_pod(test, "a")->spec, test_pod(test, "c")->spec);
    assert_string_equal(test_text(test, test_pod(test, "b")->node_name), "n2");
    test_cluster_free(test);
}

TEST(label_keys_become_part_of_the_selectors) {
#define KEYED(name, labels)                                                                                            \
    "apiVersion: v1\nkind: Pod\nmetadata: {name: " name ", labels: " labels "}\n"                                      \
    "spec:\n"                                                                                                          \
    "  containers: []\n"                                                                                               \
    "  topologySpreadConstraints:\n"                                                                                   \
    "  - {topologyKey: zone, maxSkew: 1, whenUnsatisfiable: DoNotSchedule, matchLabelKeys: [rev, none],\n"             \
    "     labelSelector: {matchLabels: {app: web}}}\n"                                                                 \
    "  affinity:\n"                                                                                                    \
    "    podAntiAffinity:\n"                                                                                           \
    "      requiredDuringSchedulingIgnoredDuringExecution:\n"                                                          \
    "      - {topologyKey: zone, mismatchLabelKeys: [rev], labelSelector: {}}\n"                                       \
    "      - {topologyKey: zone, matchLabelKeys: [rev]}\n"
    TestCluster *test = test_cluster_read(KEYED("a", "{rev: r1}") "---\n" KEYED("b", "{rev: r1, x: z}") "---\n" KEYED(
        "c", "{rev: r2}") "---\n" KEYED("d", "{}"));
    const PodSpec *a = test_pod(test, "a")->spec, *c = test_pod(test, "c")->spec, *d = test_pod(test, "d")->spec;

    assert_string_equal(test_expressions(test, &a->spreads.items[0].selector->expressions),
                        "app In [web]; rev In [r1]");
    assert_string_equal(test_expressions(test, &a->anti_affinity.required.items[0].selector->expressions),
                        "rev NotIn [r1]");
    assert_null(a->anti_affinity.required.items[1].selector);
    assert_string_equal(test_expressions(test, &c->spreads.items[0].selector->expressions),
                        "app In [web]; rev In [r2]");
    assert_string_equal(test_expressions(test, &d->spreads.items[0].selector->expressions), "app In [web]");
    assert_ptr_equal(test_pod(test, "b")->spec, a);
    test_cluster_free(test);
}

// An API server has merged the keys of live pods already.
TEST(label_keys_are_merged_once) {
    TestCluster *test = test_cluster_read(
        "apiVersion: v1\nkind: Pod\nmetadata: {name: p, labels: {rev: r1}}\n"
        "spec:\n"
        "  containers: []\n"
        "  topologySpreadConstraints:\n"
        "  - {topologyKey: zone, maxSkew: 1, whenUnsatisfiable: DoNotSchedule, matchLabelKeys: [rev],\n"
        "     labelSelector: {matchExpressions: [{key: rev, operator: In, values: [r1]}]}}\n");

    assert_string_equal(test_expressions(test, &test_pod(test, "p")->spec->spreads.items[0].selector->expressions),
                        "rev In [r1]");
    test_cluster_free(test);
}

TEST(wrong_specs_are_named) {
    static const struct {
        const char *spec, *error;
    } cases[] = {
        {"nodeSelector: {a: 1}",
         "spec.nodeSelector.a: expected string, got number; quote it (test.yaml:6, Pod default/p)"},
        {"nodeName: [a]", "spec.nodeName: expected string, got list (test.yaml:6, Pod default/p)"},
        {"hostNetwork: 'yes'", "spec.hostNetwork: expected bool, got string (test.yaml:6, Pod default/p)"},
        {"tolerations: [{key: a, operator: Is}]", "spec.tolerations[0].operator: expected one of Equal, Exists, Lt, "
                                                  "Gt, got \"Is\" (test.yaml:6, Pod default/p)"},
        {"tolerations: [{value: a}]",
         "spec.tolerations[0]: operator must be Exists when key is empty (test.yaml:6, Pod default/p)"},
        {"tolerations: [{key: a, effect: Never}]",
         "spec.tolerations[0].effect: expected one of NoSchedule, PreferNoSchedule, NoExecute, got \"Never\" "
         "(test.yaml:6, Pod default/p)"},
        {"topologySpreadConstraints: [{topologyKey: z, maxSkew: 0, whenUnsatisfiable: DoNotSchedule}]",
         "spec.topologySpreadConstraints[0]: maxSkew must be greater than zero, got 0 (test.yaml:6, Pod default/p)"},
        {"topologySpreadConstraints: [{topologyKey: z, maxSkew: 1}]",
         "spec.topologySpreadConstraints[0].whenUnsatisfiable: required (test.yaml:6, Pod default/p)"},
        {"topologySpreadConstraints: [{topologyKey: z, maxSkew: 1, whenUnsatisfiable: ScheduleAnyway, minDomains: 2}]",
         "spec.topologySpreadConstraints[0]: minDomains can only be used with whenUnsatisfiable: DoNotSchedule "
         "(test.yaml:6, Pod default/p)"},
        {"topologySpreadConstraints: [{maxSkew: 1}]",
         "spec.topologySpreadConstraints[0].topologyKey: required (test.yaml:6, Pod default/p)"},
        {"affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {}}}",
         "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms: required "
         "(test.yaml:6, Pod default/p)"},
        {"affinity: {podAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 101, podAffinityTerm: "
         "{topologyKey: z}}]}}",
         "spec.affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight: must be in the range "
         "1-100, got 101 (test.yaml:6, Pod default/p)"},
        {"volumes: [{name: v, persistentVolumeClaim: {}}]",
         "spec.volumes[0].persistentVolumeClaim.claimName: required (test.yaml:6, Pod default/p)"},
        {"overhead: {cpu: x}",
         "spec.overhead.cpu: expected a quantity such as \"500m\" or \"2Gi\", got \"x\" (test.yaml:6, Pod default/p)"},
        {"containers: 5", "spec.containers: expected list, got number (test.yaml:6, Pod default/p)"},
        {"containers: [{name: a, ports: [{hostPort: 70000}]}]",
         "spec.containers[0].ports[0]: hostPort must be between 1 and 65535, got 70000 (test.yaml:6, Pod default/p)"},
        {"containers: [{name: a, ports: [{protocol: HTTP}]}]",
         "spec.containers[0].ports[0].protocol: expected one of TCP, UDP, SCTP, got \"HTTP\" (test.yaml:6, Pod "
         "default/p)"},
    };
    Arena arena = {0};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bool containers = strncmp(cases[i].spec, "containers", 10) == 0;
        Slice yaml =
            arena_printf(&arena, POD("p") "spec:\n%s\n  %s\n", containers ? "" : "  containers: []", cases[i].spec);

        assert_string_equal(test_read_error(arena_text(&arena, yaml)), cases[i].error);
    }
    arena_free(&arena);
}

TEST(wrong_expressions_are_named) {
    static const struct {
        const char *expression, *error;
    } cases[] = {
        {"{key: a, operator: Near}", ".operator: expected one of In, NotIn, Exists, DoesNotExist, Gt, Lt, got \"Near\" "
                                     "(test.yaml:9, Pod default/p)"},
        {"{key: a, operator: Gte, values: ['1']}", ".operator: expected one of In, NotIn, Exists, DoesNotExist, Gt, "
                                                   "Lt, got \"Gte\" (test.yaml:9, Pod default/p)"},
        {"{key: a}", ".operator: required (test.yaml:9, Pod default/p)"},
        {"{operator: In}", ".key: required (test.yaml:9, Pod default/p)"},
        {"{key: a, operator: In}", ": values must be given for the operator In (test.yaml:9, Pod default/p)"},
        {"{key: a, operator: Exists, values: [b]}",
         ": values must not be given for the operator Exists (test.yaml:9, Pod default/p)"},
        {"{key: a, operator: Gt, values: ['1', '2']}",
         ": the operator Gt needs exactly one value (test.yaml:9, Pod default/p)"},
        {"{key: a, operator: In, values: [1]}",
         ".values[0]: expected string, got number; quote it (test.yaml:9, Pod default/p)"},
    };
    Arena arena = {0};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Slice yaml = arena_printf(&arena,
                                  POD("p") "spec:\n"
                                           "  containers: []\n"
                                           "  affinity: {nodeAffinity: "
                                           "{requiredDuringSchedulingIgnoredDuringExecution: "
                                           "{nodeSelectorTerms: [\n"
                                           "    {matchExpressions: [\n"
                                           "      {key: b, operator: Exists},\n      %s\n]}]}}}\n",
                                  cases[i].expression);
        Slice error = arena_printf(&arena,
                                   "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution."
                                   "nodeSelectorTerms[0].matchExpressions[1]%s",
                                   cases[i].error);

        assert_string_equal(test_read_error(arena_text(&arena, yaml)), arena_text(&arena, error));
    }
    arena_free(&arena);
}
