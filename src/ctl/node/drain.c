// The order of a drain. Behaviour: reference lifecycle.md 3.3, 3.4.
#include "ctl/node/drain.h"

uint32_t node_drain_tier(const Pod *pod, const Symbols *symbols) {
    return (pod_is_critical(pod, symbols) ? 2 : 0) + (pod_is_daemon(pod) ? 1 : 0);
}

int64_t pod_forced_after(const Pod *pod, int64_t deadline_ns) {
    return deadline_ns == INT64_MAX ? INT64_MAX : deadline_ns - pod->grace_s * NS_PER_S;
}

bool pod_is_forced(const Pod *pod, int64_t deadline_ns, int64_t now_ns) {
    if (deadline_ns == INT64_MAX)
        return false;
    return pod->deleting ? pod->deleted_ns > deadline_ns : now_ns > pod_forced_after(pod, deadline_ns);
}

int64_t pod_forced_grace_s(int64_t deadline_ns, int64_t now_ns) {
    int64_t left_s = deadline_ns > now_ns ? (deadline_ns - now_ns) / NS_PER_S : 0;

    return left_s > 1 ? left_s : 1;
}

// Whether deleting the pod (again) would end it sooner: a forced deletion under way is not repeated.
static bool would_hasten(const Pod *pod, int64_t deadline_ns, int64_t now_ns) {
    return !pod->deleting || pod->deleted_ns > now_ns + pod_forced_grace_s(deadline_ns, now_ns) * NS_PER_S;
}

static void sooner(int64_t *next_ns, int64_t after_ns) {
    if (after_ns < *next_ns)
        *next_ns = after_ns + 1; // the rules compare with "later than"
}

typedef struct {
    const State *state;
    const Symbols *symbols;
    int64_t deadline_ns, now_ns;
    HandleVec forced, tiers[NODE_DRAIN_TIERS]; // pods that the eviction queue can act on
    bool occupied[NODE_DRAIN_TIERS];           // by waiting pods, including those that are terminating already
    NodeDrain drain;
} Look;

static void look_at(Arena *arena, Look *look, Handle handle) {
    const Pod *pod = state_pod(look->state, handle);
    uint32_t tier;

    if (!pod_is_waiting_eviction(pod, look->symbols, look->now_ns))
        return;
    look->drain.waiting++;
    sooner(&look->drain.next_ns, pod_stuck_at(pod));
    if (pod_is_forced(pod, look->deadline_ns, look->now_ns)) {
        if (would_hasten(pod, look->deadline_ns, look->now_ns))
            vec_push(arena, &look->forced, handle);
        return;
    }
    tier = node_drain_tier(pod, look->symbols);
    look->occupied[tier] = true;
    if (pod->deleting)
        return;
    sooner(&look->drain.next_ns, pod_forced_after(pod, look->deadline_ns));
    vec_push(arena, &look->tiers[tier], handle);
}

NodeDrain node_drain_look(Arena *arena, const State *state, const Node *node, int64_t deadline_ns, int64_t now_ns) {
    Look look = {.state = state, .symbols = state_symbols(state), .deadline_ns = deadline_ns, .now_ns = now_ns};
    uint32_t tier = 0;

    look.drain.next_ns = INT64_MAX;
    for (vec_each(const Handle, handle, state_pods_on_node(state, node->meta.name)))
        look_at(arena, &look, *handle);
    while (tier < NODE_DRAIN_TIERS && !look.occupied[tier])
        tier++;
    look.drain.chosen = look.forced;
    look.drain.forced = look.forced.count;
    look.drain.tier = tier;
    if (tier < NODE_DRAIN_TIERS) {
        for (vec_each(const Handle, handle, &look.tiers[tier]))
            vec_push(arena, &look.drain.chosen, *handle);
    }
    return look.drain;
}

// Whether a pod of an earlier tier is still waiting.
static bool is_overtaking(const State *state, const Node *node, uint32_t tier, int64_t deadline_ns, int64_t now_ns) {
    const Symbols *symbols = state_symbols(state);

    if (tier == 0)
        return false;
    for (vec_each(const Handle, handle, state_pods_on_node(state, node->meta.name))) {
        const Pod *other = state_pod(state, *handle);

        if (pod_is_waiting_eviction(other, symbols, now_ns) && !pod_is_forced(other, deadline_ns, now_ns) &&
            node_drain_tier(other, symbols) < tier)
            return true;
    }
    return false;
}

bool node_drain_chooses(const State *state, const Node *node, const Pod *pod, int64_t deadline_ns, int64_t now_ns) {
    const Symbols *symbols = state_symbols(state);

    if (!pod_is_waiting_eviction(pod, symbols, now_ns))
        return false;
    if (pod_is_forced(pod, deadline_ns, now_ns))
        return would_hasten(pod, deadline_ns, now_ns);
    return !pod->deleting && !is_overtaking(state, node, node_drain_tier(pod, symbols), deadline_ns, now_ns);
}
