// Facts about claims, pods and volumes for the rules.
#include "sim/audit/audit_facts.h"

#include "model/names.h"
#include "model/pod_predicates.h"
#include "text/duration.h"

Slice audit_text(const Audit *audit, Symbol symbol) {
    return symbol_text(world_symbols(audit->world), symbol);
}

bool audit_means(const Audit *audit, const KubeDeletion *deletion, Symbol uid) {
    return !deletion || !deletion->uid.len || slice_eq(deletion->uid, audit_text(audit, uid));
}

int64_t audit_deadline(const Audit *audit, const NodeClaim *claim) {
    const Symbols *symbols = world_symbols(audit->world);
    Symbol key = symbol_find(symbols, SLICE("karpenter.sh/nodeclaim-termination-timestamp"));
    Symbol value = claim && key != INDEX_NONE ? labels_get(&claim->meta.annotations, key) : INDEX_NONE;
    int64_t deadline;

    if (value == INDEX_NONE || time_parse(symbol_text(symbols, value), &deadline, NULL) != OK)
        return INT64_MAX;
    return deadline;
}

const NodeClaim *audit_claim_of_instance(const Audit *audit, const SimInstance *instance) {
    const State *state = world_state(audit->world);
    const NodeClaim *claim;

    if (instance->claim_uid == SYMBOL_EMPTY) {
        const HandleVec *claims = state_claims_with_provider_id(state, instance->provider_id);

        return claims->count ? state_node_claim(state, claims->items[0]) : NULL;
    }
    claim = state_node_claim(state, state_find(state, KUBE_NODE_CLAIM, SYMBOL_EMPTY, instance->claim_name));
    return claim && claim->meta.uid == instance->claim_uid ? claim : NULL;
}

const Pod *audit_find_pod(const Audit *audit, KubeRef ref) {
    const State *state = world_state(audit->world);
    const Symbols *symbols = world_symbols(audit->world);
    Symbol ns = symbol_find(symbols, ref.ns), name = symbol_find(symbols, ref.name);

    if (ns == INDEX_NONE || name == INDEX_NONE)
        return NULL;
    return state_pod(state, state_find(state, KUBE_POD, ns, name));
}

const NodeClaim *audit_claim_of_node(const Audit *audit, Symbol node_name) {
    const State *state = world_state(audit->world);
    Handle node = state_find(state, KUBE_NODE, SYMBOL_EMPTY, node_name);

    return node.generation ? state_node_claim(state, state_claim_of_node(state, node)) : NULL;
}

bool audit_claim_is(const Audit *audit, const NodeClaim *claim, const char *type) {
    return claim && condition_is_true(&claim->conditions, world_symbols(audit->world), slice_of(type));
}

bool audit_is_old(const Audit *audit, int64_t since_ns) {
    return world_now_ns(audit->world) - since_ns >= NS_PER_MIN;
}

int64_t audit_pool_changed_ns(const Audit *audit, Symbol pool) {
    uint32_t slot = u64_map_get(&audit->pool_changed, pool);

    return slot == INDEX_NONE ? world_now_ns(audit->world) : audit->pool_changed_ns.items[slot];
}

static bool keeps_out(const Node *node, Symbol key) {
    for (vec_each(const Taint, taint, &node->taints)) {
        if (taint->key == key && taint->effect == EFFECT_NO_SCHEDULE)
            return true;
    }
    return false;
}

bool audit_is_tainted(const Node *node) {
    return keeps_out(node, NAME_DISRUPTED);
}

bool audit_is_fenced(const Node *node) {
    return keeps_out(node, NAME_REBOOTING);
}

static bool tolerates_disruption(const Audit *audit, const Pod *pod) {
    const Taint disrupted = {.key = NAME_DISRUPTED, .effect = EFFECT_NO_SCHEDULE};

    return taint_is_tolerated(world_symbols(audit->world), &disrupted, &pod->spec->tolerations);
}

bool audit_is_evictable(const Audit *audit, const Pod *pod) {
    return !pod_is_mirror(pod) && !tolerates_disruption(audit, pod);
}

bool audit_holds_drain(const Audit *audit, const Pod *pod) {
    if (pod_is_terminal(pod) || pod_is_mirror(pod) || tolerates_disruption(audit, pod))
        return false;
    return !(pod->deleted_ns && world_now_ns(audit->world) - pod->deleted_ns > NS_PER_MIN);
}

Symbol audit_volume_of(const Audit *audit, const Pod *pod, const PodVolume *used) {
    const State *state = world_state(audit->world);
    const PersistentVolumeClaim *claim = state_persistent_volume_claim(
        state, state_find(state, KUBE_PERSISTENT_VOLUME_CLAIM, pod->ns, used->claim_name));

    return claim ? claim->volume_name : SYMBOL_EMPTY;
}
