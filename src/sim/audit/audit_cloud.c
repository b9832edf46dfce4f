// The table around tenon's Cloud: launches and terminations.
#include "model/names.h"
#include "sim/audit/audit_facts.h"
#include "sim/audit/audit_reboot.h"
#include "sim/audit/audit_rules.h"

// How long after its pod went a volume is excused: tenon's view of the cluster lags by seconds.
enum { LATELY_S = 60 };

// Translates a name from tenon's symbols to the mirror's; INDEX_NONE: not in the mirror's table.
static Symbol translate(const AuditedTables *tables, Symbol symbol) {
    return symbol_find(world_symbols(tables->audit->world), symbol_text(*tables->symbols, symbol));
}

static bool has_finalizer(const Audit *audit, const NodeClaim *claim) {
    Symbol finalizer = symbol_find(world_symbols(audit->world), SLICE("karpenter.sh/termination"));

    for (vec_each(const Symbol, own, &claim->meta.finalizers)) {
        if (*own == finalizer)
            return true;
    }
    return false;
}

// The mirror's claim of that name, which may be a later one than tenon's. NULL: none.
static const NodeClaim *find_claim(const AuditedTables *tables, const NodeClaim *claim) {
    const State *state = world_state(tables->audit->world);
    Symbol name = translate(tables, claim->meta.name);

    return name == INDEX_NONE ? NULL : state_node_claim(state, state_find(state, KUBE_NODE_CLAIM, SYMBOL_EMPTY, name));
}

static void check_launch(AuditedTables *tables, const NodeClaim *claim) {
    const NodeClaim *now = find_claim(tables, claim);

    if (now && !has_finalizer(tables->audit, now))
        audit_violate(tables->audit, AUDIT_FINALIZER_FIRST, "NodeClaim %.*s is launched without its finalizer",
                      SLICE_ARG(symbol_text(*tables->symbols, claim->meta.name)));
}

// Checks a launch. Not by the idempotency token: the token may be what is wrong.
static void check_launched(AuditedTables *tables, const NodeClaim *claim, const CloudInstance *instance) {
    Audit *audit = tables->audit;
    const NodeClaim *now = find_claim(tables, claim);
    uint32_t number = sim_cloud_find_instance(audit->cloud, translate(tables, instance->provider_id)), before;

    if (!now)
        return; // being deleted: left to garbage collection
    before = u64_map_get(&audit->launched, now->meta.uid);
    if (before != INDEX_NONE && before != number)
        audit_violate(audit, AUDIT_ONE_INSTANCE, "NodeClaim %.*s has a second instance %.*s",
                      SLICE_ARG(symbol_text(*tables->symbols, claim->meta.name)),
                      SLICE_ARG(symbol_text(*tables->symbols, instance->provider_id)));
    u64_map_put(&audit->arena, &audit->launched, now->meta.uid, number);
}

// --- the end of an instance

// Whether a volume on the node belongs to a pod that stays until the end, so that drains do not wait for it.
static bool volume_is_of_staying_pod(const Audit *audit, Symbol node, Symbol volume) {
    const State *state = world_state(audit->world);

    for (vec_each(const Handle, handle, state_pods_on_node(state, node))) {
        const Pod *pod = state_pod(state, *handle);

        if (audit_holds_drain(audit, pod))
            continue;
        for (vec_each(const PodVolume, used, &pod->spec->volumes)) {
            if (audit_volume_of(audit, pod, used) == volume)
                return true;
        }
    }
    return false;
}

// Whether such a pod had the volume until moments ago: tenon may not have seen that it went.
static bool volume_was_left_lately(const Audit *audit, Symbol volume) {
    uint32_t left_s = u64_map_get(&audit->volume_left_s, volume);

    return left_s != INDEX_NONE && world_now_ns(audit->world) / NS_PER_S - left_s < LATELY_S;
}

static void check_drained(Audit *audit, Symbol node_name) {
    const State *state = world_state(audit->world);
    const Symbols *symbols = world_symbols(audit->world);

    for (vec_each(const Handle, handle, state_pods_on_node(state, node_name))) {
        const Pod *pod = state_pod(state, *handle);

        if (audit_holds_drain(audit, pod))
            audit_violate(audit, AUDIT_DRAIN_FIRST, "the instance of node %.*s is ended while pod %.*s/%.*s is on it",
                          SLICE_ARG(symbol_text(symbols, node_name)), SLICE_ARG(symbol_text(symbols, pod->ns)),
                          SLICE_ARG(symbol_text(symbols, pod->name)));
    }
    for (vec_each(const Handle, handle, state_attachments_on_node(state, node_name))) {
        const VolumeAttachment *attachment = state_volume_attachment(state, *handle);

        if (attachment->volume_name != SYMBOL_EMPTY &&
            !volume_is_of_staying_pod(audit, node_name, attachment->volume_name) &&
            !volume_was_left_lately(audit, attachment->volume_name))
            audit_violate(audit, AUDIT_DRAIN_FIRST, "the instance of node %.*s is ended while volume %.*s is attached",
                          SLICE_ARG(symbol_text(symbols, node_name)),
                          SLICE_ARG(symbol_text(symbols, attachment->volume_name)));
    }
}

static void check_termination(AuditedTables *tables, Symbol provider_id) {
    Audit *audit = tables->audit;
    const State *state = world_state(audit->world);
    Symbol id = translate(tables, provider_id);
    uint32_t number = id == INDEX_NONE ? UINT32_MAX : sim_cloud_find_instance(audit->cloud, id);
    const SimInstance *instance = number == UINT32_MAX ? NULL : sim_cloud_instance(audit->cloud, number);

    if (!instance || instance->state != SIM_INSTANCE_RUNNING || instance->is_impaired)
        return;
    for (vec_each(const Handle, handle, state_nodes_with_provider_id(state, id))) {
        const Node *node = state_node(state, *handle);
        const NodeClaim *claim = audit_claim_of_node(audit, node->meta.name);

        if (labels_get(&node->meta.labels, NAME_REGISTERED) == INDEX_NONE)
            continue; // no user's pod was ever there
        if (audit_deadline(audit, claim) > world_now_ns(audit->world))
            check_drained(audit, node->meta.name);
    }
}

// --- the table

static ErrCode audited_launch(void *self, Arena *arena, const CloudLaunch *launch, CloudInstance *ret_instance,
                              CloudError *error) {
    AuditedTables *tables = self;
    ErrCode code;

    check_launch(tables, launch->claim);
    code = cloud_launch(tables->cloud, arena, launch, ret_instance, error);
    if (code == OK)
        check_launched(tables, launch->claim, ret_instance);
    return code;
}

static ErrCode audited_terminate(void *self, Symbol provider_id, CloudError *error) {
    AuditedTables *tables = self;

    check_termination(tables, provider_id);
    return cloud_terminate(tables->cloud, provider_id, error);
}

static ErrCode audited_reboot(void *self, Symbol provider_id, Slice operation, CloudError *error) {
    AuditedTables *tables = self;

    audit_reboot(tables->audit, translate(tables, provider_id), operation);
    return cloud_reboot(tables->cloud, provider_id, operation, error);
}

static ErrCode audited_get(void *self, Arena *arena, Symbol provider_id, CloudInstance *ret_instance,
                           CloudError *error) {
    return cloud_get(((AuditedTables *)self)->cloud, arena, provider_id, ret_instance, error);
}

static ErrCode audited_list(void *self, Arena *arena, CloudInstanceVec *ret_instances, CloudError *error) {
    return cloud_list(((AuditedTables *)self)->cloud, arena, ret_instances, error);
}

static ErrCode audited_instance_types(void *self, const NodePool *pool, const InstanceTypeVec **ret_types,
                                      CloudError *error) {
    return cloud_instance_types(((AuditedTables *)self)->cloud, pool, ret_types, error);
}

static uint64_t audited_types_hold(void *self) {
    return cloud_types_hold(((AuditedTables *)self)->cloud);
}

static void audited_types_release(void *self, uint64_t ticket) {
    cloud_types_release(((AuditedTables *)self)->cloud, ticket);
}

static ErrCode audited_is_drifted(void *self, const NodeClaim *claim, Slice *ret_reason, CloudError *error) {
    return cloud_is_drifted(((AuditedTables *)self)->cloud, claim, ret_reason, error);
}

static RepairPolicies audited_repair_policies(void *self, const NodePool *pool) {
    return cloud_repair_policies(((AuditedTables *)self)->cloud, pool);
}

static ErrCode audited_receive(void *self, Arena *arena, CloudMessageVec *ret_messages, CloudError *error) {
    return cloud_receive(((AuditedTables *)self)->cloud, arena, ret_messages, error);
}

static ErrCode audited_settle(void *self, uint64_t receipt, CloudError *error) {
    return cloud_settle(((AuditedTables *)self)->cloud, receipt, error);
}

// --- the rest of the table, of a cloud that has it

static void audited_launch_many(void *self, Arena *arena, const CloudLaunch *const *launches, uint32_t count,
                                CloudResult *ret_results) {
    AuditedTables *tables = self;

    for (uint32_t i = 0; i < count; i++)
        check_launch(tables, launches[i]->claim);
    cloud_launch_many(tables->cloud, arena, launches, count, ret_results);
    for (uint32_t i = 0; i < count; i++) {
        if (ret_results[i].code == OK)
            check_launched(tables, launches[i]->claim, &ret_results[i].instance);
    }
}

static void audited_terminate_many(void *self, Arena *arena, const Symbol *provider_ids, uint32_t count,
                                   CloudResult *ret_results) {
    AuditedTables *tables = self;

    for (uint32_t i = 0; i < count; i++)
        check_termination(tables, provider_ids[i]);
    cloud_terminate_many(tables->cloud, arena, provider_ids, count, ret_results);
}

static void audited_get_many(void *self, Arena *arena, const Symbol *provider_ids, uint32_t count,
                             CloudResult *ret_results) {
    cloud_get_many(((AuditedTables *)self)->cloud, arena, provider_ids, count, ret_results);
}

static const CloudWindows *audited_windows(void *self) {
    return cloud_windows(((AuditedTables *)self)->cloud);
}

static ErrCode audited_class_resolve(void *self, Arena *arena, Slice name, CloudClass *ret_class, CloudError *error) {
    return cloud_class_resolve(((AuditedTables *)self)->cloud, arena, name, ret_class, error);
}

static ErrCode audited_class_finalize(void *self, Slice name, CloudError *error) {
    return cloud_class_finalize(((AuditedTables *)self)->cloud, name, error);
}

static ErrCode audited_tag(void *self, const NodeClaim *claim, CloudError *error) {
    return cloud_tag(((AuditedTables *)self)->cloud, claim, error);
}

static ErrCode audited_learn(void *self, const NodeClaim *claim, int64_t memory, CloudError *error) {
    return cloud_learn(((AuditedTables *)self)->cloud, claim, memory, error);
}

static uint32_t audited_refreshes(void *self) {
    return cloud_refreshes(((AuditedTables *)self)->cloud);
}

static ErrCode audited_refresh(void *self, Arena *arena, CloudRefresh what, CloudMessageVec *ret_messages,
                               CloudError *error) {
    return cloud_refresh(((AuditedTables *)self)->cloud, arena, what, ret_messages, error);
}

static const char *const *audited_late_labels(void *self) {
    return cloud_late_labels(((AuditedTables *)self)->cloud);
}

#define AUDITED_ONES                                                                                                   \
    .launch = audited_launch, .terminate = audited_terminate, .reboot = audited_reboot, .get = audited_get,            \
    .list = audited_list, .instance_types = audited_instance_types, .types_hold = audited_types_hold,                  \
    .types_release = audited_types_release, .is_drifted = audited_is_drifted,                                          \
    .repair_policies = audited_repair_policies, .receive = audited_receive, .settle = audited_settle

Cloud audit_cloud(Audit *audit, Cloud inner, const Symbols *const *symbols) {
    static const CloudTable table = {AUDITED_ONES};
    static const CloudTable whole = {
        AUDITED_ONES,
        .launch_many = audited_launch_many,
        .terminate_many = audited_terminate_many,
        .get_many = audited_get_many,
        .windows = audited_windows,
        .class_resolve = audited_class_resolve,
        .class_finalize = audited_class_finalize,
        .late_labels = audited_late_labels,
        .tag = audited_tag,
        .learn = audited_learn,
        .refreshes = audited_refreshes,
        .refresh = audited_refresh,
    };
    AuditedTables *tables = arena_new(&audit->arena, AuditedTables);

    *tables = (AuditedTables){.audit = audit, .cloud = inner, .symbols = symbols};
    return (Cloud){inner.table->launch_many ? &whole : &table, tables};
}
