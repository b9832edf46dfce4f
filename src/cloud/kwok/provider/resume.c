// Delayed Nodes that an earlier process left waiting: their claims are launched and not registered, and their status
// has all that the Nodes need. Karpenter forgets such Nodes, and their claims are deleted fifteen minutes later.
#include "cloud/kwok/provider/resume.h"

#include "cloud/kwok/provider/failures.h"
#include "cloud/kwok/provider/joins.h"
#include "cloud/kwok/provider/node.h"
#include "model/manifest/object.h"

static bool is_true(const NodeClaim *claim, const Symbols *symbols, const char *type) {
    const Condition *condition = condition_get(&claim->conditions, symbols, slice_of(type));

    return condition && condition->status != NAME_EMPTY &&
           slice_eq_text(symbol_text(symbols, condition->status), "True");
}

static bool waits_for_node(const NodeClaim *claim, const Symbols *symbols) {
    return !claim->meta.deleting && slice_starts_with(symbol_text(symbols, claim->provider_id), KWOK_PREFIX) &&
           is_true(claim, symbols, "Launched") && !is_true(claim, symbols, "Registered");
}

// Schedules the Node of a claim. A Node that exists already is not created twice.
static void let_join(KwokProvider *provider, Arena *arena, const NodeClaim *claim, const CloudInstance *instance) {
    const Symbols *symbols = &provider->symbols;
    Slice name = slice_from(symbol_text(symbols, claim->provider_id), KWOK_PREFIX.len);
    Value node = kwok_node_of_instance(arena, symbols, name, instance);

    kwok_join_later(provider, name, symbol_text(symbols, claim->meta.name), symbol_text(symbols, claim->meta.uid),
                    &node, 0);
}

static void look_at(void *context, Arena *arena, const Value *value) {
    KwokProvider *provider = context;
    const KubeKindInfo *kind = kube_kind(KUBE_NODE_CLAIM);
    NodeClaim *claim = arena_alloc(arena, object_decoded_size(kind->group, kind->kind));
    CloudInstance instance = {0};
    bool waits = false;
    Symbols *symbols;
    Err err;

    if (!slice_starts_with(kube_text(value, "status", "providerID", NULL), KWOK_PREFIX))
        return;
    symbols = words_begin(&provider->words, kwok_now_ns(provider));
    if (object_decode(arena, symbols, kind->group, kind->kind, value, claim, &err) == OK) {
        waits = waits_for_node(claim, symbols);
        instance = kwok_instance_of_claim(arena, symbols, claim);
    } else {
        kwok_log(provider, SLICE("failed reading nodeclaim"), kube_name(value), &err);
    }
    words_end(&provider->words);
    if (waits)
        let_join(provider, arena, claim, &instance);
}

ErrCode kwok_resume(KwokProvider *provider, KubeError *error) {
    return kube_list_each(provider->config.kube, &(KubeListRequest){.kind = KUBE_NODE_CLAIM}, look_at, provider, error);
}
