// Shared: symbols and pod specs that a State, its snapshots and objects being decoded have in common.
//
// It is reached from the symbols that state_decode is given (symbols_companion), and freed with its last reference, so
// that a snapshot may outlive its State. Thread-safe.
#pragma once

#include <pthread.h>

#include "model/decode/pod.h"

typedef struct Shared Shared;
typedef struct SharedSpec SharedSpec;

// A PodSpec and the number of its references.
struct SharedSpec {
    PodSpec spec; // first
    uint32_t users;
    uint64_t hash;
    Fingerprint print;     // of a spec as decoded
    SharedSpec *read_from; // of a spec with matchLabelKeys merged: the spec as decoded, which holds its symbols
    SymbolVec values;      // of a spec with matchLabelKeys merged: the values of these keys
    Arena arena;
    Symbol *symbols; // held
    uint32_t symbol_count;
    SharedSpec *next; // in the hash chain
};

struct Shared {
    Symbols symbols;
    uint32_t users;       // atomic
    uint32_t snapshots;   // atomic
    size_t object_bytes;  // atomic: of all objects, including those that only snapshots hold
    pthread_mutex_t lock; // guards the following members
    SharedSpec **specs;   // hash table with chains
    uint32_t spec_capacity, spec_count;
    size_t spec_bytes;
};

Shared *shared_new(void);
Shared *shared_retain(Shared *shared);
void shared_release(Shared *shared);
Shared *shared_of(const Symbols *symbols);

// The spec of a pod, shared by all pods with an equal one: the same members that a scheduler reads, and the same values
// of the labels that its matchLabelKeys name. O(size of the spec). ERR_INVALID as pod_spec_decode.
ErrCode shared_spec_get(Shared *shared, const Value *pod, const PodSpecSource *source, const Labels *labels,
                        SharedSpec **ret_spec, Err *err);
void shared_spec_release(Shared *shared, SharedSpec *spec);
