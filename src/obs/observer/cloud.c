// Metrics of cloud calls: durations and errors. lifecycle.md 7.1.
#include "obs/observer/parts.h"

static const char *method_of(IntentType type) {
    switch (type) {
    case INTENT_LAUNCH:
        return "Create";
    case INTENT_TERMINATE:
        return "Delete";
    case INTENT_REBOOT:
        return "Reboot";
    case INTENT_GET_INSTANCE:
        return "Get";
    case INTENT_CHECK_DRIFT:
        return "IsDrifted";
    default:
        return "List";
    }
}

// Karpenter's names of errors. Other errors are "Unknown": since 1.15 Karpenter names them, but the names are not
// documented (changes.md 6).
static const char *error_of(const Completion *completion) {
    if (completion->cloud_error && completion->cloud_error->class_not_ready)
        return "NodeClassNotReadyError";
    if (completion->code == ERR_NOT_FOUND)
        return "NodeClaimNotFoundError";
    if (completion->code == ERR_CAPACITY)
        return "InsufficientCapacityError";
    return "Unknown";
}

void look_at_cloud_answer(MetricsObserver *metrics_observer, const Answer *answer) {
    const Completion *completion = answer->completion;
    Slice controller = slice_of(answer->controller), method = slice_of(method_of(answer->intent->type));
    Slice provider = metrics_observer->provider;

    registry_observe(metrics_observer->registry, METRIC_CLOUD_DURATION, ns_to_s(completion->took_ns), answer->at.now,
                     WITH(controller, method, provider));
    if (completion->code != OK)
        registry_add(metrics_observer->registry, METRIC_CLOUD_ERRORS, 1,
                     WITH(controller, method, provider, slice_of(error_of(completion))));
}

// Karpenter's names of what gathers requests (reference aws.md 2.2), which gathers no lists.
static const char *batcher_of(IntentType type) {
    switch (type) {
    case INTENT_LAUNCH:
        return "create_fleet";
    case INTENT_TERMINATE:
        return "terminate_instances";
    default:
        return "describe_instances";
    }
}

void metrics_observer_gathered(MetricsObserver *metrics_observer, IntentType type, uint32_t count, int64_t waited_ns,
                               Moment at) {
    LabelValues batcher = WITH(slice_of(batcher_of(type)));

    if (type == INTENT_LIST_INSTANCES)
        return;
    registry_observe(metrics_observer->registry, METRIC_BATCH_TIME, ns_to_s(waited_ns), at.now, batcher);
    registry_observe(metrics_observer->registry, METRIC_BATCH_SIZE, count, at.now, batcher);
}
