// Carrying out a plan: places of pods. Behaviour: reference scheduling.md 6.1, 6.2, lifecycle.md 2.2.
//
// The plan is about pods as they were when it was requested, and it places pods again whose claims are on their way,
// because these claims are capacity like any other. Each placement is checked against the present state:
//   - a pod that is gone or bound since needs no place;
//   - a pod that has a claim on its way keeps it, and no claim is created for it, unless the plan gave that claim's
//   room
//     to others: then the claim is *invaded* and the pod may move. It may also move when the claim's node exists:
//     existing nodes are tried first, so a pod for which the plan wants another claim has no room there any more;
//   - a pod that was bound while the plan was made may have taken the place of another one, which is planned again
//     (provision/stray.c);
//   - a claim that no pod needs any more is not created; one that fewer pods need requests less.
#include "ctl/provision/apply.h"

#include "model/pod_predicates.h"

// --- pods

static bool needs_place(const Turn *turn, const PendingPod *pending) {
    const Pod *pod = state_pod(turn->state, state_find_uid(turn->state, KUBE_POD, pending->pod->uid));

    if (!pod)
        return false;
    return pending->from_deleting_node && pod->node_name != NAME_EMPTY ? pod_is_reschedulable(pod)
                                                                       : pod_is_provisionable(pod);
}

static void number_pods(Apply *apply) {
    const PendingPodVec *pending = &apply->solved->input->pending;

    apply->numbers = arena_array(apply->turn->arena, uint32_t, pending->count);
    apply->fresh = arena_array(apply->turn->arena, bool, pending->count);
    for (uint32_t i = 0; i < pending->count; i++) {
        apply->numbers[i] = INDEX_NONE;
        if (!needs_place(apply->turn, &pending->items[i]))
            continue;
        apply->numbers[i] = provision_index_add_pod(index_of(apply), pending->items[i].pod->uid);
        apply->fresh[i] = !provision_has_place(apply->provisioner, apply->turn, apply->numbers[i],
                                               pending->items[i].from_deleting_node);
    }
}

// Finds the known claims that the plan fills with other pods than those they were created for.
static void find_invaded(Apply *apply) {
    apply->invaded_count = index_of(apply)->claims.count;
    apply->invaded = arena_array(apply->turn->arena, bool, apply->invaded_count);
    for (vec_each(const PlannedNode, node, &apply->solved->plan->nodes)) {
        uint32_t claim =
            node->node->claim ? provision_index_find_claim(index_of(apply), node->node->claim->meta.name) : INDEX_NONE;

        for (uint32_t i = 0; claim != INDEX_NONE && i < node->pods.count; i++) {
            uint32_t pod = apply->numbers[node->pods.items[i]];

            if (pod != INDEX_NONE && known_pod(index_of(apply), pod)->claim != claim)
                apply->invaded[claim] = true;
        }
    }
}

static void see_bound_meanwhile(Apply *apply) {
    const State *state = apply->turn->state;

    for (vec_each(const PendingPod, pending, &apply->solved->input->pending)) {
        const Pod *pod = state_pod(state, state_find_uid(state, KUBE_POD, pending->pod->uid));
        Symbol displaced = pod && pod->node_name != NAME_EMPTY && pending->pod->node_name == NAME_EMPTY
                               ? provision_see_bound(apply->provisioner, apply->turn, pod)
                               : NAME_EMPTY;

        if (displaced != NAME_EMPTY)
            provision_batch_trigger(&apply->provisioner->batch, displaced, apply->turn->now);
    }
}

// --- nodes that exist or are on their way

static void nominate(Apply *apply, const NodeView *view) {
    Turn *turn = apply->turn;
    int64_t window_ns = 2 * turn->settings->batch_max_ns;
    Handle node;

    if (!view->node)
        return;
    node = state_find(turn->state, KUBE_NODE, NAME_EMPTY, view->node->meta.name);
    if (node.generation)
        state_nominate(turn->state, node, mono_after(turn->now, window_ns > 10 * NS_PER_S ? window_ns : 10 * NS_PER_S));
}

// Number of the claim in the index; a claim that another process created is added.
static uint32_t claim_number(Apply *apply, const NodeClaim *claim) {
    uint32_t number = provision_index_find_claim(index_of(apply), claim->meta.name);

    if (number != INDEX_NONE)
        return number;
    number = provision_index_add_claim(index_of(apply), (LaunchOffering){0}, (Mono){0});
    provision_index_name_claim(index_of(apply), number, claim->meta.name);
    return number;
}

static bool claim_stands(const Turn *turn, const NodeClaim *claim) {
    Handle handle = state_find(turn->state, KUBE_NODE_CLAIM, NAME_EMPTY, claim->meta.name);

    return handle.generation && !state_claim_is_deleting(turn->state, handle);
}

static void place_on_node(Apply *apply, const PlannedNode *node) {
    const NodeView *view = node->node;
    bool on_way = view->claim && !view->initialized;
    uint32_t claim = INDEX_NONE, placed = 0;
    Slice claim_name = view->claim ? symbol_text(apply->turn->symbols, view->claim->meta.name) : (Slice){0};
    Slice node_name = view->node ? symbol_text(apply->turn->symbols, view->node->meta.name) : (Slice){0};

    if (on_way && !claim_stands(apply->turn, view->claim))
        return; // the claim is gone since: its pods are planned again
    if (on_way)
        claim = claim_number(apply, view->claim);
    for (vec_each(const uint32_t, pending, &node->pods)) {
        uint32_t pod = apply->numbers[*pending];

        if (pod == INDEX_NONE)
            continue;
        if (on_way)
            provision_index_place_on_claim(index_of(apply), pod, claim);
        else
            provision_index_place_on_node(index_of(apply), pod, apply->turn->now);
        placed++;
        if (!apply->fresh[*pending])
            continue;
        apply->placed++;
        provision_report_nominated(apply->provisioner, apply->turn, apply->solved->input->pending.items[*pending].pod,
                                   claim_name, node_name);
    }
    if (!placed)
        return;
    nominate(apply, view);
    apply->computed.nodes += !view->initialized;
    apply->computed.node_pods += view->initialized ? 0 : placed;
}

// --- the whole plan

static uint32_t count_unlaunched(const State *state) {
    uint32_t count = 0;

    for (Handle handle = state_next(state, KUBE_NODE_CLAIM, HANDLE_NONE); handle.generation;
         handle = state_next(state, KUBE_NODE_CLAIM, handle))
        count += state_node_claim(state, handle)->provider_id == NAME_EMPTY && !state_claim_is_deleting(state, handle);
    return count;
}

void provision_apply(Provisioner *provisioner, Turn *turn, const Completion *completion) {
    const Solved *solved = completion->solved;
    Apply apply = {.provisioner = provisioner, .turn = turn, .solved = solved, .values = {.arena = turn->arena}};

    provisioner->nominations = 0;
    provisioner->reopen_at = MONO_END;
    provisioner->held_by_window = false;
    provision_report_found(turn, solved->input, completion->took_ns);
    number_pods(&apply);
    provision_report_preferences(provisioner, turn, solved->input);
    find_invaded(&apply);
    provision_report_given_up(&apply);
    apply.unlaunched = count_unlaunched(turn->state);
    for (vec_each(const PlannedClaim, claim, &solved->plan->claims))
        provision_make_claim(&apply, claim);
    for (vec_each(const PlannedNode, node, &solved->plan->nodes))
        place_on_node(&apply, node);
    see_bound_meanwhile(&apply);

    provision_report_computed(turn, &apply.computed);
    provision_aside_apply(provisioner, turn, solved);
    provision_report_unplaced(provisioner, turn, solved);
    provision_report_daemons(turn, solved->plan);
    provision_report_read_in_part(turn, solved->plan);
    provision_report_held(&apply);
    provision_set_retry(provisioner, turn, apply.placed > 0);
}
