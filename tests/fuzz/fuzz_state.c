// Any JSON objects as watch events: each is refused with a message or kept, and objects that are kept can be queried,
// planned with and removed again.
#include "state/state.h"
#include "support/fuzz.h"
#include "text/json.h"

// Applies the object as `kind`, whatever its own kind is.
static void tell(State *state, KubeKind kind, const Value *object) {
    StateUpdate *update = NULL;
    StateChange change;
    Err err = {0};

    if (state_decode(state_symbols(state), kind, object, &update, &err) != OK) {
        CHECK(!update && err.text[0], "refused without a word");
        return;
    }
    if (!state_apply(state, update, value_get_text(object, "removed") != NULL, &change))
        return;
    CHECK(change.before || change.after, "a change of nothing");
    if (change.after)
        CHECK(handle_eq(state_find(state, kind, change.ns, change.name), change.handle), "kept and not found");
}

static void ask(State *state) {
    for (Handle at = state_next(state, KUBE_POD, HANDLE_NONE); at.generation; at = state_next(state, KUBE_POD, at)) {
        const NodeUsage *usage = state_node_usage(state, state_pod(state, at)->node_name);

        CHECK(usage->pods <= state_count(state, KUBE_POD), "more pods on a node than there are");
    }
    for (vec_each(const Handle, handle, state_pods_pending(state)))
        CHECK(state_pod(state, *handle), "a pod that waits and is not there");
}

static void plan(State *state) {
    Snapshot *snapshot = state_snapshot(state);
    Arena arena = {0};
    Cluster cluster;

    snapshot_cluster(snapshot, &arena, &cluster);
    CHECK(cluster.nodes.count == state_count(state, KUBE_NODE), "a snapshot that lacks nodes");
    arena_free(&arena);
    snapshot_free(snapshot);
}

// Applies an empty list, which removes all objects.
static void clear(State *state) {
    for (unsigned kind = 0; kind < KUBE_KIND_COUNT; kind++) {
        if (!state_keeps((KubeKind)kind))
            continue;
        state_relist_begin(state, (KubeKind)kind, kind & 1);
        state_relist_end(state, (KubeKind)kind, UINT64_MAX, NULL, NULL);
        CHECK(state_count(state, (KubeKind)kind) == 0, "an empty list left something");
    }
    CHECK(state_pods_pending(state)->count == 0, "an empty list left a pod that waits");
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    DocumentVec documents = {0};
    WarningVec warnings = {0};
    Arena arena = {0};
    State *state = state_new();
    Err err;

    json_parse(&arena, SLICE("fuzz.json"), (Slice){(const char *)bytes, size}, &fuzz_options, &documents, &warnings,
               &err);
    for (vec_each(const Document, document, &documents)) {
        for (unsigned kind = 0; kind < KUBE_KIND_COUNT; kind++) {
            if (state_keeps((KubeKind)kind))
                tell(state, (KubeKind)kind, &document->root);
        }
    }
    ask(state);
    plan(state);
    clear(state);
    state_free(state);
    arena_free(&arena);
    return 0;
}
