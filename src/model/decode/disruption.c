// spec.disruption of NodePools: what may be disrupted, when, and how many at a time. Reference lifecycle.md 4.4, 4.6.
#include "model/decode/disruption.h"

#include "model/validate/parts.h"
#include "text/duration.h"

enum { ALL_REASONS = (1 << DISRUPTION_REASON_COUNT) - 1 };

static const PoolBudget default_budget = {.nodes = 10, .percent = true, .reasons = ALL_REASONS};

// --- budgets

typedef struct {
    const Value *nodes;
    Slice schedule, duration;
    bool has_schedule;
    uint32_t reasons;
} BudgetFields;

// An empty list has no reason, and so limits none.
static ErrCode decode_reasons(Decoder *decoder, const Value *value, void *ret_reasons, Err *err) {
    uint32_t *reasons = ret_reasons;

    TRY(decode_expect(decoder, value, VALUE_LIST, err));
    *reasons = 0;
    for (uint32_t i = 0; i < value->list.count; i++) {
        size_t word;

        decode_enter_index(decoder, i);
        TRY(DECODE_WORD(decoder, &value->list.items[i], disruption_reason_words, &word, err));
        decode_leave(decoder);
        *reasons |= 1u << word;
    }
    return OK;
}

static const Field budget_fields[] = {
    FIELD(BudgetFields, nodes, "nodes", FIELD_VALUE, ),
    FIELD_HAS(BudgetFields, schedule, has_schedule, "schedule", FIELD_STRING, ),
    FIELD(BudgetFields, duration, "duration", FIELD_STRING, ),
    FIELD_CUSTOM_WITH(BudgetFields, reasons, "reasons", decode_reasons, ),
};
static const FieldTable budget_table = FIELD_TABLE(BudgetFields, budget_fields);

// "5" or "10%": more than 32 bits hold is as good as all. Its form is judged after this (validate/pool.c).
static void read_nodes(const Value *value, PoolBudget *budget) {
    Slice text = value && value->kind == VALUE_STRING ? value->text : (Slice){0};
    uint64_t nodes = 0;

    if (!text.len)
        return;
    budget->percent = slice_ends_with(text, SLICE("%"));
    for (size_t i = 0; i < text.len - budget->percent; i++) {
        if (nodes <= UINT32_MAX)
            nodes = nodes * 10 + (uint64_t)(text.ptr[i] - '0');
    }
    budget->nodes = nodes < UINT32_MAX ? (uint32_t)nodes : UINT32_MAX;
}

// What the definition lets through may still be no schedule ("99 * * * *").
static void read_schedule(Arena *arena, const BudgetFields *fields, PoolBudget *budget) {
    Err err;

    budget->scheduled = true;
    if (cron_parse(fields->schedule, &budget->schedule, &err) != OK ||
        duration_parse(fields->duration, &budget->duration_ns, &err) != OK)
        budget->fault = arena_slice(arena, slice_of(err.text));
}

static ErrCode decode_budgets(Decoder *decoder, const Value *value, void *ret_budgets, Err *err) {
    PoolBudgetVec *budgets = ret_budgets;

    TRY(decode_expect(decoder, value, VALUE_LIST, err));
    for (uint32_t i = 0; i < value->list.count; i++) {
        BudgetFields fields = {.reasons = ALL_REASONS};
        PoolBudget budget = default_budget;

        decode_enter_index(decoder, i);
        TRY(decode_object(decoder, &value->list.items[i], &budget_table, &fields, err));
        decode_leave(decoder);
        budget.reasons = fields.reasons;
        read_nodes(fields.nodes, &budget);
        if (fields.has_schedule)
            read_schedule(decoder->arena, &fields, &budget);
        vec_push(decoder->arena, budgets, budget);
    }
    return OK;
}

// --- the whole

static ErrCode decode_policy(Decoder *decoder, const Value *value, void *ret_policy, Err *err) {
    size_t word;

    TRY(DECODE_WORD(decoder, value, consolidation_policy_words, &word, err));
    *(ConsolidationPolicy *)ret_policy = (ConsolidationPolicy)word;
    return OK;
}

static ErrCode decode_consolidate_after(Decoder *decoder, const Value *value, void *ret_ns, Err *err) {
    int64_t *ns = ret_ns;

    TRY(decode_expect(decoder, value, VALUE_STRING, err));
    *ns = DURATION_NEVER;
    if (!slice_eq_text(value->text, "Never") && duration_parse(value->text, ns, err) == ERR_RANGE)
        return decode_fail_as(decoder, value, ERR_RANGE, err, "longer than 292 years: \"%.*s\"",
                              SLICE_ARG(value->text));
    return OK;
}

static const Field disruption_fields[] = {
    FIELD_CUSTOM_WITH(PoolDisruption, policy, "consolidationPolicy", decode_policy, ),
    FIELD_CUSTOM_WITH(PoolDisruption, consolidate_after_ns, "consolidateAfter", decode_consolidate_after, ),
    FIELD_CUSTOM_WITH(PoolDisruption, budgets, "budgets", decode_budgets, ),
};
static const FieldTable disruption_table = FIELD_TABLE(PoolDisruption, disruption_fields);

ErrCode decode_disruption(Decoder *decoder, const Value *value, void *ret_disruption, Err *err) {
    return decode_object(decoder, value, &disruption_table, ret_disruption, err);
}

void default_disruption(Decoder *decoder, const Value *spec, PoolDisruption *disruption) {
    if (!value_is_present(value_at(spec, "disruption", "consolidationPolicy", NULL)))
        disruption->policy = CONSOLIDATE_WHEN_EMPTY_OR_UNDERUTILIZED;
    if (!value_is_present(value_at(spec, "disruption", "budgets", NULL)))
        vec_push(decoder->arena, &disruption->budgets, default_budget);
}
