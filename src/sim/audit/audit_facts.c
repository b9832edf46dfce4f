// Facts about claims, pods and volumes for the rules.
#include "sim/audit/audit_facts.h"

#include "text/duration.h"

int64_t audit_deadline(const Audit *audit, const NodeClaim *claim) {
    const Symbols *symbols = world_symbols(audit->world);
    Symbol key = symbol_find(symbols, SLICE("karpenter.sh/nodeclaim-termination-timestamp"));
    Symbol value = claim && key != INDEX_NONE ? labels_get(&claim->meta.annotations, key) : INDEX_NONE;
    int64_t deadline;

    if (value == INDEX_NONE || time_parse(symbol_text(symbols, value), &deadline, NULL) != OK)
        return INT64_MAX;
    return deadline;
}

const NodeClaim *audit_claim_of_node(const Audit *audit, Symbol node_name) {
    const State *state = world_state(audit->world);
    Handle node = state_find(state, KUBE_NODE, SYMBOL_EMPTY, node_name);

    return node.generation ? state_node_claim(state, state_claim_of_node(state, node)) : NULL;
}

static bool is_mirror(const Audit *audit, const Pod *pod) {
    return pod_is_owned_by(pod, world_symbols(audit->world), SLICE("v1"), SLICE("Node"));
}

bool audit_holds_drain(const Audit *audit, const Pod *pod) {
    const Symbols *symbols = world_symbols(audit->world);
    const Taint disrupted = {.key = NAME_DISRUPTED, .effect = EFFECT_NO_SCHEDULE};

    if (pod_is_terminal(pod) || is_mirror(audit, pod) ||
        taint_is_tolerated(symbols, &disrupted, &pod->spec->tolerations))
        return false;
    return !(pod->deleted_ns && world_now_ns(audit->world) - pod->deleted_ns > NS_PER_MIN);
}

Symbol audit_volume_of(const Audit *audit, const Pod *pod, const PodVolume *used) {
    const State *state = world_state(audit->world);
    const PersistentVolumeClaim *claim = state_persistent_volume_claim(
        state, state_find(state, KUBE_PERSISTENT_VOLUME_CLAIM, pod->ns, used->claim_name));

    return claim ? claim->volume_name : SYMBOL_EMPTY;
}
