// Hands the pods that a drain has chosen to the eviction queue, each once: a drain of n pods costs n calls of the
// queue, not one per pod and change. Behaviour: reference lifecycle.md 3.3.
#include "ctl/node/eviction_queue.h"
#include "ctl/node/pass.h"

// Key of a pod that was handed over; a pod that is now forced is handed over again.
static uint64_t bits_of(Handle pod, bool forced) {
    return ((uint64_t)pod.index << 32 | pod.generation) << 1 | forced;
}

// Forgets what was handed over when tier or deadline changed, since the queue forgets pods that are not to be evicted
// now; besides that with growing intervals, so that every chosen pod is handed over again from time to time.
static void forget_old_asks(NodePass *pass, const NodeDrain *drain) {
    NodeNote *note = pass->note;
    Mono now = pass->turn->now;
    bool other = note->asked_tier != drain->tier || note->asked_deadline_ns != pass->deadline_ns;

    if (!other && !mono_reached(now, note->ask_all))
        return;
    node_note_forget_asks(note);
    note->ask_every_ns = other ? NODE_DRAIN_POLL_S * NS_PER_S : note->ask_every_ns * 2;
    if (note->ask_every_ns > NODE_DRAIN_POLL_MAX_S * NS_PER_S)
        note->ask_every_ns = NODE_DRAIN_POLL_MAX_S * NS_PER_S;
    note->ask_all = mono_after(now, note->ask_every_ns);
    note->asked_tier = drain->tier;
    note->asked_deadline_ns = pass->deadline_ns;
}

void node_note_forget_asks(NodeNote *note) {
    arena_free(&note->arena);
    note->arena = (Arena){0};
    note->asked = (IndexMap){0};
}

void node_ask_to_leave(NodePass *pass, const NodeDrain *drain) {
    Turn *turn = pass->turn;
    NodeNote *note = pass->note;

    forget_old_asks(pass, drain);
    for (uint32_t i = 0; i < drain->chosen.count; i++) {
        Handle handle = drain->chosen.items[i];
        const Pod *pod = state_pod(turn->state, handle);
        uint64_t bits = bits_of(handle, i < drain->forced);

        if (u64_map_get(&note->asked, bits) != INDEX_NONE)
            continue;
        u64_map_put(&note->arena, &note->asked, bits, 1);
        turn_enqueue(turn, &eviction_queue_controller, (Key){pod->ns, pod->name}, 0);
    }
}
