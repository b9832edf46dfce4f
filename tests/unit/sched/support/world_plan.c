// The manifests of a world, its plans, and launching them.
#include "sched/input/default_spread_read.h"
#include "sched/support/world_parts.h"

#include "base/buffer.h"
#include "sched/support/world.h"

#include <stdlib.h>

static const char DEFAULT_ROOM[] = "cpu: 16, memory: 32Gi, pods: 110";

World *world_setup(void) {
    World *world = calloc(1, sizeof *world);

    CHECK(world, "out of memory");
    return world;
}

void world_teardown(World *world) {
    for (vec_each(Cluster *, cluster, &world->clusters))
        world_free(*cluster);
    arena_free(&world->arena);
    free(world);
}

// --- texts

// "" for NULL.
static const char *given(const char *text) {
    return text ? text : "";
}

// ", text", or "" for nothing.
static const char *more(World *world, const char *text) {
    return text && *text ? arena_printf(&world->arena, ", %s", text).ptr : "";
}

static void add_object(World *world, Slice text) {
    vec_push(&world->arena, &world->objects, text);
}

void world_object(World *world, const char *yaml) {
    add_object(world, slice_of(yaml));
}

void world_daemon(World *world, const char *name, const char *requests, const char *spec) {
    add_object(world, arena_printf(&world->arena,
                                   "apiVersion: apps/v1, kind: DaemonSet, metadata: {name: %s}, spec: {selector: "
                                   "{matchLabels: {daemon: %s}}, template: {metadata: {labels: {daemon: %s}}, spec: "
                                   "{containers: [{name: c, image: i, resources: {requests: {%s}}}]%s}}}",
                                   name, name, name, requests, more(world, spec)));
}

void world_add_type(World *world, TypeText type) {
    vec_push(&world->arena, &world->types, type);
}

void world_add_offering(World *world, OfferingText offering) {
    vec_push(&world->arena, &world->offerings, offering);
}

void world_add_pool(World *world, PoolText pool) {
    vec_push(&world->arena, &world->pools, pool);
}

void world_drop_pools(World *world) {
    world->pools.count = 0;
}

static Slice pool_text(World *world, const PoolText *pool) {
    return arena_printf(&world->arena,
                        "apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: %s, uid: uid-%s}, spec: "
                        "{template: {metadata: {labels: {%s}, annotations: {%s}}, spec: {nodeClassRef: {group: "
                        "karpenter.kwok.sh, kind: KWOKNodeClass, name: default}, requirements: [%s]%s}}%s}",
                        pool->name, pool->name, given(pool->labels), given(pool->annotations),
                        given(pool->requirements), more(world, pool->template), more(world, pool->spec));
}

static void add_claim(World *world, const NodeText *node, const char *labels, const char *room) {
    const char *status = "";

    if (node->stage != NODE_CREATED)
        status = arena_printf(&world->arena, ", status: {providerID: \"test://%s\", capacity: {%s}, allocatable: {%s}}",
                              node->name, room, room)
                     .ptr;
    add_object(world, arena_printf(&world->arena,
                                   "apiVersion: karpenter.sh/v1, kind: NodeClaim, metadata: {name: %s, labels: "
                                   "{%s}%s}, spec: {nodeClassRef: {group: karpenter.kwok.sh, kind: KWOKNodeClass, "
                                   "name: default}, requirements: [%s]%s}%s",
                                   node->name, labels, more(world, node->meta), given(node->requirements),
                                   more(world, node->claim_spec), status));
}

void world_add_node(World *world, NodeText node) {
    const char *room = node.allocatable ? node.allocatable : DEFAULT_ROOM;
    const char *host = node.host ? node.host : node.name;
    const char *labels =
        *host ? arena_printf(&world->arena, "kubernetes.io/hostname: %s%s", host, more(world, node.labels)).ptr
              : given(node.labels);

    if (node.pool) {
        const char *type = strstr(labels, INSTANCE_TYPE ":") ? "" : ", " INSTANCE_TYPE ": existing";

        labels =
            arena_printf(&world->arena, "%s%s, karpenter.sh/nodepool: %s, karpenter.kwok.sh/kwoknodeclass: default",
                         labels, node.stage == NODE_CREATED ? "" : type, node.pool)
                .ptr;
        add_claim(world, &node, labels, node.claim_room ? node.claim_room : room);
        if (node.stage == NODE_REGISTERED || node.stage == NODE_INITIALIZED)
            labels = arena_printf(&world->arena, "%s, karpenter.sh/registered: \"true\"%s", labels,
                                  node.stage == NODE_INITIALIZED ? ", karpenter.sh/initialized: \"true\"" : "")
                         .ptr;
        if (node.stage == NODE_LAUNCHED || node.stage == NODE_CREATED)
            return;
    }
    add_object(world, arena_printf(&world->arena,
                                   "apiVersion: v1, kind: Node, metadata: {name: %s, labels: {%s}%s}, spec: "
                                   "{providerID: \"test://%s\", taints: [%s]}, status: {capacity: {%s}, allocatable: "
                                   "{%s}}",
                                   node.name, labels, node.pool ? "" : more(world, node.meta), node.name,
                                   given(node.taints), room, room));
}

static void add_pod(World *world, const PodText *pod, const char *name) {
    WorldPod made = {.name = name, .node = pod->node, .status = pod->status};

    made.before = arena_printf(&world->arena,
                               "apiVersion: v1, kind: Pod, metadata: {name: %s, namespace: %s, labels: {%s}%s}, spec: {"
                               "containers: [{name: c, image: i, resources: {requests: {%s}}}]%s",
                               name, pod->ns ? pod->ns : "default", given(pod->labels), more(world, pod->meta),
                               given(pod->requests), more(world, pod->spec))
                      .ptr;
    vec_push(&world->arena, &world->pods, made);
}

void world_add_pods(World *world, PodText pods) {
    if (!pods.count)
        add_pod(world, &pods, pods.name);
    for (int i = 0; i < pods.count; i++)
        add_pod(world, &pods, arena_printf(&world->arena, "%s-%d", pods.name, i).ptr);
}

static void append_pod(Buffer *text, const WorldPod *pod) {
    const char *status = given(pod->status);

    buffer_printf(text, "---\n{%s", pod->before);
    if (pod->node)
        buffer_printf(text, ", nodeName: %s", pod->node);
    buffer_printf(text, "}, status: {%s", status);
    if (!strstr(status, "phase:"))
        buffer_printf(text, "%sphase: %s", *status ? ", " : "", pod->node ? "Running" : "Pending");
    buffer_printf(text, "}}\n");
}

// The whole world as one YAML text.
static const char *world_text(World *world) {
    Buffer text = {0};
    const char *copy;

    for (vec_each(PoolText, pool, &world->pools))
        buffer_printf(&text, "---\n{%.*s}\n", SLICE_ARG(pool_text(world, pool)));
    for (vec_each(Slice, object, &world->objects))
        buffer_printf(&text, "---\n{%.*s}\n", SLICE_ARG(*object));
    for (vec_each(WorldPod, pod, &world->pods))
        append_pod(&text, pod);
    copy = arena_text(&world->arena, buffer_slice(&text));
    buffer_free(&text);
    return copy;
}

// --- planning

void world_ignore_preferences(World *world) {
    world->preferences = PREFERENCES_IGNORE;
}

void world_weigh_preferences(World *world) {
    world->preferences = PREFERENCES_WEIGH;
}

void world_best_effort(World *world) {
    world->min_values = MIN_VALUES_BEST_EFFORT;
}

void world_default_spread(World *world, const char *yaml) {
    world->default_spread = yaml;
}

void world_type_limit(World *world, uint32_t count) {
    world->max_types = count;
}

static void add_pools(World *world, Cluster *cluster, PlanInput *input) {
    const InstanceTypeVec *all = world_types(world, cluster, NULL);

    for (uint32_t i = 0; i < world->pools.count; i++) {
        const PoolText *text = &world->pools.items[i];
        const NodePool *pool = &cluster->node_pools.items[i];
        const InstanceTypeVec *types = text->types ? world_types(world, cluster, text->types) : all;

        if (!pool->is_static) // as the loader of `tenon plan` does
            vec_push(&cluster->arena, &input->pools, (PlanPool){pool, types});
    }
}

static const DefaultSpread *read_default_spread(const World *world, Cluster *cluster) {
    DefaultSpread *spread = arena_new(&cluster->arena, DefaultSpread);
    Err err = {0};

    if (!world->default_spread)
        return NULL;
    CHECK(default_spread_read(&cluster->arena, &cluster->symbols, SLICE("config"), slice_of(world->default_spread),
                              spread, &err) == OK,
          "%s", err.text);
    return spread;
}

const Plan *world_plan(World *world) {
    Cluster *cluster = world_from_yaml(world_text(world));
    PlanInput input = {.cluster = cluster,
                       .preferences = world->preferences,
                       .min_values = world->min_values,
                       .max_instance_types = world->max_types};
    PoolTypes *types;

    vec_push(&world->arena, &world->clusters, cluster);
    add_pools(world, cluster, &input);
    types = arena_array(&cluster->arena, PoolTypes, input.pools.count);
    for (uint32_t i = 0; i < input.pools.count; i++)
        types[i] = (PoolTypes){input.pools.items[i].pool->meta.name, input.pools.items[i].types};
    input.nodes = node_views_make(&cluster->arena, cluster, types, input.pools.count);
    input.pending = pending_select(&cluster->arena, cluster, &input.nodes, 0);
    input.default_spread = read_default_spread(world, cluster);
    world->input = input;
    plan_solve(&cluster->arena, &world->input, &world->plan);
    return &world->plan;
}

Cluster *world_cluster(World *world) {
    return world->input.cluster;
}

const PlanInput *world_input(World *world) {
    return &world->input;
}

const PlannedClaim *world_claim(World *world, uint32_t number) {
    CHECK(number < world->plan.claims.count, "the plan has %u claims", world->plan.claims.count);
    return &world->plan.claims.items[number];
}

// --- launching

static void bind_pods(World *world, const U32Vec *pods, const char *node) {
    const Symbols *symbols = &world->input.cluster->symbols;

    for (vec_each(uint32_t, pod, pods)) {
        Slice name = symbol_text(symbols, world->input.pending.items[*pod].pod->name);

        for (vec_each(WorldPod, known, &world->pods)) {
            if (slice_eq_text(name, known->name))
                known->node = node;
        }
    }
}

static void append_label(Buffer *labels, const Symbols *symbols, Symbol key, Symbol value) {
    buffer_printf(labels, "%s%.*s: \"%.*s\"", labels->len ? ", " : "", SLICE_ARG(symbol_text(symbols, key)),
                  SLICE_ARG(symbol_text(symbols, value)));
}

// Labels of the node that a claim becomes: the claim's, the choice's, and what its type has only one of.
static const char *launched_labels(World *world, const PlannedClaim *claim) {
    const Symbols *symbols = &world->input.cluster->symbols;
    Labels labels = {0};
    Buffer text = {0};
    const char *copy;

    for (uint32_t i = 0; i < claim->choice->requirements.count; i++) {
        const Requirement *requirement = &claim->choice->requirements.items[i];

        if (requirement_operator(requirement) == OP_IN && requirement->values.count == 1)
            labels_set(&world->arena, &labels, requirement->key, requirement->values.items[0]);
    }
    for (uint32_t i = 0; i < claim->labels.count; i++)
        labels_set(&world->arena, &labels, claim->labels.items[i].key, claim->labels.items[i].value);
    labels_set(&world->arena, &labels, NAME_ZONE, claim->offering->zone);
    labels_set(&world->arena, &labels, NAME_CAPACITY_TYPE, claim->offering->capacity_type);
    for (uint32_t i = 0; i < labels.count; i++) {
        if (labels.items[i].key != NAME_NODEPOOL &&
            !slice_eq_text(symbol_text(symbols, labels.items[i].key), "karpenter.kwok.sh/kwoknodeclass"))
            append_label(&text, symbols, labels.items[i].key, labels.items[i].value);
    }
    copy = arena_text(&world->arena, buffer_slice(&text));
    buffer_free(&text);
    return copy;
}

static const char *launched_room(World *world, const PlannedClaim *claim) {
    const Symbols *symbols = &world->input.cluster->symbols;
    Resources room = instance_type_allocatable(&world->arena, symbols, claim->choice,
                                               claim->offering->has_override ? claim->offering : NULL);
    Slice json = resources_print_json(&world->arena, symbols, &room);

    return arena_text(&world->arena, (Slice){json.ptr + 1, json.len - 2}); // without its braces
}

void world_launch(World *world) {
    static const char *const numbers[] = {"first", "second", "third", "fourth", "fifth"};
    uint32_t round = world->clusters.count - 1;

    for (vec_each(PlannedClaim, claim, &world->plan.claims)) {
        Slice name = arena_printf(&world->arena, "%s-%.*s", numbers[round % 5], SLICE_ARG(claim->name));
        Slice pool = symbol_text(&world->input.cluster->symbols, claim->pool->meta.name);

        world_node(world, .name = name.ptr, .labels = launched_labels(world, claim),
                   .allocatable = launched_room(world, claim), .pool = arena_text(&world->arena, pool));
        bind_pods(world, &claim->pods, name.ptr);
    }
    for (vec_each(PlannedNode, node, &world->plan.nodes))
        bind_pods(world, &node->pods,
                  arena_text(&world->arena, symbol_text(&world->input.cluster->symbols, node->node->name)));
}
