// Pods: defaults, additions by admission, and validation at creation.
//
// Sources: k8s.io/kubernetes v1.36 pkg/apis/core/v1/defaults.go, pkg/apis/core/validation, the admission plugins
// Priority, DefaultTolerationSeconds; RuntimeClass is in api/rules/runtime.c. Left out: defaults that the simulation
// does not read (probe timings, image pull policies, security contexts, service accounts).
#include "sim/api/meta.h"
#include "sim/api/request.h"
#include "sim/api/rules/pod_update.h"
#include "text/quantity.h"

enum { TOLERATION_SECONDS = 300, PRIORITY_CLUSTER = 2000000000, PRIORITY_NODE = 2000001000 };

static const char *const container_lists[] = {"initContainers", "containers"};

// Sets missing requests to the limits.
static void default_requests(Arena *arena, Value *container) {
    const Value *limits = value_at(container, "resources", "limits", NULL);

    if (!limits || limits->kind != VALUE_MAP)
        return;
    for (vec_each(const ValueMember, limit, &limits->map)) {
        Value *requests = value_make(arena, container, "resources", "requests", NULL);

        if (!value_find(requests, limit->key))
            value_put(arena, requests, limit->key, limit->value);
    }
}

void pod_spec_defaults(Arena *arena, Value *spec) {
    if (!spec || spec->kind != VALUE_MAP)
        return;
    default_text(arena, spec, "restartPolicy", "Always");
    default_text(arena, spec, "dnsPolicy", "ClusterFirst");
    default_text(arena, spec, "schedulerName", "default-scheduler");
    default_int(arena, spec, "terminationGracePeriodSeconds", 30);
    for (size_t i = 0; i < sizeof container_lists / sizeof *container_lists; i++) {
        Value *containers = value_find(spec, slice_of(container_lists[i]));

        for (uint32_t c = 0; containers && containers->kind == VALUE_LIST && c < containers->list.count; c++)
            default_requests(arena, &containers->list.items[c]);
    }
}

void pod_defaults(const Request *request, Value *object) {
    pod_spec_defaults(request->arena, value_find_text(object, "spec"));
}

// Additions by admission.

static bool tolerates(const Value *tolerations, const char *key) {
    for (uint32_t i = 0; tolerations && tolerations->kind == VALUE_LIST && i < tolerations->list.count; i++) {
        const Value *toleration = &tolerations->list.items[i];
        Slice its_key = kube_text(toleration, "key", NULL), effect = kube_text(toleration, "effect", NULL);

        if ((its_key.len == 0 || slice_eq_text(its_key, key)) &&
            (effect.len == 0 || slice_eq_text(effect, "NoExecute")))
            return true;
    }
    return false;
}

static void add_tolerations(Arena *arena, Value *spec) {
    static const char *const keys[] = {"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"};

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        Value *tolerations = value_find_text(spec, "tolerations");
        Value toleration = value_map();

        if (tolerates(tolerations, keys[i]))
            continue;
        if (!tolerations || tolerations->kind != VALUE_LIST)
            tolerations = value_put(arena, spec, SLICE("tolerations"), value_list());
        value_put(arena, &toleration, SLICE("key"), value_string(slice_of(keys[i])));
        value_put(arena, &toleration, SLICE("operator"), value_string(SLICE("Exists")));
        value_put(arena, &toleration, SLICE("effect"), value_string(SLICE("NoExecute")));
        value_put(arena, &toleration, SLICE("tolerationSeconds"), value_int(arena, TOLERATION_SECONDS));
        value_append(arena, tolerations, toleration);
    }
}

// The PriorityClass that is marked as the global default, if any.
static const Entry *default_class(const Request *request) {
    const Order *order = &request->store->kinds[KUBE_PRIORITY_CLASS].order;

    for (OrderPlace place = {0}; order_get(order, place); place = order_next(order, place)) {
        const Entry *entry = order_get(order, place);
        Value is_default;

        if (packed_part(request->arena, &request->store->names, entry->packed, &is_default, "globalDefault", NULL) &&
            is_default.kind == VALUE_BOOL && is_default.boolean)
            return entry;
    }
    return NULL;
}

// Priority and preemption policy of the pod's class, or of the default one. False: it names a class that does not
// exist.
static bool find_priority(const Request *request, const Value *spec, int64_t *ret_priority, Slice *ret_policy) {
    Slice name = kube_text(spec, "priorityClassName", NULL);
    const Entry *entry = name.len ? store_find(request->store, KUBE_PRIORITY_CLASS, name) : default_class(request);
    Value class;

    *ret_priority = 0;
    *ret_policy = SLICE("PreemptLowerPriority");
    if (slice_eq_text(name, "system-cluster-critical") || slice_eq_text(name, "system-node-critical")) {
        *ret_priority = slice_eq_text(name, "system-node-critical") ? PRIORITY_NODE : PRIORITY_CLUSTER;
        return true;
    }
    if (!entry)
        return name.len == 0;
    class = request_open(request, entry);
    value_to_int64(value_get_text(&class, "value"), ret_priority);
    if (kube_text(&class, "preemptionPolicy", NULL).len)
        *ret_policy = kube_text(&class, "preemptionPolicy", NULL);
    return true;
}

static void set_priority(const Request *request, Value *spec) {
    int64_t priority;
    Slice policy;

    if (!find_priority(request, spec, &priority, &policy))
        return; // pod_validate refuses it
    value_put(request->arena, spec, SLICE("priority"), value_int(request->arena, priority));
    value_put(request->arena, spec, SLICE("preemptionPolicy"), value_string(policy));
}

static void gate(const Request *request, Value *status) {
    Value condition = value_map(), *conditions;

    value_put(request->arena, &condition, SLICE("type"), value_string(SLICE("PodScheduled")));
    value_put(request->arena, &condition, SLICE("status"), value_string(SLICE("False")));
    value_put(request->arena, &condition, SLICE("reason"), value_string(SLICE("SchedulingGated")));
    value_put(request->arena, &condition, SLICE("message"),
              value_string(SLICE("Scheduling is blocked due to non-empty scheduling gates")));
    conditions = value_put(request->arena, status, SLICE("conditions"), value_list());
    value_append(request->arena, conditions, condition);
}

void pod_prepare(const Request *request, Value *object) {
    Value *spec = value_find_text(object, "spec"), status = value_map();
    const Value *gates = value_get_text(spec, "schedulingGates");

    if (!spec || spec->kind != VALUE_MAP)
        return; // pod_validate refuses it
    add_tolerations(request->arena, spec);
    runtime_class_apply(request, spec);
    set_priority(request, spec);
    value_put(request->arena, &status, SLICE("phase"), value_string(SLICE("Pending")));
    value_put(request->arena, &status, SLICE("qosClass"), value_string(pod_qos_class(spec)));
    if (gates && gates->kind == VALUE_LIST && gates->list.count)
        gate(request, &status);
    value_put(request->arena, object, SLICE("status"), status);
}

// Validation.

static ErrCode check_amounts(const Request *request, const Value *amounts, const char *path) {
    for (uint32_t i = 0; amounts && amounts->kind == VALUE_MAP && i < amounts->map.count; i++) {
        const ValueMember *amount = &amounts->map.items[i];
        int64_t milli;
        Err why;
        Slice text =
            amount->value.kind == VALUE_STRING || amount->value.kind == VALUE_NUMBER ? amount->value.text : SLICE("");

        if (quantity_parse(text, QUANTITY_UNIT, &milli, &why) == ERR_INVALID)
            return kube_fail(request->error, KUBE_REASON_BAD_REQUEST,
                             "Pod in version \"v1\" cannot be handled as a Pod: %s.%.*s: quantities must match the "
                             "regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
                             path, SLICE_ARG(amount->key));
        if (milli < 0)
            return fail_invalid(request, path, "%.*s: Invalid value: \"%.*s\": must be greater than or equal to 0",
                                SLICE_ARG(amount->key), SLICE_ARG(text));
    }
    return OK;
}

static ErrCode check_within_limits(const Request *request, const Value *requests, const Value *limits,
                                   const char *path) {
    for (uint32_t i = 0; requests && limits && requests->kind == VALUE_MAP && i < requests->map.count; i++) {
        const ValueMember *wanted = &requests->map.items[i];
        const Value *limit = value_get(limits, wanted->key);
        int64_t amount, most;

        if (!limit || quantity_parse(wanted->value.text, QUANTITY_MILLI, &amount, NULL) != OK ||
            quantity_parse(limit->text, QUANTITY_MILLI, &most, NULL) != OK || amount <= most)
            continue;
        return fail_invalid(request, path, "Invalid value: \"%.*s\": must be less than or equal to %.*s limit of %.*s",
                            SLICE_ARG(wanted->value.text), SLICE_ARG(wanted->key), SLICE_ARG(limit->text));
    }
    return OK;
}

static ErrCode check_container(const Request *request, const Value *container, const char *path) {
    const Value *requests = value_at(container, "resources", "requests", NULL);
    const Value *limits = value_at(container, "resources", "limits", NULL);

    if (container->kind != VALUE_MAP || kube_text(container, "name", NULL).len == 0)
        return fail_invalid(request, arena_printf(request->arena, "%s.name", path).ptr, "Required value");
    if (kube_text(container, "image", NULL).len == 0)
        return fail_invalid(request, arena_printf(request->arena, "%s.image", path).ptr, "Required value");
    path = arena_printf(request->arena, "%s.resources.requests", path).ptr;
    TRY(check_amounts(request, requests, path));
    TRY(check_amounts(request, limits, path));
    return check_within_limits(request, requests, limits, path);
}

static ErrCode check_containers(const Request *request, const Value *containers, const char *list) {
    for (uint32_t i = 0; containers && containers->kind == VALUE_LIST && i < containers->list.count; i++) {
        const Value *container = &containers->list.items[i];
        const char *path = arena_printf(request->arena, "spec.%s[%u]", list, i).ptr;

        TRY(check_container(request, container, path));
        for (uint32_t before = 0; before < i; before++) {
            if (slice_eq(kube_text(container, "name", NULL), kube_text(&containers->list.items[before], "name", NULL)))
                return fail_invalid(request, arena_printf(request->arena, "%s.name", path).ptr,
                                    "Duplicate value: \"%.*s\"", SLICE_ARG(kube_text(container, "name", NULL)));
        }
    }
    return OK;
}

static ErrCode check_words(const Request *request, const Value *spec) {
    Slice policy = kube_text(spec, "restartPolicy", NULL);
    const Value *grace = value_get_text(spec, "terminationGracePeriodSeconds");
    int64_t seconds;

    if (!slice_eq_text(policy, "Always") && !slice_eq_text(policy, "OnFailure") && !slice_eq_text(policy, "Never"))
        return fail_invalid(request, "spec.restartPolicy",
                            "Unsupported value: \"%.*s\": supported values: \"Always\", \"OnFailure\", \"Never\"",
                            SLICE_ARG(policy));
    if (!value_to_int64(grace, &seconds))
        return kube_fail(
            request->error, KUBE_REASON_BAD_REQUEST,
            "Pod in version \"v1\" cannot be handled as a Pod: spec.terminationGracePeriodSeconds: expected "
            "an integer");
    return OK;
}

// Refuses a nomination of a bound pod.
static ErrCode check_nomination(const Request *request, const Value *object, const Value *old) {
    Slice nominated = kube_text(object, "status", "nominatedNodeName", NULL);

    if (kube_text(old, "spec", "nodeName", NULL).len && nominated.len &&
        !slice_eq(nominated, kube_text(old, "status", "nominatedNodeName", NULL)))
        return fail_invalid(request, "status.nominatedNodeName",
                            "Forbidden: may not be set on pods that are already bound to a node");
    return OK;
}

ErrCode pod_validate(const Request *request, const Value *object, const Value *old) {
    const Value *spec = value_get_text(object, "spec"), *containers = value_get_text(spec, "containers");
    const Value *gates = value_get_text(spec, "schedulingGates");
    int64_t priority;
    Slice policy;

    if (!containers || containers->kind != VALUE_LIST || containers->list.count == 0)
        return fail_invalid(request, "spec.containers", "Required value");
    if (old) {
        TRY(check_nomination(request, object, old));
        return pod_validate_update(request, spec, value_get_text(old, "spec"));
    }
    for (size_t i = 0; i < sizeof container_lists / sizeof *container_lists; i++)
        TRY(check_containers(request, value_get(spec, slice_of(container_lists[i])), container_lists[i]));
    TRY(check_words(request, spec));
    if (!find_priority(request, spec, &priority, &policy))
        return fail_forbidden(request, "no PriorityClass with name %.*s was found",
                              SLICE_ARG(kube_text(spec, "priorityClassName", NULL)));
    TRY(runtime_class_validate(request, spec));
    if (kube_text(spec, "nodeName", NULL).len && gates && gates->kind == VALUE_LIST && gates->list.count)
        return fail_invalid(request, "spec.nodeName",
                            "Forbidden: cannot be set until all schedulingGates have been cleared");
    return OK;
}
