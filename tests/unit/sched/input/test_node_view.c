// Nodes and NodeClaims merged. Rows of reference scheduling.md 12: "in-flight" (what the planner sees of a node),
// "extended resources", "order" (initialised first).
#include "harness/test.h"
#include "sched/input/node_view.h"
#include "sched/support/world.h"

#include <stdio.h>

#define OBJECT(text) "---\n{" text "}\n"
// `meta`, `spec`, `status`: members, each followed by nothing.
#define NODE(name, labels, spec, status)                                                                               \
    OBJECT("apiVersion: v1, kind: Node, metadata: {name: " name ", labels: {" labels "}}, spec: {" spec                \
           "}, status: {" status "}")
#define CLAIM(name, meta, spec, status)                                                                                \
    OBJECT("apiVersion: karpenter.sh/v1, kind: NodeClaim, metadata: {name: " name meta                                 \
           "}, spec: {nodeClassRef: {group: karpenter.kwok.sh, kind: KWOKNodeClass, name: default}, requirements: "    \
           "[" spec "}, status: {" status "}")
#define POOL_LABEL ", labels: {karpenter.sh/nodepool: default, team: red}"
#define ROOM       "capacity: {cpu: \"4\", memory: 8Gi}, allocatable: {cpu: \"3\", memory: 7Gi}"
#define REGISTERED "karpenter.sh/nodepool: default, karpenter.sh/registered: \"true\""
#define INITIAL    REGISTERED ", karpenter.sh/initialized: \"true\""

typedef struct {
    Cluster *world;
    NodeViewVec views;
} Views;

static Views views_of_pools(const char *yaml, const PoolTypes *pools, uint32_t count) {
    Cluster *world = world_from_yaml(yaml);

    return (Views){world, node_views_make(&world->arena, world, pools, count)};
}

static Views views_of(const char *yaml) {
    return views_of_pools(yaml, NULL, 0);
}

static const NodeView *only_view(const Views *views) {
    assert_int_equal(views->views.count, 1);
    return &views->views.items[0];
}

// Names in order, joined by spaces.
static void assert_names(const Views *views, const char *expected) {
    Slice text = SLICE("");

    for (vec_each(NodeView, view, &views->views))
        text = arena_printf(&views->world->arena, "%.*s%s%.*s", SLICE_ARG(text), text.len ? " " : "",
                            SLICE_ARG(symbol_text(&views->world->symbols, view->name)));
    assert_string_equal(arena_text(&views->world->arena, text), expected);
}

static void assert_taints(const Views *views, const NodeView *view, const char *expected) {
    Slice text = SLICE("");

    for (vec_each(Taint, taint, &view->taints))
        text = arena_printf(&views->world->arena, "%.*s%s%.*s", SLICE_ARG(text), text.len ? " " : "",
                            SLICE_ARG(taint_print(&views->world->arena, &views->world->symbols, taint)));
    assert_string_equal(arena_text(&views->world->arena, text), expected);
}

static void assert_requirements(const Views *views, const NodeView *view, const char *expected) {
    Slice text = requirements_print(&views->world->arena, &views->world->symbols, &view->requirements);

    assert_string_equal(arena_text(&views->world->arena, text), expected);
}

static void assert_amounts(const Views *views, const Resources *amounts, const char *expected) {
    Slice text = resources_print_json(&views->world->arena, &views->world->symbols, amounts);

    assert_string_equal(arena_text(&views->world->arena, text), expected);
}

static const char *text_of(const Views *views, Symbol symbol) {
    return arena_text(&views->world->arena, symbol_text(&views->world->symbols, symbol));
}

static void assert_hostname(const Views *views, const NodeView *view, const char *expected) {
    const Requirement *hostname = requirements_get(&view->requirements, NAME_HOSTNAME);

    assert_string_equal(text_of(views, view->hostname), expected);
    assert_non_null(hostname);
    assert_int_equal(requirement_operator(hostname), OP_IN);
    assert_int_equal(hostname->values.count, 1);
    assert_int_equal(hostname->values.items[0], view->hostname);
}

// ---- Nodes of others

TEST(row_in_flight_unmanaged_nodes_all_taints_count) {
    Views views = views_of(NODE(
        "node", "zone: z",
        "taints: [{key: node.kubernetes.io/not-ready, effect: NoSchedule}, {key: readiness.k8s.io/x, effect: "
        "NoSchedule}, {key: karpenter.sh/unregistered, effect: NoExecute}, {key: own, value: v, effect: NoExecute}]",
        ROOM));
    const NodeView *view = only_view(&views);

    assert_false(view->managed);
    assert_true(view->registered);
    assert_true(view->initialized);
    assert_false(view->in_flight);
    assert_int_equal(view->pool, NAME_EMPTY);
    assert_taints(&views, view,
                  "node.kubernetes.io/not-ready:NoSchedule readiness.k8s.io/x:NoSchedule "
                  "karpenter.sh/unregistered:NoExecute own=v:NoExecute");
    assert_amounts(&views, &view->capacity, "{\"cpu\":\"4\",\"memory\":\"8Gi\",\"nodes\":\"1\"}");
    assert_amounts(&views, &view->allocatable, "{\"cpu\":\"3\",\"memory\":\"7Gi\"}");
    assert_requirements(&views, view, "zone In [z]");
    world_free(views.world);
}

// With Nodes but without NodeClaims in the input, the label decides which pool's limits a node counts against.
TEST(a_node_without_its_claim_still_belongs_to_its_pool) {
    Views views = views_of(NODE("node", INITIAL, "providerID: p", ROOM));

    assert_string_equal(text_of(&views, only_view(&views)->pool), "default");
    assert_false(only_view(&views)->managed);
    world_free(views.world);
}

TEST(the_hostname_label_names_the_host) {
    Views views = views_of(NODE("a", "kubernetes.io/hostname: ip-1", "", ROOM) NODE("b", "", "", ROOM));
    const NodeView *without = &views.views.items[1];

    assert_hostname(&views, &views.views.items[0], "ip-1");
    assert_false(views.views.items[0].lacks_hostname);
    assert_string_equal(text_of(&views, without->hostname), "b");
    assert_true(without->lacks_hostname);
    assert_null(requirements_get(&without->requirements, NAME_HOSTNAME));
    world_free(views.world);
}

TEST(deprecated_labels_count_under_their_stable_keys) {
    Views views = views_of(
        NODE("a", "failure-domain.beta.kubernetes.io/zone: z1, beta.kubernetes.io/arch: arm64", "", ROOM)
            NODE("b", "failure-domain.beta.kubernetes.io/zone: old, topology.kubernetes.io/zone: z2", "", ROOM));

    assert_requirements(&views, &views.views.items[0],
                        "kubernetes.io/arch In [arm64], topology.kubernetes.io/zone In [z1]");
    assert_requirements(&views, &views.views.items[1], "topology.kubernetes.io/zone In [z2]");
    world_free(views.world);
}

// ---- Merging

TEST(row_in_flight_labels_and_taints_are_the_claims_until_registered) {
    static const char *const claim =
        CLAIM("c", POOL_LABEL,
              "{key: team, operator: In, values: [red, blue]}, {key: disk, operator: In, values: [ssd]}, {key: gpu, "
              "operator: Exists}], taints: [{key: own, effect: NoSchedule}], startupTaints: [{key: starting, effect: "
              "NoSchedule}]",
              "providerID: id, " ROOM);
    char yaml[4096];
    Views views;
    const NodeView *view;

    snprintf(yaml, sizeof yaml, "%s%s", claim,
             NODE("node", "late: x, kubernetes.io/hostname: host",
                  "providerID: id, taints: [{key: karpenter.sh/unregistered, effect: NoExecute}, {key: late, effect: "
                  "NoSchedule}]",
                  ROOM));
    views = views_of(yaml);
    view = only_view(&views);
    assert_true(view->managed);
    assert_false(view->registered);
    assert_string_equal(text_of(&views, view->name), "node");
    assert_hostname(&views, view, "host");
    assert_requirements(&views, view, "disk In [ssd], karpenter.sh/nodepool In [default], team In [red]");
    assert_int_equal(labels_get(&view->labels, world_symbol(views.world, "disk")), world_symbol(views.world, "ssd"));
    assert_taints(&views, view, "own:NoSchedule");
    world_free(views.world);

    // Registered: labels and taints are the Node's.
    snprintf(yaml, sizeof yaml, "%s%s", claim,
             NODE("node", REGISTERED ", late: x", "providerID: id, taints: [{key: late, effect: NoSchedule}]", ROOM));
    views = views_of(yaml);
    view = only_view(&views);
    assert_true(view->registered);
    assert_requirements(&views, view,
                        "karpenter.sh/nodepool In [default], karpenter.sh/registered In [true], late In [x]");
    assert_taints(&views, view, "late:NoSchedule");
    world_free(views.world);
}

TEST(row_in_flight_a_claim_without_node_is_a_view) {
    Views views = views_of(CLAIM("c", POOL_LABEL,
                                 "{key: topology.kubernetes.io/zone, operator: In, values: [a]}], taints: [{key: own, "
                                 "effect: NoSchedule}], startupTaints: [{key: starting, effect: NoSchedule}]",
                                 "providerID: id, " ROOM));
    const NodeView *view = only_view(&views);

    assert_string_equal(text_of(&views, view->name), "c");
    assert_string_equal(text_of(&views, view->pool), "default");
    assert_hostname(&views, view, "c");
    assert_true(view->managed);
    assert_false(view->registered);
    assert_false(view->initialized);
    assert_false(view->in_flight);
    assert_requirements(&views, view,
                        "karpenter.sh/nodepool In [default], team In [red], topology.kubernetes.io/zone In [a]");
    assert_taints(&views, view, "own:NoSchedule");
    assert_amounts(&views, &view->capacity, "{\"cpu\":\"4\",\"memory\":\"8Gi\",\"nodes\":\"1\"}");
    assert_amounts(&views, &view->allocatable, "{\"cpu\":\"3\",\"memory\":\"7Gi\"}");
    world_free(views.world);
}

TEST(a_claim_finds_its_node_by_name_too) {
    Views views = views_of(CLAIM("c", POOL_LABEL, "]", "nodeName: node, " ROOM) NODE("node", INITIAL, "", ROOM));

    assert_true(only_view(&views)->managed);
    assert_true(only_view(&views)->initialized);
    world_free(views.world);
}

TEST(two_claims_of_one_instance_are_one_view) {
    Views views = views_of(CLAIM("c", POOL_LABEL, "]", "providerID: id, " ROOM) CLAIM(
        "d", POOL_LABEL, "]", "providerID: id, " ROOM) NODE("node", INITIAL, "providerID: id", ROOM));

    assert_string_equal(text_of(&views, only_view(&views)->claim->meta.name), "c");
    world_free(views.world);
}

// A managed node without providerID or instance type does not count yet; its claim does.
TEST(managed_nodes_are_awaited) {
    Views views;

    views = views_of(
        NODE("node", "karpenter.kwok.sh/kwoknodeclass: default, node.kubernetes.io/instance-type: t", "", ROOM));
    assert_names(&views, "");
    world_free(views.world);

    views = views_of(CLAIM("c", POOL_LABEL, "]", "providerID: id, " ROOM)
                         NODE("node", "karpenter.kwok.sh/kwoknodeclass: default", "providerID: id", ROOM));
    assert_names(&views, "c");
    world_free(views.world);

    views = views_of(CLAIM("c", POOL_LABEL, "]", "providerID: id, " ROOM)
                         NODE("node", "karpenter.kwok.sh/kwoknodeclass: default, node.kubernetes.io/instance-type: t",
                              "providerID: id", ROOM));
    assert_names(&views, "node");
    world_free(views.world);

    // Initialised, it counts without the label.
    views = views_of(NODE("node", "karpenter.kwok.sh/kwoknodeclass: default, " INITIAL, "providerID: id", ROOM));
    assert_names(&views, "node");
    world_free(views.world);
}

// ---- Taints while a node comes up

#define STARTUP "], startupTaints: [{key: starting, value: x, effect: NoSchedule}]"
#define TAINTS                                                                                                         \
    "providerID: id, taints: [{key: starting, value: other, effect: NoSchedule}, {key: starting, effect: NoExecute}, " \
    "{key: node.kubernetes.io/not-ready, effect: NoSchedule}, {key: node.kubernetes.io/not-ready, effect: "            \
    "NoExecute}, "                                                                                                     \
    "{key: node.kubernetes.io/unreachable, effect: NoSchedule}, {key: node.kubernetes.io/unreachable, effect: "        \
    "NoExecute}, {key: node.cloudprovider.kubernetes.io/uninitialized, value: \"true\", effect: NoSchedule}, {key: "   \
    "karpenter.sh/unregistered, effect: NoExecute}, {key: readiness.k8s.io/gpu, effect: NoSchedule}, {key: own, "      \
    "effect: NoSchedule}]"

TEST(row_in_flight_startup_and_ephemeral_taints_wait_for_initialisation) {
    Views views =
        views_of(CLAIM("c", POOL_LABEL, STARTUP, "providerID: id, " ROOM) NODE("node", REGISTERED, TAINTS, ROOM));

    assert_false(only_view(&views)->initialized);
    // Key and effect decide: NoExecute is no startup taint here, and unreachable is ephemeral as NoSchedule only.
    assert_taints(&views, only_view(&views),
                  "starting:NoExecute node.kubernetes.io/unreachable:NoExecute own:NoSchedule");
    world_free(views.world);
}

TEST(row_in_flight_all_taints_count_once_initialised) {
    Views views =
        views_of(CLAIM("c", POOL_LABEL, STARTUP, "providerID: id, " ROOM) NODE("node", INITIAL, TAINTS, ROOM));

    assert_true(only_view(&views)->initialized);
    assert_int_equal(only_view(&views)->taints.count, 10);
    world_free(views.world);
}

TEST(row_in_flight_cordon_always_counts) {
    Views views = views_of(CLAIM("c", POOL_LABEL, STARTUP, "providerID: id, " ROOM)
                               NODE("node", REGISTERED, "providerID: id, unschedulable: true", ROOM));

    assert_taints(&views, only_view(&views), "node.kubernetes.io/unschedulable:NoSchedule");
    world_free(views.world);
}

// ---- Amounts

#define FRESH "capacity: {cpu: \"4\", gpu: \"0\"}, allocatable: {cpu: \"3\", gpu: \"0\"}"
#define PROMISE                                                                                                        \
    "providerID: id, capacity: {cpu: \"8\", gpu: \"2\", memory: 8Gi}, allocatable: {cpu: \"7\", gpu: \"2\", memory: "  \
    "7Gi}"

TEST(row_extended_resources_of_a_fresh_node_are_the_claims) {
    Views views = views_of(CLAIM("c", POOL_LABEL, "]", PROMISE) NODE("node", REGISTERED, "providerID: id", FRESH));
    const NodeView *view = only_view(&views);

    // Amounts that the node reports count; zero and absent ones are taken from the claim.
    assert_amounts(&views, &view->allocatable, "{\"cpu\":\"3\",\"gpu\":\"2\",\"memory\":\"7Gi\"}");
    assert_amounts(&views, &view->capacity, "{\"cpu\":\"4\",\"gpu\":\"2\",\"memory\":\"8Gi\",\"nodes\":\"1\"}");
    world_free(views.world);
}

TEST(row_extended_resources_of_an_initialised_node_are_its_own) {
    Views views = views_of(CLAIM("c", POOL_LABEL, "]", PROMISE) NODE("node", INITIAL, "providerID: id", FRESH));
    const NodeView *view = only_view(&views);

    assert_int_equal(resources_get(&view->allocatable, world_symbol(views.world, "gpu")), 0);
    assert_int_equal(resources_get(&view->capacity, world_symbol(views.world, "gpu")), 0);
    assert_int_equal(resources_get(&view->allocatable, NAME_MEMORY), 0);
    assert_int_equal(resources_get(&view->allocatable, NAME_CPU), 3000);
    world_free(views.world);
}

// ---- Deleting

TEST(row_in_flight_deleting_is_said_by_the_claim) {
    static const struct {
        const char *yaml;
        bool deleting;
    } cases[] = {
        {CLAIM("c", POOL_LABEL ", deletionTimestamp: \"2026-01-01T00:00:00Z\"", "]", "providerID: id, " ROOM)
             NODE("node", INITIAL, "providerID: id", ROOM),
         true},
        {CLAIM("c", POOL_LABEL, "]",
               "providerID: id, conditions: [{type: InstanceTerminating, status: \"True\"}], " ROOM)
             NODE("node", INITIAL, "providerID: id", ROOM),
         true},
        {CLAIM("c", POOL_LABEL, "]",
               "providerID: id, conditions: [{type: InstanceTerminating, status: \"False\"}], " ROOM)
             NODE("node", INITIAL, "providerID: id", ROOM),
         false},
        {OBJECT("apiVersion: v1, kind: Node, metadata: {name: node, deletionTimestamp: \"2026-01-01T00:00:00Z\"}"),
         true},
        // With a claim, the claim decides.
        {CLAIM("c", POOL_LABEL, "]", "nodeName: node, " ROOM)
             OBJECT("apiVersion: v1, kind: Node, metadata: {name: node, deletionTimestamp: \"2026-01-01T00:00:00Z\"}"),
         false},
        {CLAIM("c", POOL_LABEL ", deletionTimestamp: \"2026-01-01T00:00:00Z\"", "]", ""), true},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Views views = views_of(cases[i].yaml);

        assert_int_equal(only_view(&views)->deleting, cases[i].deleting);
        world_free(views.world);
    }
}

// ---- Order

TEST(row_order_initialised_first_then_by_name) {
    Views views = views_of(CLAIM("a", POOL_LABEL, "]", "") CLAIM("c0", POOL_LABEL, "]", "providerID: id, " ROOM) NODE(
        "b", REGISTERED, "providerID: id", ROOM) NODE("z", "", "", ROOM) NODE("y-deleting", "", "", ROOM));

    assert_names(&views, "y-deleting z a b");
    world_free(views.world);
}

// ---- Claims in flight

// In zone c, with one gpu more than its type has.
static Offering offering_with_gpu(Cluster *world) {
    Offering offering = {.zone = world_symbol(world, "c"), .has_override = true};
    Requirement in_c = requirement_in(&world->arena, NAME_ZONE, offering.zone);

    requirements_add(&world->arena, &world->symbols, &offering.requirements, &in_c);
    resources_set(&world->arena, &offering.capacity_override, world_symbol(world, "gpu"), 1);
    return offering;
}

// Types "small" (zones a, b) and "large" (zone b; with an override in zone c that adds a gpu).
static InstanceTypeVec two_types(Cluster *world) {
    static const struct {
        const char *name, *zones;
        int64_t cpu, memory;
    } rows[] = {{"small", "ab", 2000, 4}, {"large", "b", 8000, 2}};
    InstanceTypeVec types = {0};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        InstanceType type = {.name = world_symbol(world, rows[i].name)};
        Requirement name = requirement_in(&world->arena, NAME_INSTANCE_TYPE, type.name);

        requirements_add(&world->arena, &world->symbols, &type.requirements, &name);
        resources_set(&world->arena, &type.capacity, NAME_CPU, rows[i].cpu);
        resources_set(&world->arena, &type.capacity, NAME_MEMORY, rows[i].memory);
        resources_set(&world->arena, &type.overhead, NAME_CPU, 100);
        if (i == 1)
            vec_push(&world->arena, &type.offerings, offering_with_gpu(world));
        for (const char *zone = rows[i].zones; *zone; zone++) {
            Offering offering = {.zone = symbol_intern(&world->symbols, (Slice){zone, 1})};
            Requirement in_zone = requirement_in(&world->arena, NAME_ZONE, offering.zone);

            requirements_add(&world->arena, &world->symbols, &offering.requirements, &in_zone);
            vec_push(&world->arena, &type.offerings, offering);
        }
        vec_push(&world->arena, &types, type);
    }
    return types;
}

#define IN_FLIGHT(requirements, requests)                                                                              \
    CLAIM("c", POOL_LABEL, requirements "], resources: {requests: {" requests "}}", "")
#define NAMES_OF(values) "{key: node.kubernetes.io/instance-type, operator: In, values: [" values "]}"

static void assert_room(const char *yaml, const char *allocatable, const char *capacity) {
    Cluster *world = world_from_yaml(yaml);
    InstanceTypeVec types = two_types(world);
    PoolTypes pools[] = {{world_symbol(world, "other"), NULL}, {world_symbol(world, "default"), &types}};
    Views views = {world, node_views_make(&world->arena, world, pools, 2)};
    const NodeView *view = only_view(&views);

    assert_true(view->in_flight);
    assert_amounts(&views, &view->allocatable, allocatable);
    assert_amounts(&views, &view->capacity, capacity);
    world_free(world);
}

TEST(row_in_flight_room_is_what_every_listed_type_has) {
    assert_room(IN_FLIGHT(NAMES_OF("small, large"), "cpu: \"1\""), "{\"cpu\":\"1900m\",\"memory\":\"2\"}",
                "{\"cpu\":\"8\",\"gpu\":\"1\",\"memory\":\"4\",\"nodes\":\"1\"}");
    // With and without the override: the gpu is not in the allocatable, but in the capacity that counts against limits.
    assert_room(IN_FLIGHT(NAMES_OF("large"), "cpu: \"1\""), "{\"cpu\":\"7900m\",\"memory\":\"2\"}",
                "{\"cpu\":\"8\",\"gpu\":\"1\",\"memory\":\"2\",\"nodes\":\"1\"}");
    assert_room(IN_FLIGHT(NAMES_OF("small"), "cpu: \"1\""), "{\"cpu\":\"1900m\",\"memory\":\"4\"}",
                "{\"cpu\":\"2\",\"memory\":\"4\",\"nodes\":\"1\"}");
}

// Types that cannot be launched for the claim do not count for its room.
TEST(row_in_flight_room_leaves_out_types_that_cannot_come) {
    // By its requests.
    assert_room(IN_FLIGHT(NAMES_OF("small, large"), "cpu: \"4\""), "{\"cpu\":\"7900m\",\"memory\":\"2\"}",
                "{\"cpu\":\"8\",\"gpu\":\"1\",\"memory\":\"2\",\"nodes\":\"1\"}");
    // By its zone.
    assert_room(IN_FLIGHT(NAMES_OF("small, large") ", {key: topology.kubernetes.io/zone, operator: In, values: [a]}",
                          "cpu: \"1\""),
                "{\"cpu\":\"1900m\",\"memory\":\"4\"}", "{\"cpu\":\"2\",\"memory\":\"4\",\"nodes\":\"1\"}");
    // Requests that only an override can hold.
    assert_room(IN_FLIGHT(NAMES_OF("small, large"), "cpu: \"1\", gpu: \"1\""),
                "{\"cpu\":\"7900m\",\"gpu\":\"1\",\"memory\":\"2\"}",
                "{\"cpu\":\"8\",\"gpu\":\"1\",\"memory\":\"2\",\"nodes\":\"1\"}");
}

TEST(row_in_flight_room_without_known_types_is_the_request) {
    Views views = views_of(IN_FLIGHT(NAMES_OF("small"), "cpu: \"1\", memory: 1Gi"));

    assert_room(IN_FLIGHT(NAMES_OF("unheard-of"), "cpu: \"1\""), "{\"cpu\":\"1\"}", "{\"cpu\":\"1\",\"nodes\":\"1\"}");
    assert_amounts(&views, &only_view(&views)->allocatable, "{\"cpu\":\"1\",\"memory\":\"1Gi\"}");
    world_free(views.world);
}

TEST(row_in_flight_requirements_stay_open) {
    Views views = views_of(IN_FLIGHT("{key: topology.kubernetes.io/zone, operator: In, values: [a, b]}, {key: team, "
                                     "operator: In, values: [red, blue]}, {key: disk, operator: NotIn, values: [hdd]}, "
                                     "{key: arch, operator: In, values: [arm]}",
                                     "cpu: \"1\""));
    const NodeView *view = only_view(&views);

    assert_true(view->in_flight);
    assert_false(view->registered);
    // The labels of the claim narrow its requirements.
    assert_requirements(&views, view,
                        "arch In [arm], disk NotIn [hdd], karpenter.sh/nodepool In [default], team In [red], "
                        "topology.kubernetes.io/zone In [a b]");
    assert_int_equal(labels_get(&view->labels, NAME_ZONE), INDEX_NONE);
    assert_int_equal(labels_get(&view->labels, world_symbol(views.world, "arch")), world_symbol(views.world, "arm"));
    assert_hostname(&views, view, "c");
    world_free(views.world);
}
