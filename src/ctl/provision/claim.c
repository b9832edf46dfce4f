// NodeClaim objects as value trees.
#include "ctl/provision/claim.h"

#include "ctl/common/claim_facts.h"
#include "ctl/common/node_facts.h"
#include "model/claim_template.h"
#include "model/hash/nodepool_hash.h"

#include <stdlib.h>

typedef struct {
    Arena *arena;
    Symbols *symbols;
    const NodePool *pool;
    const ClaimContent *content;
    ClaimRequirementValues *shared; // or NULL
} Writer;

#define PUT(writer, map, key, value) value_put((writer)->arena, (map), SLICE(key), (value))

static Value text_value(const Writer *writer, Symbol symbol) {
    return value_string(symbol_text(writer->symbols, symbol));
}

// --- metadata

static int compare_labels(const void *a, const void *b, void *symbols) {
    return symbol_cmp(symbols, ((const Label *)a)->key, ((const Label *)b)->key);
}

static Value labels_value(const Writer *writer, const Labels *labels) {
    Label *sorted;
    Value map = value_map();

    if (!labels->count)
        return map;
    sorted = arena_copy(writer->arena, labels->items, labels->count * sizeof *sorted);
    qsort_r(sorted, labels->count, sizeof *sorted, compare_labels, writer->symbols);
    for (uint32_t i = 0; i < labels->count; i++)
        value_put(writer->arena, &map, symbol_text(writer->symbols, sorted[i].key),
                  text_value(writer, sorted[i].value));
    return map;
}

static Value annotations_value(const Writer *writer) {
    Value map = labels_value(writer, &writer->pool->template_annotations);
    unsigned long long hash = node_pool_hash(writer->symbols, writer->pool);

    PUT(writer, &map, "karpenter.sh/nodepool-hash", value_string(arena_printf(writer->arena, "%llu", hash)));
    PUT(writer, &map, "karpenter.sh/nodepool-hash-version", value_string(SLICE(NODE_POOL_HASH_VERSION)));
    if (writer->content->linked.len)
        PUT(writer, &map, CLAIM_LINKED, value_string(writer->content->linked));
    if (writer->content->is_dynamic)
        PUT(writer, &map, "karpenter.sh/nodeclaim-min-values-relaxed",
            value_string(writer->content->min_values_relaxed ? SLICE("true") : SLICE("false")));
    return map;
}

static Value owners_value(const Writer *writer) {
    Value owner = value_map(), list = value_list();

    PUT(writer, &owner, "apiVersion", value_string(SLICE("karpenter.sh/v1")));
    PUT(writer, &owner, "blockOwnerDeletion", value_bool(true));
    PUT(writer, &owner, "kind", value_string(SLICE("NodePool")));
    PUT(writer, &owner, "name", text_value(writer, writer->pool->meta.name));
    PUT(writer, &owner, "uid", text_value(writer, writer->pool->meta.uid));
    value_append(writer->arena, &list, owner);
    return list;
}

// The finalizer, from the creation on: no patch is needed before the launch.
static Value finalizers_value(Arena *arena) {
    Value list = value_list();

    value_append(arena, &list, value_string(node_finalizer));
    return list;
}

static Value metadata_value(const Writer *writer) {
    Slice pool = symbol_text(writer->symbols, writer->pool->meta.name);
    Value map = value_map();

    PUT(writer, &map, "annotations", annotations_value(writer));
    PUT(writer, &map, "finalizers", finalizers_value(writer->arena));
    if (writer->content->name.len)
        PUT(writer, &map, "name", value_string(writer->content->name));
    else
        PUT(writer, &map, "generateName", value_string(arena_printf(writer->arena, "%.*s-", SLICE_ARG(pool))));
    PUT(writer, &map, "labels", labels_value(writer, writer->content->labels));
    PUT(writer, &map, "ownerReferences", owners_value(writer));
    return map;
}

// --- spec

static Value taints_value(const Writer *writer, const TaintVec *taints) {
    Value list = value_list();

    for (vec_each(const Taint, taint, taints)) {
        Value entry = value_map();

        PUT(writer, &entry, "effect", value_string(slice_of(taint_effect_text(taint->effect))));
        PUT(writer, &entry, "key", text_value(writer, taint->key));
        if (taint->value != NAME_EMPTY)
            PUT(writer, &entry, "value", text_value(writer, taint->value));
        value_append(writer->arena, &list, entry);
    }
    return list;
}

static Value expression_value(const Writer *writer, const Expression *expression) {
    Value entry = value_map();

    PUT(writer, &entry, "key", text_value(writer, expression->key));
    if (expression->min_values)
        PUT(writer, &entry, "minValues", value_int(writer->arena, expression->min_values));
    PUT(writer, &entry, "operator", value_string(slice_of(operator_text(expression->op))));
    if (expression->values.count) {
        Value values = value_list();

        for (vec_each(const Symbol, value, &expression->values))
            value_append(writer->arena, &values, text_value(writer, *value));
        PUT(writer, &entry, "values", values);
    }
    return entry;
}

static Value make_requirements(const Writer *writer) {
    ExpressionVec expressions =
        requirements_to_expressions(writer->arena, writer->symbols, writer->content->requirements);
    Value list = value_list();

    for (vec_each(const Expression, expression, &expressions))
        value_append(writer->arena, &list, expression_value(writer, expression));
    return list;
}

static Value requirements_value(const Writer *writer) {
    ClaimRequirementValues *shared = writer->shared;
    uint64_t key = (uint64_t)(uintptr_t)writer->content->requirements->items;
    uint32_t found;

    if (!shared)
        return make_requirements(writer);
    found = u64_map_get(&shared->by_items, key);
    if (found == INDEX_NONE) {
        found = shared->values.count;
        u64_map_put(shared->arena, &shared->by_items, key, found);
        vec_push(shared->arena, &shared->values, make_requirements(writer));
    }
    return shared->values.items[found];
}

static int compare_resources(const void *a, const void *b, void *symbols) {
    return symbol_cmp(symbols, ((const ResourceAmount *)a)->resource, ((const ResourceAmount *)b)->resource);
}

static Value resources_value(const Writer *writer, const Resources *resources) {
    Resources sorted = resources_copy(writer->arena, resources);
    Value requests = value_map(), map = value_map();

    if (sorted.count)
        qsort_r(sorted.items, sorted.count, sizeof *sorted.items, compare_resources, writer->symbols);
    for (uint32_t i = 0; i < sorted.count; i++)
        value_put(writer->arena, &requests, symbol_text(writer->symbols, sorted.items[i].resource),
                  value_string(resource_print(writer->arena, sorted.items[i].resource, sorted.items[i].amount)));
    PUT(writer, &map, "requests", requests);
    return map;
}

static Value node_class_value(const Writer *writer) {
    const NodeClassRef *ref = &writer->pool->template_spec.node_class;
    Value map = value_map();

    PUT(writer, &map, "group", text_value(writer, ref->group));
    PUT(writer, &map, "kind", text_value(writer, ref->kind));
    PUT(writer, &map, "name", text_value(writer, ref->name));
    return map;
}

static Value spec_value(const Writer *writer) {
    const NodeClaimTemplateSpec *spec = &writer->pool->template_spec;
    Slice expire = spec->expire_after_text;
    Value map = value_map();

    PUT(writer, &map, "expireAfter", value_string(expire.len ? expire : SLICE("720h")));
    PUT(writer, &map, "nodeClassRef", node_class_value(writer));
    PUT(writer, &map, "requirements", requirements_value(writer));
    if (writer->content->requests)
        PUT(writer, &map, "resources", resources_value(writer, writer->content->requests));
    if (spec->startup_taints.count)
        PUT(writer, &map, "startupTaints", taints_value(writer, &spec->startup_taints));
    if (spec->taints.count)
        PUT(writer, &map, "taints", taints_value(writer, &spec->taints));
    if (spec->has_termination_grace_period)
        PUT(writer, &map, "terminationGracePeriod", value_string(spec->termination_grace_period_text));
    return map;
}

Value provision_claim_value(Arena *arena, Symbols *symbols, const NodePool *pool, const ClaimContent *content,
                            ClaimRequirementValues *shared) {
    Writer writer = {arena, symbols, pool, content, shared};
    Value root = value_map();

    PUT(&writer, &root, "apiVersion", value_string(SLICE("karpenter.sh/v1")));
    PUT(&writer, &root, "kind", value_string(SLICE("NodeClaim")));
    PUT(&writer, &root, "metadata", metadata_value(&writer));
    PUT(&writer, &root, "spec", spec_value(&writer));
    return root;
}

Value provision_claim_of_pool(Arena *arena, Symbols *symbols, const NodePool *pool, Slice name, Slice linked) {
    Labels labels;
    Requirements requirements;
    ClaimContent content = {.labels = &labels, .requirements = &requirements, .name = name, .linked = linked};

    claim_template(arena, symbols, pool, &labels, &requirements);
    return provision_claim_value(arena, symbols, pool, &content, NULL);
}
