// The process's Cloud: passes calls to its view, or lets them time out while it is partitioned.
#include "sim/controller/process_cloud.h"

static ErrCode no_answer(SimProcess *process, const char *call, CloudError *error) {
    process->late_ns = CALL_TIMEOUT_S * NS_PER_S;
    return err_set(error ? &error->err : NULL, ERR_TIMEOUT, "%s: RequestTimeout: no answer within %d s", call,
                   CALL_TIMEOUT_S);
}

static ErrCode call_launch(void *self, Arena *arena, const CloudLaunch *launch, CloudInstance *ret_instance,
                           CloudError *error) {
    SimProcess *process = self;

    if (process->partitioned)
        return no_answer(process, "CreateFleet", error);
    return cloud_launch(process->real_cloud, arena, launch, ret_instance, error);
}

static ErrCode call_terminate(void *self, Symbol provider_id, CloudError *error) {
    SimProcess *process = self;

    if (process->partitioned)
        return no_answer(process, "TerminateInstances", error);
    return cloud_terminate(process->real_cloud, provider_id, error);
}

static ErrCode call_reboot(void *self, Symbol provider_id, Slice operation, CloudError *error) {
    SimProcess *process = self;

    if (process->partitioned)
        return no_answer(process, "RebootInstances", error);
    return cloud_reboot(process->real_cloud, provider_id, operation, error);
}

static ErrCode call_get(void *self, Arena *arena, Symbol provider_id, CloudInstance *ret_instance, CloudError *error) {
    SimProcess *process = self;

    if (process->partitioned)
        return no_answer(process, "DescribeInstances", error);
    return cloud_get(process->real_cloud, arena, provider_id, ret_instance, error);
}

static ErrCode call_list(void *self, Arena *arena, CloudInstanceVec *ret_instances, CloudError *error) {
    SimProcess *process = self;

    if (process->partitioned)
        return no_answer(process, "DescribeInstances", error);
    return cloud_list(process->real_cloud, arena, ret_instances, error);
}

// Answered from memory, so also while it is partitioned.
static ErrCode call_instance_types(void *self, const NodePool *pool, const InstanceTypeVec **ret_types,
                                   CloudError *error) {
    return cloud_instance_types(((SimProcess *)self)->real_cloud, pool, ret_types, error);
}

static ErrCode call_is_drifted(void *self, const NodeClaim *claim, Slice *ret_reason, CloudError *error) {
    SimProcess *process = self;

    if (process->partitioned)
        return no_answer(process, "DescribeInstances", error);
    return cloud_is_drifted(process->real_cloud, claim, ret_reason, error);
}

static RepairPolicies call_repair_policies(void *self, const NodePool *pool) {
    return cloud_repair_policies(((SimProcess *)self)->real_cloud, pool);
}

static ErrCode call_receive(void *self, Arena *arena, CloudMessageVec *ret_messages, CloudError *error) {
    SimProcess *process = self;

    if (process->partitioned)
        return no_answer(process, "ReceiveMessage", error);
    return cloud_receive(process->real_cloud, arena, ret_messages, error);
}

static ErrCode call_settle(void *self, uint64_t receipt, CloudError *error) {
    SimProcess *process = self;

    if (process->partitioned)
        return no_answer(process, "DeleteMessage", error);
    return cloud_settle(process->real_cloud, receipt, error);
}

Cloud process_cloud(SimProcess *process) {
    static const CloudTable table = {
        .launch = call_launch,
        .terminate = call_terminate,
        .reboot = call_reboot,
        .get = call_get,
        .list = call_list,
        .instance_types = call_instance_types,
        .is_drifted = call_is_drifted,
        .repair_policies = call_repair_policies,
        .receive = call_receive,
        .settle = call_settle,
    };

    return (Cloud){&table, process};
}
