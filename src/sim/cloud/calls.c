// terminate, get, list and is_drifted. Descriptions lag behind changes; a get finds even the newest instances (see
// sim-cloud.md).
#include "sim/cloud/calls.h"

#include "sim/cloud/limits.h"
#include "sim/cloud/machines.h"
#include "sim/cloud/node_classes.h"
#include "sim/cloud/view_instance.h"

static Symbol own_symbol(const SimView *view, Symbol symbol) {
    return symbol_find(view->cloud->symbols, symbol_text(&view->symbols, symbol));
}

static ErrCode find(const SimView *view, Symbol provider_id, uint32_t *ret_number, CloudError *error) {
    Symbol own = own_symbol(view, provider_id);
    uint32_t number = own == INDEX_NONE ? INDEX_NONE : sim_cloud_find_instance(view->cloud, own);

    if (number == INDEX_NONE ||
        cloud_machine_described(view->cloud, &view->cloud->machines.items[number]) == SIM_INSTANCE_TERMINATED)
        return cloud_fail(error, ERR_NOT_FOUND, "InvalidInstanceID.NotFound: the instance %.*s does not exist",
                          SLICE_ARG(symbol_text(&view->symbols, provider_id)));
    *ret_number = number;
    return OK;
}

ErrCode cloud_view_terminate(SimView *view, Symbol provider_id, CloudError *error) {
    uint32_t number = 0;

    TRY(cloud_limit_call(view->cloud, SIM_API_TERMINATE_INSTANCES, 1, error));
    TRY(find(view, provider_id, &number, error));
    cloud_machine_end(view->cloud, number);
    return OK;
}

// EC2 knows no operations: each call restarts the instance.
ErrCode cloud_view_reboot(SimView *view, Symbol provider_id, Slice operation, CloudError *error) {
    SimCloud *cloud = view->cloud;
    uint32_t number = 0;

    (void)operation;
    TRY(cloud_limit_call(cloud, SIM_API_REBOOT_INSTANCES, 1, error));
    if (cloud->no_reboots)
        return cloud_fail(error, ERR_DENIED, "UnauthorizedOperation: not authorized to perform ec2:RebootInstances");
    TRY(find(view, provider_id, &number, error));
    cloud->machines.items[number].shown.reboots++;
    cloud_machine_note(cloud, number, cloud->machines.items[number].shown.state);
    return OK;
}

ErrCode cloud_view_get(SimView *view, Symbol provider_id, CloudInstance *ret_instance, CloudError *error) {
    uint32_t number = 0;

    TRY(cloud_limit_call(view->cloud, SIM_API_DESCRIBE_INSTANCES, 1, error));
    TRY(find(view, provider_id, &number, error));
    *ret_instance = *cloud_view_instance(view, number);
    return OK;
}

// Removes terminated instances from the list of living ones.
static void clean_live(SimCloud *cloud) {
    uint32_t kept = 0, dead = 0;

    if (cloud->live_dead * 2 < cloud->live.count || cloud->live.count == 0)
        return;
    for (uint32_t i = 0; i < cloud->live.count; i++) {
        const SimMachine *machine = &cloud->machines.items[cloud->live.items[i]];

        if (machine->shown.state == SIM_INSTANCE_TERMINATED && cloud_now(cloud) >= machine->visible_ns)
            continue;
        dead += machine->shown.state == SIM_INSTANCE_TERMINATED;
        cloud->live.items[kept++] = cloud->live.items[i];
    }
    cloud->live.count = kept;
    cloud->live_dead = dead;
}

ErrCode cloud_view_list(SimView *view, Arena *arena, CloudInstanceVec *ret_instances, CloudError *error) {
    SimCloud *cloud = view->cloud;
    CloudInstanceVec instances = {0};

    TRY(cloud_limit_call(cloud, SIM_API_DESCRIBE_INSTANCES, 0, error));
    clean_live(cloud);
    for (uint32_t i = 0; i < cloud->live.count; i++) {
        if (cloud_machine_is_listed(cloud, &cloud->machines.items[cloud->live.items[i]]))
            vec_push(arena, &instances, *cloud_view_instance(view, cloud->live.items[i]));
    }
    *ret_instances = instances;
    return OK;
}

// Drift as far as the cloud knows it (aws.md 7.10): the NodeClass' generation stands for its hash.
ErrCode cloud_view_is_drifted(SimView *view, const NodeClaim *claim, Slice *ret_reason, CloudError *error) {
    const SimInstance *shown;
    const ClassEntry *entry;
    uint32_t number = 0;

    TRY(find(view, claim->provider_id, &number, error));
    shown = &view->cloud->machines.items[number].shown;
    *ret_reason = (Slice){0};
    entry =
        cloud_classes_find(view->cloud, shown->is_kwok ? KUBE_KWOK_NODE_CLASS : KUBE_EC2_NODE_CLASS, shown->node_class);
    if (!entry || shown->is_kwok)
        return OK; // KWOK never drifts (lifecycle.md 8)
    if (entry->generation != shown->generation)
        *ret_reason = SLICE("NodeClassDrift");
    else if (shown->image_id != view->cloud->image_id)
        *ret_reason = SLICE("AMIDrift");
    for (uint32_t i = 0; i <= entry->ec2.subnets.count && ret_reason->len == 0; i++) {
        if (entry->ec2.subnets.count == 0 || entry->ec2.subnets.items[i].zone == shown->zone)
            break;
        if (i + 1 == entry->ec2.subnets.count)
            *ret_reason = SLICE("SubnetDrift");
    }
    return OK;
}
