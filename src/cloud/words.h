// Words: symbols of instances, which are released some time after their last use: a cluster that lives for months has
// millions of provider ids.
//
// They are held for an hour or two after they were last interned: by then, a caller that was told of an instance has
// written it into an object, which holds the symbols, or has forgotten it.
#pragma once

#include "base/symbol.h"
#include "base/time.h"

#include <pthread.h>

typedef struct {
    pthread_mutex_t lock;
    Symbols symbols; // holder: `young`
    SymbolHolder young, old;
    int64_t turned_ns;
} Words;

// `now_ns`, here and below: of one clock that is never set.
void words_init(Words *words, const Symbols *symbols, int64_t now_ns);
// Frees the memory, without releasing the symbols: their table may have been freed before.
void words_free(Words *words);

// Symbols for interning, until words_end: short work, since others wait. The texts stay readable for long after it. Any
// thread. O(1); once an hour O(symbols).
Symbols *words_begin(Words *words, int64_t now_ns);
void words_end(Words *words);
