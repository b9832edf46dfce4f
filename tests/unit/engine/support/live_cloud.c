// The cloud of a LiveCluster: one instance type that never runs out; instances exist, and end, at once.
#include "engine/support/live_parts.h"

#include "cloud/kwok/types.h"
#include "model/names.h"

#include <stdio.h>

static LiveCloud *enter(void *self) {
    LiveCloud *cloud = &((LiveCluster *)self)->cloud;

    pthread_mutex_lock(&cloud->lock);
    return cloud;
}

static ErrCode leave(LiveCloud *cloud, ErrCode code) {
    pthread_mutex_unlock(&cloud->lock);
    return code;
}

static const InstanceType *the_type(const LiveCloud *cloud) {
    for (vec_each(const InstanceType, type, &cloud->types)) {
        if (slice_eq_text(symbol_text(&cloud->symbols, type->name), LIVE_TYPE))
            return type;
    }
    return NULL;
}

static CloudInstance describe(LiveCloud *cloud, Arena *arena, const LiveInstance *instance) {
    const InstanceType *type = the_type(cloud);
    CloudInstance result = {.provider_id = symbol_intern(&cloud->symbols, slice_of(instance->provider_id)),
                            .instance_type = type->name,
                            .zone = symbol_intern(&cloud->symbols, SLICE(LIVE_ZONE)),
                            .capacity_type = symbol_intern(&cloud->symbols, SLICE("on-demand")),
                            .claim_name = symbol_intern(&cloud->symbols, slice_of(instance->claim_name)),
                            .pool = symbol_intern(&cloud->symbols, SLICE("general")),
                            .launched_ns = 1};

    labels_set(arena, &result.labels, NAME_INSTANCE_TYPE, result.instance_type);
    labels_set(arena, &result.labels, NAME_ZONE, result.zone);
    labels_set(arena, &result.labels, NAME_CAPACITY_TYPE, result.capacity_type);
    result.capacity = instance_type_capacity(arena, type, NULL);
    result.allocatable = instance_type_allocatable(arena, &cloud->symbols, type, NULL);
    return result;
}

static LiveInstance *find(LiveCloud *cloud, Slice provider_id) {
    for (uint32_t i = 0; i < cloud->instances.count; i++) {
        LiveInstance *instance = cloud->instances.items[i];

        if (!instance->ended && slice_eq_text(provider_id, instance->provider_id))
            return instance;
    }
    return NULL;
}

// The uid is the idempotency token.
static LiveInstance *find_or_launch(LiveCloud *cloud, Slice name, Slice uid) {
    LiveInstance *instance;

    for (uint32_t i = 0; i < cloud->instances.count; i++) {
        instance = cloud->instances.items[i];
        if (slice_eq_text(uid, instance->claim_uid))
            return instance;
    }
    instance = arena_new(&cloud->arena, LiveInstance);
    instance->number = cloud->launches++;
    snprintf(instance->provider_id, sizeof instance->provider_id, "cluster://instance-%05u", instance->number);
    snprintf(instance->claim_name, sizeof instance->claim_name, "%.*s", SLICE_ARG(name));
    snprintf(instance->claim_uid, sizeof instance->claim_uid, "%.*s", SLICE_ARG(uid));
    vec_push(&cloud->arena, &cloud->instances, instance);
    return instance;
}

static ErrCode call_launch(void *self, Arena *arena, const CloudLaunch *launch, CloudInstance *ret_instance,
                           CloudError *error) {
    LiveCloud *cloud = enter(self);

    (void)error;
    *ret_instance = describe(cloud, arena,
                             find_or_launch(cloud, symbol_text(&cloud->symbols, launch->claim->meta.name),
                                            symbol_text(&cloud->symbols, launch->claim->meta.uid)));
    return leave(cloud, OK);
}

static ErrCode call_terminate(void *self, Symbol provider_id, CloudError *error) {
    LiveCloud *cloud = enter(self);
    LiveInstance *instance = find(cloud, symbol_text(&cloud->symbols, provider_id));

    if (!instance)
        return leave(cloud, err_set(&error->err, ERR_NOT_FOUND, "no such instance"));
    instance->ended = true;
    return leave(cloud, OK);
}

static ErrCode call_get(void *self, Arena *arena, Symbol provider_id, CloudInstance *ret_instance, CloudError *error) {
    LiveCloud *cloud = enter(self);
    const LiveInstance *instance = find(cloud, symbol_text(&cloud->symbols, provider_id));

    if (!instance)
        return leave(cloud, err_set(&error->err, ERR_NOT_FOUND, "no such instance"));
    *ret_instance = describe(cloud, arena, instance);
    return leave(cloud, OK);
}

static ErrCode call_list(void *self, Arena *arena, CloudInstanceVec *ret_instances, CloudError *error) {
    LiveCloud *cloud = enter(self);

    (void)error;
    *ret_instances = (CloudInstanceVec){0};
    for (uint32_t i = 0; i < cloud->instances.count; i++) {
        if (!cloud->instances.items[i]->ended)
            vec_push(arena, ret_instances, describe(cloud, arena, cloud->instances.items[i]));
    }
    return leave(cloud, OK);
}

static ErrCode call_instance_types(void *self, const NodePool *pool, const InstanceTypeVec **ret_types,
                                   CloudError *error) {
    (void)pool, (void)error;
    *ret_types = &((LiveCluster *)self)->cloud.types;
    return OK;
}

static ErrCode call_is_drifted(void *self, const NodeClaim *claim, Slice *ret_reason, CloudError *error) {
    (void)self, (void)claim, (void)error;
    *ret_reason = (Slice){0};
    return OK;
}

static RepairPolicies call_repair_policies(void *self, const NodePool *pool) {
    (void)self, (void)pool;
    return (RepairPolicies){0};
}

// --- several at once

static void begin_many(void *self, uint32_t count) {
    LiveCloud *cloud = enter(self);

    cloud->calls_of_many++;
    cloud->of_many += count;
    leave(cloud, OK);
}

static void call_launch_many(void *self, Arena *arena, const CloudLaunch *const *launches, uint32_t count,
                             CloudResult *ret_results) {
    begin_many(self, count);
    for (uint32_t i = 0; i < count; i++)
        ret_results[i].code = call_launch(self, arena, launches[i], &ret_results[i].instance, &ret_results[i].error);
}

static void call_terminate_many(void *self, Arena *arena, const Symbol *provider_ids, uint32_t count,
                                CloudResult *ret_results) {
    (void)arena;
    begin_many(self, count);
    for (uint32_t i = 0; i < count; i++)
        ret_results[i].code = call_terminate(self, provider_ids[i], &ret_results[i].error);
}

static void call_get_many(void *self, Arena *arena, const Symbol *provider_ids, uint32_t count,
                          CloudResult *ret_results) {
    begin_many(self, count);
    for (uint32_t i = 0; i < count; i++)
        ret_results[i].code = call_get(self, arena, provider_ids[i], &ret_results[i].instance, &ret_results[i].error);
}

// Long enough that a burst is one also on a machine that has much else to do.
static const CloudWindows *call_windows(void *self) {
    static const CloudWindows windows = {.launch = {200 * NS_PER_MS, NS_PER_S, 1000, 0},
                                         .terminate = {200 * NS_PER_MS, NS_PER_S, 500, 0},
                                         .get = {200 * NS_PER_MS, NS_PER_S, 500, 0}};

    return ((LiveCluster *)self)->cloud.gathers ? &windows : NULL;
}

Cloud live_cloud_begin(LiveCluster *cluster, const Symbols *symbols) {
    static const CloudTable table = {.launch = call_launch,
                                     .terminate = call_terminate,
                                     .get = call_get,
                                     .list = call_list,
                                     .instance_types = call_instance_types,
                                     .is_drifted = call_is_drifted,
                                     .repair_policies = call_repair_policies,
                                     .launch_many = call_launch_many,
                                     .terminate_many = call_terminate_many,
                                     .get_many = call_get_many,
                                     .windows = call_windows};
    LiveCloud *cloud = &cluster->cloud;

    cloud->symbols = *symbols;
    cloud->symbols.holder = NULL;
    cloud->types = kwok_default_types(&cloud->type_arena, &cloud->symbols);
    CHECK(the_type(cloud), "KWOK has no " LIVE_TYPE " any more");
    return (Cloud){&table, cluster};
}

void live_cloud_end(LiveCluster *cluster) {
    arena_free(&cluster->cloud.type_arena);
}

void live_cloud_free(LiveCluster *cluster) {
    arena_free(&cluster->cloud.arena);
}

LiveInstance *live_cloud_next(LiveCluster *cluster) {
    LiveCloud *cloud = enter(cluster);
    LiveInstance *found = NULL;

    while (cloud->joined < cloud->instances.count && !found) {
        LiveInstance *instance = cloud->instances.items[cloud->joined++];

        if (!instance->ended)
            found = instance;
    }
    leave(cloud, OK);
    return found;
}

void live_cloud_count(LiveCluster *cluster, LiveCounts *counts) {
    LiveCloud *cloud = enter(cluster);

    counts->launches = cloud->launches;
    counts->calls_of_many = cloud->calls_of_many;
    counts->of_many = cloud->of_many;
    for (uint32_t i = 0; i < cloud->instances.count; i++)
        counts->instances += !cloud->instances.items[i]->ended;
    leave(cloud, OK);
}
