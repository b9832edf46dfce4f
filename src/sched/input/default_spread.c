// Behaviour: reference scheduling.md 5.7, kube-scheduler's DefaultSelector.
#include "sched/input/default_spread.h"

struct SpreadIndex {
    const Cluster *cluster;
    IndexMap services; // by namespace; no comparison is needed, as hash_u64 is injective
    IndexMap owners;   // by namespace and name
};

static uint64_t owner_hash(Symbol ns, Symbol name) {
    return hash_combine(hash_u64(ns), name);
}

SpreadIndex *spread_index_make(Arena *arena, const Cluster *cluster) {
    SpreadIndex *index = arena_new(arena, SpreadIndex);

    index->cluster = cluster;
    for (uint32_t i = 0; i < cluster->services.count; i++) {
        if (cluster->services.items[i].has_selector)
            index_map_add(arena, &index->services, hash_u64(cluster->services.items[i].meta.ns), i);
    }
    for (uint32_t i = 0; i < cluster->owners.count; i++) {
        const ObjectMeta *meta = &cluster->owners.items[i].meta;

        index_map_add(arena, &index->owners, owner_hash(meta->ns, meta->name), i);
    }
    return index;
}

static bool service_selects(const Service *service, const Pod *pod) {
    for (uint32_t i = 0; i < service->selector.count; i++) {
        if (labels_get(&pod->labels, service->selector.items[i].key) != service->selector.items[i].value)
            return false;
    }
    return true;
}

// The selectors of all Services that select the pod, as one set of labels.
static Labels service_labels(Arena *arena, const SpreadIndex *index, const Pod *pod) {
    Labels labels = {0};
    uint32_t cursor = 0, i;

    while ((i = index_map_next(&index->services, hash_u64(pod->ns), &cursor)) != INDEX_NONE) {
        const Service *service = &index->cluster->services.items[i];

        if (!service_selects(service, pod))
            continue;
        for (uint32_t j = 0; j < service->selector.count; j++)
            labels_set(arena, &labels, service->selector.items[j].key, service->selector.items[j].value);
    }
    return labels;
}

// The pod's controller if its kind has a selector, else NULL.
static const PodOwner *find_owner(const SpreadIndex *index, const Pod *pod) {
    const Symbols *symbols = &index->cluster->symbols;
    const OwnerReference *controller = pod_controller(pod);
    uint32_t cursor = 0, i;
    bool core;

    if (!controller)
        return NULL;
    core = slice_eq_text(symbol_text(symbols, controller->kind), "ReplicationController");
    if (!slice_eq_text(symbol_text(symbols, controller->api_version), core ? "v1" : "apps/v1"))
        return NULL;
    while ((i = index_map_next(&index->owners, owner_hash(pod->ns, controller->name), &cursor)) != INDEX_NONE) {
        const PodOwner *owner = &index->cluster->owners.items[i];

        if (owner->meta.ns == pod->ns && owner->meta.name == controller->name && owner->kind == controller->kind)
            return owner;
    }
    return NULL;
}

static bool is_same_value(const Expression *a, const Expression *b) {
    return a->key == b->key && a->op == OP_IN && b->op == OP_IN && a->values.count == 1 && b->values.count == 1 &&
           a->values.items[0] == b->values.items[0];
}

// Adds an expression unless the selector has it already.
static void add_expression(Arena *arena, LabelSelector *selector, const Expression *expression) {
    for (vec_each(const Expression, other, &selector->expressions)) {
        if (is_same_value(other, expression))
            return;
    }
    vec_push(arena, &selector->expressions, *expression);
}

static void add_labels(Arena *arena, LabelSelector *selector, const Labels *labels) {
    for (uint32_t i = 0; i < labels->count; i++) {
        Expression expression = {.key = labels->items[i].key, .op = OP_IN};

        vec_push(arena, &expression.values, labels->items[i].value);
        add_expression(arena, selector, &expression);
    }
}

static LabelSelector deduce_selector(Arena *arena, const SpreadIndex *index, const Pod *pod) {
    Labels labels = service_labels(arena, index, pod);
    const PodOwner *owner = find_owner(index, pod);
    bool overwrites =
        owner && slice_eq_text(symbol_text(&index->cluster->symbols, owner->kind), "ReplicationController");
    LabelSelector selector = {0};

    for (uint32_t i = 0; overwrites && owner->selector && i < owner->selector->expressions.count; i++) {
        const Expression *expression = &owner->selector->expressions.items[i];

        labels_set(arena, &labels, expression->key, expression->values.items[0]);
    }
    add_labels(arena, &selector, &labels);
    for (uint32_t i = 0; !overwrites && owner && owner->selector && i < owner->selector->expressions.count; i++)
        add_expression(arena, &selector, &owner->selector->expressions.items[i]);
    return selector;
}

TopologySpreadVec default_spread_deduce(Arena *arena, const SpreadIndex *index, const DefaultSpread *spread,
                                        const Pod *pod) {
    TopologySpreadVec constraints = {0};
    LabelSelector *selector;

    if (pod->spec->spreads.count || spread->constraints.count == 0)
        return constraints;
    selector = arena_new(arena, LabelSelector);
    *selector = deduce_selector(arena, index, pod);
    if (selector->expressions.count == 0)
        return constraints;
    for (vec_each(const TopologySpread, constraint, &spread->constraints)) {
        vec_push(arena, &constraints, *constraint);
        vec_last(&constraints)->selector = selector;
    }
    return constraints;
}
