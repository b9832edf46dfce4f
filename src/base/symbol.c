// The table of interned strings.
#include "base/symbol.h"

void symbols_init(Symbols *symbols) {
    *symbols = (Symbols){0};
    symbol_intern(symbols, SLICE(""));
}

void symbols_free(Symbols *symbols) {
    arena_free(&symbols->arena);
    *symbols = (Symbols){0};
}

static Symbol find_hashed(const Symbols *symbols, Slice text, uint64_t hash) {
    uint32_t cursor = 0;
    Symbol found;

    while ((found = index_map_next(&symbols->index, hash, &cursor)) != INDEX_NONE) {
        if (slice_eq(symbols->texts.items[found], text))
            break;
    }
    return found;
}

Symbol symbol_find(const Symbols *symbols, Slice text) {
    return find_hashed(symbols, text, slice_hash(text));
}

Symbol symbol_intern(Symbols *symbols, Slice text) {
    uint64_t hash = slice_hash(text);
    Symbol symbol = find_hashed(symbols, text, hash);

    if (symbol != INDEX_NONE)
        return symbol;
    symbol = symbols->texts.count;
    vec_push(&symbols->arena, &symbols->texts, (Slice){arena_text(&symbols->arena, text), text.len});
    index_map_add(&symbols->arena, &symbols->index, hash, symbol);
    return symbol;
}
