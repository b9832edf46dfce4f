// The NodeClaims as Karpenter would write them: reference scheduling.md 6.1.
#include "cli/report.h"

#include "legacy/present/carry.h"
#include "model/hash/nodepool_hash.h"
#include "model/pool_name.h"
#include "text/yaml.h"

#include <stdlib.h>

#define PUT(report, map, key, value) value_put((report)->arena, (map), SLICE(key), (value))

static int compare_labels(const void *a, const void *b, void *symbols) {
    return symbol_cmp(symbols, ((const Label *)a)->key, ((const Label *)b)->key);
}

static Value labels_value(const Report *report, const Labels *labels) {
    Label *sorted = arena_copy(report->arena, labels->items, labels->count * sizeof *sorted);
    Value map = value_map();

    qsort_r(sorted, labels->count, sizeof *sorted, compare_labels, &report->input->cluster->symbols);
    for (uint32_t i = 0; i < labels->count; i++)
        value_put(report->arena, &map, report_text(report, sorted[i].key),
                  value_string(report_text(report, sorted[i].value)));
    return map;
}

static Value owner_value(const Report *report, const NodePool *pool) {
    Value owner = value_map(), list = value_list();

    PUT(report, &owner, "apiVersion", value_string(SLICE("karpenter.sh/v1")));
    PUT(report, &owner, "blockOwnerDeletion", value_bool(true));
    PUT(report, &owner, "kind", value_string(SLICE("NodePool")));
    PUT(report, &owner, "name", value_string(report_text(report, pool->meta.name)));
    PUT(report, &owner, "uid", value_string(report_text(report, pool->meta.uid)));
    value_append(report->arena, &list, owner);
    return list;
}

static Value annotations_value(const Report *report, const PlannedClaim *claim) {
    Labels annotations = {0};
    const Labels *given = &claim->pool->template_annotations;
    Symbols *symbols = &report->input->cluster->symbols;
    Slice hash = arena_printf(report->arena, "%llu", (unsigned long long)node_pool_hash(symbols, claim->pool));

    for (uint32_t i = 0; i < given->count; i++)
        labels_set(report->arena, &annotations, given->items[i].key, given->items[i].value);
    labels_set(report->arena, &annotations, NAME_NODEPOOL_HASH, symbol_intern(symbols, hash));
    labels_set(report->arena, &annotations, NAME_NODEPOOL_HASH_VERSION, symbol_intern(symbols, SLICE("v3")));
    labels_set(report->arena, &annotations, symbol_intern(symbols, SLICE("karpenter.sh/nodeclaim-min-values-relaxed")),
               symbol_intern(symbols, claim->min_values_relaxed ? SLICE("true") : SLICE("false")));
    return labels_value(report, &annotations);
}

static Value metadata_value(const Report *report, const PlannedClaim *claim) {
    Value map = value_map();

    PUT(report, &map, "annotations", annotations_value(report, claim));
    PUT(report, &map, "generateName",
        value_string(arena_printf(report->arena, "%.*s-", SLICE_ARG(report_text(report, claim->pool->meta.name)))));
    PUT(report, &map, "labels", labels_value(report, &claim->labels));
    PUT(report, &map, "ownerReferences", owner_value(report, claim->pool));
    return map;
}

static Value taints_value(const Report *report, const TaintVec *taints) {
    Value list = value_list();

    for (vec_each(Taint, taint, taints)) {
        Value entry = value_map();

        PUT(report, &entry, "effect", value_string(slice_of(taint_effect_text(taint->effect))));
        PUT(report, &entry, "key", value_string(report_text(report, taint->key)));
        if (taint->value != NAME_EMPTY)
            PUT(report, &entry, "value", value_string(report_text(report, taint->value)));
        value_append(report->arena, &list, entry);
    }
    return list;
}

static Value spec_value(const Report *report, const PlannedClaim *claim) {
    const NodeClaimTemplateSpec *spec = &claim->pool->template_spec;
    Value map = value_map(), class = value_map(), resources = value_map();

    PUT(report, &class, "group", value_string(report_text(report, spec->node_class.group)));
    PUT(report, &class, "kind", value_string(report_text(report, spec->node_class.kind)));
    PUT(report, &class, "name", value_string(report_text(report, spec->node_class.name)));
    PUT(report, &resources, "requests", report_resources(report, &claim->requests));
    PUT(report, &map, "expireAfter",
        value_string(spec->expire_after_text.len ? spec->expire_after_text : SLICE("720h")));
    PUT(report, &map, "nodeClassRef", class);
    PUT(report, &map, "requirements", report_requirements(report, &claim->requirements));
    PUT(report, &map, "resources", resources);
    if (spec->startup_taints.count)
        PUT(report, &map, "startupTaints", taints_value(report, &spec->startup_taints));
    if (spec->taints.count)
        PUT(report, &map, "taints", taints_value(report, &spec->taints));
    if (spec->has_termination_grace_period)
        PUT(report, &map, "terminationGracePeriod", value_string(spec->termination_grace_period_text));
    return map;
}

void report_yaml(const Report *report, Buffer *out) {
    for (vec_each(PlannedClaim, claim, &report->plan->claims)) {
        Value root = value_map();

        PUT(report, &root, "apiVersion", value_string(SLICE("karpenter.sh/v1")));
        PUT(report, &root, "kind", value_string(SLICE("NodeClaim")));
        PUT(report, &root, "metadata", metadata_value(report, claim));
        PUT(report, &root, "spec", spec_value(report, claim));
        if (pool_provisioner(report_text(report, claim->pool->meta.name)).len) // its nodes live as Machines
            root = carry_claim(report->arena, &root, NULL);
        buffer_append(out, SLICE("---\n"));
        yaml_print(out, &root);
    }
}
