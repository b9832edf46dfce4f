// Namespaces, pools, nodes and NodeClaims, daemon sets, disruption budgets.
#include "checker/read.h"

static void collect(World *world, const Value *object, Objects *objects) {
    Slice kind = judge_read_text(object, "kind");
    const struct {
        const char *kind;
        ValueRefs *list;
    } lists[] = {
        {"Pod", &objects->pods},
        {"Deployment", &objects->workloads},
        {"ReplicaSet", &objects->workloads},
        {"StatefulSet", &objects->workloads},
        {"Job", &objects->workloads},
        {"DaemonSet", &objects->daemon_sets},
        {"Node", &objects->nodes},
        {"NodeClaim", &objects->node_claims},
        {"NodePool", &objects->node_pools},
        {"Namespace", &objects->namespaces},
        {"PersistentVolumeClaim", &objects->claims},
        {"PersistentVolume", &objects->volumes},
        {"StorageClass", &objects->classes},
        {"CSINode", &objects->csi_nodes},
        {"PodDisruptionBudget", &objects->budgets},
        {"RuntimeClass", &objects->runtime_classes},
        {"PriorityClass", &objects->priority_classes},
    };

    if (slice_ends_with(kind, SLICE("List")) && judge_read_list(object, "items")) {
        const Value *items = judge_read_list(object, "items");

        for (uint32_t i = 0; i < items->list.count; i++)
            collect(world, &items->list.items[i], objects);
        return;
    }
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        if (slice_eq_text(kind, lists[i].kind))
            vec_push(world->arena, lists[i].list, object);
    }
}

void judge_read_sort_objects(World *world, const DocumentVec *documents, Objects *ret_objects) {
    for (vec_each(Document, document, documents))
        collect(world, &document->root, ret_objects);
    for (uint32_t i = 0; i < ret_objects->runtime_classes.count; i++)
        vec_push(world->arena, &world->runtime_classes, ret_objects->runtime_classes.items[i]);
}

static void read_namespaces(World *world, const Objects *objects) {
    Symbol name_key = judge_symbol(world, "kubernetes.io/metadata.name");

    for (uint32_t i = 0; i < objects->namespaces.count; i++) {
        const Value *metadata = value_get_text(objects->namespaces.items[i], "metadata");
        Namespace ns = {judge_read_symbol(world, metadata, "name"),
                        judge_read_labels(world, value_get_text(metadata, "labels"))};

        if (judge_label_get(&ns.labels, name_key) == INDEX_NONE)
            vec_push(world->arena, &ns.labels, (Label){name_key, ns.name});
        vec_push(world->arena, &world->namespaces, ns);
    }
}

static void add_label(World *world, Pool *pool, Symbol key, Symbol value) {
    LabelStates states = judge_states_value(world->arena, value);

    judge_table_narrow(world->arena, &world->symbols, &pool->labels, key, &states);
    judge_table_narrow(world->arena, &world->symbols, &pool->states, key, &states);
}

// The label of a node's NodeClass: "<group>/<lower-case kind>".
static void add_class_label(World *world, const Value *reference, Pool *pool) {
    Slice group = judge_read_text(reference, "group"), kind = judge_read_text(reference, "kind");
    Slice key = arena_printf(world->arena, "%.*s/%.*s", SLICE_ARG(group), SLICE_ARG(kind));

    for (size_t i = group.len; i < key.len; i++) {
        if (key.ptr[i] >= 'A' && key.ptr[i] <= 'Z')
            ((char *)(uintptr_t)key.ptr)[i] += 'a' - 'A';
    }
    add_label(world, pool, symbol_intern(&world->symbols, key), judge_read_symbol(world, reference, "name"));
}

static ErrCode read_pool(World *world, const Value *object, Err *err) {
    const Value *metadata = value_get_text(object, "metadata"), *spec = value_get_text(object, "spec");
    const Value *template = value_at(spec, "template", "spec", NULL), *status = value_get_text(object, "status");
    LabelVec labels = judge_read_labels(world, value_at(spec, "template", "metadata", "labels", NULL));
    const Value *list = judge_read_list(template, "requirements");
    Slice condition, reason;
    Pool pool = {.name = judge_read_symbol(world, metadata, "name"), .weight = judge_read_int(spec, "weight", 0)};

    pool.is_static = judge_read_has(spec, "replicas");
    pool.is_ready = !judge_read_has(metadata, "deletionTimestamp") &&
                    (!judge_read_condition(status, "Ready", &condition, &reason) || slice_eq_text(condition, "True"));
    for (uint32_t i = 0; i < judge_read_count(list); i++) {
        Expression expression = judge_read_expression(world, &list->list.items[i], "key");

        vec_push(world->arena, &pool.requirements, expression);
        judge_table_narrow(world->arena, &world->symbols, &pool.states, expression.key, &expression.states);
    }
    for (vec_each(Label, label, &labels))
        add_label(world, &pool, judge_read_key(world, judge_text(world, label->key)), label->value);
    add_label(world, &pool, judge_symbol(world, "karpenter.sh/nodepool"), pool.name);
    add_class_label(world, value_get_text(template, "nodeClassRef"), &pool);
    add_label(world, &pool, judge_symbol(world, "karpenter.sh/registered"), judge_symbol(world, "true"));
    add_label(world, &pool, judge_symbol(world, "karpenter.sh/initialized"), judge_symbol(world, "true"));
    pool.taints = judge_read_taints(world, judge_read_list(template, "taints"));
    TRY(judge_read_amounts(world, value_get_text(spec, "limits"), &pool.limits, err));
    vec_push(world->arena, &world->pools, pool);
    return OK;
}

static int64_t read_priority(const Objects *objects, const Value *spec) {
    Slice name = judge_read_text(spec, "priorityClassName");
    int64_t priority;

    for (uint32_t i = 0; i < objects->priority_classes.count; i++) {
        const Value *class = objects->priority_classes.items[i], *value = value_get_text(class, "value");

        if (slice_eq(judge_read_text(value_get_text(class, "metadata"), "name"), name) && value &&
            value_to_int64(value, &priority))
            return priority;
    }
    if (slice_eq_text(name, "system-node-critical"))
        return 2000001000;
    return slice_eq_text(name, "system-cluster-critical") ? 2000000000 : 0;
}

static ErrCode read_daemon_set(World *world, const Objects *objects, const Value *object, Err *err) {
    const Value *metadata = value_get_text(object, "metadata");
    const Value *template = value_at(object, "spec", "template", NULL);
    Slice ns = judge_read_text(metadata, "namespace");
    DaemonSet daemon_set = {0};

    if (ns.len == 0)
        ns = SLICE("default");
    if (!template || !value_get_text(template, "spec"))
        return err_set(err, ERR_INVALID, "a DaemonSet has no template");
    daemon_set.name = judge_read_namespaced(world, ns, judge_read_text(metadata, "name"));
    daemon_set.priority = read_priority(objects, value_get_text(template, "spec"));
    TRY(judge_read_pod_class(world, ns, (Slice){0}, value_get_text(template, "metadata"),
                             value_get_text(template, "spec"), NULL, &daemon_set.class_index, err));
    vec_push(world->arena, &world->daemon_sets, daemon_set);
    return OK;
}

// Whether a budget never allows an eviction, whatever the state of its pods.
static bool blocks_fully(const Value *spec) {
    const Value *most = value_get_text(spec, "maxUnavailable");
    int64_t number;

    if (most && most->kind == VALUE_NUMBER && value_to_int64(most, &number) && number == 0)
        return true;
    if (slice_eq_text(judge_read_text(spec, "maxUnavailable"), "0%") ||
        slice_eq_text(judge_read_text(spec, "maxUnavailable"), "0"))
        return true;
    return slice_eq_text(judge_read_text(spec, "minAvailable"), "100%");
}

static void read_budget(World *world, const Value *object) {
    const Value *metadata = value_get_text(object, "metadata"), *spec = value_get_text(object, "spec");
    Slice ns = judge_read_text(metadata, "namespace");

    vec_push(world->arena, &world->budgets,
             (DisruptionBudget){symbol_intern(&world->symbols, ns.len ? ns : SLICE("default")),
                                judge_read_selector(world, spec ? value_get_text(spec, "selector") : NULL),
                                blocks_fully(spec),
                                slice_eq_text(judge_read_text(spec, "unhealthyPodEvictionPolicy"), "AlwaysAllow")});
}

ErrCode judge_read_cluster(World *world, const Objects *objects, Err *err) {
    read_namespaces(world, objects);
    for (uint32_t i = 0; i < objects->node_pools.count; i++)
        TRY(read_pool(world, objects->node_pools.items[i], err));
    for (uint32_t i = 0; i < objects->daemon_sets.count; i++)
        TRY(read_daemon_set(world, objects, objects->daemon_sets.items[i], err));
    judge_leave_out_daemons(world);
    for (uint32_t i = 0; i < objects->budgets.count; i++)
        read_budget(world, objects->budgets.items[i]);
    return judge_read_nodes(world, objects, err);
}
