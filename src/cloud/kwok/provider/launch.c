// Launch: exactly one Node per claim. Behaviour: reference lifecycle.md 8 (NodeClass, Create).
#include "cloud/kwok/provider/launch.h"

#include "cloud/kwok/provider/choose.h"
#include "cloud/kwok/provider/failures.h"
#include "cloud/kwok/provider/joins.h"
#include "cloud/kwok/provider/node.h"
#include "text/duration.h"

static const int64_t CLASS_STANDS_NS = NS_PER_S;

// --- the NodeClass

static const Value *ready_condition(const Value *class) {
    const Value *conditions = value_at(class, "status", "conditions", NULL);

    for (uint32_t i = 0; conditions && conditions->kind == VALUE_LIST && i < conditions->list.count; i++) {
        if (slice_eq_text(kube_text(&conditions->list.items[i], "type", NULL), "Ready"))
            return &conditions->list.items[i];
    }
    return NULL;
}

// Reads a KWOKNodeClass and its registration delay. A class without condition Ready counts as ready, as in Karpenter.
static ErrCode ask_for_class(KwokProvider *provider, Arena *arena, Slice name, int64_t *ret_delay_ns,
                             CloudError *error) {
    KubeError failure = {0};
    const Value *ready;
    Value class;
    Slice delay;
    int64_t delay_ns = 0;
    Err err;

    if (kube_get(provider->config.kube, arena, (KubeRef){KUBE_KWOK_NODE_CLASS, {0}, name}, &class, &failure) != OK) {
        if (failure.err.code == ERR_NOT_FOUND)
            return cloud_fail(error, ERR_CAPACITY, "resolving node class from nodeclaim, %s", failure.err.text);
        return kwok_fail_kube(error, "resolving node class from nodeclaim", &failure);
    }
    ready = ready_condition(&class);
    if (slice_eq_text(kube_text(ready, "status", NULL), "False"))
        return cloud_fail_class(error, ERR_INVALID, "%.*s", SLICE_ARG(kube_text(ready, "message", NULL)));
    delay = kube_text(&class, "spec", "nodeRegistrationDelay", NULL);
    if (delay.len && (duration_parse(delay, &delay_ns, &err) != OK || delay_ns < 0))
        return cloud_fail(
            error, ERR_INVALID,
            "KWOKNodeClass %.*s: spec.nodeRegistrationDelay: expected a duration of at least 0 as \"30s\" "
            "or \"1m30s\", got \"%.*s\"",
            SLICE_ARG(name), SLICE_ARG(delay));
    *ret_delay_ns = delay_ns;
    return OK;
}

// Caches the answer for a second, so that a burst of launches reads the class once; Karpenter's cache may be stale as
// well.
static ErrCode read_class(KwokProvider *provider, Arena *arena, Symbol name, int64_t *ret_delay_ns, CloudError *error) {
    int64_t now_ns = kwok_now_ns(provider), delay_ns = 0;
    bool known;

    pthread_mutex_lock(&provider->lock);
    known = provider->class_name == name && now_ns - provider->class_read_ns < CLASS_STANDS_NS;
    *ret_delay_ns = provider->class_delay_ns;
    pthread_mutex_unlock(&provider->lock);
    if (known)
        return OK;
    TRY(ask_for_class(provider, arena, symbol_text(&provider->symbols, name), &delay_ns, error));
    pthread_mutex_lock(&provider->lock);
    provider->class_name = name;
    provider->class_read_ns = now_ns;
    provider->class_delay_ns = *ret_delay_ns = delay_ns;
    pthread_mutex_unlock(&provider->lock);
    return OK;
}

// --- the Node

ErrCode kwok_read_node(KwokProvider *provider, Arena *arena, Slice name, CloudInstance *ret_instance,
                       CloudError *error) {
    KubeError failure = {0};
    Value node;
    Err err;
    ErrCode code;

    if (kube_get(provider->config.kube, arena, (KubeRef){KUBE_NODE, {0}, name}, &node, &failure) != OK) {
        if (failure.err.code == ERR_NOT_FOUND)
            return cloud_fail(error, ERR_NOT_FOUND, "finding node, %s", failure.err.text);
        return kwok_fail_kube(error, "finding node", &failure);
    }
    code =
        kwok_instance_of_node(arena, words_begin(&provider->words, kwok_now_ns(provider)), &node, ret_instance, &err);
    words_end(&provider->words);
    return code == OK ? OK : cloud_fail(error, code, "reading Node %.*s, %s", SLICE_ARG(name), err.text);
}

// Takes the Node of an earlier launch for the same claim. A Node that is being deleted fails the launch: a new one can
// be created when it is gone.
static ErrCode take_earlier(KwokProvider *provider, Arena *arena, Slice name, CloudInstance *ret_instance,
                            CloudError *error) {
    CloudInstance instance = {0};

    TRY(kwok_read_node(provider, arena, name, &instance, error));
    if (instance.terminating)
        return cloud_fail(error, ERR_IO, "creating node, the Node %.*s of an earlier launch is being deleted",
                          SLICE_ARG(name));
    *ret_instance = instance;
    return OK;
}

static ErrCode join_now(KwokProvider *provider, Arena *arena, Slice name, const Value *node,
                        CloudInstance *ret_instance, CloudError *error) {
    KubeError failure = {0};
    ErrCode code;

    if (kube_create(provider->config.kube, NULL, KWOK_MANAGER, KUBE_NODE, node, NULL, &failure) == OK)
        return OK;
    if (failure.reason != KUBE_REASON_ALREADY_EXISTS)
        return kwok_fail_kube(error, "creating node", &failure);
    code = take_earlier(provider, arena, name, ret_instance, error);
    if (code == ERR_NOT_FOUND) // it was deleted in the meantime
        return cloud_fail(error, ERR_IO, "creating node, the Node %.*s of an earlier launch was deleted",
                          SLICE_ARG(name));
    return code;
}

static ErrCode join_later(KwokProvider *provider, Arena *arena, const NodeClaim *claim, Slice name, const Value *node,
                          int64_t delay_ns, CloudInstance *ret_instance, CloudError *error) {
    const Symbols *symbols = &provider->symbols;
    ErrCode code = take_earlier(provider, arena, name, ret_instance, error);

    if (code != ERR_NOT_FOUND)
        return code;
    if (error)
        *error = (CloudError){0};
    kwok_join_later(provider, name, symbol_text(symbols, claim->meta.name), symbol_text(symbols, claim->meta.uid), node,
                    delay_ns);
    return OK;
}

ErrCode kwok_launch(KwokProvider *provider, Arena *arena, const CloudLaunch *launch, CloudInstance *ret_instance,
                    CloudError *error) {
    const Symbols *symbols = &provider->symbols;
    const NodeClaim *claim = launch->claim;
    CloudInstance instance;
    KwokOffer offer;
    int64_t delay_ns = 0;
    Slice name;
    Value node;

    TRY(kwok_choose(provider, arena, launch, &offer, error));
    TRY(read_class(provider, arena, claim->spec.node_class.name, &delay_ns, error));
    name = kwok_node_name(arena, symbol_text(symbols, claim->meta.name), symbol_text(symbols, claim->meta.uid));
    instance = kwok_instance_of_offer(arena, words_begin(&provider->words, kwok_now_ns(provider)), claim, name, &offer);
    words_end(&provider->words);
    node = kwok_node_of_instance(arena, symbols, name, &instance);
    if (delay_ns == 0)
        TRY(join_now(provider, arena, name, &node, &instance, error));
    else
        TRY(join_later(provider, arena, claim, name, &node, delay_ns, &instance, error));
    *ret_instance = instance;
    return OK;
}
