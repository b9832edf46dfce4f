// Provisioner to NodePool of v1beta1. Reference legacy.md 6.1 and 6.3.
#include "legacy/convert_parts.h"
#include "legacy/defaults.h"

#include "base/buffer.h"
#include "model/well_known.h"
#include "text/value_edit.h"

#include <inttypes.h>

// The line of a member of the Provisioner's spec, else of the Provisioner.
static uint32_t line_of_member(const Item *item, const char *member) {
    const Value *value = value_get(value_get_text(&item->value, "spec"), slice_of(member));

    return value && value->line ? value->line : item->value.line;
}

// Labels, annotations.

// Keys that today's Karpenter keeps for itself would make the NodePool one that is not ready.
static bool is_gone(Conversion *conversion, Slice key) {
    Symbol symbol = symbol_intern(&conversion->symbols, key);

    return label_restriction(conversion->arena, &conversion->symbols, symbol).len > 0;
}

static Value node_labels(Conversion *conversion, const Item *item, const OldProvisioner *provisioner) {
    Value labels = text_map_value(conversion->arena, &provisioner->labels);

    for (vec_each(const TextPair, label, &provisioner->labels)) {
        if (!is_gone(conversion, label->key))
            continue;
        value_remove(&labels, label->key);
        convert_note(conversion, item, "W20", label->line, "spec.labels: %.*s is no label any more and is left out",
                     SLICE_ARG(label->key));
    }
    return labels;
}

static bool is_veto(Slice key) {
    return slice_eq(key, SLICE("karpenter.sh/do-not-evict")) || slice_eq(key, SLICE("karpenter.sh/do-not-consolidate"));
}

static Value node_annotations(const Conversion *conversion, const Item *item, const OldProvisioner *provisioner) {
    Value annotations = value_map();

    for (vec_each(const TextPair, pair, &provisioner->annotations)) {
        if (is_veto(pair->key))
            convert_note(conversion, item, "W16", pair->line,
                         "spec.annotations: %.*s becomes karpenter.sh/do-not-disrupt, which holds off drift, too",
                         SLICE_ARG(pair->key));
        value_put(conversion->arena, &annotations,
                  is_veto(pair->key) ? SLICE("karpenter.sh/do-not-disrupt") : pair->key, value_string(pair->value));
    }
    return annotations;
}

static Value node_metadata(Conversion *conversion, const Item *item, const OldProvisioner *provisioner) {
    Value metadata = value_map(), labels = node_labels(conversion, item, provisioner);

    if (labels.map.count)
        value_put(conversion->arena, &metadata, SLICE("labels"), labels);
    if (provisioner->annotations.count)
        value_put(conversion->arena, &metadata, SLICE("annotations"), node_annotations(conversion, item, provisioner));
    return metadata;
}

// Requirements.

static void note_defaults(const Conversion *conversion, const Item *item, const OldProvisioner *provisioner,
                          uint32_t added) {
    Buffer list = {0};

    for (uint32_t i = provisioner->requirements.count - added; i < provisioner->requirements.count; i++) {
        const OldRequirement *requirement = &provisioner->requirements.items[i];

        buffer_printf(&list, "%s%.*s %.*s", list.len ? "; " : "", SLICE_ARG(requirement->key),
                      SLICE_ARG(requirement->operator));
        for (vec_each(const Slice, value, &requirement->values))
            buffer_printf(&list, " %.*s", SLICE_ARG(*value));
    }
    if (added)
        convert_note(conversion, item, "W04", line_of_member(item, "requirements"),
                     "spec.requirements: the webhook's defaults are written: %.*s", SLICE_ARG(buffer_slice(&list)));
    buffer_free(&list);
}

static uint32_t requirement_line(const Item *item, uint32_t index) {
    const Value *list = value_at(&item->value, "spec", "requirements", NULL);

    return list && list->kind == VALUE_LIST && index < list->list.count ? list->list.items[index].line
                                                                        : item->value.line;
}

// Whether it is kept.
static bool note_requirement(Conversion *conversion, const Item *item, const OldRequirement *requirement,
                             uint32_t index) {
    uint32_t line = requirement_line(item, index);

    if (is_gone(conversion, requirement->key)) {
        convert_note(conversion, item, "W20", line,
                     "spec.requirements[%" PRIu32 "]: %.*s is no label any more; the requirement is left out", index,
                     SLICE_ARG(requirement->key));
        return false;
    }
    if (slice_eq(requirement->key, SLICE("eks.amazonaws.com/capacityType")))
        convert_note(conversion, item, "W03", line,
                     "spec.requirements[%" PRIu32 "]: eks.amazonaws.com/capacityType is a mere label of nodes; did you "
                     "mean karpenter.sh/capacity-type?",
                     index);
    return true;
}

static ErrCode put_requirements(Conversion *conversion, const Item *item, OldProvisioner *provisioner, Value *spec,
                                Err *err) {
    Value list = value_list();
    uint32_t written = provisioner->requirements.count;
    uint32_t added = conversion->request->ignores_defaults ? 0 : provisioner_default(conversion->arena, provisioner);

    for (uint32_t i = 0; i < provisioner->requirements.count; i++) {
        const OldRequirement *requirement = &provisioner->requirements.items[i];

        if (i >= written || note_requirement(conversion, item, requirement, i))
            value_append(conversion->arena, &list, old_requirement_value(conversion->arena, requirement))->line =
                requirement_line(item, i);
    }
    if (list.list.count > CONVERT_REQUIREMENTS_MAX)
        return convert_fail(item, ERR_TOO_LARGE, err, "spec.requirements: it would take more than %d requirements",
                            CONVERT_REQUIREMENTS_MAX);
    note_defaults(conversion, item, provisioner, added);
    value_put(conversion->arena, spec, SLICE("requirements"), list);
    return OK;
}

// Kubelet, disruption.

static void put_density(const Conversion *conversion, const Item *item, const OldProvisioner *provisioner,
                        Value *spec) {
    const OldKubelet *kubelet = provisioner->kubelet;

    if (!conversion->settings.unlimited_pods || (kubelet && kubelet->has_max_pods))
        return;
    value_put(conversion->arena, value_make(conversion->arena, spec, "kubelet", NULL), SLICE("maxPods"),
              value_int(conversion->arena, PODS_WITHOUT_LIMIT));
    convert_note(conversion, item, "W19", line_of_member(item, "kubeletConfiguration"),
                 "spec.kubeletConfiguration.maxPods: %d is written, because aws.enableENILimitedPodDensity of "
                 "karpenter-global-settings is false and has no successor",
                 PODS_WITHOUT_LIMIT);
}

static ErrCode put_kubelet(const Conversion *conversion, const Item *item, const OldProvisioner *provisioner,
                           const Value *spec, Value *ret_spec, Err *err) {
    Value *kubelet;
    Slice runtime;

    put_old_copy(conversion->arena, ret_spec, "kubelet", spec, "kubeletConfiguration");
    put_density(conversion, item, provisioner, ret_spec);
    kubelet = value_find_text(ret_spec, "kubelet");
    if (!kubelet)
        return OK;
    runtime = provisioner->kubelet ? provisioner->kubelet->container_runtime : SLICE("");
    if (slice_eq(runtime, SLICE("dockerd")))
        return convert_fail(item, ERR_INVALID, err, "W09 spec.kubeletConfiguration.containerRuntime: dockerd is gone");
    if (runtime.len)
        convert_note(conversion, item, "W09", line_of_member(item, "kubeletConfiguration"),
                     "spec.kubeletConfiguration.containerRuntime: it is left out; %.*s is the only one now",
                     SLICE_ARG(runtime));
    value_remove_text(kubelet, "containerRuntime");
    if (!kubelet->map.count)
        value_remove_text(ret_spec, "kubelet");
    return OK;
}

static Slice seconds(Arena *arena, int64_t number) {
    return arena_printf(arena, "%" PRId64 "s", number);
}

static void put_consolidation(const Conversion *conversion, const Item *item, const OldProvisioner *provisioner,
                              Value *disruption) {
    Arena *arena = conversion->arena;

    if (provisioner->consolidates) {
        put_old_text(arena, disruption, "consolidationPolicy", SLICE("WhenUnderutilized"));
        return;
    }
    put_old_text(arena, disruption, "consolidationPolicy", SLICE("WhenEmpty"));
    if (provisioner->has_ttl_after_empty) {
        put_old_text(arena, disruption, "consolidateAfter", seconds(arena, provisioner->ttl_after_empty_s));
        return;
    }
    put_old_text(arena, disruption, "consolidateAfter", SLICE("Never"));
    convert_note(conversion, item, "W06", item->value.line,
                 "spec.ttlSecondsAfterEmpty: neither it nor consolidation is set; WhenEmpty and Never are written, "
                 "because leaving them out turns consolidation on");
}

static Value disruption_value(const Conversion *conversion, const Item *item, const OldProvisioner *provisioner) {
    Arena *arena = conversion->arena;
    Value disruption = value_map();

    put_consolidation(conversion, item, provisioner, &disruption);
    if (provisioner->has_ttl_until_expired) {
        put_old_text(arena, &disruption, "expireAfter", seconds(arena, provisioner->ttl_until_expired_s));
    } else {
        put_old_text(arena, &disruption, "expireAfter", SLICE("Never"));
        convert_note(conversion, item, "W07", item->value.line,
                     "spec.ttlSecondsUntilExpired: it is not set; expireAfter Never is written, because leaving it out "
                     "means 720h");
    }
    convert_note(conversion, item, "W08", item->value.line,
                 "spec.disruption.budgets: a budget of 10%% of the nodes applies now; {nodes: 100%%, reasons: [Empty]} "
                 "lets empty nodes go at once as before");
    return disruption;
}

// The whole.

static Value class_reference(Arena *arena, Slice name) {
    Value reference = value_map();

    put_old_text(arena, &reference, "apiVersion", SLICE("karpenter.k8s.aws/v1beta1"));
    put_old_text(arena, &reference, "kind", SLICE("EC2NodeClass"));
    put_old_text(arena, &reference, "name", name);
    return reference;
}

static ErrCode template_value(Conversion *conversion, const Item *item, OldProvisioner *provisioner, Slice class_name,
                              Value *ret_template, Err *err) {
    Arena *arena = conversion->arena;
    const Value *old = value_get_text(&item->value, "spec");
    Value template = value_map(), spec = value_map(), metadata = node_metadata(conversion, item, provisioner);

    if (metadata.map.count)
        value_put(arena, &template, SLICE("metadata"), metadata);
    value_put(arena, &spec, SLICE("nodeClassRef"), class_reference(arena, class_name));
    TRY(put_requirements(conversion, item, provisioner, &spec, err));
    put_old_copy(arena, &spec, "taints", old, "taints");
    put_old_copy(arena, &spec, "startupTaints", old, "startupTaints");
    TRY(put_kubelet(conversion, item, provisioner, old, &spec, err));
    value_put(arena, &template, SLICE("spec"), spec);
    *ret_template = template;
    return OK;
}

static ErrCode add_pool(Conversion *conversion, const Item *item, OldProvisioner *provisioner, Slice class_name,
                        ItemVec *items, Err *err) {
    Arena *arena = conversion->arena;
    const Value *old = value_get_text(&item->value, "spec");
    Value spec = value_map(), template;
    Item pool = *item;

    TRY(template_value(conversion, item, provisioner, class_name, &template, err));
    value_put(arena, &spec, SLICE("template"), template);
    value_put(arena, &spec, SLICE("disruption"), disruption_value(conversion, item, provisioner));
    put_old_copy(arena, &spec, "limits", value_get_text(old, "limits"), "resources");
    put_old_copy(arena, &spec, "weight", old, "weight");
    pool.value = converted_object(arena, "karpenter.sh/v1beta1", "NodePool", provisioner->metadata);
    pool.value.line = item->value.line;
    pool.kind = OLD_BETA_POOL;
    value_put(arena, &pool.value, SLICE("spec"), spec);
    vec_push(arena, items, pool);
    return OK;
}

static ErrCode add_class(Conversion *conversion, const Item *item, const OldProvisioner *provisioner, Slice name,
                         ItemVec *items, Err *err) {
    Arena *arena = conversion->arena;
    Value spec, metadata = value_map();
    Item class = *item;

    TRY(convert_aws(conversion, item, provisioner->provider, value_at(&item->value, "spec", "provider", NULL), &spec,
                    err));
    put_old_text(arena, &metadata, "name", name);
    class.value = converted_object(arena, "karpenter.k8s.aws/v1beta1", "EC2NodeClass", &metadata);
    class.value.line = item->value.line;
    class.kind = OLD_BETA_CLASS;
    value_put(arena, &class.value, SLICE("spec"), spec);
    vec_push(arena, items, class);
    return OK;
}

ErrCode convert_provisioner(Conversion *conversion, const Item *item, ItemVec *items, Err *err) {
    OldProvisioner provisioner = {0};
    ComplaintVec complaints = {0};
    Slice class_name;

    TRY(old_decode(conversion->arena, OLD_PROVISIONER, item->file, &item->value, &provisioner, err));
    provisioner_complaints(conversion->arena, &provisioner, &complaints);
    TRY(convert_refuse(conversion, item, &complaints, err));
    class_name = provisioner.reference ? provisioner.reference->name : free_class_name(conversion, provisioner.name);
    TRY(add_pool(conversion, item, &provisioner, class_name, items, err));
    return provisioner.provider ? add_class(conversion, item, &provisioner, class_name, items, err) : OK;
}
