// ParameterBook: ids of images that the Systems Manager's parameters held, remembered for a day. Reference aws.md 2.3.
//
// Threads: any; every function takes the book's lock for a moment.
#pragma once

#include "base/time.h"
#include "base/vec.h"

#include <pthread.h>

typedef struct {
    char *path, *value; // of the heap
    bool is_mutable;    // the parameter's value changes with releases
    Mono until;
} BookedParameter;

typedef struct {
    pthread_mutex_t lock;
    BookedParameter *items;
    uint32_t count, capacity;
} ParameterBook;

void parameter_book_init(ParameterBook *book);
void parameter_book_destroy(ParameterBook *book);

// The value, copied; empty: it is not known, or no longer. O(parameters).
Slice parameter_book_get(ParameterBook *book, Arena *arena, Slice path, Mono now);
// Remembers a value; entries whose time is over are dropped. O(parameters).
void parameter_book_put(ParameterBook *book, Slice path, Slice value, bool is_mutable, Mono now, Mono until);
// The values of all mutable parameters, each once, and forgetting all parameters that hold the value. O(parameters²),
// O(parameters).
SliceVec parameter_book_mutable(ParameterBook *book, Arena *arena);
void parameter_book_forget(ParameterBook *book, Slice value);
