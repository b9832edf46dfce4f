// The launch call: readiness of the NodeClass, the candidates, and one instance per NodeClaim.
#include "sim/cloud/launch.h"

#include "sim/cloud/launch_asked.h"
#include "sim/cloud/launch_give.h"
#include "sim/cloud/limits.h"
#include "sim/cloud/translate.h"
#include "sim/cloud/view_classes.h"
#include "sim/cloud/view_instance.h"
#include "sim/cloud/view_types.h"

// Readiness by aws.md 3.1: with condition Unknown the launch is retried, any other one ends the NodeClaim.
static ErrCode check_class(const SimLaunch *launch, CloudError *error) {
    Slice name = symbol_text(&launch->view->symbols, launch->launch->claim->spec.node_class.name);

    if (launch->entry->readiness == CLASS_NOT_READY) {
        return cloud_fail_class(error, ERR_DENIED, "NodeClass %.*s is not ready: its condition Ready is not True",
                                SLICE_ARG(name));
    }
    if (launch->entry->readiness == CLASS_UNKNOWN) {
        return cloud_fail_for(error, ERR_IO, "NodeClassReadinessUnknown", "NodeClass readiness is unknown: %.*s",
                              SLICE_ARG(name));
    }
    return OK;
}

// Hash of the request: equal requests close together are one call (aws.md 2.2).
static uint64_t content(const SimLaunch *launch) {
    uint64_t key = hash_u64(launch->entry->kind + 1);

    for (vec_each(const LaunchCandidate, candidate, &launch->candidates))
        key = hash_combine(key, candidate->pool);
    return key ? key : 1;
}

static uint32_t find_launched(const SimCloud *cloud, Symbol claim_uid) {
    uint32_t cursor = 0, number;

    while ((number = index_map_next(&cloud->by_claim_uid, hash_u64(claim_uid), &cursor)) != INDEX_NONE) {
        if (cloud->machines.items[number].shown.claim_uid == claim_uid)
            break;
    }
    return number;
}

// A NodeClass that does not exist counts as no capacity (aws.md 3.1).
static ErrCode find_class(SimLaunch *launch, CloudError *error) {
    NodeClassRef ref = launch->launch->claim->spec.node_class;
    ClassEntry *entry;
    ErrCode code = cloud_view_class(launch->view, &ref, &launch->class, &entry, error);

    if (code == ERR_NOT_FOUND && error)
        error->err.code = ERR_CAPACITY;
    if (code != OK)
        return code == ERR_NOT_FOUND ? ERR_CAPACITY : code;
    launch->entry = entry;
    launch->is_kwok = entry->kind == KUBE_KWOK_NODE_CLASS;
    return check_class(launch, error);
}

static ErrCode launch_new(SimLaunch *launch, uint32_t *ret_number, CloudError *error) {
    TRY(find_class(launch, error));
    launch->types = cloud_view_types(launch->view, launch->class);
    cloud_ask_once(launch);
    if (launch->candidates.count == 0)
        return cloud_fail(error, ERR_CAPACITY, "all requested instance types were unavailable during launch");
    TRY(cloud_limit_call(launch->view->cloud, SIM_API_CREATE_FLEET, content(launch), error));
    return cloud_give(launch, ret_number, error);
}

ErrCode cloud_view_launch(SimView *view, Arena *arena, const CloudLaunch *asked, CloudInstance *ret_instance,
                          CloudError *error) {
    SimLaunch launch = {.view = view, .arena = arena, .launch = asked};
    Symbol uid = cloud_symbol_translate(&view->symbols, view->cloud->symbols, asked->claim->meta.uid);
    uint32_t number = find_launched(view->cloud, uid);

    CHECK(uid != NAME_EMPTY, "a launch for a NodeClaim without uid");
    if (number != INDEX_NONE)
        TRY(cloud_limit_call(view->cloud, SIM_API_CREATE_FLEET, 0, error));
    else
        TRY(launch_new(&launch, &number, error));
    *ret_instance = *cloud_view_instance(view, number);
    return OK;
}
