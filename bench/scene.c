// Making the objects of a scene.
#include "scene.h"

#include <stdarg.h>
#include <stdio.h>

static void add_namespace(Scene *scene, Symbol name) {
    Namespace *namespace = vec_add(scene_arena(scene), &scene->cluster.namespaces);

    namespace->meta.name = name;
    labels_set(scene_arena(scene), &namespace->meta.labels, NAME_NAMESPACE_NAME_LABEL, name);
}

void scene_init(Scene *scene) {
    *scene = (Scene){0};
    cluster_init(&scene->cluster);
    add_namespace(scene, NAME_DEFAULT_NAMESPACE);
    vec_add(scene_arena(scene), &scene->cluster.kwok_node_classes)->meta.name = scene_symbol(scene, "default");
}

void scene_free(Scene *scene) {
    cluster_free(&scene->cluster);
}

Symbol scene_symbol(Scene *scene, const char *format, ...) {
    char text[256];
    va_list arguments;
    int len;

    va_start(arguments, format);
    len = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    CHECK(len >= 0 && (size_t)len < sizeof text, "a name of %d bytes", len);
    return symbol_intern(scene_symbols(scene), (Slice){text, (size_t)len});
}

void scene_label(Scene *scene, Labels *labels, const char *key, Symbol value) {
    labels_set(scene_arena(scene), labels, scene_symbol(scene, "%s", key), value);
}

const LabelSelector *scene_selector(Scene *scene, const char *key, Symbol value) {
    LabelSelector *selector = arena_new(scene_arena(scene), LabelSelector);
    Expression *expression = vec_add(scene_arena(scene), &selector->expressions);

    expression->key = scene_symbol(scene, "%s", key);
    expression->op = OP_IN;
    vec_push(scene_arena(scene), &expression->values, value);
    return selector;
}

Expression scene_expression(Scene *scene, const char *key, Operator op, const char *const *values) {
    Expression expression = {.key = scene_symbol(scene, "%s", key), .op = op};

    for (; *values; values++)
        vec_push(scene_arena(scene), &expression.values, scene_symbol(scene, "%s", *values));
    return expression;
}

Toleration scene_toleration(Scene *scene, const char *key, Symbol value) {
    return (Toleration){
        .key = scene_symbol(scene, "%s", key), .value = value, .op = TOLERATION_EQUAL, .effect = EFFECT_NO_SCHEDULE};
}

// --- pods -----------------------------------------------------------------------------------------------------------

static void set_requests(Scene *scene, PodSpec *spec, int64_t cpu_milli, int64_t mem_bytes) {
    resources_set(scene_arena(scene), &spec->requests, NAME_CPU, cpu_milli);
    resources_set(scene_arena(scene), &spec->requests, NAME_MEMORY, mem_bytes);
    resources_set(scene_arena(scene), &spec->requests, NAME_PODS, 1);
}

PodSpec *scene_spec(Scene *scene, int64_t cpu_milli, int64_t mem_bytes) {
    PodSpec *spec = arena_new(scene_arena(scene), PodSpec);

    set_requests(scene, spec, cpu_milli, mem_bytes);
    return spec;
}

PodSpec *scene_shared_spec(Scene *scene, uint64_t key, int64_t cpu_milli, int64_t mem_bytes, bool *ret_new) {
    uint32_t known = u64_map_get(&scene->spec_index, key);
    PodSpec *spec;

    *ret_new = known == INDEX_NONE;
    if (known != INDEX_NONE)
        return scene->specs.items[known];
    spec = scene_spec(scene, cpu_milli, mem_bytes);
    u64_map_put(scene_arena(scene), &scene->spec_index, key, scene->specs.count);
    vec_push(scene_arena(scene), &scene->specs, spec);
    return spec;
}

void scene_spread(Scene *scene, PodSpec *spec, Symbol topology_key, const LabelSelector *selector) {
    vec_push(scene_arena(scene), &spec->spreads,
             (TopologySpread){.topology_key = topology_key, .max_skew = 1, .selector = selector});
}

void scene_affinity(Scene *scene, PodAffinityTermVec *terms, Symbol topology_key, const LabelSelector *selector,
                    int32_t weight) {
    vec_push(scene_arena(scene), terms,
             (PodAffinityTerm){.topology_key = topology_key, .selector = selector, .weight = weight});
}

void scene_reserve_pods(Scene *scene, uint32_t count) {
    PodVec *pods = &scene->cluster.pods;
    Pod *items = arena_array(scene_arena(scene), Pod, (size_t)pods->count + count);

    if (pods->count)
        memcpy(items, pods->items, pods->count * sizeof *items);
    pods->items = items;
    pods->capacity = pods->count + count;
}

Pod *scene_pod(Scene *scene, const PodSpec *spec) {
    Pod *pod = vec_add(scene_arena(scene), &scene->cluster.pods);
    uint32_t number = scene->pod_number++;

    pod->ns = NAME_DEFAULT_NAMESPACE;
    pod->name = scene_symbol(scene, "pod-%06u", number);
    pod->uid = scene_symbol(scene, "00000000-0000-4000-8000-%012u", number);
    pod->spec = spec;
    return pod;
}

// --- pools, nodes, daemons ------------------------------------------------------------------------------------------

static NodeClassRef node_class(Scene *scene) {
    return (NodeClassRef){.group = scene_symbol(scene, "karpenter.kwok.sh"),
                          .kind = scene_symbol(scene, "KWOKNodeClass"),
                          .name = scene_symbol(scene, "default")};
}

NodePool *scene_pool(Scene *scene, const char *name) {
    NodePool *pool = vec_add(scene_arena(scene), &scene->cluster.node_pools);

    pool->meta.name = scene_symbol(scene, "%s", name);
    pool->template_spec.node_class = node_class(scene);
    pool->template_spec.expire_after_ns = DURATION_NEVER;
    pool->template_spec.expire_after_text = SLICE("Never");
    return pool;
}

void scene_pool_require(Scene *scene, NodePool *pool, const char *key, Operator op, const char *const *values) {
    vec_push(scene_arena(scene), &pool->template_spec.requirements, scene_expression(scene, key, op, values));
}

// The tolerations are those that the DaemonSet's controller gives to every pod (model/manifest/finish.c).
void scene_daemon_set(Scene *scene, const char *name, int64_t cpu_milli, int64_t mem_bytes) {
    static const struct {
        const char *key;
        TaintEffect effect;
    } tolerated[] = {
        {"node.kubernetes.io/not-ready", EFFECT_NO_EXECUTE},
        {"node.kubernetes.io/unreachable", EFFECT_NO_EXECUTE},
        {"node.kubernetes.io/disk-pressure", EFFECT_NO_SCHEDULE},
        {"node.kubernetes.io/memory-pressure", EFFECT_NO_SCHEDULE},
        {"node.kubernetes.io/pid-pressure", EFFECT_NO_SCHEDULE},
        {"node.kubernetes.io/unschedulable", EFFECT_NO_SCHEDULE},
    };
    DaemonSet *daemon_set = vec_add(scene_arena(scene), &scene->cluster.daemon_sets);
    PodSpec *spec = scene_spec(scene, cpu_milli, mem_bytes);

    for (size_t i = 0; i < sizeof tolerated / sizeof *tolerated; i++)
        vec_push(scene_arena(scene), &spec->tolerations,
                 (Toleration){.key = scene_symbol(scene, "%s", tolerated[i].key),
                              .op = TOLERATION_EXISTS,
                              .effect = tolerated[i].effect});
    daemon_set->meta.ns = NAME_DEFAULT_NAMESPACE;
    daemon_set->meta.name = scene_symbol(scene, "%s", name);
    scene_label(scene, &daemon_set->pod_labels, "app", daemon_set->meta.name);
    daemon_set->pod_spec = spec;
}

// Labels that a type leaves no choice about.
static void label_as_type(Scene *scene, Labels *labels, const InstanceType *type) {
    for (uint32_t i = 0; i < type->requirements.count; i++) {
        const Requirement *requirement = &type->requirements.items[i];

        if (requirement_operator(requirement) == OP_IN && requirement->values.count == 1)
            labels_set(scene_arena(scene), labels, requirement->key, requirement->values.items[0]);
    }
}

static Labels node_labels(Scene *scene, const NodePool *pool, const InstanceType *type, const Offering *offering) {
    Labels labels = {0};

    label_as_type(scene, &labels, type);
    labels_set(scene_arena(scene), &labels, NAME_OS, NAME_LINUX);
    labels_set(scene_arena(scene), &labels, NAME_ZONE, offering->zone);
    labels_set(scene_arena(scene), &labels, NAME_CAPACITY_TYPE, offering->capacity_type);
    labels_set(scene_arena(scene), &labels, NAME_NODEPOOL, pool->meta.name);
    scene_label(scene, &labels, "karpenter.kwok.sh/kwoknodeclass", scene_symbol(scene, "default"));
    return labels;
}

static Condition is_true(Scene *scene, const char *type) {
    return (Condition){.type = scene_symbol(scene, "%s", type),
                       .status = scene_symbol(scene, "True"),
                       .reason = scene_symbol(scene, "%s", type),
                       .message = SLICE("")};
}

static void add_claim(Scene *scene, const Node *node, const Labels *labels) {
    NodeClaim *claim = vec_add(scene_arena(scene), &scene->cluster.node_claims);
    static const char *const conditions[] = {"Launched", "Registered", "Initialized", "Ready"};

    claim->meta.name =
        scene_symbol(scene, "claim-of-%.*s", SLICE_ARG(symbol_text(scene_symbols(scene), node->meta.name)));
    claim->meta.labels = *labels;
    claim->spec.node_class = node_class(scene);
    claim->spec.expire_after_ns = DURATION_NEVER;
    claim->spec.expire_after_text = SLICE("Never");
    claim->node_name = node->meta.name;
    claim->provider_id = node->provider_id;
    claim->capacity = node->capacity;
    claim->allocatable = node->allocatable;
    for (size_t i = 0; i < sizeof conditions / sizeof *conditions; i++)
        vec_push(scene_arena(scene), &claim->conditions, is_true(scene, conditions[i]));
}

Node *scene_node(Scene *scene, Symbol name, const NodePool *pool, const InstanceType *type, const Offering *offering) {
    Node *node = vec_add(scene_arena(scene), &scene->cluster.nodes);
    Labels labels = node_labels(scene, pool, type, offering);

    node->meta.name = name;
    node->provider_id = scene_symbol(scene, "kwok://%.*s", SLICE_ARG(symbol_text(scene_symbols(scene), name)));
    node->capacity = resources_copy(scene_arena(scene), &type->capacity);
    node->allocatable = instance_type_allocatable(scene_arena(scene), scene_symbols(scene), type, NULL);
    vec_push(scene_arena(scene), &node->conditions, is_true(scene, "Ready"));
    add_claim(scene, node, &labels);

    node->meta.labels = node_labels(scene, pool, type, offering);
    labels_set(scene_arena(scene), &node->meta.labels, NAME_HOSTNAME, name);
    labels_set(scene_arena(scene), &node->meta.labels, NAME_REGISTERED, NAME_TRUE);
    labels_set(scene_arena(scene), &node->meta.labels, NAME_INITIALIZED, NAME_TRUE);
    return node;
}
