// VolumeAttachments that delay the termination of a Node. Behaviour: reference lifecycle.md 3.2.
#include "ctl/node/volumes.h"

#include "base/buffer.h"
#include "model/pod_predicates.h"

enum { NAMES_MAX = 5 };

// Name of the volume's PersistentVolumeClaim; that of an ephemeral volume is derived from the pod's name.
static Symbol claim_name_of(Arena *arena, const Symbols *symbols, const Pod *pod, const PodVolume *volume) {
    if (!volume->ephemeral)
        return volume->claim_name;
    return symbol_find(symbols, arena_printf(arena, "%.*s-%.*s", SLICE_ARG(symbol_text(symbols, pod->name)),
                                             SLICE_ARG(symbol_text(symbols, volume->claim_name))));
}

static void keep_volumes_of(Arena *arena, const State *state, const Pod *pod, U32Vec *kept) {
    const Symbols *symbols = state_symbols(state);

    for (vec_each(const PodVolume, volume, &pod->spec->volumes)) {
        Symbol name = claim_name_of(arena, symbols, pod, volume);
        const PersistentVolumeClaim *claim = NULL;

        if (name != INDEX_NONE)
            claim =
                state_persistent_volume_claim(state, state_find(state, KUBE_PERSISTENT_VOLUME_CLAIM, pod->ns, name));
        if (claim && claim->volume_name != NAME_EMPTY)
            vec_push(arena, kept, claim->volume_name);
    }
}

static U32Vec kept_volumes(Arena *arena, const State *state, const Node *node, int64_t now_ns) {
    U32Vec kept = {0};

    for (vec_each(const Handle, handle, state_pods_on_node(state, node->meta.name))) {
        const Pod *pod = state_pod(state, *handle);

        if (!pod_is_drainable(pod, state_symbols(state), now_ns))
            keep_volumes_of(arena, state, pod, &kept);
    }
    return kept;
}

static bool holds(const U32Vec *symbols, Symbol wanted) {
    for (vec_each(const Symbol, symbol, symbols)) {
        if (*symbol == wanted)
            return true;
    }
    return false;
}

HandleVec node_volumes_awaited(Arena *arena, const State *state, const Node *node, int64_t now_ns) {
    const HandleVec *attachments = state_attachments_on_node(state, node->meta.name);
    HandleVec awaited = {0};
    U32Vec kept;

    if (attachments->count == 0)
        return awaited;
    kept = kept_volumes(arena, state, node, now_ns);
    for (vec_each(const Handle, handle, attachments)) {
        Symbol volume = state_volume_attachment(state, *handle)->volume_name;

        if (volume != NAME_EMPTY && !holds(&kept, volume))
            vec_push(arena, &awaited, *handle);
    }
    return awaited;
}

Slice node_volumes_print(Arena *arena, const State *state, const HandleVec *attachments) {
    Buffer text = {0};
    Slice printed;

    for (uint32_t i = 0; i < attachments->count && i < NAMES_MAX; i++) {
        Slice name =
            symbol_text(state_symbols(state), state_volume_attachment(state, attachments->items[i])->meta.name);

        buffer_printf(&text, "%s%.*s", i ? ", " : "", SLICE_ARG(name));
    }
    if (attachments->count > NAMES_MAX)
        buffer_printf(&text, " and %u other(s)", attachments->count - NAMES_MAX);
    printed = arena_slice(arena, buffer_slice(&text));
    buffer_free(&text);
    return printed;
}
