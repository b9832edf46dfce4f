// nodepool.validation: condition ValidationSucceeded. Reference lifecycle.md 5.5, scheduling.md 1.2.
//
// Most of it is model/validate.h; what the CRD's schema and CEL rules refuse anyway is looked at here once more, for
// clusters whose CRDs are older than tenon.
#include "ctl/conditions.h"
#include "ctl/pool_controllers.h"
#include "ctl/pool_facts.h"

#include "model/validate.h"
#include "model/well_known.h"

typedef struct {
    Arena *arena;
    const Symbols *symbols;
    Slice text;
} Complaints;

#define TEXT(symbol) SLICE_ARG(symbol_text(complaints->symbols, (symbol)))

static void complain(Complaints *complaints, Slice text) {
    complaints->text = complaints->text.len
                           ? arena_printf(complaints->arena, "%.*s; %.*s", SLICE_ARG(complaints->text), SLICE_ARG(text))
                           : text;
}

static void check_labels(Complaints *complaints, const Labels *labels) {
    for (uint32_t i = 0; i < labels->count; i++) {
        const Label *label = &labels->items[i];
        Slice key = label_key_complaint(symbol_text(complaints->symbols, label->key));
        Slice value = label_value_complaint(symbol_text(complaints->symbols, label->value));

        if (label->key == NAME_NODEPOOL)
            complain(complaints, arena_printf(complaints->arena, "invalid key name \"%.*s\" in labels, restricted",
                                              TEXT(label->key)));
        if (key.len)
            complain(complaints, arena_printf(complaints->arena, "invalid key name \"%.*s\" in labels, \"%.*s\"",
                                              TEXT(label->key), SLICE_ARG(key)));
        if (value.len)
            complain(complaints, arena_printf(complaints->arena, "invalid value: %.*s for label[%.*s], %.*s",
                                              TEXT(label->value), TEXT(label->key), SLICE_ARG(value)));
    }
}

static bool is_count(Slice text) {
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] < '0' || text.ptr[i] > '9')
            return false;
    }
    return text.len > 0;
}

static bool is_bound(Operator op) {
    return op == OP_GT || op == OP_LT || op == OP_GTE || op == OP_LTE;
}

static void check_requirement(Complaints *complaints, const Expression *expression) {
    const char *op = operator_text(expression->op);
    Slice key = label_key_complaint(symbol_text(complaints->symbols, expression->key));

    if (expression->key == NAME_NODEPOOL)
        complain(complaints, arena_printf(complaints->arena, "invalid key: \"%.*s\" in requirements, restricted",
                                          TEXT(expression->key)));
    if (key.len)
        complain(complaints, arena_printf(complaints->arena, "key %.*s is not a qualified name, %.*s",
                                          TEXT(expression->key), SLICE_ARG(key)));
    if (expression->op == OP_IN && !expression->values.count)
        complain(complaints, arena_printf(complaints->arena, "key %.*s with operator %s must have a value defined",
                                          TEXT(expression->key), op));
    if (expression->op == OP_IN && (int64_t)expression->values.count < expression->min_values)
        complain(complaints,
                 arena_printf(complaints->arena,
                              "key %.*s with operator %s must have at least minimum number of values defined in "
                              "'values' field",
                              TEXT(expression->key), op));
    if (is_bound(expression->op) &&
        (expression->values.count != 1 || !is_count(symbol_text(complaints->symbols, expression->values.items[0]))))
        complain(complaints,
                 arena_printf(complaints->arena, "key %.*s with operator %s must have a single positive integer value",
                              TEXT(expression->key), op));
}

static void check_taints(Complaints *complaints, const TaintVec *taints) {
    for (vec_each(const Taint, taint, taints)) {
        Slice key = label_key_complaint(symbol_text(complaints->symbols, taint->key));
        Slice value = label_value_complaint(symbol_text(complaints->symbols, taint->value));

        if (key.len)
            complain(complaints, arena_printf(complaints->arena, "invalid taint key \"%.*s\", %.*s", TEXT(taint->key),
                                              SLICE_ARG(key)));
        if (value.len)
            complain(complaints, arena_printf(complaints->arena, "invalid taint value \"%.*s\", %.*s",
                                              TEXT(taint->value), SLICE_ARG(value)));
    }
}

static Slice complaints_of(Turn *turn, const NodePool *pool) {
    Complaints complaints = {.arena = turn->arena, .symbols = turn->symbols};
    Slice model = node_pool_complaint(turn->arena, turn->symbols, pool);

    check_labels(&complaints, &pool->template_labels);
    check_taints(&complaints, &pool->template_spec.taints);
    check_taints(&complaints, &pool->template_spec.startup_taints);
    for (vec_each(const Expression, expression, &pool->template_spec.requirements))
        check_requirement(&complaints, expression);
    if (model.len)
        complain(&complaints, model);
    return complaints.text;
}

static void pool_validation_observe(void *self, Turn *turn, const StateChange *change) {
    (void)self;
    if (change->kind == KUBE_NODE_POOL && change->after)
        turn_enqueue(turn, &pool_validation_controller, (Key){.name = change->name}, 0);
}

static void pool_validation_reconcile(void *self, Turn *turn, Key key) {
    const NodePool *pool = state_node_pool(turn->state, state_find(turn->state, KUBE_NODE_POOL, NAME_EMPTY, key.name));
    Conditions conditions;
    Slice complaint;

    (void)self;
    if (!pool || !pool_is_managed(pool, turn->symbols, turn->settings))
        return;
    complaint = complaints_of(turn, pool);
    conditions = conditions_open(turn, &pool_condition_rules, &pool->meta, &pool->conditions);
    if (complaint.len)
        conditions_set_false(&conditions, "ValidationSucceeded", "NodePoolValidationFailed", complaint);
    else
        conditions_set_true(&conditions, "ValidationSucceeded");
    if (conditions.changed)
        turn_patch(turn, KUBE_NODE_POOL, NAME_EMPTY, key.name, KUBE_STATUS, conditions_patch(&conditions),
                   pool->meta.revision);
}

const Controller pool_validation_controller = {
    .name = "nodepool.validation",
    .observe = pool_validation_observe,
    .reconcile = pool_validation_reconcile,
};
