// What a State, its snapshots and the objects on their way to it have in common: symbols and pod specs.
//
// Reached from the symbols that state_decode is given (symbols_companion). It lives until the last of them lets go of
// it, so a snapshot may outlive its State. Thread-safe.
#pragma once

#include <pthread.h>

#include "model/decode/pod.h"

typedef struct Shared Shared;
typedef struct SharedSpec SharedSpec;

// A PodSpec with the number of those who use it.
struct SharedSpec {
    PodSpec spec; // first
    uint32_t users;
    uint64_t hash;
    Fingerprint print;     // of a spec as read
    SharedSpec *read_from; // of a spec with matchLabelKeys merged: the one as read, which holds its symbols
    SymbolVec values;      // and the values of the keys
    Arena arena;
    Symbol *symbols; // held
    uint32_t symbol_count;
    SharedSpec *next; // of its hash
};

struct Shared {
    Symbols symbols;
    uint32_t users;       // atomic
    uint32_t snapshots;   // atomic
    size_t object_bytes;  // atomic: of all objects, also of those that only snapshots have
    pthread_mutex_t lock; // of what follows
    SharedSpec **specs;   // hash table with chains
    uint32_t spec_capacity, spec_count;
    size_t spec_bytes;
};

Shared *shared_new(void);
Shared *shared_retain(Shared *shared);
void shared_release(Shared *shared);
Shared *shared_of(const Symbols *symbols);

// The spec of a pod, one for all that have an equal one: same members that a scheduler reads, same values of the labels
// that its matchLabelKeys name. O(size of the spec). ERR_INVALID as pod_spec_decode.
ErrCode shared_spec_get(Shared *shared, const Value *pod, const PodSpecSource *source, const Labels *labels,
                        SharedSpec **ret_spec, Err *err);
void shared_spec_release(Shared *shared, SharedSpec *spec);
