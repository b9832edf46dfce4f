// Symbols in two generations, which are released in turn.
#include "cloud/words.h"

#include "base/check.h"

static const int64_t TURN_NS = NS_PER_HOUR;

void words_init(Words *words, const Symbols *symbols, int64_t now_ns) {
    *words = (Words){.turned_ns = now_ns};
    CHECK(pthread_mutex_init(&words->lock, NULL) == 0, "no mutex");
    words->young.table = words->old.table = symbols->table;
    words->symbols = (Symbols){symbols->table, &words->young};
}

static void turn(Words *words, int64_t now_ns) {
    symbol_holder_free(&words->old);
    words->old = words->young;
    words->young = (SymbolHolder){.table = words->old.table};
    words->turned_ns = now_ns;
}

Symbols *words_begin(Words *words, int64_t now_ns) {
    pthread_mutex_lock(&words->lock);
    if (now_ns - words->turned_ns >= TURN_NS)
        turn(words, now_ns);
    return &words->symbols;
}

void words_end(Words *words) {
    pthread_mutex_unlock(&words->lock);
}

// Frees a holder's memory without releasing its symbols.
static void drop(SymbolHolder *holder) {
    Arena arena = {0};

    symbol_holder_list(holder, arena_array(&arena, Symbol, holder->count));
    arena_free(&arena);
}

void words_free(Words *words) {
    drop(&words->young);
    drop(&words->old);
    pthread_mutex_destroy(&words->lock);
}
