// The pods of StatefulSets: names, labels, volume claims.
//
// Claims outlive their pods and the set (persistentVolumeClaimRetentionPolicy Retain, the default); with whenDeleted:
// Delete the set owns them, so that they are deleted with it. whenScaled: Delete is not implemented.
#include "sim/workloads/stateful_pod.h"

#include "sim/workloads/template.h"
#include "sim/workloads/writing.h"

static Slice claim_name(const SimWorkload *set, Arena *arena, const Value *template, Slice pod_name) {
    (void)set;
    return arena_printf(arena, "%.*s-%.*s", SLICE_ARG(kube_name(template)), SLICE_ARG(pod_name));
}

static Value describe_claim(const SimWorkload *set, Arena *arena, const Value *template, Slice pod_name) {
    const Value *labels = value_at(workload_spec(set), "selector", "matchLabels", NULL);
    Value claim = value_copy_tree(arena, template), *meta = value_make(arena, &claim, "metadata", NULL);
    Slice policy = kube_text(workload_spec(set), "persistentVolumeClaimRetentionPolicy", "whenDeleted", NULL);

    put_text(arena, meta, "name", claim_name(set, arena, template, pod_name));
    put_text(arena, meta, "namespace", workload_ns(set));
    for (uint32_t i = 0; labels && labels->kind == VALUE_MAP && i < labels->map.count; i++)
        value_put(arena, value_make(arena, meta, "labels", NULL), labels->map.items[i].key, labels->map.items[i].value);
    if (slice_eq_text(policy, "Delete"))
        put_controller(arena, meta, KUBE_STATEFUL_SET, workload_name(set),
                       symbol_text(set->workloads->symbols, set->uid));
    value_remove_text(&claim, "status");
    return claim;
}

// Creates the missing claims. An existing claim is used: it may have the data of an earlier pod.
static ErrCode make_claims(SimWorkload *set, Arena *arena, Slice pod_name) {
    const ValueList *templates = read_list(workload_spec(set), "volumeClaimTemplates");

    for (vec_each(const Value, template, templates)) {
        Value claim = describe_claim(set, arena, template, pod_name);
        KubeError error;
        ErrCode code = kube_create(set->workloads->kube, NULL, CONTROLLER_MANAGER, KUBE_PERSISTENT_VOLUME_CLAIM, &claim,
                                   NULL, &error);

        if (code != OK && error.reason != KUBE_REASON_ALREADY_EXISTS)
            return code;
    }
    return OK;
}

static void mount_claims(const SimWorkload *set, Arena *arena, Value *spec, Slice pod_name) {
    const ValueList *templates = read_list(workload_spec(set), "volumeClaimTemplates"), *others;
    Value volumes = value_list();

    for (vec_each(const Value, template, templates)) {
        Value *volume = add_map(arena, &volumes);

        put_text(arena, volume, "name", kube_name(template));
        put_text(arena, put_map(arena, volume, "persistentVolumeClaim"), "claimName",
                 claim_name(set, arena, template, pod_name));
    }
    others = read_list(spec, "volumes");
    for (vec_each(const Value, volume, others)) {
        bool replaced = false;

        for (vec_each(const Value, template, templates))
            replaced |= slice_eq(kube_name(template), kube_text(volume, "name", NULL));
        if (!replaced)
            value_append(arena, &volumes, *volume);
    }
    if (volumes.list.count)
        value_put(arena, spec, SLICE("volumes"), volumes);
}

static Value describe_pod(const SimWorkload *set, Arena *arena, int64_t ordinal, Slice name) {
    const Value *template = value_get_text(workload_spec(set), "template");
    Value pod = workload_template_pod(set, arena, template), *meta = value_find_text(&pod, "metadata"), *labels, *spec;
    Slice service = kube_text(workload_spec(set), "serviceName", NULL);

    put_text(arena, meta, "name", name);
    labels = value_make(arena, meta, "labels", NULL);
    put_text(arena, labels, "controller-revision-hash", set->stateful_set.revision);
    put_text(arena, labels, "statefulset.kubernetes.io/pod-name", name);
    put_text(arena, labels, "apps.kubernetes.io/pod-index", arena_printf(arena, "%lld", (long long)ordinal));
    spec = value_put(arena, &pod, SLICE("spec"), value_copy_tree(arena, value_get_text(template, "spec")));
    put_text(arena, spec, "hostname", name);
    if (service.len)
        put_text(arena, spec, "subdomain", service);
    mount_claims(set, arena, spec, name);
    return pod;
}

void stateful_set_create_pod(SimWorkload *set, int64_t ordinal) {
    Arena *arena = &set->workloads->scratch;
    Slice name = arena_printf(arena, "%.*s-%lld", SLICE_ARG(workload_name(set)), (long long)ordinal);
    Value pod = describe_pod(set, arena, ordinal, name);

    if (make_claims(set, arena, name) != OK) {
        workload_retry(set);
        return;
    }
    if (workload_create_pod(set, &pod, NULL) == OK)
        workload_succeeded(set);
}
