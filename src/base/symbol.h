// Interned strings: equal text, equal number. Names, label keys and values, zones, instance types.
//
// Symbol 0 is the empty string. A table only grows and its texts never move, so a Slice from symbol_text lives as
// long as the table. Numbers depend on the order of interning: never let them decide an order that a user sees
// (sort by symbol_cmp).
#pragma once

#include "base/arena.h"
#include "base/map.h"
#include "base/vec.h"

typedef uint32_t Symbol;

enum { SYMBOL_EMPTY = 0 };

typedef struct {
    Arena arena;
    IndexMap index;
    SliceVec texts;
} Symbols;

void symbols_init(Symbols *symbols);
void symbols_free(Symbols *symbols);

// The symbol of `text`, made when new. O(length).
Symbol symbol_intern(Symbols *symbols, Slice text);
// The symbol of `text` when it exists, else INDEX_NONE. O(length).
Symbol symbol_find(const Symbols *symbols, Slice text);

static inline Slice symbol_text(const Symbols *symbols, Symbol symbol) {
    return symbols->texts.items[symbol];
}

// Order of the texts.
static inline int symbol_cmp(const Symbols *symbols, Symbol a, Symbol b) {
    return a == b ? 0 : slice_cmp(symbol_text(symbols, a), symbol_text(symbols, b));
}
