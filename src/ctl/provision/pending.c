// Pods that wait: who has a place, who does not, and when a plan may help. Reference scheduling.md 4.1, 4.2.
//
// Karpenter plans for every waiting pod each 10 s. Here every waiting pod is looked at each 10 s, and planned for when
// it has no place and something may have changed for it: an object that plans read, what the cloud offers, a launch
// budget that opens. While nothing of that changes it is tried after 10 s, 20 s, … at most two minutes all the same, or
// 30 s when pods were bound or went meanwhile: an affinity or a spread may be met by now.
#include "ctl/provision/parts.h"

#include "ctl/common/claim_facts.h"
#include "ctl/common/node_facts.h"
#include "model/pod_predicates.h"

static const int64_t second_ns = 1000000000;

// Whether the node goes away, and pods on it will need a home.
static bool is_leaving(const State *state, Handle node) {
    const Node *object = state_node(state, node);

    return object && (node_is_disrupted(object) || state_node_is_deleting(state, node));
}

void provision_look_by(Provisioner *provisioner, int64_t at_ns) {
    if (provisioner->look_ns != INT64_MAX && at_ns < provisioner->look_ns)
        provisioner->look_ns = at_ns;
}

// --- claims

static void plan_pods_anew(Provisioner *provisioner, Turn *turn, uint32_t claim) {
    const KnownClaim *known = known_claim(&provisioner->index, claim);

    for (vec_each(uint32_t, pod, &known->pods)) {
        if (known_pod(&provisioner->index, *pod)->claim == claim)
            provision_batch_trigger(&provisioner->batch, known_pod(&provisioner->index, *pod)->uid, turn->now_ns);
    }
    provision_index_clear_claim(&provisioner->index, claim);
}

// Gone before it launched: whatever the reason is, the next ones of its kind are likely to end so.
static void see_gone(Provisioner *provisioner, Turn *turn, uint32_t claim) {
    KnownClaim *known = known_claim(&provisioner->index, claim);

    if (known->gone_ns)
        return;
    known->gone_ns = turn->now_ns;
    provisioner->changed = true;
    if (known->counted) {
        known->counted = false;
        launch_budget_failed(&provisioner->budgets, known->offering, known->created_ns, turn->now_ns, turn->random);
    }
    plan_pods_anew(provisioner, turn, claim);
}

void provision_see_claim(Provisioner *provisioner, Turn *turn, uint32_t claim) {
    KnownClaim *known = known_claim(&provisioner->index, claim);
    Handle handle;
    const NodeClaim *object;

    if (!known->used || known->name == NAME_EMPTY)
        return;
    handle = state_find(turn->state, KUBE_NODE_CLAIM, NAME_EMPTY, known->name);
    object = state_node_claim(turn->state, handle);
    if (object && object->provider_id != NAME_EMPTY && known->counted) {
        known->counted = false;
        launch_budget_launched(&provisioner->budgets, known->offering);
        provisioner->changed |= provisioner->held_by_window;
    }
    if (!object || state_claim_is_deleting(turn->state, handle))
        see_gone(provisioner, turn, claim);
    else if (!known->ready_ns && (claim_is(object, turn->symbols, "Initialized") ||
                                  claim_is_stuck(object, turn->symbols, turn->settings, turn->now_ns)))
        known->ready_ns = turn->now_ns;
}

static void see_claims(Provisioner *provisioner, Turn *turn) {
    ProvisionIndex *index = &provisioner->index;

    for (uint32_t i = 0; i < index->claims.count; i++) {
        provision_see_claim(provisioner, turn, i);
        if (index->claims.items[i].gone_ns &&
            turn->now_ns - index->claims.items[i].gone_ns > PROVISION_GONE_S * second_ns)
            provision_index_forget_claim(index, i);
    }
}

// --- pods

bool provision_has_place(Provisioner *provisioner, const Turn *turn, uint32_t pod, bool bound) {
    KnownPod *known = known_pod(&provisioner->index, pod);
    int64_t patience_ns = (bound ? PROVISION_DRAIN_S : PROVISION_BIND_S) * second_ns, since_ns = known->placed_ns;

    if (known->claim != INDEX_NONE) {
        since_ns = known_claim(&provisioner->index, known->claim)->ready_ns;
        if (!since_ns)
            return true;
    }
    if (!since_ns)
        return false;
    if (turn->now_ns - since_ns < patience_ns)
        return true;
    provision_index_unplace(&provisioner->index, pod);
    provisioner->changed = true;
    return false;
}

typedef struct {
    uint32_t waiting;
    Symbol without_place; // uid of one such pod
} Look;

static void look_at_pod(Provisioner *provisioner, Turn *turn, Symbol uid, bool bound, Look *look) {
    uint32_t pod = provision_index_find_pod(&provisioner->index, uid);

    look->waiting++;
    if (pod == INDEX_NONE) { // of a node that goes away, or its event was missed
        provision_index_add_pod(&provisioner->index, uid);
        provision_batch_trigger(&provisioner->batch, uid, turn->now_ns);
        look->without_place = uid;
    } else if (!provision_has_place(provisioner, turn, pod, bound)) {
        look->without_place = uid;
    }
}

static void look_at_pending(Provisioner *provisioner, Turn *turn, Look *look) {
    for (vec_each(const Handle, handle, state_pods_pending(turn->state))) {
        const Pod *pod = state_pod(turn->state, *handle);

        if (pod_is_provisionable(pod, turn->symbols))
            look_at_pod(provisioner, turn, pod->uid, false, look);
    }
}

static void look_at_leaving(Provisioner *provisioner, Turn *turn, Look *look) {
    for (Handle handle = state_next(turn->state, KUBE_NODE, HANDLE_NONE); handle.generation;
         handle = state_next(turn->state, KUBE_NODE, handle)) {
        const HandleVec *pods;

        if (!is_leaving(turn->state, handle))
            continue;
        pods = state_pods_on_node(turn->state, state_node(turn->state, handle)->meta.name);
        for (vec_each(const Handle, item, pods)) {
            const Pod *pod = state_pod(turn->state, *item);

            if (pod_is_reschedulable(pod, turn->symbols) && pod_is_disruptable(pod, turn->symbols, turn->now_ns))
                look_at_pod(provisioner, turn, pod->uid, true, look);
        }
    }
}

bool provision_needs_plan(Provisioner *provisioner, Turn *turn) {
    Look look = {0};

    look_at_pending(provisioner, turn, &look);
    look_at_leaving(provisioner, turn, &look);
    provisioner->waiting = look.waiting;
    return look.without_place != NAME_EMPTY;
}

static bool may_help(Provisioner *provisioner, Turn *turn) {
    bool stirred = provisioner->stirred && turn->now_ns - provisioner->asked_ns >= PROVISION_STIRRED_S * second_ns;

    return provisioner->changed || stirred || turn->now_ns >= provisioner->retry_ns ||
           turn->now_ns >= provisioner->reopen_ns || provision_pools_changed(provisioner, turn);
}

void provision_look(Provisioner *provisioner, Turn *turn) {
    Look look = {0};

    see_claims(provisioner, turn);
    provision_index_sweep(&provisioner->index);
    look_at_pending(provisioner, turn, &look);
    look_at_leaving(provisioner, turn, &look);

    if (look.without_place != NAME_EMPTY && may_help(provisioner, turn))
        provision_batch_trigger(&provisioner->batch, look.without_place, turn->now_ns);
    provisioner->look_ns = look.waiting ? turn->now_ns + PROVISION_LOOK_S * second_ns : INT64_MAX;
    if (look.without_place != NAME_EMPTY && provisioner->reopen_ns > turn->now_ns)
        provision_look_by(provisioner, provisioner->reopen_ns);
}

void provision_set_retry(Provisioner *provisioner, const Turn *turn, bool progress) {
    int64_t most_ns = PROVISION_RETRY_MAX_S * second_ns, next_ns = provisioner->retry_after_ns * 2;

    if (progress || next_ns < PROVISION_LOOK_S * second_ns)
        next_ns = PROVISION_LOOK_S * second_ns;
    provisioner->retry_after_ns = next_ns < most_ns ? next_ns : most_ns;
    provisioner->retry_ns = turn->now_ns + provisioner->retry_after_ns;
}
