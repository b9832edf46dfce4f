// Voluntary disruption: looks, and the steps of commands.
#include "obs/observer/parts.h"

const char *const metric_reasons[DISRUPTION_REASON_COUNT] = {
    [DISRUPTION_UNDERUTILIZED] = "underutilized",
    [DISRUPTION_EMPTY] = "empty",
    [DISRUPTION_DRIFTED] = "drifted",
    [DISRUPTION_UNHEALTHY] = "unhealthy",
};

const char *metric_method_reason(DisruptMethod method) {
    return method == METHOD_EXPIRATION ? "expired" : metric_reasons[disrupt_method_reason(method)];
}

// --- looks

static void set_allowances(MetricsObserver *metrics_observer, const PoolAllowance *allowance) {
    Registry *registry = metrics_observer->registry;
    Slice pool = metrics_observer_text(metrics_observer, allowance->pool);

    for (DisruptionReason reason = 0; reason < DISRUPTION_REASON_COUNT; reason++) {
        registry_set(registry, METRIC_NODEPOOLS_ALLOWED_DISRUPTIONS, allowance->allowed[reason],
                     WITH(pool, slice_of(metric_reasons[reason])));
        registry_set(registry, METRIC_NODEPOOLS_CONSUMING_BUDGETS, allowance->consuming,
                     WITH(pool, slice_of(metric_reasons[reason])));
    }
}

static void set_cost(MetricsObserver *metrics_observer, const PoolCost *cost) {
    Slice pool = metrics_observer_text(metrics_observer, cost->pool);

    registry_set(metrics_observer->registry, METRIC_NODEPOOLS_COST, cost->price_per_hour, WITH(pool));
    registry_add(metrics_observer->registry, METRIC_NODEPOOLS_COST_ERRORS, cost->unpriced, WITH(pool));
}

static void set_eligible(MetricsObserver *metrics_observer, const DisruptPass *pass) {
    uint32_t eligible[DISRUPTION_REASON_COUNT] = {0};

    for (DisruptMethod method = METHOD_EMPTINESS; method < DISRUPT_METHOD_COUNT; method++)
        eligible[disrupt_method_reason(method)] += pass->eligible[method];
    for (DisruptionReason reason = 0; reason < DISRUPTION_REASON_COUNT; reason++)
        registry_set(metrics_observer->registry, METRIC_DISRUPTION_ELIGIBLE, eligible[reason],
                     WITH(slice_of(metric_reasons[reason])));
}

static Slice verdict(bool is_approved) {
    return is_approved ? SLICE("approved") : SLICE("rejected");
}

static void count_move(MetricsObserver *metrics_observer, const DisruptMove *move, Mono now) {
    Registry *registry = metrics_observer->registry;
    Slice pool = metrics_observer_text(metrics_observer, move->pool);
    Slice policy = slice_of(consolidation_policy_words[move->policy]);

    registry_add(registry, METRIC_CONSOLIDATION_MOVES, 1, WITH(verdict(move->is_approved), pool, policy));
    if (move->policy == CONSOLIDATE_BALANCED)
        registry_observe(registry, METRIC_CONSOLIDATION_SCORE, move->score, now,
                         WITH(verdict(move->pool_approves), pool, policy));
}

void look_at_disruption(MetricsObserver *metrics_observer, const Answer *answer) {
    const Disrupted *disrupted = answer->completion->disrupted;
    bool proves = answer->intent->disrupt.proposals.count;

    registry_observe(metrics_observer->registry, METRIC_DISRUPTION_EVALUATION, ns_to_s(answer->completion->took_ns),
                     answer->at.now, WITH(proves ? SLICE("proof") : SLICE("all"), SLICE("")));
    if (!disrupted || proves)
        return;
    for (vec_each(const PoolAllowance, allowance, &disrupted->pass.allowances))
        set_allowances(metrics_observer, allowance);
    for (vec_each(const PoolCost, cost, &disrupted->pass.costs))
        set_cost(metrics_observer, cost);
    set_eligible(metrics_observer, &disrupted->pass);
    for (vec_each(const DisruptMove, move, &disrupted->pass.moves))
        count_move(metrics_observer, move, answer->at.now);
}

// --- reboots

void look_at_reboot(MetricsObserver *metrics_observer, const Answer *answer) {
    static const char *const results[] = {
        [REBOOT_SUCCEEDED] = "succeeded",
        [REBOOT_PROVIDER_ERROR] = "provider_error",
        [REBOOT_RECOVERY_TIMEOUT] = "recovery_timeout",
        [REBOOT_INVALID_REQUEST] = "invalid_request",
    };
    const RebootStep *step = &answer->intent->reboot;
    Slice result = slice_of(results[step->result]);

    registry_add(metrics_observer->registry, METRIC_NODES_REBOOTS, 1, WITH(result));
    registry_observe(metrics_observer->registry, METRIC_NODES_REBOOT_DURATION,
                     ns_to_s(step->took_ns > 0 ? step->took_ns : 0), answer->at.now, WITH(result));
    if (step->result == REBOOT_SUCCEEDED)
        registry_observe(metrics_observer->registry, METRIC_NODES_REBOOT_RECOVERY,
                         ns_to_s(step->recovered_ns > 0 ? step->recovered_ns : 0), answer->at.now, WITHOUT_LABELS);
}

// --- commands

// How Karpenter calls what a command does: by its method and the number of its nodes.
static Slice consolidation_type(const DisruptionStep *step) {
    if (step->method == METHOD_EMPTINESS)
        return SLICE("empty");
    if (step->method != METHOD_CONSOLIDATION)
        return SLICE("");
    return step->nodes > 1 ? SLICE("multi") : SLICE("single");
}

void look_at_command(MetricsObserver *metrics_observer, const Answer *answer) {
    const DisruptionStep *step = &answer->intent->step;
    Registry *registry = metrics_observer->registry;
    Slice decision = step->replacements ? SLICE("replace") : SLICE("delete"), type = consolidation_type(step);
    Slice reason = slice_of(metric_method_reason(step->method));

    switch (step->event) {
    case DISRUPTION_STARTED:
        registry_add(registry, METRIC_DISRUPTION_DECISIONS, 1, WITH(decision, reason, type));
        for (vec_each(const Symbol, pool, &step->pools))
            registry_add(registry, METRIC_DISRUPTION_DECISIONS_BY_POOL, 1,
                         WITH(metrics_observer_text(metrics_observer, *pool), decision, reason, type));
        return;
    case DISRUPTION_REJECTED:
        registry_add(registry, METRIC_DISRUPTION_FAILED_VALIDATIONS, step->nodes, WITH(type));
        return;
    case DISRUPTION_FAILED:
        registry_add(registry, METRIC_DISRUPTION_QUEUE_FAILURES, step->replacements ? step->replacements : 1,
                     WITH(decision, reason, type));
        return;
    }
}

// --- deletion costs (reference changes.md 4.2)

static const char *write_result(ErrCode code) {
    return code == OK              ? "updated"
           : code == ERR_NOT_FOUND ? "skipped_notfound"
           : code == ERR_CONFLICT  ? "skipped_conflict"
                                   : "error";
}

void look_at_patch(MetricsObserver *metrics_observer, const Answer *answer) {
    if (answer->intent->ref.kind != KUBE_POD || strcmp(answer->controller, "pod.deletioncost") != 0)
        return;
    registry_add(metrics_observer->registry, METRIC_PODS_COST_WRITES, 1,
                 WITH(slice_of(write_result(answer->completion->code))));
}

void look_at_costs(MetricsObserver *metrics_observer, const Answer *answer) {
    const CostedStep *step = &answer->intent->costed;

    registry_set(metrics_observer->registry, METRIC_PODS_COST_PENDING, step->nodes_pending,
                 WITH(metrics_observer_text(metrics_observer, step->pool)));
    if (step->pods_unchanged)
        registry_add(metrics_observer->registry, METRIC_PODS_COST_WRITES, step->pods_unchanged,
                     WITH(SLICE("skipped_unchanged")));
}
