// Metrics of pods: one series per pod, and waiting times.
#include "obs/collect/parts.h"

static const char *phase_text(PodPhase phase) {
    static const char *const texts[] = {"Pending", "Running", "Succeeded", "Failed", "Unknown"};

    return texts[phase];
}

// API path of the first owner, "/apis/apps/v1/namespaces/<ns>/replicasets/<name>"; empty: none.
static Slice owner_of(const Collector *collector, const Pod *pod) {
    const OwnerReference *owner = pod->owners.items;
    char kind[64];
    Slice text;

    if (!pod->owners.count)
        return SLICE("");
    text = slice_first(collected_text(collector, owner->kind), sizeof kind);
    for (size_t i = 0; i < text.len; i++)
        kind[i] = text.ptr[i] >= 'A' && text.ptr[i] <= 'Z' ? (char)(text.ptr[i] - 'A' + 'a') : text.ptr[i];
    return arena_printf(collector->arena, "/apis/%.*s/namespaces/%.*s/%.*ss/%.*s",
                        SLICE_ARG(collected_text(collector, owner->api_version)),
                        SLICE_ARG(collected_text(collector, pod->ns)), (int)text.len, kind,
                        SLICE_ARG(collected_text(collector, owner->name)));
}

static void put_state(const Collector *collector, const Pod *pod, Exposition *out) {
    uint32_t number =
        pod->node_name == NAME_EMPTY ? (uint32_t)INDEX_NONE : u64_map_get(&collector->nodes, pod->node_name);
    const Labels none = {0};
    const Labels *labels = number == INDEX_NONE ? &none : &collector->cluster->nodes.items[number].meta.labels;
    Slice pool = collected_label(collector, labels, NAME_NODEPOOL);
    Slice values[] = {
        collected_text(collector, pod->name),
        collected_text(collector, pod->ns),
        owner_of(collector, pod),
        collected_text(collector, pod->node_name),
        pod->node_name == NAME_EMPTY ? SLICE("false") : SLICE("true"),
        pool,
        collected_label(collector, labels, NAME_ZONE),
        collected_label(collector, labels, NAME_ARCH),
        collected_label(collector, labels, NAME_CAPACITY_TYPE),
        collected_label(collector, labels, NAME_INSTANCE_TYPE),
        slice_of(phase_text(pod->phase)),
        pod->ready ? SLICE("true") : SLICE("false"),
        pool.len ? SLICE("true") : SLICE("false"),
    };

    exposition_sample(out, values, 1);
}

// Waiting time of a pod for the metric; false: it does not wait.
static bool waits_for(const Collector *collector, MetricId id, const Pod *pod, double *ret_seconds) {
    bool bound = pod->node_name != NAME_EMPTY;
    PodTimes times = {0};

    if (id == METRIC_PODS_UNBOUND || id == METRIC_PODS_UNSTARTED) {
        *ret_seconds = collected_age(collector, pod->created_ns);
        return id == METRIC_PODS_UNBOUND ? !bound : pod->phase == POD_PENDING;
    }
    if (!pod_memory_get(collector->pods, pod->uid, &times))
        return false;
    *ret_seconds = ns_to_s(mono_since(collector->at.now, id == METRIC_PODS_UNDECIDED ? times.seen : times.placed));
    if (id == METRIC_PODS_UNDECIDED)
        return !mono_is_set(times.decided) && !bound;
    return mono_is_set(times.placed) && (id == METRIC_PODS_PROVISIONING_UNSTARTED || !bound);
}

void collect_pods(const Collector *collector, MetricId id, Exposition *out) {
    for (vec_each(const Pod, pod, &collector->cluster->pods)) {
        Slice values[] = {collected_text(collector, pod->name), collected_text(collector, pod->ns)};
        ArenaMark mark = arena_mark(collector->arena);
        double seconds;

        if (id == METRIC_PODS_STATE)
            put_state(collector, pod, out);
        else if (waits_for(collector, id, pod, &seconds))
            exposition_sample(out, values, seconds);
        arena_rewind(collector->arena, mark);
    }
}
