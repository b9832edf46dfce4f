// Pending pods: which have a place, which need one, and when a plan may help. Behaviour: reference scheduling.md 4.1,
// 4.2.
//
// Karpenter plans for all pending pods every 10 s. Here they are checked every 10 s, and planned for when one has no
// place and something changed that may help it: an object that plans read, the cloud's offerings, a launch budget that
// opens. Without such a change a plan is made all the same after 10 s, 20 s, … up to two minutes, or after 30 s when
// pods were bound or deleted meanwhile, because an affinity or a spread may be satisfiable now.
#include "ctl/provision/parts.h"

#include "ctl/common/claim_facts.h"
#include "ctl/common/node_facts.h"
#include "model/pod_predicates.h"

// Whether the node is going away, so that its pods need another place.
static bool is_leaving(const State *state, Handle node) {
    const Node *object = state_node(state, node);

    return object && (node_is_disrupted(object) || state_node_is_deleting(state, node));
}

void provision_look_by(Provisioner *provisioner, Mono at) {
    if (provisioner->look_at.ns != MONO_END.ns)
        provisioner->look_at = mono_first(provisioner->look_at, at);
}

// --- claims

static void plan_pods_anew(Provisioner *provisioner, Turn *turn, uint32_t claim) {
    const KnownClaim *known = known_claim(&provisioner->index, claim);

    for (vec_each(uint32_t, pod, &known->pods)) {
        if (known_pod(&provisioner->index, *pod)->claim == claim)
            provision_batch_trigger(&provisioner->batch, known_pod(&provisioner->index, *pod)->uid, turn->now);
    }
    provision_index_clear_claim(&provisioner->index, claim);
}

// Handles a claim that is gone without having launched: whatever the reason, the launch budget counts it as a failure
// of its offering.
static void see_gone(Provisioner *provisioner, Turn *turn, uint32_t claim) {
    KnownClaim *known = known_claim(&provisioner->index, claim);

    if (mono_is_set(known->gone))
        return;
    known->gone = turn->now;
    provisioner->changed = true;
    if (known->counted) {
        known->counted = false;
        launch_budget_failed(&provisioner->budgets, known->offering, known->created, turn->now, turn->random);
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
    else if (!mono_is_set(known->ready) && (claim_is(object, turn->symbols, "Initialized") ||
                                            claim_is_stuck(object, turn->symbols, turn->settings, turn->wall_ns)))
        known->ready = turn->now;
}

static void see_claims(Provisioner *provisioner, Turn *turn) {
    ProvisionIndex *index = &provisioner->index;

    for (uint32_t i = 0; i < index->claims.count; i++) {
        provision_see_claim(provisioner, turn, i);
        if (mono_is_set(index->claims.items[i].gone) &&
            mono_since(turn->now, index->claims.items[i].gone) > PROVISION_GONE_S * NS_PER_S)
            provision_index_forget_claim(index, i);
    }
}

// --- pods

bool provision_has_place(Provisioner *provisioner, const Turn *turn, uint32_t pod, bool bound) {
    KnownPod *known = known_pod(&provisioner->index, pod);
    int64_t patience_ns = (bound ? PROVISION_DRAIN_S : PROVISION_BIND_S) * NS_PER_S;
    Mono since = known->placed;

    if (known->claim != INDEX_NONE) {
        since = known_claim(&provisioner->index, known->claim)->ready;
        if (!mono_is_set(since))
            return true;
    }
    if (!mono_is_set(since))
        return false;
    if (mono_since(turn->now, since) < patience_ns)
        return true;
    provision_index_unplace(&provisioner->index, pod);
    provisioner->changed = true;
    return false;
}

typedef struct {
    uint32_t waiting;
    Symbol without_place; // uid of a pod without a place
    AsideLook aside;      // those that are left out until their turn comes
} Look;

static void look_at_pod(Provisioner *provisioner, Turn *turn, Symbol uid, bool bound, Look *look) {
    uint32_t pod = provision_index_find_pod(&provisioner->index, uid);

    look->waiting++;
    if (pod == INDEX_NONE) { // a pod of a node that is going away, or one whose event was missed
        provision_index_add_pod(&provisioner->index, uid);
        provision_batch_trigger(&provisioner->batch, uid, turn->now);
        look->without_place = uid;
    } else if (provision_has_place(provisioner, turn, pod, bound)) {
        return;
    } else if (mono_is_set(known_pod(&provisioner->index, pod)->aside)) {
        provision_aside_look(&look->aside, known_pod(&provisioner->index, pod));
    } else {
        look->without_place = uid;
    }
}

static void look_at_pending(Provisioner *provisioner, Turn *turn, Look *look) {
    for (vec_each(const Handle, handle, state_pods_pending(turn->state))) {
        const Pod *pod = state_pod(turn->state, *handle);

        if (pod_is_provisionable(pod))
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

            if (pod_is_reschedulable(pod) && pod_is_disruptable(pod, turn->symbols, turn->wall_ns))
                look_at_pod(provisioner, turn, pod->uid, true, look);
        }
    }
}

bool provision_needs_plan(Provisioner *provisioner, Turn *turn) {
    Look look = {0};

    look_at_pending(provisioner, turn, &look);
    look_at_leaving(provisioner, turn, &look);
    provisioner->waiting = look.waiting;
    return provision_aside_choose(provisioner, turn, &look.aside, look.without_place != NAME_EMPTY);
}

static bool may_help(Provisioner *provisioner, Turn *turn) {
    bool stirred =
        provisioner->stirred && mono_since(turn->now, provisioner->asked_at) >= PROVISION_STIRRED_S * NS_PER_S;

    return provisioner->changed || stirred || mono_reached(turn->now, provisioner->retry_at) ||
           mono_reached(turn->now, provisioner->reopen_at) || provision_pools_changed(provisioner, turn);
}

void provision_look(Provisioner *provisioner, Turn *turn) {
    Look look = {0};

    see_claims(provisioner, turn);
    provision_index_sweep(&provisioner->index);
    look_at_pending(provisioner, turn, &look);
    look_at_leaving(provisioner, turn, &look);

    if (look.without_place != NAME_EMPTY && may_help(provisioner, turn))
        provision_batch_trigger(&provisioner->batch, look.without_place, turn->now);
    if (mono_is_set(look.aside.due) && mono_reached(turn->now, look.aside.due))
        provision_batch_trigger(&provisioner->batch, look.aside.uid, turn->now);
    provisioner->look_at = look.waiting ? mono_after(turn->now, PROVISION_LOOK_S * NS_PER_S) : MONO_END;
    if (look.without_place != NAME_EMPTY && !mono_reached(turn->now, provisioner->reopen_at))
        provision_look_by(provisioner, provisioner->reopen_at);
    if (mono_is_set(look.aside.due) && !mono_reached(turn->now, look.aside.due))
        provision_look_by(provisioner, look.aside.due);
}

void provision_set_retry(Provisioner *provisioner, const Turn *turn, bool progress) {
    int64_t most_ns = PROVISION_RETRY_MAX_S * NS_PER_S, next_ns = provisioner->retry_after_ns * 2;

    if (progress || next_ns < PROVISION_LOOK_S * NS_PER_S)
        next_ns = PROVISION_LOOK_S * NS_PER_S;
    provisioner->retry_after_ns = next_ns < most_ns ? next_ns : most_ns;
    provisioner->retry_at = mono_after(turn->now, provisioner->retry_after_ns);
}
