// Metrics of Nodes: registered, drained, terminated.
#include "obs/observer/parts.h"

static bool is_registered(const MetricsObserver *metrics_observer, const Node *node) {
    return node && slice_eq_text(metrics_observer_label(metrics_observer, &node->meta.labels, NAME_REGISTERED), "true");
}

void look_at_node(MetricsObserver *metrics_observer, const Sight *sight) {
    const Node *before = sight->change->before, *after = sight->change->after;
    const Node *node = after ? after : before;
    Registry *registry = metrics_observer->registry;
    Slice pool = metrics_observer_label(metrics_observer, &node->meta.labels, NAME_NODEPOOL);
    Slice zone = metrics_observer_label(metrics_observer, &node->meta.labels, NAME_ZONE);

    if (sight->listing || !pool.len)
        return;
    if (is_registered(metrics_observer, after) && !is_registered(metrics_observer, before))
        registry_add(registry, METRIC_NODES_CREATED, 1, WITH(pool, zone));
    if (after)
        return;
    registry_add(registry, METRIC_NODES_TERMINATED, 1, WITH(pool, zone));
    registry_observe(registry, METRIC_NODES_LIFETIME, seconds_between(before->meta.created_ns, sight->at.wall_ns),
                     sight->at.now, WITH(pool));
    if (before->meta.deleted_ns)
        registry_observe(registry, METRIC_NODES_TERMINATION,
                         seconds_between(before->meta.deleted_ns, sight->at.wall_ns), sight->at.now, WITH(pool));
}

// Removes the gauges of a pool that is gone. Its counters stay: a rate over them is right even when a pool of that name
// comes again, and their number is bounded.
void look_at_pool(MetricsObserver *metrics_observer, const Sight *sight) {
    static const MetricId gauges[] = {METRIC_NODES_TERMINATION, METRIC_NODEPOOLS_ALLOWED_DISRUPTIONS,
                                      METRIC_NODEPOOLS_CONSUMING_BUDGETS, METRIC_NODEPOOLS_COST};
    const NodePool *before = sight->change->before;

    if (!before || sight->change->after)
        return;
    for (size_t i = 0; i < sizeof gauges / sizeof *gauges; i++)
        registry_forget(metrics_observer->registry, gauges[i], SLICE("nodepool"),
                        metrics_observer_text(metrics_observer, before->meta.name));
}
