// Fenced tables of functions: writes check the Lease, all other calls pass.
#include "engine/lease/fence.h"

static bool is_open(const Fence *fence) {
    return !fence->lease || lease_is_held(fence->lease);
}

// --- Kubernetes

static ErrCode refuse_write(KubeError *error) {
    return kube_fail(error, KUBE_REASON_SERVICE_UNAVAILABLE, "not sent: this process does not hold the leader lease");
}

static ErrCode pass_get(void *self, Arena *arena, KubeRef ref, Value *ret_object, KubeError *error) {
    return kube_get(((Fence *)self)->kube, arena, ref, ret_object, error);
}

static ErrCode pass_list(void *self, Arena *arena, const KubeListRequest *request, KubeList *ret_list,
                         KubeError *error) {
    return kube_list(((Fence *)self)->kube, arena, request, ret_list, error);
}

static ErrCode pass_create(void *self, Arena *arena, Slice manager, KubeKind kind, const Value *object,
                           Value *ret_object, KubeError *error) {
    Fence *fence = self;

    return is_open(fence) ? kube_create(fence->kube, arena, manager, kind, object, ret_object, error)
                          : refuse_write(error);
}

static ErrCode pass_update(void *self, Arena *arena, Slice manager, KubeKind kind, KubePart part, const Value *object,
                           Value *ret_object, KubeError *error) {
    Fence *fence = self;

    return is_open(fence) ? kube_update(fence->kube, arena, manager, kind, part, object, ret_object, error)
                          : refuse_write(error);
}

static ErrCode pass_patch(void *self, Arena *arena, Slice manager, KubeRef ref, KubePart part, const KubePatch *patch,
                          Value *ret_object, KubeError *error) {
    Fence *fence = self;

    return is_open(fence) ? kube_patch(fence->kube, arena, manager, ref, part, patch, ret_object, error)
                          : refuse_write(error);
}

static ErrCode pass_remove(void *self, KubeRef ref, const KubeDeletion *deletion, KubeError *error) {
    Fence *fence = self;

    return is_open(fence) ? kube_remove(fence->kube, ref, deletion, error) : refuse_write(error);
}

static ErrCode pass_evict(void *self, KubeRef pod, const KubeDeletion *deletion, KubeError *error) {
    Fence *fence = self;

    return is_open(fence) ? kube_evict(fence->kube, pod, deletion, error) : refuse_write(error);
}

static ErrCode pass_bind(void *self, KubeRef pod, Slice uid, Slice node, KubeError *error) {
    Fence *fence = self;

    return is_open(fence) ? kube_bind(fence->kube, pod, uid, node, error) : refuse_write(error);
}

static ErrCode pass_watch(void *self, const KubeWatchRequest *request, KubeSink sink, KubeWatch **ret_watch,
                          KubeError *error) {
    return kube_watch(((Fence *)self)->kube, request, sink, ret_watch, error);
}

static void pass_unwatch(void *self, KubeWatch *watch) {
    kube_unwatch(((Fence *)self)->kube, watch);
}

static bool pass_now(void *self, int64_t *ret_wall_ns) {
    return kube_now(((Fence *)self)->kube, ret_wall_ns);
}

Kube fence_kube(Fence *fence) {
    static const KubeTable table = {pass_get,   pass_list, pass_create, pass_update,  pass_patch, pass_remove,
                                    pass_evict, pass_bind, pass_watch,  pass_unwatch, pass_now};

    return (Kube){&table, fence};
}

// --- the cloud

static ErrCode refuse_call(CloudError *error) {
    if (error)
        *error = (CloudError){0};
    return err_set(error ? &error->err : NULL, ERR_IO, "not sent: this process does not hold the leader lease");
}

static ErrCode pass_launch(void *self, Arena *arena, const CloudLaunch *launch, CloudInstance *ret_instance,
                           CloudError *error) {
    Fence *fence = self;

    return is_open(fence) ? cloud_launch(fence->cloud, arena, launch, ret_instance, error) : refuse_call(error);
}

static ErrCode pass_terminate(void *self, Symbol provider_id, CloudError *error) {
    Fence *fence = self;

    return is_open(fence) ? cloud_terminate(fence->cloud, provider_id, error) : refuse_call(error);
}

static ErrCode pass_reboot(void *self, Symbol provider_id, Slice operation, CloudError *error) {
    Fence *fence = self;

    return is_open(fence) ? cloud_reboot(fence->cloud, provider_id, operation, error) : refuse_call(error);
}

static ErrCode pass_get_instance(void *self, Arena *arena, Symbol provider_id, CloudInstance *ret_instance,
                                 CloudError *error) {
    return cloud_get(((Fence *)self)->cloud, arena, provider_id, ret_instance, error);
}

static ErrCode pass_list_instances(void *self, Arena *arena, CloudInstanceVec *ret_instances, CloudError *error) {
    return cloud_list(((Fence *)self)->cloud, arena, ret_instances, error);
}

static ErrCode pass_instance_types(void *self, const NodePool *pool, const InstanceTypeVec **ret_types,
                                   CloudError *error) {
    return cloud_instance_types(((Fence *)self)->cloud, pool, ret_types, error);
}

static uint64_t pass_types_hold(void *self) {
    return cloud_types_hold(((Fence *)self)->cloud);
}

static void pass_types_release(void *self, uint64_t ticket) {
    cloud_types_release(((Fence *)self)->cloud, ticket);
}

static ErrCode pass_is_drifted(void *self, const NodeClaim *claim, Slice *ret_reason, CloudError *error) {
    return cloud_is_drifted(((Fence *)self)->cloud, claim, ret_reason, error);
}

static RepairPolicies pass_repair_policies(void *self, const NodePool *pool) {
    return cloud_repair_policies(((Fence *)self)->cloud, pool);
}

static ErrCode pass_receive(void *self, Arena *arena, CloudMessageVec *ret_messages, CloudError *error) {
    return cloud_receive(((Fence *)self)->cloud, arena, ret_messages, error);
}

static ErrCode pass_settle(void *self, uint64_t receipt, CloudError *error) {
    return cloud_settle(((Fence *)self)->cloud, receipt, error);
}

static void refuse_all(CloudResult *ret_results, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        ret_results[i].code = refuse_call(&ret_results[i].error);
}

static void pass_launch_many(void *self, Arena *arena, const CloudLaunch *const *launches, uint32_t count,
                             CloudResult *ret_results) {
    Fence *fence = self;

    if (is_open(fence))
        cloud_launch_many(fence->cloud, arena, launches, count, ret_results);
    else
        refuse_all(ret_results, count);
}

static void pass_terminate_many(void *self, Arena *arena, const Symbol *provider_ids, uint32_t count,
                                CloudResult *ret_results) {
    Fence *fence = self;

    if (is_open(fence))
        cloud_terminate_many(fence->cloud, arena, provider_ids, count, ret_results);
    else
        refuse_all(ret_results, count);
}

static void pass_get_many(void *self, Arena *arena, const Symbol *provider_ids, uint32_t count,
                          CloudResult *ret_results) {
    cloud_get_many(((Fence *)self)->cloud, arena, provider_ids, count, ret_results);
}

static const CloudWindows *pass_windows(void *self) {
    return cloud_windows(((Fence *)self)->cloud);
}

// Looking a NodeClass up may make an instance profile.
static ErrCode pass_class_resolve(void *self, Arena *arena, Slice name, CloudClass *ret_class, CloudError *error) {
    Fence *fence = self;

    return is_open(fence) ? cloud_class_resolve(fence->cloud, arena, name, ret_class, error) : refuse_call(error);
}

static ErrCode pass_class_finalize(void *self, Slice name, CloudError *error) {
    Fence *fence = self;

    return is_open(fence) ? cloud_class_finalize(fence->cloud, name, error) : refuse_call(error);
}

static ErrCode pass_tag(void *self, const NodeClaim *claim, CloudError *error) {
    Fence *fence = self;

    return is_open(fence) ? cloud_tag(fence->cloud, claim, error) : refuse_call(error);
}

static ErrCode pass_learn(void *self, const NodeClaim *claim, int64_t memory, CloudError *error) {
    return cloud_learn(((Fence *)self)->cloud, claim, memory, error);
}

static uint32_t pass_refreshes(void *self) {
    return cloud_refreshes(((Fence *)self)->cloud);
}

// A refresh may delete what nobody uses any more.
static ErrCode pass_refresh(void *self, Arena *arena, CloudRefresh what, CloudMessageVec *ret_messages,
                            CloudError *error) {
    Fence *fence = self;

    return is_open(fence) ? cloud_refresh(fence->cloud, arena, what, ret_messages, error) : refuse_call(error);
}

static const char *const *pass_late_labels(void *self) {
    return cloud_late_labels(((Fence *)self)->cloud);
}

Cloud fence_cloud(Fence *fence) {
    fence->fenced = (CloudTable){
        .launch = pass_launch,
        .terminate = pass_terminate,
        .reboot = pass_reboot,
        .get = pass_get_instance,
        .list = pass_list_instances,
        .instance_types = pass_instance_types,
        .types_hold = pass_types_hold,
        .types_release = pass_types_release,
        .is_drifted = pass_is_drifted,
        .repair_policies = pass_repair_policies,
        .receive = pass_receive,
        .settle = pass_settle,
        .launch_many = pass_launch_many,
        .terminate_many = pass_terminate_many,
        .get_many = pass_get_many,
        .windows = pass_windows,
        .class_resolve = pass_class_resolve,
        .class_finalize = pass_class_finalize,
        .late_labels = pass_late_labels,
        .tag = cloud_wants_tags(fence->cloud) ? pass_tag : NULL,
        .learn = cloud_wants_to_learn(fence->cloud) ? pass_learn : NULL,
        .refreshes = pass_refreshes,
        .refresh = pass_refresh,
    };

    return (Cloud){&fence->fenced, fence};
}
