// Names of pools.
#include "model/pool_name.h"

static const Slice prefix = SLICE_INIT(PROVISIONER_PREFIX);

Slice pool_provisioner(Slice name) {
    return slice_starts_with(name, prefix) ? slice_from(name, prefix.len) : SLICE("");
}

Symbol pool_of_provisioner(Symbols *symbols, Slice provisioner) {
    Arena arena = {0};
    Symbol pool = symbol_intern(symbols, arena_printf(&arena, "%.*s%.*s", SLICE_ARG(prefix), SLICE_ARG(provisioner)));

    arena_free(&arena);
    return pool;
}

bool pool_is_provisioner(const Symbols *symbols, Symbol pool) {
    return pool != INDEX_NONE && pool_provisioner(symbol_text(symbols, pool)).len > 0;
}

void pool_mark(Arena *arena, Symbols *symbols, Labels *labels, Symbol pool) {
    Slice provisioner = pool_provisioner(symbol_text(symbols, pool));

    labels_set(arena, labels, NAME_NODEPOOL, pool);
    if (provisioner.len)
        labels_set(arena, labels, NAME_PROVISIONER_NAME, symbol_intern(symbols, provisioner));
}
