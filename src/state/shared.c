// Shared symbols and pod specs, with reference counts.
#include "state/shared.h"

#include "base/alloc.h"
#include "model/manifest/label_keys.h"
#include "model/manifest/object.h"

#include <stdlib.h>

enum { FIRST_SPECS = 64 };

Shared *shared_new(void) {
    Shared *shared = NEW(Shared);

    names_init(&shared->symbols);
    symbols_share(&shared->symbols);
    symbols_set_companion(&shared->symbols, shared);
    pthread_mutex_init(&shared->lock, NULL);
    shared->users = 1;
    shared->spec_capacity = FIRST_SPECS;
    shared->specs = NEW_ARRAY(SharedSpec *, FIRST_SPECS);
    return shared;
}

Shared *shared_retain(Shared *shared) {
    __atomic_add_fetch(&shared->users, 1, __ATOMIC_RELAXED);
    return shared;
}

void shared_release(Shared *shared) {
    if (__atomic_sub_fetch(&shared->users, 1, __ATOMIC_ACQ_REL))
        return;
    CHECK(shared->spec_count == 0, "%u pod specs are still in use", shared->spec_count);
    free(shared->specs);
    pthread_mutex_destroy(&shared->lock);
    symbols_free(&shared->symbols);
    free(shared);
}

Shared *shared_of(const Symbols *symbols) {
    Shared *shared = symbols_companion(symbols);

    CHECK(shared, "these symbols belong to no State");
    return shared;
}

// The hash table of specs. All functions are called under the lock.

static void specs_grow(Shared *shared) {
    uint32_t capacity = shared->spec_capacity * 2;
    SharedSpec **specs = NEW_ARRAY(SharedSpec *, capacity);

    for (uint32_t i = 0; i < shared->spec_capacity; i++) {
        while (shared->specs[i]) {
            SharedSpec *spec = shared->specs[i];

            shared->specs[i] = spec->next;
            spec->next = specs[spec->hash & (capacity - 1)];
            specs[spec->hash & (capacity - 1)] = spec;
        }
    }
    free(shared->specs);
    shared->specs = specs;
    shared->spec_capacity = capacity;
}

static bool is_same(const SharedSpec *a, const SharedSpec *b) {
    if (a->hash != b->hash || a->read_from != b->read_from || a->values.count != b->values.count)
        return false;
    if (a->read_from)
        return memcmp(a->values.items, b->values.items, a->values.count * sizeof(Symbol)) == 0;
    return a->print.low == b->print.low && a->print.high == b->print.high;
}

// The spec equal to `like`, with one more reference; NULL: none.
static SharedSpec *specs_find(Shared *shared, const SharedSpec *like) {
    SharedSpec *spec = shared->specs[like->hash & (shared->spec_capacity - 1)];

    while (spec && !is_same(spec, like))
        spec = spec->next;
    if (spec)
        spec->users++;
    return spec;
}

static SharedSpec *spec_find(Shared *shared, const SharedSpec *like) {
    SharedSpec *spec;

    pthread_mutex_lock(&shared->lock);
    spec = specs_find(shared, like);
    pthread_mutex_unlock(&shared->lock);
    return spec;
}

// Frees a spec and its symbols. Not to be called under the lock; does not touch `read_from`.
static void spec_free(Shared *shared, SharedSpec *spec) {
    symbols_release(shared->symbols.table, spec->symbols, spec->symbol_count);
    free(spec->symbols);
    arena_free(&spec->arena);
    free(spec);
}

static size_t spec_size(const SharedSpec *spec) {
    return sizeof *spec + arena_used(&spec->arena) + spec->symbol_count * sizeof(Symbol);
}

// Adds a new spec. When another thread has added an equal one meanwhile, returns that one and frees `spec`.
static SharedSpec *spec_add(Shared *shared, SharedSpec *spec) {
    SharedSpec *known;

    pthread_mutex_lock(&shared->lock);
    known = specs_find(shared, spec);
    if (!known) {
        if (shared->spec_count >= shared->spec_capacity)
            specs_grow(shared);
        spec->users = 1;
        spec->next = shared->specs[spec->hash & (shared->spec_capacity - 1)];
        shared->specs[spec->hash & (shared->spec_capacity - 1)] = spec;
        shared->spec_count++;
        shared->spec_bytes += spec_size(spec);
    }
    pthread_mutex_unlock(&shared->lock);
    if (!known)
        return spec;
    if (spec->read_from)
        shared_spec_release(shared, spec->read_from);
    spec_free(shared, spec);
    return known;
}

void shared_spec_release(Shared *shared, SharedSpec *spec) {
    while (spec) {
        SharedSpec *read_from = spec->read_from;
        SharedSpec **at;

        pthread_mutex_lock(&shared->lock);
        if (--spec->users) {
            pthread_mutex_unlock(&shared->lock);
            return;
        }
        for (at = &shared->specs[spec->hash & (shared->spec_capacity - 1)]; *at != spec;)
            at = &(*at)->next;
        *at = spec->next;
        shared->spec_count--;
        shared->spec_bytes -= spec_size(spec);
        pthread_mutex_unlock(&shared->lock);
        spec_free(shared, spec);
        spec = read_from;
    }
}

// Making specs.

static void take_symbols(SharedSpec *spec, SymbolHolder *holder) {
    spec->symbol_count = holder->count;
    spec->symbols = NEW_ARRAY(Symbol, holder->count);
    symbol_holder_list(holder, spec->symbols);
}

// Copies `from` into memory of its own that is exactly as large as needed.
static void spec_settle(SharedSpec *spec, const PodSpec *from, const SymbolVec *values) {
    Arena measured = {0};

    pod_spec_copy(&measured, from);
    arena_copy(&measured, values->items, values->count * sizeof(Symbol));
    arena_reserve(&spec->arena, arena_used(&measured));
    arena_free(&measured);
    spec->spec = pod_spec_copy(&spec->arena, from);
    spec->values = *values;
    spec->values.items = arena_copy(&spec->arena, values->items, values->count * sizeof(Symbol));
}

static ErrCode spec_decode(Shared *shared, const Value *pod, const PodSpecSource *source, SharedSpec *spec, Err *err) {
    SymbolHolder holder = {.table = shared->symbols.table};
    Symbols symbols = {holder.table, &holder};
    Arena scratch = {0};
    PodSpec decoded = {0};
    ErrCode code = pod_spec_decode_alone(&scratch, &symbols, pod, source, &decoded, err);

    if (code == OK)
        spec_settle(spec, &decoded, &(SymbolVec){0});
    take_symbols(spec, &holder);
    arena_free(&scratch);
    return code;
}

static ErrCode spec_read(Shared *shared, const Value *pod, const PodSpecSource *source, SharedSpec **ret_spec,
                         Err *err) {
    SharedSpec like = {0}, *spec;
    Buffer scratch = {0};
    ErrCode code;

    like.print = pod_spec_fingerprint(&scratch, source);
    like.hash = like.print.low;
    buffer_free(&scratch);
    spec = spec_find(shared, &like);
    if (!spec) {
        spec = NEW(SharedSpec);
        spec->print = like.print;
        spec->hash = like.hash;
        code = spec_decode(shared, pod, source, spec, err);
        if (code != OK) {
            spec_free(shared, spec);
            return code;
        }
        spec = spec_add(shared, spec);
    }
    *ret_spec = spec;
    return OK;
}

// The spec with the values of its matchLabelKeys in its selectors. Takes `read` over.
static SharedSpec *spec_merge(Shared *shared, SharedSpec *read, const SymbolVec *values, const Labels *labels) {
    SharedSpec like = {.read_from = read, .hash = read->hash, .values = *values}, *spec;
    SymbolHolder holder = {.table = shared->symbols.table};
    Arena scratch = {0};

    for (vec_each(const Symbol, value, values))
        like.hash = hash_combine(like.hash, *value);
    spec = spec_find(shared, &like);
    if (spec) {
        shared_spec_release(shared, read);
        return spec;
    }
    spec = NEW(SharedSpec);
    spec->read_from = read; // it holds the symbols that are not new
    spec->hash = like.hash;
    for (vec_each(const Symbol, value, values)) {
        if (*value != INDEX_NONE)
            symbol_hold(&holder, *value);
    }
    spec_settle(spec, label_keys_merged(&scratch, &read->spec, labels), values);
    take_symbols(spec, &holder);
    arena_free(&scratch);
    return spec_add(shared, spec);
}

ErrCode shared_spec_get(Shared *shared, const Value *pod, const PodSpecSource *source, const Labels *labels,
                        SharedSpec **ret_spec, Err *err) {
    Arena scratch = {0};
    SymbolVec values = {0};
    SharedSpec *spec;

    TRY(spec_read(shared, pod, source, &spec, err));
    label_key_values(&scratch, &spec->spec, labels, &values);
    if (values.count)
        spec = spec_merge(shared, spec, &values, labels);
    arena_free(&scratch);
    *ret_spec = spec;
    return OK;
}
