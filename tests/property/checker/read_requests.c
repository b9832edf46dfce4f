// Effective requests of a pod: containers, sidecars, init containers, pod-level resources, overhead.
// Behaviour: Kubernetes' PodRequests as kube-scheduler calls it (scheduling.md 3.1).
#include "checker/read_requests.h"

static const Value *container_status(const Value *status, const char *member, Slice name) {
    const Value *list = judge_read_list(status, member);

    for (uint32_t i = 0; i < judge_read_count(list); i++) {
        if (slice_eq(judge_read_text(&list->list.items[i], "name"), name))
            return &list->list.items[i];
    }
    return NULL;
}

// Requests of one container as the API server defaults them: a missing request is the limit.
static ErrCode spec_requests(World *world, const Value *container, Amounts *ret_requests, Err *err) {
    const Value *resources = value_get_text(container, "resources");
    Amounts requests, limits;

    TRY(judge_read_amounts(world, resources ? value_get_text(resources, "requests") : NULL, &requests, err));
    TRY(judge_read_amounts(world, resources ? value_get_text(resources, "limits") : NULL, &limits, err));
    for (uint32_t i = 0; i < RESOURCE_MAX; i++) {
        if (amounts_has(&limits, i) && !amounts_has(&requests, i))
            requests.of[i] = limits.of[i];
    }
    requests.present |= limits.present;
    *ret_requests = requests;
    return OK;
}

// The larger of the spec's requests and those of the running container (resized in place).
static ErrCode container_requests(World *world, const Value *container, const Value *status, bool resize_infeasible,
                                  Amounts *ret_requests, Err *err) {
    const Value *resources = status ? value_get_text(status, "resources") : NULL;
    Amounts requests, actual, allocated;

    TRY(spec_requests(world, container, &requests, err));
    if (resources && resources->kind == VALUE_MAP) {
        TRY(judge_read_amounts(world, value_get_text(resources, "requests"), &actual, err));
        TRY(judge_read_amounts(world, value_get_text(status, "allocatedResources"), &allocated, err));
        if (resize_infeasible)
            requests = (Amounts){0};
        judge_amounts_raise(&requests, &actual);
        judge_amounts_raise(&requests, &allocated);
    }
    *ret_requests = requests;
    return OK;
}

static bool is_pod_level(const World *world, uint32_t resource) {
    return resource == RESOURCE_CPU || resource == RESOURCE_MEMORY ||
           slice_starts_with(judge_text(world, world->resources.items[resource]), SLICE("hugepages-"));
}

static ErrCode add_init_containers(World *world, const Value *spec, const Value *status, bool infeasible,
                                   Amounts *total, Err *err) {
    const Value *list = judge_read_list(spec, "initContainers");
    Amounts sidecars = {0}, peak = {0};

    for (uint32_t i = 0; i < judge_read_count(list); i++) {
        const Value *item = &list->list.items[i];
        bool is_sidecar = slice_eq_text(judge_read_text(item, "restartPolicy"), "Always");
        const Value *own = container_status(status, "initContainerStatuses", judge_read_text(item, "name"));
        Amounts requests;

        TRY(container_requests(world, item, is_sidecar ? own : NULL, infeasible, &requests, err));
        if (is_sidecar) {
            judge_amounts_add(&sidecars, &requests);
            judge_amounts_raise(&peak, &sidecars);
        } else {
            judge_amounts_add(&requests, &sidecars);
            judge_amounts_raise(&peak, &requests);
        }
    }
    judge_amounts_add(total, &sidecars);
    judge_amounts_raise(total, &peak);
    return OK;
}

ErrCode judge_read_requests(World *world, const Value *spec, const Value *status, Amounts *ret_requests, Err *err) {
    const Value *list = judge_read_list(spec, "containers"), *resources = value_get_text(spec, "resources");
    Slice condition, reason;
    bool infeasible =
        judge_read_condition(status, "PodResizePending", &condition, &reason) && slice_eq_text(reason, "Infeasible");
    Amounts total = {0}, own, level, overhead;

    for (uint32_t i = 0; i < judge_read_count(list); i++) {
        const Value *item = &list->list.items[i];

        TRY(container_requests(world, item,
                               container_status(status, "containerStatuses", judge_read_text(item, "name")), infeasible,
                               &own, err));
        judge_amounts_add(&total, &own);
    }
    TRY(add_init_containers(world, spec, status, infeasible, &total, err));
    TRY(judge_read_amounts(world, resources ? value_get_text(resources, "requests") : NULL, &level, err));
    for (uint32_t i = 0; i < world->resources.count; i++) {
        if (amounts_has(&level, i) && is_pod_level(world, i))
            total.of[i] = level.of[i];
    }
    total.present |= level.present;
    TRY(judge_read_amounts(world, value_get_text(spec, "overhead"), &overhead, err));
    judge_amounts_add(&total, &overhead);
    total.of[RESOURCE_PODS] = 1;
    total.present |= UINT32_C(1) << RESOURCE_PODS;
    *ret_requests = total;
    return OK;
}
