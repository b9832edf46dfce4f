// Pods that are bound elsewhere than planned. kube-scheduler does not know the plan: of equal pods it may bind another
// one to the node, or it fills a node while the plan for it is still being made. The pods that were planned there would
// wait for a node without room for them, until their place expires (provision/pending.c).
//
//   the stray pod had a place of its own   a pod with the same spec inherits it: still one place per pod
//   it had none, and room is missing       a pod that was planned there loses its place and is planned again
#include "ctl/provision/parts.h"

// Number of the claim whose node the pod is bound to; INDEX_NONE: none.
static uint32_t claim_of(const Provisioner *provisioner, const State *state, const Pod *pod) {
    Handle node = state_find(state, KUBE_NODE, NAME_EMPTY, pod->node_name);
    const NodeClaim *claim = node.generation ? state_node_claim(state, state_claim_of_node(state, node)) : NULL;

    return claim ? provision_index_find_claim(&provisioner->index, claim->meta.name) : INDEX_NONE;
}

// A pod that waits for the claim's node, preferably one with the stray pod's spec. ret_missing: the node has no room
// for all pods that wait for it.
static uint32_t find_heir(const Provisioner *provisioner, const Turn *turn, uint32_t claim, const Pod *stray,
                          bool *ret_missing) {
    const Node *node = state_node(turn->state, state_find(turn->state, KUBE_NODE, NAME_EMPTY, stray->node_name));
    Resources needed = resources_copy(turn->arena, &state_node_usage(turn->state, stray->node_name)->requests);
    uint32_t heir = INDEX_NONE;
    bool is_equal = false;

    for (vec_each(const uint32_t, item, &known_claim(&provisioner->index, claim)->pods)) {
        const KnownPod *known = known_pod(&provisioner->index, *item);
        const Pod *pod = known->claim == claim && known->uid != stray->uid
                             ? state_pod(turn->state, state_find_uid(turn->state, KUBE_POD, known->uid))
                             : NULL;

        if (!pod || pod->node_name != NAME_EMPTY)
            continue;
        resources_add(turn->arena, &needed, &pod->spec->requests);
        if (heir == INDEX_NONE || (!is_equal && pod->spec == stray->spec))
            heir = *item;
        is_equal |= pod->spec == stray->spec;
    }
    *ret_missing = !resources_fit(&needed, &node->allocatable);
    return heir;
}

static bool says_the_same(const Provisioner *provisioner, const Turn *turn, uint32_t pod, const Pod *other) {
    Symbol uid = known_pod(&provisioner->index, pod)->uid;

    return state_pod(turn->state, state_find_uid(turn->state, KUBE_POD, uid))->spec == other->spec;
}

Symbol provision_see_bound(Provisioner *provisioner, const Turn *turn, const Pod *pod) {
    uint32_t known = provision_index_find_pod(&provisioner->index, pod->uid);
    uint32_t own = known == INDEX_NONE ? INDEX_NONE : known_pod(&provisioner->index, known)->claim;
    uint32_t taken = claim_of(provisioner, turn->state, pod), heir;
    bool missing;

    if (taken == INDEX_NONE || taken == own)
        return NAME_EMPTY;
    heir = find_heir(provisioner, turn, taken, pod, &missing);
    if (heir == INDEX_NONE)
        return NAME_EMPTY;
    if (own != INDEX_NONE && says_the_same(provisioner, turn, heir, pod)) {
        provision_index_place_on_claim(&provisioner->index, heir, own);
        return NAME_EMPTY;
    }
    if (!missing)
        return NAME_EMPTY;
    provision_index_unplace(&provisioner->index, heir);
    return known_pod(&provisioner->index, heir)->uid;
}
