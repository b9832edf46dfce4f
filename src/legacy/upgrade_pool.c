// NodePool and NodeClaim of v1beta1 to v1. Reference legacy.md 6.1, 6.2.
#include "legacy/convert_parts.h"

#include "text/value_edit.h"

// The group of "karpenter.k8s.aws/v1beta1".
static Slice group_of(Slice api_version) {
    ptrdiff_t slash = slice_find(api_version, '/');

    return slash > 0 ? slice_first(api_version, (size_t)slash) : SLICE("karpenter.k8s.aws");
}

static Value reference_value(Arena *arena, const OldReference *reference) {
    Value value = value_map();

    put_old_text(arena, &value, "group", group_of(reference->api_version));
    put_old_text(arena, &value, "kind", reference->kind.len ? reference->kind : SLICE("EC2NodeClass"));
    put_old_text(arena, &value, "name", reference->name);
    return value;
}

// A budget and nothing else of the former block is kept as it is.
static Value disruption_value(Arena *arena, const Value *former, const BetaPool *pool) {
    bool only_empty = slice_eq(pool->consolidation_policy, SLICE("WhenEmpty"));
    Value disruption = value_map();

    put_old_text(arena, &disruption, "consolidationPolicy",
                 only_empty ? SLICE("WhenEmpty") : SLICE("WhenEmptyOrUnderutilized"));
    put_old_text(arena, &disruption, "consolidateAfter",
                 pool->consolidate_after.len ? pool->consolidate_after : SLICE("0s"));
    put_old_copy(arena, &disruption, "budgets", former, "budgets");
    return disruption;
}

static void note_expiration(const Conversion *conversion, const Item *item, Slice expire_after) {
    if (!slice_eq(expire_after, SLICE("Never")))
        convert_note(conversion, item, "W07", item->value.line,
                     "spec.template.spec.expireAfter: nodes of %.*s are drained at once now, without a replacement "
                     "first",
                     SLICE_ARG(expire_after));
}

static void take_kubelet(Conversion *conversion, Item *item, const BetaPool *pool, Value *spec) {
    item->name = pool->name;
    item->class_name = pool->reference.name;
    item->kubelet = NULL;
    if (!pool->kubelet || !value_find_text(spec, "kubelet")->map.count)
        return;
    item->kubelet = arena_copy(conversion->arena, value_find_text(spec, "kubelet"), sizeof *item->kubelet);
}

static void upgrade_pool_spec(Conversion *conversion, Item *item, const BetaPool *pool, Value *spec) {
    Arena *arena = conversion->arena;
    Slice expire_after = pool->expire_after.len ? pool->expire_after : SLICE("720h");
    Value *template = value_find_text(spec, "template");
    Value disruption = disruption_value(arena, value_get_text(spec, "disruption"), pool);

    value_put(arena, value_find_text(template, "spec"), SLICE("expireAfter"), value_string(expire_after));
    value_put(arena, spec, SLICE("disruption"), disruption);
    note_expiration(conversion, item, expire_after);
}

ErrCode upgrade_pool(Conversion *conversion, Item *item, Err *err) {
    Arena *arena = conversion->arena;
    bool is_claim = item->kind == OLD_BETA_CLAIM;
    BetaPool pool = {0};
    Value object, *spec, *claim;

    TRY(old_decode(arena, item->kind, item->file, &item->value, &pool, err));
    object = converted_object(arena, "karpenter.sh/v1", is_claim ? "NodeClaim" : "NodePool", pool.metadata);
    put_old_copy(arena, &object, "spec", &item->value, "spec");
    spec = value_find_text(&object, "spec");
    claim = is_claim ? spec : value_find_text(value_find_text(spec, "template"), "spec");
    take_kubelet(conversion, item, &pool, claim);
    value_remove_text(claim, "kubelet");
    value_put(arena, claim, SLICE("nodeClassRef"), reference_value(arena, &pool.reference));
    if (!is_claim)
        upgrade_pool_spec(conversion, item, &pool, spec);
    object.line = item->value.line;
    item->value = object;
    return OK;
}
