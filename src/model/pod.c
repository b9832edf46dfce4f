// Owners and names of pods.
#include "model/pod.h"

bool pod_is_owned_by(const Pod *pod, Symbol api_version, Symbol kind) {
    for (vec_each(const OwnerReference, owner, &pod->owners)) {
        if (owner->api_version == api_version && owner->kind == kind)
            return true;
    }
    return false;
}

const OwnerReference *pod_controller(const Pod *pod) {
    for (vec_each(const OwnerReference, owner, &pod->owners)) {
        if (owner->controller)
            return owner;
    }
    return NULL;
}

Slice pod_print_name(Arena *arena, const Symbols *symbols, const Pod *pod) {
    return arena_printf(arena, "%.*s/%.*s", SLICE_ARG(symbol_text(symbols, pod->ns)),
                        SLICE_ARG(symbol_text(symbols, pod->name)));
}
