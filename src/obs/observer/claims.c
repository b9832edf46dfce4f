// Metrics of NodeClaims: created, disrupted (deletion decided), terminated.
#include "obs/observer/parts.h"

#include "text/value.h"

// Reasons for giving up a launch.
typedef enum { GIVE_UP_CAPACITY, GIVE_UP_CLASS } GiveUp;

static const Condition *condition_of(const MetricsObserver *metrics_observer, const NodeClaim *claim,
                                     const char *type) {
    return condition_get(&claim->conditions, &metrics_observer->symbols, slice_of(type));
}

static bool is_true(const MetricsObserver *metrics_observer, const Condition *condition) {
    return condition && slice_eq_text(metrics_observer_text(metrics_observer, condition->status), "True");
}

static bool claim_is_true(const MetricsObserver *metrics_observer, const NodeClaim *claim, const char *type) {
    return claim && is_true(metrics_observer, condition_of(metrics_observer, claim, type));
}

// --- changes

static void count_gone(MetricsObserver *metrics_observer, const NodeClaim *claim, Moment at) {
    const Labels *labels = &claim->meta.labels;
    const Condition *terminating = condition_of(metrics_observer, claim, "InstanceTerminating");
    Slice pool = metrics_observer_label(metrics_observer, labels, NAME_NODEPOOL);
    Registry *registry = metrics_observer->registry;

    table_remove(&metrics_observer->given_up, claim->meta.name);
    registry_add(registry, METRIC_NODECLAIMS_TERMINATED, 1,
                 WITH(pool, metrics_observer_label(metrics_observer, labels, NAME_CAPACITY_TYPE),
                      metrics_observer_label(metrics_observer, labels, NAME_ZONE)));
    if (claim->meta.deleted_ns)
        registry_observe(registry, METRIC_NODECLAIMS_TERMINATION, seconds_between(claim->meta.deleted_ns, at.wall_ns),
                         at.now, WITH(pool));
    if (is_true(metrics_observer, terminating))
        registry_observe(registry, METRIC_NODECLAIMS_INSTANCE_TERMINATION,
                         seconds_between(terminating->transition_ns, at.wall_ns), at.now, WITH(pool));
}

void look_at_claim(MetricsObserver *metrics_observer, const Sight *sight) {
    const NodeClaim *before = sight->change->before, *after = sight->change->after;

    if (sight->listing)
        return;
    if (before && (!after || after->meta.uid != before->meta.uid))
        count_gone(metrics_observer, before, sight->at);
    else if (before && after && claim_is_true(metrics_observer, after, "Drained") &&
             !claim_is_true(metrics_observer, before, "Drained"))
        registry_add(metrics_observer->registry, METRIC_NODES_DRAINED, 1,
                     WITH(metrics_observer_label(metrics_observer, &after->meta.labels, NAME_NODEPOOL)));
}

// --- intents

static Slice text_at(const Value *object, const char *map, const char *key) {
    return kube_text(object, "metadata", map, key, NULL);
}

// Replacements are created for the reason for which their command disrupts.
static Slice creation_reason(const Answer *answer) {
    if (strcmp(answer->controller, "disruption") == 0)
        return slice_of(metric_method_reason(answer->intent->step.method));
    return SLICE("provisioned");
}

void look_at_creation(MetricsObserver *metrics_observer, const Answer *answer) {
    const Value *object = answer->intent->object;
    Slice relaxed;

    if (answer->intent->ref.kind != KUBE_NODE_CLAIM || answer->completion->code != OK)
        return;
    relaxed = text_at(object, "annotations", "karpenter.sh/nodeclaim-min-values-relaxed");
    registry_add(metrics_observer->registry, METRIC_NODECLAIMS_CREATED, 1,
                 WITH(creation_reason(answer), text_at(object, "labels", "karpenter.sh/nodepool"),
                      relaxed.len ? relaxed : SLICE("false")));
}

void look_at_event(MetricsObserver *metrics_observer, Key key, const EventIntent *event) {
    if (event->about.kind != KUBE_NODE_CLAIM)
        return;
    if (strcmp(event->reason, "InsufficientCapacityError") == 0)
        table_put(&metrics_observer->given_up, key.name, GIVE_UP_CAPACITY);
    else if (strcmp(event->reason, "NodeClassNotReady") == 0)
        table_put(&metrics_observer->given_up, key.name, GIVE_UP_CLASS);
}

static bool is_refresh(const char *controller) {
    for (CloudRefresh what = 0; what < CLOUD_REFRESH_COUNT; what++) {
        if (strcmp(controller, cloud_refresh_text(what)) == 0)
            return true;
    }
    return false;
}

// Reason of a controller for deleting a claim; NULL: no disruption (the claim's Node was deleted by a user).
static const char *reason_of(const MetricsObserver *metrics_observer, const Answer *answer, const NodeClaim *claim) {
    uint32_t given_up = table_get(&metrics_observer->given_up, claim->meta.name);

    if (strcmp(answer->controller, "nodeclaim.expiration") == 0)
        return "expired";
    if (strcmp(answer->controller, "nodeclaim.garbagecollection") == 0)
        return "garbage_collected";
    if (strcmp(answer->controller, "interruption") == 0 || is_refresh(answer->controller))
        return answer->intent->step.cause;
    if (strcmp(answer->controller, "disruption") == 0)
        return answer->intent->step.nodes ? metric_method_reason(answer->intent->step.method) : NULL;
    if (strcmp(answer->controller, "nodeclaim.lifecycle") != 0)
        return NULL;
    if (answer->intent->step.cause)
        return answer->intent->step.cause;
    if (claim_is_true(metrics_observer, claim, "Launched"))
        return "registration_timeout";
    if (given_up == INDEX_NONE)
        return "launch_timeout";
    return given_up == GIVE_UP_CAPACITY ? "insufficient_capacity" : "nodeclass_not_ready";
}

static Slice termination_mode(const NodeClaim *claim) {
    if (!claim->spec.has_termination_grace_period)
        return SLICE("graceful");
    return claim->spec.termination_grace_period_ns > 0 ? SLICE("eventual") : SLICE("forceful");
}

// The policy of the claim's pool, where it decided.
static Slice consolidation_policy(const State *state, const NodeClaim *claim, const char *reason) {
    static const char *const policies[CONSOLIDATION_POLICY_COUNT] = {"when_empty", "when_empty_or_underutilized",
                                                                     "balanced"};
    Symbol name = labels_get(&claim->meta.labels, NAME_NODEPOOL);
    const NodePool *pool =
        name == INDEX_NONE ? NULL : state_node_pool(state, state_find(state, KUBE_NODE_POOL, NAME_EMPTY, name));

    if (!pool || (reason != metric_reasons[DISRUPTION_EMPTY] && reason != metric_reasons[DISRUPTION_UNDERUTILIZED]))
        return SLICE("");
    return slice_of(policies[pool->disruption.policy]);
}

static uint32_t reschedulable_pods(const State *state, Handle claim) {
    const Node *node = state_node(state, state_node_of_claim(state, claim));

    return node ? state_node_usage(state, node->meta.name)->reschedulable : 0;
}

// "KernelReady" as "kernel_ready".
static Slice snake(char *text, size_t size, const char *words) {
    size_t length = 0;

    for (const char *c = words; *c && length + 2 < size; c++) {
        bool is_upper = *c >= 'A' && *c <= 'Z', follows_lower = c > words && c[-1] >= 'a' && c[-1] <= 'z';

        if (is_upper && follows_lower)
            text[length++] = '_';
        text[length++] = (char)(is_upper ? *c - 'A' + 'a' : *c);
    }
    return (Slice){text, length};
}

// How the drain of a repaired node ends: by the bound that its repair set.
static Slice repair_mode(int64_t bound_ns) {
    if (bound_ns == REPAIR_NO_BOUND)
        return SLICE("graceful");
    return bound_ns > 0 ? SLICE("eventual") : SLICE("forceful");
}

static void count_repaired(MetricsObserver *metrics_observer, const DisruptionStep *step, const NodeClaim *claim) {
    char text[64];

    registry_add(metrics_observer->registry, METRIC_NODECLAIMS_UNHEALTHY_DISRUPTED, 1,
                 WITH(snake(text, sizeof text, step->cause ? step->cause : ""),
                      metrics_observer_label(metrics_observer, &claim->meta.labels, NAME_NODEPOOL),
                      metrics_observer_label(metrics_observer, &claim->meta.labels, NAME_CAPACITY_TYPE),
                      metrics_observer_text(metrics_observer, claim->image_id), repair_mode(step->bound_ns)));
}

static void count_disrupted(MetricsObserver *metrics_observer, const Answer *answer, Handle handle) {
    const NodeClaim *claim = state_node_claim(answer->state, handle);
    const char *reason = claim ? reason_of(metrics_observer, answer, claim) : NULL;
    Slice pool, capacity;
    LabelValues labels;

    if (!reason)
        return;
    pool = metrics_observer_label(metrics_observer, &claim->meta.labels, NAME_NODEPOOL);
    capacity = metrics_observer_label(metrics_observer, &claim->meta.labels, NAME_CAPACITY_TYPE);
    labels = WITH(slice_of(reason), pool, capacity, consolidation_policy(answer->state, claim, reason),
                  termination_mode(claim));
    registry_add(metrics_observer->registry, METRIC_NODECLAIMS_DISRUPTED, 1, labels);
    registry_add(metrics_observer->registry, METRIC_PODS_DISRUPTION_INITIATED,
                 reschedulable_pods(answer->state, handle), labels);
    if (reason == metric_reasons[DISRUPTION_UNHEALTHY])
        count_repaired(metrics_observer, &answer->intent->step, claim);
}

void look_at_removal(MetricsObserver *metrics_observer, const Answer *answer) {
    const KubeRef *ref = &answer->intent->ref;
    Symbol name;

    if (answer->completion->code != OK)
        return;
    if (ref->kind == KUBE_POD && strcmp(answer->controller, "eviction-queue") == 0)
        registry_add(metrics_observer->registry, METRIC_PODS_DRAINED, 1, WITH(SLICE("Forceful Termination")));
    if (ref->kind != KUBE_NODE_CLAIM)
        return;
    name = symbol_find(&metrics_observer->symbols, ref->name);
    if (name != INDEX_NONE)
        count_disrupted(metrics_observer, answer, state_find(answer->state, KUBE_NODE_CLAIM, NAME_EMPTY, name));
}
