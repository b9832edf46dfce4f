// Effective requests of a pod. Reference scheduling.md 3.1; defaults: the API server's SetDefaults_Pod.
#include "model/decode/pod.h"

static const ContainerStatus *status_of(const ContainerStatusVec *statuses, Symbol name) {
    for (vec_each(const ContainerStatus, status, statuses)) {
        if (status->name == name)
            return status;
    }
    return NULL;
}

// A container's requests; for a resource with a limit and no request, the limit.
static Resources with_defaults(Arena *arena, const Container *container) {
    Resources requests = resources_copy(arena, &container->requests);

    for (uint32_t i = 0; i < container->limits.count; i++) {
        if (!resources_has(&requests, container->limits.items[i].resource))
            resources_set(arena, &requests, container->limits.items[i].resource, container->limits.items[i].amount);
    }
    return requests;
}

// The larger of a container's present and future requests while it is resized in place.
static Resources with_status(Arena *arena, const PodParts *parts, const Container *container,
                             const ContainerStatus *status) {
    Resources requests = {0};

    if (!status || !status->has_resources || !parts->resize_infeasible)
        requests = with_defaults(arena, container);
    if (status && status->has_resources) {
        resources_max(arena, &requests, &status->requests);
        resources_max(arena, &requests, &status->allocated);
    }
    return requests;
}

// The sum over containers and sidecars, or the largest requests during initialization.
static Resources of_containers(Arena *arena, const PodParts *parts) {
    Resources total = {0}, sidecars = {0}, peak = {0};

    for (vec_each(const Container, container, &parts->containers)) {
        Resources own = with_status(arena, parts, container, status_of(&parts->statuses, container->name));

        resources_add(arena, &total, &own);
    }
    for (vec_each(const Container, container, &parts->init_containers)) {
        Resources own;

        if (container->restartable) {
            own = with_status(arena, parts, container, status_of(&parts->init_statuses, container->name));
            resources_add(arena, &total, &own);
            resources_add(arena, &sidecars, &own);
            resources_max(arena, &peak, &sidecars);
        } else {
            own = with_defaults(arena, container);
            resources_add(arena, &own, &sidecars);
            resources_max(arena, &peak, &own);
        }
    }
    resources_max(arena, &total, &peak);
    return total;
}

static bool is_huge_pages(const Symbols *symbols, Symbol resource) {
    return slice_starts_with(symbol_text(symbols, resource), SLICE("hugepages-"));
}

static bool is_pod_level(const Symbols *symbols, Symbol resource) {
    return resource == NAME_CPU || resource == NAME_MEMORY || is_huge_pages(symbols, resource);
}

// Applies spec.resources, which replaces the containers' sum. A pod-level limit without a request is the request,
// unless containers request that resource (huge pages always: they cannot be overcommitted).
static void apply_pod_level(Arena *arena, const Symbols *symbols, const PodParts *parts, Resources *requests) {
    for (uint32_t i = 0; i < parts->pod_limits.count; i++) {
        ResourceAmount limit = parts->pod_limits.items[i];

        if (is_pod_level(symbols, limit.resource) &&
            (!resources_has(requests, limit.resource) || is_huge_pages(symbols, limit.resource)))
            resources_set(arena, requests, limit.resource, limit.amount);
    }
    for (uint32_t i = 0; i < parts->pod_requests.count; i++) {
        ResourceAmount request = parts->pod_requests.items[i];

        if (is_pod_level(symbols, request.resource))
            resources_set(arena, requests, request.resource, request.amount);
    }
}

Resources pod_requests_effective(Arena *arena, const Symbols *symbols, const PodParts *parts) {
    Resources requests = of_containers(arena, parts);

    apply_pod_level(arena, symbols, parts, &requests);
    resources_add(arena, &requests, &parts->overhead);
    resources_set(arena, &requests, NAME_PODS, 1);
    return requests;
}
