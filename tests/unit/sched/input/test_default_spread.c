// Default topology spread. Row of reference scheduling.md 12: "default spread".
#include "harness/test.h"
#include "sched/input/default_spread.h"
#include "sched/input/default_spread_read.h"
#include "sched/support/world.h"

#define OBJECT(text) "---\n{" text "}\n"
#define CONFIG                                                                                                         \
    "podTopologySpread:\n"                                                                                             \
    "  defaultConstraints:\n"                                                                                          \
    "  - maxSkew: 2\n"                                                                                                 \
    "    topologyKey: topology.kubernetes.io/zone\n"                                                                   \
    "    whenUnsatisfiable: DoNotSchedule\n"                                                                           \
    "  - maxSkew: 5\n"                                                                                                 \
    "    topologyKey: kubernetes.io/hostname\n"                                                                        \
    "    whenUnsatisfiable: ScheduleAnyway\n"

static DefaultSpread spread_of(Cluster *world, const char *config) {
    DefaultSpread spread;
    Err err;

    if (default_spread_read(&world->arena, &world->symbols, SLICE("config.yaml"), slice_of(config), &spread, &err) !=
        OK)
        fail_msg("%s", err.text);
    return spread;
}

// The deduced selector: "app In [web], …" sorted, "-" when the defaults do not apply.
static Slice selector_text(Cluster *world, const char *pod) {
    DefaultSpread spread = spread_of(world, CONFIG);
    TopologySpreadVec deduced =
        default_spread_deduce(&world->arena, spread_index_make(&world->arena, world), &spread, world_pod(world, pod));
    Requirements set = {0};

    if (deduced.count == 0)
        return SLICE("-");
    assert_int_equal(deduced.count, 2);
    assert_int_equal(deduced.items[0].max_skew, 2);
    assert_int_equal(deduced.items[1].max_skew, 5);
    assert_ptr_equal(deduced.items[0].selector, deduced.items[1].selector);
    assert_true(selector_matches(deduced.items[0].selector, &world_pod(world, pod)->labels));
    for (vec_each(Expression, expression, &deduced.items[0].selector->expressions)) {
        Requirement requirement = requirement_make(&world->arena, &world->symbols, expression);

        requirements_add(&world->arena, &world->symbols, &set, &requirement);
    }
    return requirements_print(&world->arena, &world->symbols, &set);
}

static void assert_selector(const char *yaml, const char *expected) {
    Cluster *world = world_from_yaml(yaml);

    assert_string_equal(arena_text(&world->arena, selector_text(world, "p")), expected);
    world_free(world);
}

#define POD(meta, spec)                                                                                                \
    OBJECT("apiVersion: v1, kind: Pod, metadata: {name: p, labels: {app: web, tier: front}" meta                       \
           "}, spec: {containers: [{name: c, image: i}]" spec "}")
#define SERVICE(name, spec) OBJECT("apiVersion: v1, kind: Service, metadata: {name: " name "}, spec: {" spec "}")
#define OWNED(api, kind, name)                                                                                         \
    ", ownerReferences: [{apiVersion: " api ", kind: " kind ", name: " name ", uid: u, controller: true}]"
#define REPLICA_SET(name, selector)                                                                                    \
    OBJECT("apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: " name                                             \
           ", uid: u}, spec: {replicas: 0, selector: {" selector                                                       \
           "}, template: {metadata: {labels: {app: web, tier: front}}, spec: {containers: [{name: c, image: "          \
           "i}]}}}")

TEST(row_default_spread_configuration_is_read) {
    Cluster *world = world_from_yaml("");
    DefaultSpread spread = spread_of(world, CONFIG);

    assert_int_equal(spread.constraints.count, 2);
    assert_int_equal(spread.constraints.items[0].topology_key, NAME_ZONE);
    assert_int_equal(spread.constraints.items[0].max_skew, 2);
    assert_false(spread.constraints.items[0].schedule_anyway);
    assert_int_equal(spread.constraints.items[1].topology_key, NAME_HOSTNAME);
    assert_int_equal(spread.constraints.items[1].max_skew, 5);
    assert_true(spread.constraints.items[1].schedule_anyway);
    assert_null(spread.constraints.items[0].selector);

    spread = spread_of(
        world, "{\"podTopologySpread\":\n\t{\"defaultConstraints\": [{\"maxSkew\": 1, \"topologyKey\": \"load_table\", "
               "\"whenUnsatisfiable\": \"DoNotSchedule\", \"minDomains\": 3, \"nodeAffinityPolicy\": "
               "\"Ignore\", \"nodeTaintsPolicy\": \"Honor\"}]}}");
    assert_int_equal(spread.constraints.count, 1);
    assert_int_equal(spread.constraints.items[0].min_domains, 3);
    assert_true(spread.constraints.items[0].ignore_node_affinity);
    assert_true(spread.constraints.items[0].honor_node_taints);

    assert_int_equal(spread_of(world, "").constraints.count, 0);
    assert_int_equal(spread_of(world, "podTopologySpread: {}").constraints.count, 0);
    world_free(world);
}

TEST(row_default_spread_configuration_errors_fail) {
#define ONE(text) "podTopologySpread:\n  defaultConstraints:\n  - {" text "}\n"
#define GOOD      "maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule"
    static const struct {
        const char *config, *text;
    } cases[] = {
        {"podTopologySpreads: {}", "unknown field \"podTopologySpreads\" (c.yaml:1)"},
        {"podTopologySpread: {defaults: []}", "podTopologySpread: unknown field \"defaults\" (c.yaml:1)"},
        {"podTopologySpread: 3", "podTopologySpread: expected map, got number (c.yaml:1)"},
        {"[]", "expected map, got list (c.yaml:1)"},
        {"podTopologySpread:\n  defaultConstraints: {}",
         "podTopologySpread.defaultConstraints: expected list, got map (c.yaml:2)"},
        {ONE(GOOD ", skew: 1"), "podTopologySpread.defaultConstraints[0]: unknown field \"skew\" (c.yaml:3)"},
        {ONE(GOOD ", labelSelector: {matchLabels: {a: b}}"),
         "podTopologySpread.defaultConstraints[0]: a default constraint must not have a labelSelector: it is deduced "
         "for each pod (c.yaml:3)"},
        {ONE(GOOD ", matchLabelKeys: [a]"),
         "podTopologySpread.defaultConstraints[0]: a default constraint must not have matchLabelKeys (c.yaml:3)"},
        {ONE("maxSkew: 0, topologyKey: zone, whenUnsatisfiable: DoNotSchedule"),
         "podTopologySpread.defaultConstraints[0]: maxSkew must be greater than zero, got 0 (c.yaml:3)"},
        {ONE("maxSkew: 1, whenUnsatisfiable: DoNotSchedule"),
         "podTopologySpread.defaultConstraints[0].topologyKey: required (c.yaml:3)"},
        {ONE("maxSkew: 1, topologyKey: \"a b\", whenUnsatisfiable: DoNotSchedule"),
         "podTopologySpread.defaultConstraints[0]: topologyKey \"a b\": name part must consist of alphanumeric "},
        {ONE("maxSkew: 1, topologyKey: zone, whenUnsatisfiable: Never"),
         "podTopologySpread.defaultConstraints[0].whenUnsatisfiable: "},
        {ONE(GOOD) "  - {" GOOD "}\n", "podTopologySpread.defaultConstraints[1]: duplicate of [0]: same topologyKey "
                                       "and whenUnsatisfiable (c.yaml:4)"},
        {ONE(GOOD) "---\na: b\n", "expected one document, the scheduler configuration, got 2 (c.yaml:5)"},
        {ONE(GOOD ", maxSkew: 2"), "c.yaml:3"},
        {"{", "c.yaml:1"},
    };
    Cluster *world = world_from_yaml("");
    DefaultSpread spread;
    Err err;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(default_spread_read(&world->arena, &world->symbols, SLICE("c.yaml"), slice_of(cases[i].config),
                                             &spread, &err),
                         ERR_INVALID);
        if (!slice_starts_with(slice_of(err.text), slice_of(cases[i].text)))
            fail_msg("expected \"%s…\", got \"%s\"", cases[i].text, err.text);
    }
    // The same key with another whenUnsatisfiable is no duplicate.
    assert_int_equal(
        spread_of(world, ONE(GOOD) "  - {maxSkew: 1, topologyKey: zone, whenUnsatisfiable: ScheduleAnyway}\n")
            .constraints.count,
        2);
    world_free(world);
}

TEST(row_default_spread_needs_a_selector) {
    assert_selector(POD("", ""), "-");
    // Services that do not select the pod, have no selector, or are in another namespace do not count.
    assert_selector(
        POD("", "") SERVICE("s", "selector: {app: api}") SERVICE("none", "type: ExternalName") OBJECT(
            "apiVersion: v1, kind: Service, metadata: {name: s, namespace: other}, spec: {selector: {app: web}}"),
        "-");
    // Owners of other kinds have no selector.
    assert_selector(POD(OWNED("batch/v1", "Job", "j"), ""), "-");
    assert_selector(POD(OWNED("apps/v1", "ReplicaSet", "gone"), ""), "-");
}

TEST(row_default_spread_not_beside_own_constraints) {
    assert_selector(POD("", ", topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: "
                            "ScheduleAnyway, labelSelector: {matchLabels: {app: web}}}]")
                        SERVICE("s", "selector: {app: web}"),
                    "-");
}

TEST(row_default_spread_merges_services) {
    assert_selector(POD("", "") SERVICE("s", "selector: {app: web}"), "app In [web]");
    assert_selector(POD("", "") SERVICE("s", "selector: {app: web}") SERVICE("t", "selector: {tier: front, app: web}"),
                    "app In [web], tier In [front]");
}

TEST(row_default_spread_per_workload) {
    assert_selector(POD(OWNED("apps/v1", "ReplicaSet", "r"), "")
                        REPLICA_SET("r", "matchLabels: {app: web}, matchExpressions: [{key: tier, operator: NotIn, "
                                         "values: [back]}]"),
                    "app In [web], tier NotIn [back]");
    // The selectors of a Service and of the owner are ANDed.
    assert_selector(POD(OWNED("apps/v1", "ReplicaSet", "r"), "") REPLICA_SET("r", "matchLabels: {app: web}")
                        SERVICE("s", "selector: {tier: front}"),
                    "app In [web], tier In [front]");
    // A ReplicaSet of another API group does not count.
    assert_selector(POD(OWNED("example.com/v1", "ReplicaSet", "r"), "") REPLICA_SET("r", "matchLabels: {app: web}"),
                    "-");
}

TEST(row_default_spread_replication_controllers_overwrite) {
    assert_selector(POD(OWNED("v1", "ReplicationController", "rc"), "") OBJECT(
                        "apiVersion: v1, kind: ReplicationController, metadata: {name: rc, uid: u}, spec: "
                        "{replicas: 0, selector: {app: web}, template: {metadata: {labels: {app: web}}, spec: "
                        "{containers: [{name: c, image: i}]}}}") SERVICE("s", "selector: {app: web, tier: front}"),
                    "app In [web], tier In [front]");
}

TEST(row_default_spread_per_stateful_set) {
    Cluster *world = world_from_yaml(OBJECT(
        "apiVersion: apps/v1, kind: StatefulSet, metadata: {name: db}, spec: {replicas: 1, selector: {matchLabels: "
        "{app: db}}, template: {metadata: {labels: {app: db}}, spec: {containers: [{name: c, image: i}]}}}"));

    assert_string_equal(arena_text(&world->arena, selector_text(world, "db-0")), "app In [db]");
    world_free(world);
}

// Each revision of a Deployment spreads by itself: the ReplicaSet's selector has the template's hash.
TEST(row_default_spread_per_deployment_revision) {
    Cluster *world = world_from_yaml(
        OBJECT("apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {replicas: 2, selector: "
               "{matchLabels: {app: "
               "web}}, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: c, image: i}]}}}"));
    const Pod *pod = &world->pods.items[0];
    Symbol hash = labels_get(&pod->labels, NAME_POD_TEMPLATE_HASH);
    Slice text = selector_text(world, arena_text(&world->arena, symbol_text(&world->symbols, pod->name)));

    assert_int_not_equal(hash, INDEX_NONE);
    assert_string_equal(
        arena_text(&world->arena, text),
        arena_text(&world->arena, arena_printf(&world->arena, "app In [web], pod-template-hash In [%.*s]",
                                               SLICE_ARG(symbol_text(&world->symbols, hash)))));
    world_free(world);
}
