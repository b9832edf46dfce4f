// Deployments, ReplicaSets, StatefulSets, DaemonSets and Jobs.
//
// Sources: k8s.io/kubernetes v1.36 defaults and validation of apps and batch, the strategy of Jobs.
#include "sim/api/meta.h"
#include "sim/api/request.h"

static Value *template_of(Value *object) {
    return value_find_text(value_find_text(object, "spec"), "template");
}

static Value *spec_with_template(const Request *request, Value *object) {
    pod_spec_defaults(request->arena, value_find_text(template_of(object), "spec"));
    return value_make(request->arena, object, "spec", NULL);
}

void replica_set_defaults(const Request *request, Value *object) {
    default_int(request->arena, spec_with_template(request, object), "replicas", 1);
}

void deployment_defaults(const Request *request, Value *object) {
    Arena *arena = request->arena;
    Value *spec = spec_with_template(request, object), *strategy;

    default_int(arena, spec, "replicas", 1);
    default_int(arena, spec, "revisionHistoryLimit", 10);
    default_int(arena, spec, "progressDeadlineSeconds", 600);
    strategy = value_make(arena, spec, "strategy", NULL);
    default_text(arena, strategy, "type", "RollingUpdate");
    if (!slice_eq_text(kube_text(strategy, "type", NULL), "RollingUpdate"))
        return;
    strategy = value_make(arena, strategy, "rollingUpdate", NULL);
    default_text(arena, strategy, "maxUnavailable", "25%");
    default_text(arena, strategy, "maxSurge", "25%");
}

void stateful_set_defaults(const Request *request, Value *object) {
    Arena *arena = request->arena;
    Value *spec = spec_with_template(request, object), *strategy;

    default_int(arena, spec, "replicas", 1);
    default_int(arena, spec, "revisionHistoryLimit", 10);
    default_text(arena, spec, "podManagementPolicy", "OrderedReady");
    strategy = value_make(arena, spec, "updateStrategy", NULL);
    default_text(arena, strategy, "type", "RollingUpdate");
    if (slice_eq_text(kube_text(strategy, "type", NULL), "RollingUpdate"))
        default_int(arena, value_make(arena, strategy, "rollingUpdate", NULL), "partition", 0);
}

void daemon_set_defaults(const Request *request, Value *object) {
    Arena *arena = request->arena;
    Value *spec = spec_with_template(request, object), *strategy;

    default_int(arena, spec, "revisionHistoryLimit", 10);
    strategy = value_make(arena, spec, "updateStrategy", NULL);
    default_text(arena, strategy, "type", "RollingUpdate");
    if (!slice_eq_text(kube_text(strategy, "type", NULL), "RollingUpdate"))
        return;
    strategy = value_make(arena, strategy, "rollingUpdate", NULL);
    default_int(arena, strategy, "maxUnavailable", 1);
    default_int(arena, strategy, "maxSurge", 0);
}

// Sets the numbers of a new object's status that Go writes even when 0.
void count_prepare(const Request *request, Value *object) {
    static const char *const replica_set[] = {"replicas", NULL};
    static const char *const stateful_set[] = {"replicas", "availableReplicas", NULL};
    static const char *const daemon_set[] = {"currentNumberScheduled", "numberMisscheduled", "desiredNumberScheduled",
                                             "numberReady", NULL};
    static const char *const budget[] = {"disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods",
                                         NULL};
    const char *const *names = request->kind == KUBE_REPLICA_SET    ? replica_set
                               : request->kind == KUBE_STATEFUL_SET ? stateful_set
                               : request->kind == KUBE_DAEMON_SET   ? daemon_set
                                                                    : budget;
    Value *status = value_put(request->arena, object, SLICE("status"), value_map());

    for (; *names; names++)
        value_put(request->arena, status, slice_of(*names), value_int(request->arena, 0));
}

static ErrCode check_selector(const Request *request, const Value *object, const Value *old) {
    const Value *written = value_at(object, "spec", "selector", NULL);
    Selector selector;

    if (!selector_read(request->arena, written, &selector))
        return fail_invalid(request, "spec.selector", "Required value");
    if (selector.terms.count == 0)
        return fail_invalid(request, "spec.selector", "Invalid value: empty selector is invalid for %.*s",
                            SLICE_ARG(request->info->kind));
    if (old && !member_eq(value_get_text(object, "spec"), value_get_text(old, "spec"), "selector"))
        return fail_invalid(request, "spec.selector", "Invalid value: field is immutable");
    if (!selector_matches_map(&selector, value_at(object, "spec", "template", "metadata", "labels", NULL)))
        return fail_invalid(request, "spec.template.metadata.labels",
                            "Invalid value: `selector` does not match template `labels`");
    return OK;
}

static ErrCode check_replicas(const Request *request, const Value *spec) {
    const Value *replicas = value_get_text(spec, "replicas");
    int64_t count;

    if (replicas && (!value_to_int64(replicas, &count) || count < 0))
        return fail_invalid(request, "spec.replicas", "Invalid value: must be greater than or equal to 0");
    return OK;
}

static ErrCode check_stateful_update(const Request *request, const Value *spec, const Value *old) {
    static const char *const fixed[] = {"serviceName", "selector", "volumeClaimTemplates", "podManagementPolicy"};

    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++) {
        if (!member_eq(spec, old, fixed[i]))
            return fail_invalid(request, "spec",
                                "Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', "
                                "'template', 'updateStrategy', 'revisionHistoryLimit', "
                                "'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden");
    }
    return OK;
}

static ErrCode check_template(const Request *request, const Value *object) {
    const Value *containers = value_at(object, "spec", "template", "spec", "containers", NULL);

    if (!containers || containers->kind != VALUE_LIST || containers->list.count == 0)
        return fail_invalid(request, "spec.template.spec.containers", "Required value");
    return OK;
}

ErrCode workload_validate(const Request *request, const Value *object, const Value *old) {
    const Value *spec = value_get_text(object, "spec");

    if (old && request->kind == KUBE_STATEFUL_SET)
        TRY(check_stateful_update(request, spec, value_get_text(old, "spec")));
    TRY(check_replicas(request, spec));
    TRY(check_selector(request, object, old));
    return check_template(request, object);
}

// Jobs.

void job_defaults(const Request *request, Value *object) {
    Arena *arena = request->arena;
    Value *spec = spec_with_template(request, object);

    if (!value_find_text(spec, "completions") && !value_find_text(spec, "parallelism"))
        default_int(arena, spec, "completions", 1);
    default_int(arena, spec, "parallelism", 1);
    default_int(arena, spec, "backoffLimit", 6);
    default_text(arena, spec, "completionMode", "NonIndexed");
    if (!value_find_text(spec, "suspend"))
        value_put(arena, spec, SLICE("suspend"), value_bool(false));
}

// A Job selects its pods by its uid, which their labels have.
void job_prepare(const Request *request, Value *object) {
    static const char *const uid_labels[] = {"batch.kubernetes.io/controller-uid", "controller-uid"};
    static const char *const name_labels[] = {"batch.kubernetes.io/job-name", "job-name"};
    Arena *arena = request->arena;
    Value *labels = value_make(arena, object, "spec", "template", "metadata", "labels", NULL), *spec;
    const Value *manual = value_at(object, "spec", "manualSelector", NULL);

    if (manual && manual->kind == VALUE_BOOL && manual->boolean)
        return;
    for (size_t i = 0; i < sizeof uid_labels / sizeof *uid_labels; i++) {
        value_put(arena, labels, slice_of(uid_labels[i]), value_string(kube_uid(object)));
        value_put(arena, labels, slice_of(name_labels[i]), value_string(request->name));
    }
    spec = value_find_text(object, "spec");
    value_put(arena, value_make(arena, spec, "selector", "matchLabels", NULL), slice_of(uid_labels[0]),
              value_string(kube_uid(object)));
}

ErrCode job_validate(const Request *request, const Value *object, const Value *old) {
    Slice policy = kube_text(object, "spec", "template", "spec", "restartPolicy", NULL);

    TRY(check_template(request, object));
    TRY(check_selector(request, object, old));
    if (old && !member_eq(value_get_text(object, "spec"), value_get_text(old, "spec"), "template"))
        return fail_invalid(request, "spec.template", "Invalid value: field is immutable");
    if (!slice_eq_text(policy, "OnFailure") && !slice_eq_text(policy, "Never"))
        return fail_invalid(request, "spec.template.spec.restartPolicy",
                            "Required value: valid values: \"OnFailure\", \"Never\"");
    return OK;
}
