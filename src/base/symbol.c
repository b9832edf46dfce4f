// The table of interned strings: entries in blocks, an index with open addressing, texts in pieces that are reused.
//
// One lock guards everything except reading texts. It is only taken once the table is shared.
#include "base/symbol.h"

#include "base/alloc.h"

#include <pthread.h>

// Bits of SymbolEntry.holds: number of holders (HELD_FOR_GOOD: permanent), and whether it is in the queue of released
// symbols.
enum { HELD_FOR_GOOD = (1 << 30) - 1, HOLDS = HELD_FOR_GOOD, QUEUED = 1 << 30 };
static const uint32_t RELEASED_AGAIN = UINT32_C(1) << 31;

// Texts of up to PIECE_MAX bytes are in pieces of multiples of 16 bytes.
enum { PIECE_UNIT = 16, PIECE_CLASSES = 16, PIECE_MAX = PIECE_UNIT * PIECE_CLASSES };

enum { RELEASED_MAX = 1 << 14, FIRST_INDEX = 256 };

typedef struct FreePiece FreePiece;
struct FreePiece {
    FreePiece *next;
};

struct SymbolTable {
    SymbolBlocks blocks; // first: symbol_entry reads it
    bool shared;
    pthread_mutex_t lock;
    void *companion;

    uint32_t count, dead;    // numbers in use so far; those of them without a text
    Symbol free_number;      // list of numbers to reuse, linked through `len` of their entries; 0: none
    uint64_t *index;         // upper half: hash, lower half: symbol; SYMBOL_EMPTY: free
    uint32_t capacity, used; // of `index`
    FreePiece *pieces[PIECE_CLASSES];
    Arena arena;        // of the pieces
    size_t large_bytes; // of longer texts, each a heap allocation
    size_t block_bytes;
    Symbol *released; // ring of released symbols, oldest first; NULL: not needed yet
    uint32_t released_at, released_count;
};

static void lock(SymbolTable *table) {
    if (table->shared)
        pthread_mutex_lock(&table->lock);
}

static void unlock(SymbolTable *table) {
    if (table->shared)
        pthread_mutex_unlock(&table->lock);
}

// Texts.

static uint32_t piece_class(size_t bytes) {
    return (uint32_t)((bytes + PIECE_UNIT - 1) / PIECE_UNIT) - 1;
}

static const char *text_new(SymbolTable *table, Slice text) {
    size_t bytes = text.len + 1;
    char *copy;

    if (bytes > PIECE_MAX) {
        copy = alloc_raw(bytes);
        table->large_bytes += bytes;
    } else if (table->pieces[piece_class(bytes)]) {
        FreePiece *piece = table->pieces[piece_class(bytes)];

        table->pieces[piece_class(bytes)] = piece->next;
        copy = (char *)piece;
    } else {
        copy = arena_alloc_raw(&table->arena, (piece_class(bytes) + 1) * (size_t)PIECE_UNIT);
    }
    if (text.len)
        memcpy(copy, text.ptr, text.len);
    copy[text.len] = 0;
    return copy;
}

static void text_free(SymbolTable *table, const SymbolEntry *entry) {
    size_t bytes = (size_t)entry->len + 1;
    union { // the only place that writes to a text
        const char *text;
        void *memory;
    } at = {.text = entry->ptr};

    if (bytes > PIECE_MAX) {
        table->large_bytes -= bytes;
        free(at.memory);
        return;
    }
    ((FreePiece *)at.memory)->next = table->pieces[piece_class(bytes)];
    table->pieces[piece_class(bytes)] = at.memory;
}

// The index: linear probing, at most 3/4 full, holes closed by moving later ones up.

static uint32_t half(uint64_t hash) {
    return (uint32_t)(hash >> 32);
}

static uint32_t home_of(const SymbolTable *table, uint32_t hash) {
    return (uint32_t)((hash * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (table->capacity - 1);
}

// Position of the text in the index, or of the free entry where it would go.
static uint32_t index_find(const SymbolTable *table, Slice text, uint32_t hash) {
    uint32_t at = home_of(table, hash);

    for (; (uint32_t)table->index[at]; at = (at + 1) & (table->capacity - 1)) {
        if (half(table->index[at]) == hash) {
            const SymbolEntry *entry = symbol_entry(table, (uint32_t)table->index[at]);

            if (entry->len == text.len && memcmp(entry->ptr, text.ptr, text.len) == 0)
                return at;
        }
    }
    return at;
}

static void index_grow(SymbolTable *table) {
    uint64_t *old = table->index;
    uint32_t count = table->capacity;

    table->capacity = count ? count * 2 : FIRST_INDEX;
    CHECK(table->capacity > count, "too many names");
    table->index = NEW_ARRAY(uint64_t, table->capacity);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at;

        if ((uint32_t)old[i] == 0)
            continue;
        for (at = home_of(table, half(old[i])); (uint32_t)table->index[at];)
            at = (at + 1) & (table->capacity - 1);
        table->index[at] = old[i];
    }
    free(old);
}

static void index_remove(SymbolTable *table, uint32_t hole) {
    uint32_t mask = table->capacity - 1;

    for (uint32_t at = (hole + 1) & mask; (uint32_t)table->index[at]; at = (at + 1) & mask) {
        uint32_t home = home_of(table, half(table->index[at]));

        if (((at - home) & mask) >=
            ((at - hole) & mask)) { // the hole lies between the entry's ideal position and its actual one
            table->index[hole] = table->index[at];
            hole = at;
        }
    }
    table->index[hole] = 0;
    table->used--;
}

// Numbers.

static Symbol number_new(SymbolTable *table) {
    Symbol symbol = table->free_number;
    uint64_t at = (uint64_t)table->count + (1u << SYMBOL_FIRST_BLOCK_BITS);
    unsigned block = 63u - (unsigned)__builtin_clzll(at) - SYMBOL_FIRST_BLOCK_BITS;

    if (symbol) {
        table->free_number = symbol_entry(table, symbol)->len;
        table->dead--;
        return symbol;
    }
    CHECK(table->count < INDEX_NONE - (1u << SYMBOL_FIRST_BLOCK_BITS), "too many names");
    if (!table->blocks.blocks[block]) {
        size_t bytes = sizeof(SymbolEntry) << (block + SYMBOL_FIRST_BLOCK_BITS);
        SymbolEntry *entries = alloc_raw(bytes);

        table->block_bytes += bytes;
        __atomic_store_n(&table->blocks.blocks[block], entries, __ATOMIC_RELEASE);
    }
    return table->count++;
}

static void forget(SymbolTable *table, Symbol symbol) {
    SymbolEntry *entry = symbol_entry(table, symbol);
    Slice text = {entry->ptr, entry->len};

    index_remove(table, index_find(table, text, half(slice_hash(text))));
    text_free(table, entry);
    *entry = (SymbolEntry){.len = table->free_number};
    table->free_number = symbol;
    table->dead++;
}

// The queue of released symbols. Each is in it once; one that is held and released again moves to the end.

static Symbol queue_pop(SymbolTable *table) {
    Symbol symbol = table->released[table->released_at];

    table->released_at = (table->released_at + 1) % RELEASED_MAX;
    table->released_count--;
    return symbol;
}

static void queue_push(SymbolTable *table, Symbol symbol) {
    table->released[(table->released_at + table->released_count++) % RELEASED_MAX] = symbol;
}

// Makes room for one: frees the oldest that is still not held.
static void queue_make_room(SymbolTable *table) {
    while (table->released_count == RELEASED_MAX) {
        Symbol symbol = queue_pop(table);
        SymbolEntry *entry = symbol_entry(table, symbol);

        if (entry->holds & HOLDS) {
            entry->holds &= HOLDS;
        } else if (entry->holds & RELEASED_AGAIN) {
            entry->holds = QUEUED;
            queue_push(table, symbol);
        } else {
            forget(table, symbol);
        }
    }
}

static void let_go(SymbolTable *table, Symbol symbol) {
    SymbolEntry *entry = symbol_entry(table, symbol);

    if ((entry->holds & HOLDS) == HELD_FOR_GOOD)
        return;
    CHECK(entry->holds & HOLDS, "symbol %u was let go of more often than it was held", symbol);
    if (--entry->holds & HOLDS)
        return;
    if (entry->holds & QUEUED) {
        entry->holds |= RELEASED_AGAIN;
        return;
    }
    if (!table->released)
        table->released = NEW_ARRAY(Symbol, RELEASED_MAX);
    queue_make_room(table);
    entry->holds = QUEUED;
    queue_push(table, symbol);
}

// Holders.

static uint32_t holder_slot(const SymbolHolder *holder, Symbol symbol) {
    uint32_t at = (uint32_t)hash_u64(symbol) & (holder->capacity - 1);

    while (holder->slots[at] && holder->slots[at] != symbol)
        at = (at + 1) & (holder->capacity - 1);
    return at;
}

static void holder_grow(SymbolHolder *holder) {
    uint32_t *before = holder->slots, count = holder->capacity;

    holder->capacity = count ? count * 2 : 64;
    holder->slots = NEW_ARRAY(uint32_t, holder->capacity);
    for (uint32_t i = 0; i < count; i++) {
        if (before[i])
            holder->slots[holder_slot(holder, before[i])] = before[i];
    }
    free(before);
}

// Called under the lock. holder NULL: permanently.
static void hold(SymbolTable *table, SymbolHolder *holder, Symbol symbol) {
    SymbolEntry *entry = symbol_entry(table, symbol);
    uint32_t slot;

    if ((entry->holds & HOLDS) == HELD_FOR_GOOD)
        return;
    if (!holder) {
        entry->holds |= HELD_FOR_GOOD;
        return;
    }
    if ((holder->count + 1) * 4 > holder->capacity * 3)
        holder_grow(holder);
    slot = holder_slot(holder, symbol);
    if (holder->slots[slot])
        return;
    holder->slots[slot] = symbol;
    holder->count++;
    entry->holds++;
}

void symbol_hold(SymbolHolder *holder, Symbol symbol) {
    lock(holder->table);
    hold(holder->table, holder, symbol);
    unlock(holder->table);
}

void symbol_holder_list(SymbolHolder *holder, Symbol *ret_list) {
    uint32_t count = 0;

    for (uint32_t i = 0; i < holder->capacity; i++) {
        if (holder->slots[i])
            ret_list[count++] = holder->slots[i];
    }
    free(holder->slots);
    *holder = (SymbolHolder){.table = holder->table};
}

void symbol_holder_free(SymbolHolder *holder) {
    if (holder->count) {
        lock(holder->table);
        for (uint32_t i = 0; i < holder->capacity; i++) {
            if (holder->slots[i])
                let_go(holder->table, holder->slots[i]);
        }
        unlock(holder->table);
    }
    free(holder->slots);
    *holder = (SymbolHolder){.table = holder->table};
}

void symbols_release(SymbolTable *table, const Symbol *list, uint32_t count) {
    if (count == 0)
        return;
    lock(table);
    for (uint32_t i = 0; i < count; i++)
        let_go(table, list[i]);
    unlock(table);
}

// The table.

void symbols_init(Symbols *symbols) {
    SymbolTable *table = NEW(SymbolTable);

    pthread_mutex_init(&table->lock, NULL);
    index_grow(table);
    *symbols = (Symbols){.table = table};
    *symbol_entry(table, number_new(table)) = (SymbolEntry){"", 0, HELD_FOR_GOOD}; // the empty text is not in the index
}

void symbols_free(Symbols *symbols) {
    SymbolTable *table = symbols->table;

    *symbols = (Symbols){0};
    if (!table)
        return;
    for (Symbol symbol = 0; symbol < table->count && table->large_bytes; symbol++) {
        SymbolEntry *entry = symbol_entry(table, symbol);

        if (entry->ptr && entry->len >= PIECE_MAX)
            text_free(table, entry);
    }
    for (size_t i = 0; i < SYMBOL_BLOCKS; i++)
        free(table->blocks.blocks[i]);
    arena_free(&table->arena);
    free(table->index);
    free(table->released);
    pthread_mutex_destroy(&table->lock);
    free(table);
}

void symbols_share(Symbols *symbols) {
    symbols->table->shared = true;
}

void symbols_set_companion(Symbols *symbols, void *companion) {
    symbols->table->companion = companion;
}

void *symbols_companion(const Symbols *symbols) {
    return symbols->table->companion;
}

Symbol symbol_find(const Symbols *symbols, Slice text) {
    SymbolTable *table = symbols->table;
    uint32_t hash = half(slice_hash(text));
    Symbol found;

    if (text.len == 0)
        return SYMBOL_EMPTY;
    lock(table);
    found = (uint32_t)table->index[index_find(table, text, hash)];
    unlock(table);
    return found ? found : INDEX_NONE;
}

static Symbol add(SymbolTable *table, Slice text, uint32_t hash) {
    Symbol symbol = number_new(table);

    CHECK(text.len < UINT32_MAX, "a name of %zu bytes", text.len);
    if ((uint64_t)(table->used + 1) * 4 > (uint64_t)table->capacity * 3)
        index_grow(table);
    *symbol_entry(table, symbol) = (SymbolEntry){text_new(table, text), (uint32_t)text.len, 0};
    table->index[index_find(table, text, hash)] = (uint64_t)hash << 32 | symbol;
    table->used++;
    return symbol;
}

Symbol symbol_intern(Symbols *symbols, Slice text) {
    SymbolTable *table = symbols->table;
    uint32_t hash = half(slice_hash(text));
    Symbol symbol;

    if (text.len == 0)
        return SYMBOL_EMPTY;
    lock(table);
    symbol = (uint32_t)table->index[index_find(table, text, hash)];
    if (!symbol)
        symbol = add(table, text, hash);
    hold(table, symbols->holder, symbol);
    unlock(table);
    return symbol;
}

uint32_t symbols_count(const Symbols *symbols) {
    SymbolTable *table = symbols->table;
    uint32_t count;

    lock(table);
    count = table->count - table->dead;
    unlock(table);
    return count;
}

size_t symbols_bytes(const Symbols *symbols) {
    SymbolTable *table = symbols->table;
    size_t bytes;

    lock(table);
    bytes = sizeof *table + table->block_bytes + table->capacity * sizeof *table->index + arena_used(&table->arena) +
            table->large_bytes + (table->released ? RELEASED_MAX * sizeof *table->released : 0);
    unlock(table);
    return bytes;
}
