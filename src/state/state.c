// The State: applying changes.
#include "base/alloc.h"
#include "state/store.h"

#include <stdlib.h>

State *state_new(void) {
    State *state = NEW(State);

    state->shared = shared_new();
    state->managed_labels[0] = symbol_intern(&state->shared->symbols, SLICE("karpenter.k8s.aws/ec2nodeclass"));
    state->managed_labels[1] = symbol_intern(&state->shared->symbols, SLICE("karpenter.kwok.sh/kwoknodeclass"));
    index_init(&state->index);
    return state;
}

static void part(State *state, Object *object) {
    object_release(state->parting);
    state->parting = object;
}

void state_free(State *state) {
    if (!state)
        return;
    part(state, NULL);
    for (unsigned kind = 0; kind < KUBE_KIND_COUNT; kind++)
        slots_free(&state->slots[kind]);
    for (unsigned kind = 0; kind < TALLIES_COUNT; kind++)
        tallies_free(&state->tallies[kind]);
    index_free(&state->index);
    state_forget_removed(state, UINT64_MAX, TOMBSTONES_MAX);
    free(state->tombstones);
    table_free(&state->buried);
    free(state->marks);
    free(state->node_memos);
    orders_free(&state->orders);
    arena_free(&state->scratch);
    shared_release(state->shared);
    free(state);
}

Symbols *state_symbols(const State *state) {
    return &state->shared->symbols;
}

#define X(kind, type, word)                                                                                            \
    const type *state_##word(const State *state, Handle handle) {                                                      \
        const Object *object = slots_at(&state->slots[KUBE_##kind], handle);                                           \
                                                                                                                       \
        return object ? object_body(object) : NULL;                                                                    \
    }
STATE_KINDS(X)
#undef X

static Handle handle_of(const Slots *slots, uint32_t index) {
    return index == INDEX_NONE ? HANDLE_NONE : slots_handle(slots, index);
}

Handle state_find(const State *state, KubeKind kind, Symbol ns, Symbol name) {
    return handle_of(&state->slots[kind], slots_find(&state->slots[kind], ns, name));
}

Handle state_find_uid(const State *state, KubeKind kind, Symbol uid) {
    return handle_of(&state->slots[kind], slots_find_uid(&state->slots[kind], uid));
}

Handle state_next(const State *state, KubeKind kind, Handle after) {
    const Slots *slots = &state->slots[kind];

    for (uint32_t i = after.generation ? after.index + 1 : 0; i < slots->used; i++) {
        if (slots_get(slots, i))
            return slots_handle(slots, i);
    }
    return HANDLE_NONE;
}

uint32_t state_count(const State *state, KubeKind kind) {
    return state->slots[kind].count;
}

// Tombstones of removed objects.

static void tombstone_pop(State *state) {
    Tombstone *stone = &state->tombstones[state->tombstone_at];

    if (table_get(&state->buried, stone->uid) == state->tombstone_at)
        table_remove(&state->buried, stone->uid);
    symbols_release(state->shared->symbols.table, &stone->uid, 1);
    state->tombstone_at = (state->tombstone_at + 1) % TOMBSTONES_MAX;
    state->tombstone_count--;
}

void state_forget_removed(State *state, KubeRevision before, uint32_t most) {
    while (most-- && state->tombstone_count && state->tombstones[state->tombstone_at].revision < before)
        tombstone_pop(state);
}

static void remember_removed(State *state, Symbol uid, KubeRevision revision) {
    SymbolHolder holder = {.table = state->shared->symbols.table};
    uint32_t at;

    if (uid == NAME_EMPTY)
        return;
    at = table_get(&state->buried, uid);
    if (at != INDEX_NONE) { // both the answer to a deletion of our own and its watch event
        if (state->tombstones[at].revision < revision)
            state->tombstones[at].revision = revision;
        return;
    }
    if (!state->tombstones)
        state->tombstones = NEW_ARRAY(Tombstone, TOMBSTONES_MAX);
    if (state->tombstone_count == TOMBSTONES_MAX)
        tombstone_pop(state);
    at = (state->tombstone_at + state->tombstone_count++) % TOMBSTONES_MAX;
    state->tombstones[at] = (Tombstone){uid, revision};
    table_put(&state->buried, uid, at);
    symbol_hold(&holder, uid);
    if (holder.count)
        symbol_holder_list(&holder, &state->tombstones[at].uid);
}

static bool is_buried(const State *state, Identity identity) {
    uint32_t at = identity.uid == NAME_EMPTY ? INDEX_NONE : table_get(&state->buried, identity.uid);

    return at != INDEX_NONE && (identity.revision == 0 || identity.revision <= state->tombstones[at].revision);
}

// Changes.

static Symbol provider_of(const Object *object) {
    if (object && object->kind == KUBE_NODE)
        return ((const Node *)object_body(object))->provider_id;
    if (object && object->kind == KUBE_NODE_CLAIM)
        return ((const NodeClaim *)object_body(object))->provider_id;
    return NAME_EMPTY;
}

// Resets what only this process knows of a slot.
static void forget_slot(State *state, KubeKind kind, uint32_t slot) {
    if (kind == KUBE_NODE_CLAIM && slot < state->mark_capacity) {
        state->marked -= state->marks[slot];
        state->marks[slot] = 0;
    }
    if (kind == KUBE_NODE && slot < state->node_memo_capacity)
        state->node_memos[slot] = (NodeMemo){0};
}

// Replaces the object of the slot by `after` (NULL: removes it); slot INDEX_NONE: adds it. Returns the handle for the
// change; of a removal the handle before it.
static Handle replace_object(State *state, KubeKind kind, uint32_t slot, Object *after) {
    Slots *slots = &state->slots[kind];
    IndexWriter writer = state_writer(state);
    Object *before = slot == INDEX_NONE ? NULL : slots_get(slots, slot);
    bool sums = kind == KUBE_POD && !(before && after && usage_is_same(before, after));
    Handle handle;

    if (slot == INDEX_NONE)
        slot = slots_add(slots, after);
    else if (!after || object_identity(before).uid != object_identity(after).uid)
        forget_slot(state, kind, slot);
    if (before && after && object_identity(before).uid != object_identity(after).uid)
        slots_renew(slots, slot);
    handle = slots_handle(slots, slot);
    if (sums && before)
        usage_remove_pod(&writer, before);
    index_update(&writer, handle, before, after);
    if (before && after)
        slots_replace(slots, slot, after);
    else if (before)
        slots_remove(slots, slot);
    if (sums && after)
        usage_add_pod(&state->index, after);
    part(state, before);
    if (kind == KUBE_NODE || kind == KUBE_NODE_CLAIM)
        machines_refresh(state, kind, slot, provider_of(before));
    return handle;
}

static StateChange change_of(KubeKind kind, Handle handle, const Object *before, const Object *after) {
    Identity identity = object_identity(after ? after : before);

    return (StateChange){
        .kind = kind,
        .handle = handle,
        .before = before ? object_body(before) : NULL,
        .after = after ? object_body(after) : NULL,
        .revision = identity.revision,
        .ns = identity.ns,
        .name = identity.name,
    };
}

static bool is_news(const State *state, KubeKind kind, const Object *known, Identity identity, bool removed) {
    Identity old;

    if (state->slots[kind].anew && !removed)
        return !known || object_identity(known).uid != identity.uid ||
               identity.revision >= object_identity(known).revision;
    if (!known)
        return !removed && !is_buried(state, identity);
    old = object_identity(known);
    if (removed && identity.uid != NAME_EMPTY && old.uid != identity.uid)
        return false; // an earlier object of that name
    if (identity.revision == 0 || old.revision == 0)
        return true;
    if (removed && identity.revision == old.revision)
        return true;
    return identity.revision > old.revision && (removed || !is_buried(state, identity));
}

bool state_apply(State *state, StateUpdate *update, bool removed, StateChange *ret_change) {
    Identity identity = object_identity(update);
    KubeKind kind = (KubeKind)update->kind;
    Slots *slots = &state->slots[kind];
    uint32_t slot = slots_find(slots, identity.ns, identity.name);
    Object *known = slot == INDEX_NONE ? NULL : slots_get(slots, slot);
    Handle handle;

    CHECK(update->shared == state->shared, "an object was decoded for another State");
    if (known && !removed)
        slots->rounds[slot] = slots->round;
    if (removed)
        remember_removed(state, identity.uid, identity.revision);
    if (!is_news(state, kind, known, identity, removed)) {
        object_release(update);
        return false;
    }
    if (known && object_identity(known).uid != identity.uid)
        remember_removed(state, object_identity(known).uid, identity.revision); // its removal was not delivered
    handle = replace_object(state, kind, slot, removed ? NULL : update);
    *ret_change = change_of(kind, handle, known, removed ? NULL : update);
    ret_change->revision = identity.revision;
    if (removed)
        object_release(update);
    return true;
}

void state_relist_begin(State *state, KubeKind kind, bool anew) {
    state->slots[kind].round++;
    state->slots[kind].anew = anew;
}

void state_relist_end(State *state, KubeKind kind, KubeRevision revision,
                      void (*tell)(void *context, const StateChange *change), void *context) {
    Slots *slots = &state->slots[kind];

    slots->anew = false;
    for (uint32_t i = 0; i < slots->used; i++) {
        Object *object = slots_get(slots, i);
        StateChange change;
        Handle handle;

        if (!object || slots->rounds[i] == slots->round || object_identity(object).revision > revision)
            continue;
        remember_removed(state, object_identity(object).uid, revision);
        handle = replace_object(state, kind, i, NULL);
        change = change_of(kind, handle, object, NULL);
        change.revision = revision;
        if (tell)
            tell(context, &change);
    }
}

// State that only this process knows.

void state_mark_deleting(State *state, Handle claim, bool deleting) {
    if (!state_node_claim(state, claim))
        return;
    GROW(state->marks, state->mark_capacity, claim.index + 1);
    if (state->marks[claim.index] == deleting)
        return;
    state->marks[claim.index] = deleting;
    state->marked += deleting ? 1 : UINT32_MAX;
    machines_refresh(state, KUBE_NODE_CLAIM, claim.index, NAME_EMPTY);
}

// To be changed; NULL: there is no such node.
static NodeMemo *node_memo(State *state, Handle node) {
    if (!state_node(state, node))
        return NULL;
    GROW(state->node_memos, state->node_memo_capacity, node.index + 1);
    return &state->node_memos[node.index];
}

static NodeMemo node_memo_read(const State *state, Handle node) {
    return state_node(state, node) && node.index < state->node_memo_capacity ? state->node_memos[node.index]
                                                                             : (NodeMemo){0};
}

void state_nominate(State *state, Handle node, Mono until) {
    NodeMemo *memo = node_memo(state, node);

    if (memo)
        memo->nominated_until = until;
}

Mono state_nominated_until(const State *state, Handle node) {
    return node_memo_read(state, node).nominated_until;
}

void state_settle(State *state, Handle node, Mono until) {
    NodeMemo *memo = node_memo(state, node);

    if (memo && memo->settles_until.ns < until.ns)
        memo->settles_until = until;
}

Mono state_settles_until(const State *state, Handle node) {
    return node_memo_read(state, node).settles_until;
}

void state_expect(State *state, Handle node, NodeOutlook outlook) {
    NodeMemo *memo = node_memo(state, node);

    if (memo)
        memo->outlook = outlook;
}

NodeOutlook state_outlook(const State *state, Handle node) {
    return node_memo_read(state, node).outlook;
}

void state_set_looked_ahead(State *state) {
    state->has_looked_ahead = true;
}

bool state_has_looked_ahead(const State *state) {
    return state->has_looked_ahead;
}
