// Symbols in two generations, which are released in turn: a cluster that lives for months has millions of Nodes.
#include "cloud/kwok/provider/words.h"

static const int64_t TURN_NS = NS_PER_HOUR;

void kwok_words_init(KwokProvider *provider) {
    KwokWords *words = &provider->words;

    CHECK(pthread_mutex_init(&words->lock, NULL) == 0, "no mutex");
    words->young.table = words->old.table = provider->symbols.table;
    words->symbols = (Symbols){provider->symbols.table, &words->young};
    words->turned_ns = kwok_now_ns(provider);
}

static void turn(KwokWords *words, int64_t now_ns) {
    symbol_holder_free(&words->old);
    words->old = words->young;
    words->young = (SymbolHolder){.table = words->old.table};
    words->turned_ns = now_ns;
}

Symbols *kwok_words_begin(KwokProvider *provider) {
    KwokWords *words = &provider->words;
    int64_t now_ns = kwok_now_ns(provider);

    pthread_mutex_lock(&words->lock);
    if (now_ns - words->turned_ns >= TURN_NS)
        turn(words, now_ns);
    return &words->symbols;
}

void kwok_words_end(KwokProvider *provider) {
    pthread_mutex_unlock(&provider->words.lock);
}

// Frees a holder's memory without releasing its symbols, because their table may have been freed.
static void drop(SymbolHolder *holder) {
    Arena arena = {0};

    symbol_holder_list(holder, arena_array(&arena, Symbol, holder->count));
    arena_free(&arena);
}

void kwok_words_free(KwokProvider *provider) {
    drop(&provider->words.young);
    drop(&provider->words.old);
    pthread_mutex_destroy(&provider->words.lock);
}
