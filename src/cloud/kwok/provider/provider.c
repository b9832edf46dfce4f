// The table of functions, with the short calls, and making a provider.
#include "base/alloc.h"
#include "cloud/kwok/provider/failures.h"
#include "cloud/kwok/provider/joins.h"
#include "cloud/kwok/provider/launch.h"
#include "cloud/kwok/provider/node.h"
#include "cloud/kwok/repair_table.h"
#include "cloud/kwok/types.h"
#include "text/value_edit.h"

#include <stdlib.h>
#include <time.h>

// --- the table

static ErrCode call_launch(void *self, Arena *arena, const CloudLaunch *launch, CloudInstance *ret_instance,
                           CloudError *error) {
    return kwok_launch(self, arena, launch, ret_instance, error);
}

// Name of the Node; empty when the provider id is not one of KWOK's.
static Slice node_of(const KwokProvider *provider, Symbol provider_id) {
    Slice text = symbol_text(&provider->symbols, provider_id);

    return slice_starts_with(text, KWOK_PREFIX) ? slice_from(text, KWOK_PREFIX.len) : SLICE("");
}

static ErrCode fail_unknown(const KwokProvider *provider, Symbol provider_id, CloudError *error) {
    return cloud_fail(error, ERR_NOT_FOUND, "no instance of KWOK has the provider id \"%.*s\"",
                      SLICE_ARG(symbol_text(&provider->symbols, provider_id)));
}

// Deletes the Node and answers that the instance is gone, since there is no machine to wait for. A Node that never
// registered would be deleted by nobody else; one that is being drained stays until its finalizer is removed.
static ErrCode call_terminate(void *self, Symbol provider_id, CloudError *error) {
    KwokProvider *provider = self;
    Slice name = node_of(provider, provider_id);
    KubeError failure = {0};

    if (!name.len)
        return fail_unknown(provider, provider_id, error);
    kwok_join_cancel(provider, name);
    if (kube_remove(provider->config.kube, (KubeRef){KUBE_NODE, {0}, name}, NULL, &failure) != OK &&
        failure.err.code != ERR_NOT_FOUND)
        return kwok_fail_kube(error, "deleting node", &failure);
    return cloud_fail(error, ERR_NOT_FOUND, "instance terminated");
}

// There is no machine that restarts: the Node says that it has, by another boot id, as Karpenter's provider plays it.
static ErrCode call_reboot(void *self, Symbol provider_id, Slice operation, CloudError *error) {
    KwokProvider *provider = self;
    Slice name = node_of(provider, provider_id);
    KubeError failure = {0};
    Arena arena = {0};
    Value patch = value_map();
    ErrCode code;

    if (!name.len)
        return fail_unknown(provider, provider_id, error);
    value_put(&arena, value_make(&arena, &patch, "status", "nodeInfo", NULL), SLICE("bootID"), value_string(operation));
    code = kube_patch(provider->config.kube, NULL, KWOK_MANAGER, (KubeRef){KUBE_NODE, {0}, name}, KUBE_STATUS,
                      &(KubePatch){.body = &patch}, NULL, &failure);
    arena_free(&arena);
    return code == OK ? OK : kwok_fail_kube(error, "rebooting node", &failure);
}

// Reads an instance. A Node that is being deleted counts as gone.
static ErrCode call_get(void *self, Arena *arena, Symbol provider_id, CloudInstance *ret_instance, CloudError *error) {
    KwokProvider *provider = self;
    Slice name = node_of(provider, provider_id);
    CloudInstance instance;

    if (!name.len)
        return fail_unknown(provider, provider_id, error);
    TRY(kwok_read_node(provider, arena, name, &instance, error));
    if (instance.terminating)
        return cloud_fail(error, ERR_NOT_FOUND, "nodeclaim not found");
    *ret_instance = instance;
    return OK;
}

typedef struct {
    KwokProvider *provider;
    Arena *arena;
    CloudInstanceVec instances;
} Listing;

// Adds an instance to the list. A Node that cannot be decoded is skipped: the caller looks up a missing instance by its
// id.
static void add_instance(void *context, Arena *page, const Value *node) {
    Listing *listing = context;
    KwokProvider *provider = listing->provider;
    CloudInstance instance;
    ErrCode code;
    Err err;

    (void)page;
    if (!slice_starts_with(kube_text(node, "spec", "providerID", NULL), KWOK_PREFIX))
        return;
    code = kwok_instance_of_node(listing->arena, words_begin(&provider->words, kwok_now_ns(provider)), node, &instance,
                                 &err);
    words_end(&provider->words);
    if (code == OK)
        vec_push(listing->arena, &listing->instances, instance);
    else
        kwok_log(provider, SLICE("failed reading node"), kube_name(node), &err);
}

static ErrCode call_list(void *self, Arena *arena, CloudInstanceVec *ret_instances, CloudError *error) {
    KwokProvider *provider = self;
    Listing listing = {.provider = provider, .arena = arena};
    KubeError failure = {0};

    if (kube_list_each(provider->config.kube, &(KubeListRequest){.kind = KUBE_NODE}, add_instance, &listing,
                       &failure) != OK)
        return kwok_fail_kube(error, "listing nodes", &failure);
    *ret_instances = listing.instances;
    return OK;
}

static ErrCode call_instance_types(void *self, const NodePool *pool, const InstanceTypeVec **ret_types,
                                   CloudError *error) {
    (void)pool, (void)error;
    *ret_types = &((KwokProvider *)self)->types;
    return OK;
}

static ErrCode call_is_drifted(void *self, const NodeClaim *claim, Slice *ret_reason, CloudError *error) {
    (void)self, (void)claim, (void)error;
    *ret_reason = (Slice){0};
    return OK;
}

static RepairPolicies call_repair_policies(void *self, const NodePool *pool) {
    (void)self, (void)pool;
    return kwok_repair_policies();
}

Cloud kwok_provider_cloud(KwokProvider *provider) {
    static const CloudTable table = {.launch = call_launch,
                                     .terminate = call_terminate,
                                     .reboot = call_reboot,
                                     .get = call_get,
                                     .list = call_list,
                                     .instance_types = call_instance_types,
                                     .is_drifted = call_is_drifted,
                                     .repair_policies = call_repair_policies};

    return (Cloud){&table, provider};
}

// --- making a provider

static int64_t system_now(void *context) {
    (void)context;
    return clock_system_mono().ns;
}

static ErrCode read_types(KwokProvider *provider, Err *err) {
    Slice text = arena_slice(&provider->arena, provider->config.types_text); // the types point into it

    if (!provider->config.types_file.len && !text.len) {
        provider->types = kwok_default_types(&provider->arena, &provider->symbols);
        return OK;
    }
    TRY(kwok_types_read(&provider->arena, &provider->symbols, provider->config.types_file, text, &provider->types,
                        err));
    for (vec_each(InstanceType, type, &provider->types)) {
        for (vec_each(Offering, offering, &type->offerings))
            offering->available = true;
    }
    return OK;
}

static void init_lock(KwokProvider *provider) {
    pthread_condattr_t attributes;

    CHECK(pthread_mutex_init(&provider->lock, NULL) == 0, "no mutex");
    CHECK(pthread_condattr_init(&attributes) == 0 && pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) == 0 &&
              pthread_cond_init(&provider->changed, &attributes) == 0,
          "no condition variable");
    pthread_condattr_destroy(&attributes);
}

ErrCode kwok_provider_new(const KwokConfig *config, KwokProvider **ret_provider, Err *err) {
    KwokProvider *provider = NEW(KwokProvider);
    ErrCode code;

    provider->config = *config;
    provider->has_system_clock = !config->now_ns;
    if (!config->now_ns)
        provider->config.now_ns = system_now;
    provider->symbols = (Symbols){config->symbols->table, NULL};
    provider->class_name = INDEX_NONE;
    code = read_types(provider, err);
    if (code != OK) {
        arena_free(&provider->arena);
        free(provider);
        return code;
    }
    provider->config.types_file = provider->config.types_text = (Slice){0};
    words_init(&provider->words, &provider->symbols, kwok_now_ns(provider));
    init_lock(provider);
    *ret_provider = provider;
    return OK;
}

static void end_thread(KwokProvider *provider) {
    pthread_mutex_lock(&provider->lock);
    provider->over = true;
    pthread_cond_broadcast(&provider->changed);
    pthread_mutex_unlock(&provider->lock);
    if (provider->has_thread)
        pthread_join(provider->thread, NULL);
}

void kwok_provider_free(KwokProvider *provider) {
    if (!provider)
        return;
    end_thread(provider);
    kwok_joins_free(provider);
    words_free(&provider->words);
    pthread_cond_destroy(&provider->changed);
    pthread_mutex_destroy(&provider->lock);
    arena_free(&provider->arena);
    free(provider);
}
