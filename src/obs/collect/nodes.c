// Metrics of Nodes: allocatable, requests and age of each; and sums over all.
#include "obs/collect/parts.h"

enum { NODE_LABELS = 15 };

static Slice text_label(const Collector *collector, const Node *node, const char *key) {
    Symbol symbol = symbol_find(&collector->cluster->symbols, slice_of(key));

    return symbol == INDEX_NONE ? SLICE("") : collected_label(collector, &node->meta.labels, symbol);
}

// LABELS_NODE of the list. The phase of a Node is empty: tenon does not read it, since Kubernetes no longer sets it.
static void fill_labels(const Collector *collector, const Node *node, Slice *values) {
    static const Symbol keys[] = {NAME_NODEPOOL, NAME_ZONE, NAME_REGION,        NAME_INSTANCE_TYPE,
                                  NAME_ARCH,     NAME_OS,   NAME_CAPACITY_TYPE, NAME_WINDOWS_BUILD};
    static const char *const texts[] = {"karpenter.kwok.sh/instance-size", "karpenter.kwok.sh/instance-family",
                                        "karpenter.kwok.sh/instance-cpu", "karpenter.kwok.sh/instance-memory"};

    for (int i = 0; i < 8; i++)
        values[i] = collected_label(collector, &node->meta.labels, keys[i]);
    for (int i = 0; i < 4; i++)
        values[8 + i] = text_label(collector, node, texts[i]);
    values[12] = collected_text(collector, node->meta.name);
    values[13] = SLICE("");
    values[14] = values[0].len ? SLICE("true") : SLICE("false");
}

static Resources amounts_of(const Collector *collector, MetricId id, const Node *node) {
    uint32_t number = (uint32_t)(node - collector->cluster->nodes.items);
    Resources overhead;

    switch (id) {
    case METRIC_NODES_ALLOCATABLE:
        return node->allocatable;
    case METRIC_NODES_POD_REQUESTS:
        return collector->usage[number];
    case METRIC_NODES_DAEMON_REQUESTS:
        return collector->daemon[number];
    default:
        overhead = resources_copy(collector->arena, &node->capacity);
        resources_subtract(collector->arena, &overhead, &node->allocatable);
        return overhead;
    }
}

void collect_nodes(const Collector *collector, MetricId id, Exposition *out) {
    for (vec_each(const Node, node, &collector->cluster->nodes)) {
        Slice values[NODE_LABELS + 1];
        Resources amounts;

        fill_labels(collector, node, values);
        if (id == METRIC_NODES_AGE) {
            exposition_sample(out, values, collected_age(collector, node->meta.created_ns));
            continue;
        }
        amounts = amounts_of(collector, id, node);
        for (uint32_t i = 0; i < amounts.count; i++) {
            values[NODE_LABELS] = collected_resource(collector, amounts.items[i].resource);
            exposition_sample(out, values, collected_amount(amounts.items[i].resource, amounts.items[i].amount));
        }
    }
}

void collect_cluster(const Collector *collector, MetricId id, Exposition *out) {
    const NodeVec *nodes = &collector->cluster->nodes;
    Resources has = {0}, used = {0};

    if (id == METRIC_STATE_NODES) {
        exposition_sample(out, NULL, nodes->count);
        return;
    }
    for (uint32_t i = 0; i < nodes->count; i++) {
        resources_add(collector->arena, &has, &nodes->items[i].allocatable);
        resources_add(collector->arena, &used, &collector->usage[i]);
    }
    for (uint32_t i = 0; i < has.count; i++) {
        Slice resource = collected_resource(collector, has.items[i].resource);

        if (has.items[i].amount > 0)
            exposition_sample(out, &resource,
                              100.0 * (double)resources_get(&used, has.items[i].resource) /
                                  (double)has.items[i].amount);
    }
}

// --- pools

void collect_pools(const Collector *collector, MetricId id, Exposition *out) {
    for (vec_each(const NodePool, pool, &collector->cluster->node_pools)) {
        const Resources *amounts = id == METRIC_NODEPOOLS_LIMIT ? &pool->limits : &pool->status_resources;

        for (uint32_t i = 0; i < amounts->count; i++) {
            Slice values[] = {collected_resource(collector, amounts->items[i].resource),
                              collected_text(collector, pool->meta.name)};

            exposition_sample(out, values, collected_amount(amounts->items[i].resource, amounts->items[i].amount));
        }
    }
}
