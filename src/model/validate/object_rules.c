// Rules between objects.
#include "model/validate/object_rules.h"

#include "model/validate/validate.h"

// RuntimeClasses (admission plugin RuntimeClass).

static void add_tolerations(Arena *arena, TolerationVec *tolerations, const TolerationVec *more) {
    TolerationVec all = {0};

    for (vec_each(const Toleration, toleration, tolerations))
        vec_push(arena, &all, *toleration);
    for (vec_each(const Toleration, toleration, more)) {
        bool known = false;

        for (vec_each(const Toleration, other, &all))
            known |= memcmp(other, toleration, sizeof *other) == 0;
        if (!known)
            vec_push(arena, &all, *toleration);
    }
    *tolerations = all;
}

static void copy_and_add(Arena *arena, Resources *requests, const Resources *overhead) {
    Resources sum = resources_copy(arena, requests);

    resources_add(arena, &sum, overhead);
    *requests = sum;
}

static void copy_and_set(Arena *arena, Labels *labels, Label label) {
    Labels copy = {.count = labels->count, .capacity = labels->count};

    if (labels->count)
        copy.items = arena_copy(arena, labels->items, labels->count * sizeof *labels->items);
    labels_set(arena, &copy, label.key, label.value);
    *labels = copy;
}

void pod_spec_apply_runtime_class(Arena *arena, const RuntimeClass *class, PodSpec *spec) {
    if (!spec->has_overhead) {
        copy_and_add(arena, &spec->requests, &class->overhead);
        spec->has_overhead = class->overhead.count > 0;
    }
    for (uint32_t i = 0; i < class->node_selector.count; i++) {
        Label label = class->node_selector.items[i];

        if (labels_get(&spec->node_selector, label.key) == INDEX_NONE)
            copy_and_set(arena, &spec->node_selector, label);
    }
    add_tolerations(arena, &spec->tolerations, &class->tolerations);
}

// DaemonSets.

const PodSpec *daemon_pod_spec(Arena *arena, Symbols *symbols, const DaemonSet *daemon_set, const RuntimeClass *class) {
    static const struct {
        const char *key;
        TaintEffect effect;
        bool host_network_only;
    } added[] = {
        {"node.kubernetes.io/not-ready", EFFECT_NO_EXECUTE, false},
        {"node.kubernetes.io/unreachable", EFFECT_NO_EXECUTE, false},
        {"node.kubernetes.io/disk-pressure", EFFECT_NO_SCHEDULE, false},
        {"node.kubernetes.io/memory-pressure", EFFECT_NO_SCHEDULE, false},
        {"node.kubernetes.io/pid-pressure", EFFECT_NO_SCHEDULE, false},
        {"node.kubernetes.io/unschedulable", EFFECT_NO_SCHEDULE, false},
        {"node.kubernetes.io/network-unavailable", EFFECT_NO_SCHEDULE, true},
    };
    PodSpec *spec = arena_copy(arena, daemon_set->pod_spec, sizeof *spec);
    TolerationVec more = {0};

    if (class)
        pod_spec_apply_runtime_class(arena, class, spec);
    for (size_t i = 0; i < sizeof added / sizeof *added; i++) {
        Toleration toleration = {
            .key = symbol_intern(symbols, slice_of(added[i].key)), .op = TOLERATION_EXISTS, .effect = added[i].effect};

        if (!added[i].host_network_only || spec->host_network)
            vec_push(arena, &more, toleration);
    }
    add_tolerations(arena, &spec->tolerations, &more);
    return spec;
}

// Storage.

const StorageClass *default_storage_class(const Symbols *symbols, const StorageClassVec *classes) {
    const StorageClass *best = NULL;

    for (vec_each(const StorageClass, class, classes)) {
        if (class->is_default && (!best || class->meta.created_ns > best->meta.created_ns ||
                                  (class->meta.created_ns == best->meta.created_ns &&
                                   symbol_cmp(symbols, class->meta.name, best->meta.name) < 0)))
            best = class;
    }
    return best;
}

// NodePools: whether they may get nodes.

// Message of a condition Ready that is not True; empty: absent or True.
static Slice unready_condition(Arena *arena, const Symbols *symbols, const ConditionVec *conditions) {
    const Condition *ready = condition_get(conditions, symbols, SLICE("Ready"));
    Slice status, reason;

    if (!ready)
        return SLICE("");
    status = symbol_text(symbols, ready->status);
    reason = symbol_text(symbols, ready->reason);
    if (slice_eq_text(status, "True"))
        return SLICE("");
    return arena_printf(arena, "condition Ready is %.*s%s%.*s%s%.*s", SLICE_ARG(status), reason.len ? ", " : "",
                        SLICE_ARG(reason), ready->message.len ? ": " : "", SLICE_ARG(ready->message));
}

Slice node_class_complaint(Arena *arena, const Symbols *symbols, const ObjectMeta *meta, const ConditionVec *conditions,
                           Slice own) {
    Slice unready = unready_condition(arena, symbols, conditions);

    if (meta->deleting)
        return SLICE("Node Class is Terminating");
    if (own.len || unready.len)
        return arena_printf(arena, "node class %.*s: %.*s", SLICE_ARG(symbol_text(symbols, meta->name)),
                            SLICE_ARG(own.len ? own : unready));
    return SLICE("");
}

Slice node_pool_not_ready(Arena *arena, Symbols *symbols, const NodePool *pool, Slice class_complaint) {
    Slice complaint = node_pool_complaint(arena, symbols, pool);

    if (pool->meta.deleting)
        return SLICE("the NodePool is being deleted");
    if (complaint.len == 0)
        complaint = unready_condition(arena, symbols, &pool->conditions);
    return complaint.len ? complaint : class_complaint;
}
