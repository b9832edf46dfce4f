// Snapshots: references to the chunks of all kinds, and the claims that are marked for deletion.
#include "state/snapshot.h"

#include "base/alloc.h"

Snapshot *state_snapshot(State *state) {
    Snapshot *snapshot = NEW(Snapshot);

    snapshot->shared = shared_retain(state->shared);
    __atomic_add_fetch(&state->shared->snapshots, 1, __ATOMIC_RELAXED);
    for (unsigned kind = 0; kind < KUBE_KIND_COUNT; kind++) {
        snapshot->chunks[kind] = slots_share(&state->slots[kind]);
        snapshot->counts[kind] = state->slots[kind].count;
    }
    snapshot->marks = NEW_ARRAY(uint32_t, state->marked);
    for (uint32_t i = 0; i < state->mark_capacity && snapshot->mark_count < state->marked; i++) {
        if (state->marks[i])
            snapshot->marks[snapshot->mark_count++] = i;
    }
    return snapshot;
}

static void names_free(ClusterNames *names) {
    while (names) {
        ClusterNames *next = names->next;

        symbol_holder_free(&names->holder);
        free(names);
        names = next;
    }
}

void snapshot_free(Snapshot *snapshot) {
    if (!snapshot)
        return;
    for (unsigned kind = 0; kind < KUBE_KIND_COUNT; kind++)
        chunks_release(&snapshot->chunks[kind]);
    free(snapshot->marks);
    names_free(snapshot->names);
    __atomic_sub_fetch(&snapshot->shared->snapshots, 1, __ATOMIC_RELAXED);
    shared_release(snapshot->shared);
    free(snapshot);
}

StateMemory state_memory(const State *state) {
    Shared *shared = state->shared;
    StateMemory memory = {
        .snapshots = __atomic_load_n(&shared->snapshots, __ATOMIC_RELAXED),
        .symbols = symbols_count(&shared->symbols),
        .removals = state->tombstone_count,
    };

    memory.bytes = sizeof *state + symbols_bytes(&shared->symbols) + index_bytes(&state->index) +
                   table_bytes(&state->buried) + orders_bytes(&state->orders) +
                   (state->tombstones ? TOMBSTONES_MAX * sizeof(Tombstone) : 0) + state->mark_capacity +
                   state->node_memo_capacity * sizeof(NodeMemo) +
                   __atomic_load_n(&shared->object_bytes, __ATOMIC_RELAXED);
    pthread_mutex_lock(&shared->lock);
    memory.bytes += shared->spec_bytes + shared->spec_capacity * sizeof(SharedSpec *);
    pthread_mutex_unlock(&shared->lock);
    for (unsigned kind = 0; kind < TALLIES_COUNT; kind++)
        memory.bytes += tallies_bytes(&state->tallies[kind]);
    for (unsigned kind = 0; kind < KUBE_KIND_COUNT; kind++) {
        memory.bytes += slots_bytes(&state->slots[kind]);
        memory.objects += state->slots[kind].count;
        memory.chunks_copied += state->slots[kind].copied;
    }
    return memory;
}
