// Updates of pods. Allowed changes of the spec: images, deadlines, added tolerations, removed scheduling gates, and
// node selection of a gated pod.
//
// Source: k8s.io/kubernetes v1.36 ValidatePodUpdate, and pkg/apis/core/helper/qos.
#include "sim/api/rules/pod_update.h"

#include "sim/api/request.h"
#include "sim/api/rules/rules.h"
#include "text/quantity.h"
#include "text/value_edit.h"

static const char MAY_CHANGE[] =
    "`spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only "
    "additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was "
    "previously negative)";

static bool has_element(const Value *list, const Value *element) {
    for (uint32_t i = 0; list && list->kind == VALUE_LIST && i < list->list.count; i++) {
        if (value_eq(&list->list.items[i], element))
            return true;
    }
    return false;
}

// The first element of `part` that is not in `whole`, or NULL.
static const Value *missing_from(const Value *whole, const Value *part) {
    for (uint32_t i = 0; part && part->kind == VALUE_LIST && i < part->list.count; i++) {
        if (!has_element(whole, &part->list.items[i]))
            return &part->list.items[i];
    }
    return NULL;
}

static ErrCode check_lists(const Request *request, const Value *spec, const Value *old) {
    const Value *added = missing_from(value_get_text(old, "schedulingGates"), value_get_text(spec, "schedulingGates"));

    if (missing_from(value_get_text(spec, "tolerations"), value_get_text(old, "tolerations")))
        return fail_invalid(request, "spec.tolerations",
                            "Forbidden: existing toleration can not be modified except its tolerationSeconds");
    if (added)
        return fail_invalid(request, "spec.schedulingGates[0].name",
                            "Forbidden: only deletion is allowed, but found new scheduling gate '%.*s'",
                            SLICE_ARG(kube_text(added, "name", NULL)));
    return OK;
}

static void mask(Arena *arena, Value *spec, const Value *old, const char *key) {
    const Value *before = value_get(old, slice_of(key));

    if (before)
        value_put(arena, spec, slice_of(key), *before);
    else
        value_remove(spec, slice_of(key));
}

static void mask_images(Arena *arena, Value *spec, const Value *old, const char *list) {
    Value *containers = value_find(spec, slice_of(list));
    const Value *before = value_get(old, slice_of(list));

    for (uint32_t i = 0; containers && before && containers->kind == VALUE_LIST && before->kind == VALUE_LIST &&
                         i < containers->list.count && i < before->list.count;
         i++) {
        if (containers->list.items[i].kind == VALUE_MAP)
            mask(arena, &containers->list.items[i], &before->list.items[i], "image");
    }
}

ErrCode pod_validate_update(const Request *request, const Value *spec, const Value *old) {
    static const char *const free_members[] = {"activeDeadlineSeconds", "schedulingGates", "tolerations"};
    static const char *const gated_members[] = {"nodeSelector", "affinity"};
    const Value *gates = value_get_text(old, "schedulingGates");
    Value masked;
    int64_t grace_s;

    if (value_eq(spec, old))
        return OK;
    TRY(check_lists(request, spec, old));
    masked = value_copy_tree(request->arena, spec);
    mask_images(request->arena, &masked, old, "containers");
    mask_images(request->arena, &masked, old, "initContainers");
    for (size_t i = 0; i < sizeof free_members / sizeof *free_members; i++)
        mask(request->arena, &masked, old, free_members[i]);
    if (value_to_int64(value_get_text(old, "terminationGracePeriodSeconds"), &grace_s) && grace_s < 0)
        mask(request->arena, &masked, old, "terminationGracePeriodSeconds");
    for (size_t i = 0; gates && gates->kind == VALUE_LIST && gates->list.count && i < 2; i++)
        mask(request->arena, &masked, old, gated_members[i]);
    if (!value_eq(&masked, old))
        return fail_invalid(request, "spec", "Forbidden: pod updates may not change fields other than %s", MAY_CHANGE);
    return OK;
}

// QoS class: Guaranteed when each container has limits of CPU and memory and equal requests.

static bool amount_of(const Value *container, const char *which, const char *resource, int64_t *ret_milli) {
    const Value *amount = value_at(container, "resources", which, resource, NULL);

    return amount && (amount->kind == VALUE_STRING || amount->kind == VALUE_NUMBER) &&
           quantity_parse(amount->text, QUANTITY_MILLI, ret_milli, NULL) == OK && *ret_milli > 0;
}

static void judge(const Value *container, bool *guaranteed, bool *best_effort) {
    static const char *const resources[] = {"cpu", "memory"};

    for (size_t i = 0; i < sizeof resources / sizeof *resources; i++) {
        int64_t request, limit;
        bool requested = amount_of(container, "requests", resources[i], &request);
        bool limited = amount_of(container, "limits", resources[i], &limit);

        *best_effort &= !requested && !limited;
        *guaranteed &= requested && limited && request == limit;
    }
}

Slice pod_qos_class(const Value *spec) {
    static const char *const lists[] = {"containers", "initContainers"};
    bool guaranteed = true, best_effort = true;

    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        const Value *containers = value_get(spec, slice_of(lists[i]));

        for (uint32_t c = 0; containers && containers->kind == VALUE_LIST && c < containers->list.count; c++)
            judge(&containers->list.items[c], &guaranteed, &best_effort);
    }
    if (best_effort)
        return SLICE("BestEffort");
    return guaranteed ? SLICE("Guaranteed") : SLICE("Burstable");
}
