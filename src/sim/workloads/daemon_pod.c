// Pods of DaemonSets: eligible nodes, and the pod objects.
//
// As in the real controller (NodeShouldRunDaemonPod, AddOrUpdateDaemonPodTolerations,
// ReplaceDaemonSetPodNodeNameNodeAffinity): a pod is pinned by metadata.name and placed by the scheduler.
#include "sim/workloads/daemon_set.h"
#include "sim/workloads/template.h"
#include "sim/workloads/writing.h"

typedef struct {
    const char *key, *effect;
    bool host_network_only;
} AddedToleration;

static const AddedToleration added_tolerations[] = {
    {"node.kubernetes.io/not-ready", "NoExecute", false},
    {"node.kubernetes.io/unreachable", "NoExecute", false},
    {"node.kubernetes.io/disk-pressure", "NoSchedule", false},
    {"node.kubernetes.io/memory-pressure", "NoSchedule", false},
    {"node.kubernetes.io/pid-pressure", "NoSchedule", false},
    {"node.kubernetes.io/unschedulable", "NoSchedule", false},
    {"node.kubernetes.io/network-unavailable", "NoSchedule", true},
};
enum { ADDED = sizeof added_tolerations / sizeof *added_tolerations };

// Selecting nodes.

static bool in_values(const SymbolVec *values, Symbol value) {
    for (vec_each(const Symbol, there, values)) {
        if (*there == value)
            return true;
    }
    return false;
}

static bool compare_numbers(const Symbols *symbols, const Expression *expression, Symbol value) {
    int64_t number, bound;

    if (expression->values.count != 1 || !slice_to_int64(symbol_text(symbols, value), &number) ||
        !slice_to_int64(symbol_text(symbols, expression->values.items[0]), &bound))
        return false;
    switch (expression->op) {
    case OP_GT:
        return number > bound;
    case OP_LT:
        return number < bound;
    case OP_GTE:
        return number >= bound;
    default:
        return number <= bound;
    }
}

static bool expression_holds(const Symbols *symbols, const Expression *expression, const Labels *labels) {
    Symbol value = labels_get(labels, expression->key);
    bool present = value != INDEX_NONE;

    switch (expression->op) {
    case OP_IN:
        return present && in_values(&expression->values, value);
    case OP_NOT_IN:
        return !present || !in_values(&expression->values, value);
    case OP_EXISTS:
        return present;
    case OP_DOES_NOT_EXIST:
        return !present;
    default:
        return present && compare_numbers(symbols, expression, value);
    }
}

static bool term_holds(const Symbols *symbols, const NodeTerm *term, const Labels *labels) {
    if (term->expressions.count == 0)
        return term->has_match_fields; // an empty term matches nothing; matchFields are left to the scheduler
    for (vec_each(const Expression, expression, &term->expressions)) {
        if (!expression_holds(symbols, expression, labels))
            return false;
    }
    return true;
}

static bool selects(const Symbols *symbols, const PodSpec *spec, const Labels *labels) {
    for (uint32_t i = 0; i < spec->node_selector.count; i++) {
        if (labels_get(labels, spec->node_selector.items[i].key) != spec->node_selector.items[i].value)
            return false;
    }
    if (!spec->has_required_node_terms)
        return true;
    for (vec_each(const NodeTerm, term, &spec->required_node_terms)) {
        if (term_holds(symbols, term, labels))
            return true;
    }
    return false;
}

// Taints.

static bool is_added(const Symbols *symbols, const Taint *taint, bool host_network) {
    Slice key = symbol_text(symbols, taint->key);

    for (size_t i = 0; i < ADDED; i++) {
        if (slice_eq_text(key, added_tolerations[i].key) &&
            slice_eq_text(slice_of(taint_effect_text(taint->effect)), added_tolerations[i].effect))
            return host_network || !added_tolerations[i].host_network_only;
    }
    return false;
}

DaemonVerdict daemon_verdict(const Symbols *symbols, const DaemonSet *set, Symbol node_name, const Node *node) {
    const PodSpec *spec = set->pod_spec;
    DaemonVerdict verdict = {true, true};

    (void)node_name;
    if (!selects(symbols, spec, &node->meta.labels))
        return (DaemonVerdict){false, false};
    for (vec_each(const Taint, taint, &node->taints)) {
        if (taint->effect == EFFECT_PREFER_NO_SCHEDULE || is_added(symbols, taint, spec->host_network) ||
            taint_is_tolerated(symbols, taint, &spec->tolerations))
            continue;
        verdict.wanted = false;
        verdict.allowed &= taint->effect != EFFECT_NO_EXECUTE;
    }
    return verdict;
}

// The pod.

static bool has_toleration(const ValueList *tolerations, const AddedToleration *added) {
    for (vec_each(const Value, toleration, tolerations)) {
        if (slice_eq_text(kube_text(toleration, "key", NULL), added->key) &&
            slice_eq_text(kube_text(toleration, "effect", NULL), added->effect))
            return true;
    }
    return false;
}

static void add_tolerations(Arena *arena, Value *spec) {
    const ValueList *present = read_list(spec, "tolerations");
    Value *tolerations = value_find_text(spec, "tolerations");

    for (size_t i = 0; i < ADDED; i++) {
        Value *toleration;

        if (has_toleration(present, &added_tolerations[i]) ||
            (added_tolerations[i].host_network_only && !read_bool(spec, "hostNetwork")))
            continue;
        if (!tolerations)
            tolerations = put_list(arena, spec, "tolerations");
        toleration = add_map(arena, tolerations);
        put_text(arena, toleration, "key", slice_of(added_tolerations[i].key));
        put_text(arena, toleration, "operator", SLICE("Exists"));
        put_text(arena, toleration, "effect", slice_of(added_tolerations[i].effect));
    }
}

static void pin(Arena *arena, Value *spec, Slice node_name) {
    Value *affinity = value_make(arena, spec, "affinity", "nodeAffinity", NULL), *terms, *field;

    terms = put_list(arena, put_map(arena, affinity, "requiredDuringSchedulingIgnoredDuringExecution"),
                     "nodeSelectorTerms");
    field = add_map(arena, put_list(arena, add_map(arena, terms), "matchFields"));
    put_text(arena, field, "key", SLICE("metadata.name"));
    put_text(arena, field, "operator", SLICE("In"));
    value_append(arena, put_list(arena, field, "values"), value_string(node_name));
}

Value daemon_pod(const SimWorkload *set, Arena *arena, Slice node_name) {
    const Value *template = value_get_text(workload_spec(set), "template");
    Value pod = workload_template_pod(set, arena, template), *meta = value_find_text(&pod, "metadata"), *labels, *spec;

    put_text(arena, meta, "generateName", arena_printf(arena, "%.*s-", SLICE_ARG(workload_name(set))));
    labels = value_make(arena, meta, "labels", NULL);
    put_text(arena, labels, "controller-revision-hash", set->daemon_set.revision);
    put_text(arena, labels, "pod-template-generation", arena_printf(arena, "%lld", (long long)set->generation));
    spec = value_put(arena, &pod, SLICE("spec"), value_copy_tree(arena, value_get_text(template, "spec")));
    pin(arena, spec, node_name);
    add_tolerations(arena, spec);
    return pod;
}
