// Condition metrics: transitions, and durations of terminations.
#include "obs/observer/parts.h"

// Label values of a metric: the common ones, then those of its kind.
static LabelValues with_more(Slice *values, uint32_t own, const Subject *subject) {
    for (uint32_t i = 0; i < subject->more_count; i++)
        values[own + i] = subject->more[i];
    return (LabelValues){values, own + subject->more_count};
}

static MetricId metric_of(const Subject *subject, SubjectMetric which) {
    return (MetricId)((int)subject->first + (int)which);
}

static void count_transition(MetricsObserver *metrics_observer, const Subject *subject, const Condition *before,
                             const Condition *after, Moment at) {
    Slice type = metrics_observer_text(metrics_observer, after->type),
          status = metrics_observer_text(metrics_observer, after->status);
    Slice reason = metrics_observer_text(metrics_observer, after->reason);
    Slice group = kube_kind(subject->kind)->group, kind = kube_kind(subject->kind)->kind;
    Slice values[METRIC_LABELS_MAX] = {type, status, reason};
    Registry *registry = metrics_observer->registry;
    double seconds;

    registry_add(registry, metric_of(subject, SUBJECT_TRANSITIONS), 1, with_more(values, 3, subject));
    if (subject->has_deprecated)
        registry_add(registry, METRIC_OLD_TRANSITIONS, 1, WITH(group, kind, type, status, reason));
    if (!before || !before->transition_ns)
        return;
    seconds = seconds_between(before->transition_ns, after->transition_ns);
    values[1] = status = metrics_observer_text(metrics_observer, before->status);
    registry_observe(registry, metric_of(subject, SUBJECT_TRANSITION_SECONDS), seconds, at.now,
                     with_more(values, 2, subject));
    if (subject->has_deprecated)
        registry_observe(registry, METRIC_OLD_TRANSITION_SECONDS, seconds, at.now, WITH(group, kind, type, status));
}

static void count_end(MetricsObserver *metrics_observer, const Subject *subject, Moment at) {
    Slice group = kube_kind(subject->kind)->group, kind = kube_kind(subject->kind)->kind;
    double seconds = seconds_between(subject->meta->deleted_ns, at.wall_ns);
    Slice values[METRIC_LABELS_MAX];

    if (!subject->meta->deleted_ns)
        return;
    registry_observe(metrics_observer->registry, metric_of(subject, SUBJECT_TERMINATION_SECONDS), seconds, at.now,
                     with_more(values, 0, subject));
    if (subject->has_deprecated)
        registry_observe(metrics_observer->registry, METRIC_OLD_TERMINATION_SECONDS, seconds, at.now,
                         WITH(group, kind));
}

static const Condition *same_type(const ConditionVec *conditions, Symbol type) {
    for (vec_each(const Condition, condition, conditions)) {
        if (condition->type == type)
            return condition;
    }
    return NULL;
}

// Counts the transitions between two versions of an object. A new object has none: the times of its conditions are
// unknown.
void look_at_conditions(MetricsObserver *metrics_observer, const Sight *sight) {
    const StateChange *change = sight->change;
    Subject before, after;

    if (sight->listing || !change->before ||
        !subject_of(&metrics_observer->symbols, change->kind, change->before, &before))
        return;
    if (!change->after) {
        count_end(metrics_observer, &before, sight->at);
        return;
    }
    if (!subject_of(&metrics_observer->symbols, change->kind, change->after, &after) ||
        after.meta->uid != before.meta->uid)
        return;
    for (vec_each(const Condition, condition, after.conditions)) {
        const Condition *was = same_type(before.conditions, condition->type);

        if (!was || was->status != condition->status)
            count_transition(metrics_observer, &after, was, condition, sight->at);
    }
}
