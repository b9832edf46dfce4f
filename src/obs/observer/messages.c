// Metrics of messages of the cloud. aws.md 7.7, 7.8, 9.1.
#include "obs/observer/parts.h"

void look_at_messages(MetricsObserver *metrics_observer, const Answer *answer) {
    Registry *registry = metrics_observer->registry;

    if (answer->completion->code != OK || !answer->completion->messages)
        return;
    for (vec_each(const CloudMessage, message, answer->completion->messages)) {
        registry_add(registry, METRIC_MESSAGES_RECEIVED, 1, WITH(slice_of(cloud_message_text(message->kind))));
        if (message->kind != CLOUD_MESSAGE_OTHER && message->sent_ns)
            registry_observe(registry, METRIC_MESSAGES_QUEUED, seconds_between(message->sent_ns, answer->at.wall_ns),
                             answer->at.now, WITHOUT_LABELS);
    }
}

void look_at_settlement(MetricsObserver *metrics_observer, const Answer *answer) {
    if (answer->completion->code == OK)
        registry_add(metrics_observer->registry, METRIC_MESSAGES_DELETED, 1, WITHOUT_LABELS);
}

static bool is_unhealthy(CloudMessageKind kind) {
    return kind == CLOUD_MESSAGE_INSTANCE_IMPAIRED || kind == CLOUD_MESSAGE_HOST_IMPAIRED ||
           kind == CLOUD_MESSAGE_EVENT_SCHEDULED;
}

// What is told again is an episode that was counted.
void look_at_news(MetricsObserver *metrics_observer, const Answer *answer) {
    if (answer->completion->code != OK || !answer->completion->messages)
        return;
    for (vec_each(const CloudMessage, message, answer->completion->messages)) {
        if (is_unhealthy(message->kind) && !message->is_repeated && message->provider_ids.count)
            registry_add(metrics_observer->registry, METRIC_INSTANCES_UNHEALTHY, message->provider_ids.count,
                         WITH(slice_of(cloud_message_text(message->kind))));
    }
}
