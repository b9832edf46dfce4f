// status: compares conditions before and after a change and publishes events.
#include "ctl/common/condition_events.h"

#include "ctl/common/conditions.h"

// Status of a condition before the change. An object without a status has Unknown for Ready and the conditions Ready
// depends on; rules NULL: these are all.
static Slice status_before(const ConditionVec *before, const ConditionRules *rules, const Symbols *symbols,
                           Slice type) {
    const Condition *condition = condition_get(before, symbols, type);

    if (condition)
        return symbol_text(symbols, condition->status);
    if (!rules)
        return SLICE("Unknown");
    for (uint32_t i = 0; i < rules->count; i++) {
        if (slice_eq_text(type, rules->dependents[i]))
            return SLICE("Unknown");
    }
    return slice_eq_text(type, CONDITION_READY) ? SLICE("Unknown") : SLICE("");
}

static void tell(Turn *turn, KubeKind kind, const ObjectMeta *meta, Slice before, const Condition *after) {
    Slice type = symbol_text(turn->symbols, after->type), reason = symbol_text(turn->symbols, after->reason);

    turn_event(turn, kind, meta, false, arena_text(turn->arena, type),
               "Status condition transitioned, Type: %.*s, Status: %.*s -> %.*s, Reason: %.*s%s%.*s", SLICE_ARG(type),
               SLICE_ARG(before), SLICE_ARG(symbol_text(turn->symbols, after->status)), SLICE_ARG(reason),
               after->message.len ? ", Message: " : "", SLICE_ARG(after->message));
    vec_last(turn->intents)->event.dedupe_ns = -1;
}

static void tell_changes(Turn *turn, KubeKind kind, const ConditionRules *rules, const ObjectMeta *meta,
                         const ConditionVec *before, const ConditionVec *after) {
    for (vec_each(const Condition, condition, after)) {
        Slice status = status_before(before, rules, turn->symbols, symbol_text(turn->symbols, condition->type));

        if (status.len && !slice_eq(status, symbol_text(turn->symbols, condition->status)))
            tell(turn, kind, meta, status, condition);
    }
}

static void condition_events_observe(void *self, Turn *turn, const StateChange *change) {
    (void)self;
    if (!change->before || !change->after)
        return;
    if (change->kind == KUBE_NODE_CLAIM) {
        const NodeClaim *before = change->before, *after = change->after;

        tell_changes(turn, change->kind, &claim_condition_rules, &after->meta, &before->conditions, &after->conditions);
    } else if (change->kind == KUBE_NODE_POOL) {
        const NodePool *before = change->before, *after = change->after;

        tell_changes(turn, change->kind, &pool_condition_rules, &after->meta, &before->conditions, &after->conditions);
    } else if (change->kind == KUBE_EC2_NODE_CLASS) {
        const EC2NodeClass *before = change->before, *after = change->after;

        tell_changes(turn, change->kind, NULL, &after->meta, &before->conditions, &after->conditions);
    } else if (change->kind == KUBE_KWOK_NODE_CLASS) {
        const KWOKNodeClass *before = change->before, *after = change->after;

        tell_changes(turn, change->kind, NULL, &after->meta, &before->conditions, &after->conditions);
    }
}

static void condition_events_reconcile(void *self, Turn *turn, Key key) {
    (void)self, (void)turn, (void)key; // never enqueued
}

const Controller condition_events_controller = {
    .name = "status", .observe = condition_events_observe, .reconcile = condition_events_reconcile};
