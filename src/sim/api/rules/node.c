// Nodes, namespaces and events.
//
// Sources: k8s.io/kubernetes v1.36 strategies, ValidateNode and ValidateNodeUpdate, the admission plugin
// TaintNodesByCondition, the namespace strategy.
#include "sim/api/meta.h"
#include "sim/api/request.h"

// Allocatable defaults to capacity.
void node_defaults(const Request *request, Value *object) {
    Value *status = value_find_text(object, "status");
    const Value *capacity = value_get_text(status, "capacity");

    if (capacity && capacity->kind == VALUE_MAP && capacity->map.count && !value_find_text(status, "allocatable"))
        value_put(request->arena, status, SLICE("allocatable"), value_copy_tree(request->arena, capacity));
}

// A new Node gets the not-ready taint, which the node lifecycle controller removes.
void node_prepare(const Request *request, Value *object) {
    Value *spec = value_make(request->arena, object, "spec", NULL), *taints = value_find_text(spec, "taints");
    Value taint = value_map();

    if (!taints || taints->kind != VALUE_LIST)
        taints = value_put(request->arena, spec, SLICE("taints"), value_list());
    for (vec_each(const Value, there, &taints->list)) {
        if (slice_eq_text(kube_text(there, "key", NULL), "node.kubernetes.io/not-ready") &&
            slice_eq_text(kube_text(there, "effect", NULL), "NoSchedule"))
            return;
    }
    value_put(request->arena, &taint, SLICE("key"), value_string(SLICE("node.kubernetes.io/not-ready")));
    value_put(request->arena, &taint, SLICE("effect"), value_string(SLICE("NoSchedule")));
    value_append(request->arena, taints, taint);
}

static bool is_effect(Slice effect) {
    return slice_eq_text(effect, "NoSchedule") || slice_eq_text(effect, "PreferNoSchedule") ||
           slice_eq_text(effect, "NoExecute");
}

static ErrCode check_taints(const Request *request, const Value *taints) {
    for (uint32_t i = 0; taints && taints->kind == VALUE_LIST && i < taints->list.count; i++) {
        const Value *taint = &taints->list.items[i];
        Slice key = kube_text(taint, "key", NULL), effect = kube_text(taint, "effect", NULL);
        const char *path = arena_printf(request->arena, "metadata.taints[%u]", i).ptr;

        if (!is_effect(effect))
            return fail_invalid(request, path,
                                "effect: Unsupported value: \"%.*s\": supported values: \"NoExecute\", \"NoSchedule\", "
                                "\"PreferNoSchedule\"",
                                SLICE_ARG(effect));
        for (uint32_t before = 0; before < i; before++) {
            const Value *other = &taints->list.items[before];

            if (slice_eq(kube_text(other, "key", NULL), key) && slice_eq(kube_text(other, "effect", NULL), effect))
                return fail_invalid(request, path, "Duplicate value: %.*s:%.*s", SLICE_ARG(key), SLICE_ARG(effect));
        }
    }
    return OK;
}

ErrCode node_validate(const Request *request, const Value *object, const Value *old) {
    Slice before = kube_text(old, "spec", "providerID", NULL);

    TRY(check_taints(request, value_at(object, "spec", "taints", NULL)));
    if (before.len && !slice_eq(before, kube_text(object, "spec", "providerID", NULL)))
        return fail_invalid(request, "spec.providerID",
                            "Forbidden: node updates may not change providerID except from \"\" to valid");
    return OK;
}

void namespace_defaults(const Request *request, Value *object) {
    value_put(request->arena, value_make(request->arena, object, "metadata", "labels", NULL),
              SLICE("kubernetes.io/metadata.name"), value_string(request->name));
}

void namespace_prepare(const Request *request, Value *object) {
    Value *spec = value_make(request->arena, object, "spec", NULL);
    Value *finalizers = value_put(request->arena, spec, SLICE("finalizers"), value_list());

    value_append(request->arena, finalizers, value_string(SLICE("kubernetes")));
    value_put(request->arena, value_make(request->arena, object, "status", NULL), SLICE("phase"),
              value_string(SLICE("Active")));
}

// Events about cluster-scoped objects must be in "default".
ErrCode event_validate(const Request *request, const Value *object, const Value *old) {
    Slice involved = kube_text(object, "involvedObject", "namespace", NULL);

    (void)old;
    if (involved.len ? !slice_eq(involved, request->ns)
                     : !slice_eq_text(request->ns, "default") && !slice_eq_text(request->ns, "kube-system"))
        return fail_invalid(request, "involvedObject.namespace",
                            "Invalid value: \"%.*s\": does not match event.namespace", SLICE_ARG(involved));
    return OK;
}
