// Symbol: interned strings, equal texts have equal numbers. Names, label keys and values, zones, instance types.
//
// Symbol 0 is the empty string. Texts never move, so a Slice from symbol_text lives as long as its symbol. Numbers
// depend on the order of interning: never let them decide an order that a user sees (sort by symbol_cmp).
//
// `Symbols` is a handle: its copies are the same table. How long a symbol lives depends on the handle that it was
// interned through:
//   without a holder   as long as the table. For the planner and manifests; small tables need no holders
//   with a holder      until the holder releases it and no other one holds it. For objects of the State: the names and
//                      uids of a month of pods must not pile up
// The number of a released text is reused, but not before 16,384 more were released. So a symbol from an object may
// still be compared and printed for a good while after the object is gone. Code that keeps symbols for longer than
// their object (a map with names as keys, in the memory of a controller) either drops them with the object or has a
// SymbolHolder of its own.
//
// Threads: after symbols_share, every function may be called from any thread. Reading a text takes no lock.
#pragma once

#include "base/arena.h"
#include "base/map.h"
#include "base/vec.h"

typedef uint32_t Symbol;

enum { SYMBOL_EMPTY = 0 };

typedef struct SymbolTable SymbolTable;

// Keeps symbols alive: each once, however often it is interned. {.table = …} is a valid empty holder. For one thread at
// a time.
typedef struct {
    SymbolTable *table;
    Symbol *slots; // a hash set; SYMBOL_EMPTY: free slot
    uint32_t capacity, count;
} SymbolHolder;

typedef struct {
    SymbolTable *table;
    SymbolHolder *holder; // holder of what is interned through this handle; NULL: permanent
} Symbols;

void symbols_init(Symbols *symbols);
// Frees the table, through any of its handles.
void symbols_free(Symbols *symbols);

// Makes the table thread-safe from now on. To be called while one thread uses it.
void symbols_share(Symbols *symbols);
// A pointer stored with the table, for data that all its users share (src/state: the pod specs). NULL at first.
void symbols_set_companion(Symbols *symbols, void *companion);
void *symbols_companion(const Symbols *symbols);

// The symbol of `text`; added when it is new. O(length).
Symbol symbol_intern(Symbols *symbols, Slice text);
// The symbol of `text` when it exists, else INDEX_NONE. O(length).
Symbol symbol_find(const Symbols *symbols, Slice text);

// Holds a symbol that another holder keeps alive. O(1).
void symbol_hold(SymbolHolder *holder, Symbol symbol);
// Moves the symbols of a holder to a list of its length, for a later symbols_release; the holder is empty then.
void symbol_holder_list(SymbolHolder *holder, Symbol *ret_list);
// Releases the holder's symbols, and frees its memory.
void symbol_holder_free(SymbolHolder *holder);
// Releases each symbol of the list once. Any thread.
void symbols_release(SymbolTable *table, const Symbol *list, uint32_t count);

// Number of texts in the table (including released ones whose number was not reused yet), and its memory.
uint32_t symbols_count(const Symbols *symbols);
size_t symbols_bytes(const Symbols *symbols);

// --- reading
//
// Entries are in blocks of doubling size, so that none ever moves. The text of an entry is written before its symbol is
// returned.

typedef struct {
    const char *ptr; // NUL-terminated
    uint32_t len;
    uint32_t holds; // private to symbol.c
} SymbolEntry;

enum { SYMBOL_FIRST_BLOCK_BITS = 10, SYMBOL_BLOCKS = 22 };

typedef struct {
    SymbolEntry *blocks[SYMBOL_BLOCKS]; // block b has 2^(b + 10) entries
} SymbolBlocks;

static inline SymbolEntry *symbol_entry(const SymbolTable *table, Symbol symbol) {
    const SymbolBlocks *blocks = (const SymbolBlocks *)table; // its first member
    uint64_t at = (uint64_t)symbol + (1u << SYMBOL_FIRST_BLOCK_BITS);
    unsigned high = 63u - (unsigned)__builtin_clzll(at);

    return &__atomic_load_n(&blocks->blocks[high - SYMBOL_FIRST_BLOCK_BITS],
                            __ATOMIC_ACQUIRE)[at ^ (UINT64_C(1) << high)];
}

static inline Slice symbol_text(const Symbols *symbols, Symbol symbol) {
    const SymbolEntry *entry = symbol_entry(symbols->table, symbol);

    return (Slice){entry->ptr, entry->len};
}

// Compares by text.
static inline int symbol_cmp(const Symbols *symbols, Symbol a, Symbol b) {
    return a == b ? 0 : slice_cmp(symbol_text(symbols, a), symbol_text(symbols, b));
}
