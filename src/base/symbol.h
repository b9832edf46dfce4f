// Interned strings: equal text, equal number. Names, label keys and values, zones, instance types.
//
// Symbol 0 is the empty string. Texts never move, so a Slice from symbol_text lives as long as its symbol. Numbers
// depend on the order of interning: never let them decide an order that a user sees (sort by symbol_cmp).
//
// `Symbols` is a handle: a copy of it is the same table. How long a symbol lives depends on the handle that it was
// interned through:
//   without a holder   for good, as long as the table. The planner's and the manifests' way; small tables need no other
//   with a holder      until the holder lets go of it, and nobody else has it. Objects of the living store are decoded
//                      so: names and uids of a month of pods must not pile up
// A number whose text is gone is given to another text, but not before 65,536 more were let go of. So whoever has seen
// a symbol in an object may still compare and print it for a good while after the object went away. Who keeps symbols
// for longer than the object that they came from (a map keyed by names, in the memory of a controller) either forgets
// them with the object or has a SymbolHolder of its own.
//
// Threads: after symbols_share, every function may be called from any thread. Reading a text takes no lock.
#pragma once

#include "base/arena.h"
#include "base/map.h"
#include "base/vec.h"

typedef uint32_t Symbol;

enum { SYMBOL_EMPTY = 0 };

typedef struct SymbolTable SymbolTable;

// Keeps symbols: each once, however often it is interned. {.table = …} is a valid empty holder. Belongs to one thread
// at a time.
typedef struct {
    SymbolTable *table;
    Symbol *slots; // a hash set; SYMBOL_EMPTY: free slot
    uint32_t capacity, count;
} SymbolHolder;

typedef struct {
    SymbolTable *table;
    SymbolHolder *holder; // who keeps what is interned through this handle; NULL: the table, for good
} Symbols;

void symbols_init(Symbols *symbols);
// The table goes, through whichever of its handles.
void symbols_free(Symbols *symbols);

// From now on the table may be used from several threads. Called while one thread has it.
void symbols_share(Symbols *symbols);
// One pointer that goes with the table, for what all its users share (src/state: the pod specs). NULL at first.
void symbols_set_companion(Symbols *symbols, void *companion);
void *symbols_companion(const Symbols *symbols);

// The symbol of `text`, made when new. O(length).
Symbol symbol_intern(Symbols *symbols, Slice text);
// The symbol of `text` when it exists, else INDEX_NONE. O(length).
Symbol symbol_find(const Symbols *symbols, Slice text);

// Keeps a symbol that is alive through somebody else. O(1).
void symbol_hold(SymbolHolder *holder, Symbol symbol);
// The symbols of a holder as a list of its length, to be given to symbols_release some time; the holder is empty then.
void symbol_holder_list(SymbolHolder *holder, Symbol *ret_list);
// Lets go of what is in the holder, and of its memory.
void symbol_holder_free(SymbolHolder *holder);
// One hold less on each. Any thread.
void symbols_release(SymbolTable *table, const Symbol *list, uint32_t count);

// Texts in the table now (with those that nobody holds and whose number waits), and the memory that it takes.
uint32_t symbols_count(const Symbols *symbols);
size_t symbols_bytes(const Symbols *symbols);

// --- reading
//
// Texts stand in blocks that double in size, so that none ever moves. What a block holds was written before its symbol
// was handed out.

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

// Order of the texts.
static inline int symbol_cmp(const Symbols *symbols, Symbol a, Symbol b) {
    return a == b ? 0 : slice_cmp(symbol_text(symbols, a), symbol_text(symbols, b));
}
