// Karpenter's nodepool.validation controller. Reference scheduling.md 1.2, lifecycle.md 5.5.
#include "base/buffer.h"
#include "model/node_loss.h"
#include "model/payback.h"
#include "model/validate/validate.h"
#include "model/well_known.h"

// Collects messages, joined with "; ".
typedef struct {
    Arena *arena;
    Symbols *symbols;
    Buffer text;
} Complaints;

#define TEXT(symbol) SLICE_ARG(symbol_text(complaints->symbols, (symbol)))

static void complain(Complaints *complaints, Slice text) {
    if (complaints->text.len)
        buffer_append(&complaints->text, SLICE("; "));
    buffer_append(&complaints->text, text);
}

static void check_labels(Complaints *complaints, const Labels *labels) {
    for (uint32_t i = 0; i < labels->count; i++) {
        Symbol key = labels->items[i].key;
        Slice restriction = label_restriction(complaints->arena, complaints->symbols, key);

        if (restriction.len)
            complain(complaints, arena_printf(complaints->arena, "invalid key name \"%.*s\" in labels, %.*s", TEXT(key),
                                              SLICE_ARG(restriction)));
    }
}

// Checks that each pair of key and effect occurs once in both lists together; names the first that does not.
static void check_taints(Complaints *complaints, const NodeClaimTemplateSpec *spec) {
    TaintVec seen = {0};

    for (uint32_t i = 0; i < spec->taints.count + spec->startup_taints.count; i++) {
        const Taint *taint =
            i < spec->taints.count ? &spec->taints.items[i] : &spec->startup_taints.items[i - spec->taints.count];

        for (vec_each(const Taint, other, &seen)) {
            if (other->key == taint->key && other->effect == taint->effect)
                return complain(complaints, arena_printf(complaints->arena, "duplicate taint Key/Effect pair %.*s=%s",
                                                         TEXT(taint->key), taint_effect_text(taint->effect)));
        }
        vec_push(complaints->arena, &seen, *taint);
    }
}

static bool is_capacity_type(Symbol value) {
    return value == NAME_ON_DEMAND || value == NAME_SPOT || value == NAME_RESERVED;
}

// Checks the values of the capacity type, the only well-known key whose values the core knows (aws.md 4.1 adds
// tenancy).
static void check_known_values(Complaints *complaints, const Requirement *requirement) {
    Slice key = symbol_text(complaints->symbols, requirement->key);
    bool tenancy = slice_eq_text(key, "karpenter.k8s.aws/instance-tenancy");
    int32_t valid = 0;

    if (requirement_operator(requirement) != OP_IN || (requirement->key != NAME_CAPACITY_TYPE && !tenancy))
        return;
    for (uint32_t i = 0; i < requirement->values.count; i++) {
        Symbol value = requirement->values.items[i];
        Slice text = symbol_text(complaints->symbols, value);

        valid += tenancy ? slice_eq_text(text, "default") || slice_eq_text(text, "dedicated") : is_capacity_type(value);
    }
    if (valid == 0)
        complain(complaints,
                 arena_printf(complaints->arena, "no valid values found in %.*s, expected one of: %s",
                              SLICE_ARG(requirement_print(complaints->arena, complaints->symbols, requirement)),
                              tenancy ? "[default dedicated]" : "[on-demand reserved spot]"));
    else if (valid < requirement->min_values)
        complain(complaints,
                 arena_printf(complaints->arena, "not enough valid values found in %.*s, expected at least %d",
                              SLICE_ARG(requirement_print(complaints->arena, complaints->symbols, requirement)),
                              requirement->min_values));
}

static void check_requirement(Complaints *complaints, const Expression *expression) {
    Requirement requirement = requirement_make(complaints->arena, complaints->symbols, expression);
    Slice restriction = label_restriction(complaints->arena, complaints->symbols, requirement.key);

    if (restriction.len)
        complain(complaints, restriction);
    for (vec_each(const Symbol, value, &expression->values)) {
        Slice complaint = label_value_complaint(symbol_text(complaints->symbols, *value));

        if (complaint.len)
            complain(complaints, arena_printf(complaints->arena, "invalid value %.*s for key %.*s, %.*s", TEXT(*value),
                                              TEXT(requirement.key), SLICE_ARG(complaint)));
    }
    check_known_values(complaints, &requirement);
}

// An annotation of tenon's that cannot be read.
static void complain_annotation(Complaints *complaints, const NodePool *pool, Symbol key, const char *expected) {
    complain(complaints, arena_printf(complaints->arena, "annotation %.*s: expected %s, got \"%.*s\"", TEXT(key),
                                      expected, TEXT(labels_get(&pool->meta.annotations, key))));
}

static void check_annotations(Complaints *complaints, const NodePool *pool) {
    Symbol refused = labels_get(&pool->meta.annotations, NAME_REFUSED);
    bool valid;

    if (refused != INDEX_NONE)
        complain(complaints, symbol_text(complaints->symbols, refused));

    (void)node_loss_cost(complaints->symbols, pool, &valid);
    if (!valid)
        complain_annotation(complaints, pool, NAME_NODE_LOSS_COST,
                            "dollars per hour from 0 to 1000000 such as \"0.5\"");
    (void)pool_min_saving(complaints->symbols, pool, &valid);
    if (!valid)
        complain_annotation(complaints, pool, NAME_MIN_SAVING,
                            "dollars per hour such as \"0.05\", or a percentage from 0% to 100% such as \"10%\"");
    (void)pool_payback_ns(complaints->symbols, pool, &valid);
    if (!valid)
        complain_annotation(complaints, pool, NAME_PAYBACK, "a duration from 1m to 1000h such as \"1h\"");
}

Slice node_pool_complaint(Arena *arena, Symbols *symbols, const NodePool *pool) {
    Complaints complaints = {.arena = arena, .symbols = symbols};
    Slice text;

    check_labels(&complaints, &pool->template_labels);
    check_taints(&complaints, &pool->template_spec);
    for (vec_each(const Expression, expression, &pool->template_spec.requirements))
        check_requirement(&complaints, expression);
    check_annotations(&complaints, pool);
    text = arena_slice(arena, buffer_slice(&complaints.text));
    buffer_free(&complaints.text);
    return text;
}
