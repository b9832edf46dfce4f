// Condition metrics: present conditions and objects being deleted, of one kind, or (deprecated names) of all kinds but
// Node.
#include "obs/collect/parts.h"

typedef struct {
    const Collector *collector;
    MetricId id;
    Exposition *out;
} Walk;

static bool is_deprecated(MetricId id) {
    return id == METRIC_OLD_CONDITION_COUNT || id == METRIC_OLD_CONDITION_SECONDS || id == METRIC_OLD_TERMINATION_NOW;
}

// The kind's metric with the same meaning as a deprecated one.
static SubjectMetric which_of(MetricId id, const Subject *subject) {
    if (id == METRIC_OLD_CONDITION_COUNT)
        return SUBJECT_COUNT;
    if (id == METRIC_OLD_CONDITION_SECONDS)
        return SUBJECT_SECONDS;
    return id == METRIC_OLD_TERMINATION_NOW ? SUBJECT_TERMINATION_NOW : (SubjectMetric)(id - subject->first);
}

static void put(const Walk *walk, const Subject *subject, const Condition *condition, double value) {
    const Collector *collector = walk->collector;
    Slice values[METRIC_LABELS_MAX];
    uint32_t count = 0;

    if (is_deprecated(walk->id)) {
        values[count++] = kube_kind(subject->kind)->group;
        values[count++] = kube_kind(subject->kind)->kind;
    }
    values[count++] = collected_text(collector, subject->meta->ns);
    values[count++] = collected_text(collector, subject->meta->name);
    if (condition) {
        values[count++] = collected_text(collector, condition->type);
        values[count++] = collected_text(collector, condition->status);
        values[count++] = collected_text(collector, condition->reason);
    }
    for (uint32_t i = 0; i < subject->more_count && !is_deprecated(walk->id); i++)
        values[count++] = subject->more[i];
    CHECK(count == walk->out->info.label_count, "labels of %.*s", SLICE_ARG(walk->out->info.name));
    exposition_sample(walk->out, values, value);
}

static void walk_object(const Walk *walk, KubeKind kind, const void *body) {
    const Collector *collector = walk->collector;
    SubjectMetric which;
    Subject subject;

    if (!subject_of(&collector->cluster->symbols, kind, body, &subject))
        return;
    if (is_deprecated(walk->id) ? !subject.has_deprecated
                                : walk->id < subject.first || walk->id >= subject.first + SUBJECT_METRICS)
        return;
    which = which_of(walk->id, &subject);
    if (which == SUBJECT_TERMINATION_NOW) {
        if (subject.meta->deleted_ns)
            put(walk, &subject, NULL, collected_age(collector, subject.meta->deleted_ns));
        return;
    }
    for (vec_each(const Condition, condition, subject.conditions))
        put(walk, &subject, condition, which == SUBJECT_COUNT ? 1 : collected_age(collector, condition->transition_ns));
}

void collect_subjects(const Collector *collector, MetricId id, Exposition *out) {
    const Cluster *cluster = collector->cluster;
    Walk walk = {collector, id, out};

    for (vec_each(const NodeClaim, claim, &cluster->node_claims))
        walk_object(&walk, KUBE_NODE_CLAIM, claim);
    for (vec_each(const NodePool, pool, &cluster->node_pools))
        walk_object(&walk, KUBE_NODE_POOL, pool);
    for (vec_each(const Node, node, &cluster->nodes))
        walk_object(&walk, KUBE_NODE, node);
    for (vec_each(const EC2NodeClass, class, &cluster->ec2_node_classes))
        walk_object(&walk, KUBE_EC2_NODE_CLASS, class);
    for (vec_each(const KWOKNodeClass, class, &cluster->kwok_node_classes))
        walk_object(&walk, KUBE_KWOK_NODE_CLASS, class);
}
