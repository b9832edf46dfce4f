// NodeClaims and Nodes of the same machine, by provider id. Reference scheduling.md 7.2, lifecycle.md 0.7.
#include "state/store.h"

#include "base/alloc.h"

static const NodeClaim *claim_at(const State *state, uint32_t slot) {
    const Object *object = slots_get(&state->slots[KUBE_NODE_CLAIM], slot);

    return object ? object_body(object) : NULL;
}

static const Node *node_at(const State *state, uint32_t slot) {
    const Object *object = slots_get(&state->slots[KUBE_NODE], slot);

    return object ? object_body(object) : NULL;
}

static Handle only_one(const HandleVec *list) {
    return list->count == 1 ? list->items[0] : HANDLE_NONE;
}

Handle state_node_of_claim(const State *state, Handle claim) {
    const NodeClaim *object = state_node_claim(state, claim);

    if (!object || object->provider_id == NAME_EMPTY)
        return HANDLE_NONE;
    return only_one(state_nodes_with_provider_id(state, object->provider_id));
}

Handle state_claim_of_node(const State *state, Handle node) {
    const Node *object = state_node(state, node);

    if (!object || object->provider_id == NAME_EMPTY)
        return HANDLE_NONE;
    return only_one(state_claims_with_provider_id(state, object->provider_id));
}

static bool claim_is_going(const State *state, uint32_t slot) {
    const NodeClaim *claim = claim_at(state, slot);

    return claim->meta.deleting || (slot < state->mark_capacity && state->marks[slot]) ||
           condition_is_true(&claim->conditions, &state->shared->symbols, SLICE("InstanceTerminating"));
}

// Reads the tally where there is one: this is called for thousands of nodes at a time.
bool state_claim_is_deleting(const State *state, Handle claim) {
    const Tallies *tallies = &state->tallies[TALLIES_CLAIMS];

    if (!state_node_claim(state, claim))
        return false;
    if (claim.index < tallies->capacity && tallies->items[claim.index].counts)
        return tallies->items[claim.index].is_deleting;
    return claim_is_going(state, claim.index);
}

const Resources *state_claim_usage(const State *state, Handle claim) {
    static const Resources nothing;
    const Tallies *tallies = &state->tallies[TALLIES_CLAIMS];
    bool counts =
        state_node_claim(state, claim) && claim.index < tallies->capacity && tallies->items[claim.index].counts;

    return counts ? &tallies->items[claim.index].capacity : &nothing;
}

bool state_node_is_deleting(const State *state, Handle node) {
    const Node *object = state_node(state, node);
    const HandleVec *claims;

    if (!object)
        return false;
    claims = object->provider_id == NAME_EMPTY ? NULL : state_claims_with_provider_id(state, object->provider_id);
    if (!claims || claims->count == 0)
        return object->meta.deleting;
    for (vec_each(const Handle, claim, claims)) {
        if (state_claim_is_deleting(state, *claim))
            return true;
    }
    return false;
}

// Contribution to the usage of the pool.

static bool has_label(const Node *node, Symbol key, Symbol value) {
    return labels_get(&node->meta.labels, key) == value;
}

static bool is_managed(const State *state, const Node *node) {
    return labels_get(&node->meta.labels, state->managed_labels[0]) != INDEX_NONE ||
           labels_get(&node->meta.labels, state->managed_labels[1]) != INDEX_NONE;
}

// Whether the Node counts; a managed one without provider id or instance type does not yet.
static bool node_counts(const State *state, const Node *node) {
    if (!is_managed(state, node))
        return true;
    return node->provider_id != NAME_EMPTY && (has_label(node, NAME_INITIALIZED, NAME_TRUE) ||
                                               labels_get(&node->meta.labels, NAME_INSTANCE_TYPE) != INDEX_NONE);
}

// Capacity of a machine: the Node's once it is initialized; before that the claim's for resources that the Node lacks
// or has 0 of (device plugins are not up).
static Resources capacity_of(State *state, const NodeClaim *claim, const Node *node) {
    Arena *arena = &state->scratch;
    Resources capacity;

    if (!claim || (node && has_label(node, NAME_INITIALIZED, NAME_TRUE))) {
        capacity = resources_copy(arena, &node->capacity);
    } else if (claim->provider_id == NAME_EMPTY) {
        capacity = resources_copy(arena, &claim->requests);
    } else {
        capacity = resources_copy(arena, node ? &node->capacity : &claim->capacity);
        for (uint32_t i = 0; node && i < claim->capacity.count; i++) {
            if (resources_get(&capacity, claim->capacity.items[i].resource) == 0)
                resources_set(arena, &capacity, claim->capacity.items[i].resource, claim->capacity.items[i].amount);
        }
    }
    resources_set(arena, &capacity, NAME_NODES, 1);
    return capacity;
}

static void count(State *state, unsigned kind, uint32_t slot, const Count *now) {
    Tallies *tallies = &state->tallies[kind];

    GROW(tallies->items, tallies->capacity, slot + 1);
    tally_set(&state->index, &tallies->items[slot], now, state->tallies);
}

static void refresh_claim(State *state, uint32_t slot) {
    const NodeClaim *claim = claim_at(state, slot);
    ArenaMark mark = arena_mark(&state->scratch);
    Count now = {.pool = claim ? labels_get(&claim->meta.labels, NAME_NODEPOOL) : INDEX_NONE};

    if (now.pool != INDEX_NONE) {
        Handle handle = slots_handle(&state->slots[KUBE_NODE_CLAIM], slot), node = state_node_of_claim(state, handle);

        if (!handle_eq(state_claim_of_node(state, node), handle))
            node = HANDLE_NONE; // two claims have that provider id
        now.is_deleting = claim_is_going(state, slot);
        now.capacity = capacity_of(state, claim, state_node(state, node));
    }
    count(state, TALLIES_CLAIMS, slot, &now);
    arena_rewind(&state->scratch, mark);
}

// A Node counts by itself when its machine has no claim.
static void refresh_node(State *state, uint32_t slot) {
    const Node *node = node_at(state, slot);
    ArenaMark mark = arena_mark(&state->scratch);
    Count now = {.pool = INDEX_NONE};
    bool alone = node && (node->provider_id == NAME_EMPTY ||
                          state_claims_with_provider_id(state, node->provider_id)->count == 0);

    if (alone && node_counts(state, node))
        now.pool = labels_get(&node->meta.labels, NAME_NODEPOOL);
    if (now.pool != INDEX_NONE) {
        now.is_deleting = node->meta.deleting;
        now.capacity = capacity_of(state, NULL, node);
    }
    count(state, TALLIES_NODES, slot, &now);
    arena_rewind(&state->scratch, mark);
}

static void refresh_machine(State *state, Symbol provider) {
    if (provider == NAME_EMPTY)
        return;
    for (vec_each(const Handle, claim, state_claims_with_provider_id(state, provider)))
        refresh_claim(state, claim->index);
    for (vec_each(const Handle, node, state_nodes_with_provider_id(state, provider)))
        refresh_node(state, node->index);
}

void machines_refresh(State *state, KubeKind kind, uint32_t slot, Symbol provider_before) {
    const NodeClaim *claim = kind == KUBE_NODE_CLAIM ? claim_at(state, slot) : NULL;
    const Node *node = kind == KUBE_NODE ? node_at(state, slot) : NULL;
    Symbol provider = claim ? claim->provider_id : node ? node->provider_id : NAME_EMPTY;

    if (kind == KUBE_NODE_CLAIM)
        refresh_claim(state, slot);
    else
        refresh_node(state, slot);
    refresh_machine(state, provider);
    if (provider_before != provider)
        refresh_machine(state, provider_before);
}
