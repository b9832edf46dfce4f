// Volumes, their claims and classes; PodDisruptionBudgets.
//
// Sources: k8s.io/kubernetes v1.36 defaults and validation of core, storage and policy, the admission plugin
// DefaultStorageClass. Binding of claims is done by the simulated controllers.
#include "sim/api/meta.h"
#include "sim/api/request.h"
#include "text/quantity.h"

void volume_defaults(const Request *request, Value *object) {
    Value *spec = value_find_text(object, "spec");

    if (!spec)
        return;
    default_text(request->arena, spec, "volumeMode", "Filesystem");
    if (request->kind == KUBE_PERSISTENT_VOLUME)
        default_text(request->arena, spec, "persistentVolumeReclaimPolicy", "Retain");
}

// The StorageClass that is marked as default, if any; the last by name, since the newest is not known here.
static Slice default_storage_class(const Request *request) {
    const Order *order = &request->store->kinds[KUBE_STORAGE_CLASS].order;
    Slice found = SLICE("");

    for (OrderPlace place = {0}; order_get(order, place); place = order_next(order, place)) {
        const Entry *entry = order_get(order, place);
        Value mark;

        if (packed_part(request->arena, &request->store->names, entry->packed, &mark, "metadata", "annotations",
                        "storageclass.kubernetes.io/is-default-class", NULL) &&
            mark.kind == VALUE_STRING && slice_eq_text(mark.text, "true"))
            found = entry_key(entry);
    }
    return found;
}

void volume_prepare(const Request *request, Value *object) {
    Value *spec, status = value_map();
    Slice class;

    value_put(request->arena, &status, SLICE("phase"), value_string(SLICE("Pending")));
    value_put(request->arena, object, SLICE("status"), status);
    spec = value_find_text(object, "spec");
    if (request->kind != KUBE_PERSISTENT_VOLUME_CLAIM || !spec || value_find_text(spec, "storageClassName"))
        return;
    class = default_storage_class(request);
    if (class.len)
        value_put(request->arena, spec, SLICE("storageClassName"), value_string(class));
}

// The binder may set the volume's name once; the requested size may change.
ErrCode volume_claim_validate(const Request *request, const Value *object, const Value *old) {
    static const char *const free_members[] = {"resources", "volumeAttributesClassName"};
    const Value *before = value_get_text(old, "spec");
    Value masked;

    if (!old || member_eq(object, old, "spec"))
        return OK;
    masked = value_copy_tree(request->arena, value_get_text(object, "spec"));
    for (size_t i = 0; i < sizeof free_members / sizeof *free_members; i++) {
        const Value *value = value_get(before, slice_of(free_members[i]));

        if (value)
            value_put(request->arena, &masked, slice_of(free_members[i]), *value);
        else
            value_remove(&masked, slice_of(free_members[i]));
    }
    if (kube_text(before, "volumeName", NULL).len == 0)
        value_remove_text(&masked, "volumeName");
    if (!value_eq(&masked, before))
        return fail_invalid(request, "spec",
                            "Forbidden: spec is immutable after creation except resources.requests and "
                            "volumeAttributesClassName for bound claims");
    return OK;
}

void storage_class_defaults(const Request *request, Value *object) {
    default_text(request->arena, object, "reclaimPolicy", "Delete");
    default_text(request->arena, object, "volumeBindingMode", "Immediate");
}

ErrCode storage_class_validate(const Request *request, const Value *object, const Value *old) {
    static const char *const fixed[] = {"parameters", "provisioner", "reclaimPolicy", "volumeBindingMode"};

    if (kube_text(object, "provisioner", NULL).len == 0)
        return fail_invalid(request, "provisioner", "Required value");
    for (size_t i = 0; old && i < sizeof fixed / sizeof *fixed; i++) {
        if (!member_eq(object, old, fixed[i]))
            return fail_invalid(request, fixed[i], "Invalid value: \"%.*s\": field is immutable",
                                SLICE_ARG(kube_text(object, fixed[i], NULL)));
    }
    return OK;
}

// Whether the value is a number of pods, or a percentage up to 100.
static bool is_pod_count(const Value *value) {
    Slice digits;
    int64_t number;

    if (value->kind == VALUE_NUMBER)
        return value_to_int64(value, &number) && number >= 0;
    if (value->kind != VALUE_STRING || value->text.len < 2 || value->text.ptr[value->text.len - 1] != '%')
        return false;
    digits = slice_first(value->text, value->text.len - 1);
    return slice_to_int64(digits, &number) && number >= 0 && number <= 100;
}

ErrCode budget_validate(const Request *request, const Value *object, const Value *old) {
    static const char *const counts[] = {"minAvailable", "maxUnavailable"};
    const Value *spec = value_get_text(object, "spec");

    (void)old;
    if (value_get_text(spec, "minAvailable") && value_get_text(spec, "maxUnavailable"))
        return fail_invalid(request, "spec", "Invalid value: minAvailable and maxUnavailable cannot be both set");
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        const Value *count = value_get(spec, slice_of(counts[i]));

        if (count && !is_pod_count(count))
            return fail_invalid(request, arena_printf(request->arena, "spec.%s", counts[i]).ptr,
                                "Invalid value: must be a number of pods or a percentage from 0%% to 100%%");
    }
    return OK;
}
