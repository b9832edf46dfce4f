// Indexes used while reading: objects by identity, pod specs by content.
#include "model/manifest/state.h"

#include <stdarg.h>
#include <stdio.h>

ManifestState *manifest_state(Cluster *cluster) {
    if (!cluster->reading)
        cluster->reading = arena_new(&cluster->arena, ManifestState);
    return cluster->reading;
}

void manifest_state_free(Cluster *cluster) {
    if (cluster->reading)
        buffer_free(&cluster->reading->scratch);
    cluster->reading = NULL;
}

__attribute__((format(printf, 3, 0))) static void add_warning(Cluster *cluster, bool mistake, const char *format,
                                                              va_list args) {
    char text[ERR_TEXT_MAX];

    vsnprintf(text, sizeof text, format, args);
    vec_push(&cluster->arena, &cluster->warnings, (Warning){arena_slice(&cluster->arena, slice_of(text)), mistake});
}

void cluster_warn(Cluster *cluster, const char *format, ...) {
    va_list args;

    va_start(args, format);
    add_warning(cluster, false, format, args);
    va_end(args);
}

void cluster_warn_mistake(Cluster *cluster, const char *format, ...) {
    va_list args;

    va_start(args, format);
    add_warning(cluster, true, format, args);
    va_end(args);
}

static uint64_t identity_hash(const ObjectKind *kind, Symbol ns, Symbol name) {
    return hash_combine(hash_u64((uint64_t)ns << 32 | name), (uint64_t)(uintptr_t)kind);
}

ObjectPlace *object_find(ManifestState *state, const ObjectKind *kind, Symbol ns, Symbol name) {
    uint64_t hash = identity_hash(kind, ns, name);
    uint32_t cursor = 0, at;

    while ((at = index_map_next(&state->object_index, hash, &cursor)) != INDEX_NONE) {
        ObjectPlace *place = &state->objects.items[at];

        if (place->kind == kind && place->ns == ns && place->name == name)
            return place;
    }
    return NULL;
}

void object_add(Cluster *cluster, const ObjectPlace *place) {
    ManifestState *state = manifest_state(cluster);

    index_map_add(&cluster->arena, &state->object_index, identity_hash(place->kind, place->ns, place->name),
                  state->objects.count);
    vec_push(&cluster->arena, &state->objects, *place);
}

bool object_make(Cluster *cluster, const ObjectKind *kind, Symbol ns, Symbol name, uint32_t slot,
                 const ObjectMeta *cause) {
    ObjectPlace place = {kind, ns, name, slot, cause->file, cause->line};

    if (object_find(manifest_state(cluster), kind, ns, name))
        return false;
    object_add(cluster, &place);
    return true;
}

static const PodSpec *spec_find(const ManifestState *state, Fingerprint print) {
    uint32_t cursor = 0, at;

    while ((at = index_map_next(&state->spec_index, print.low, &cursor)) != INDEX_NONE) {
        if (state->spec_prints.items[at].high == print.high)
            return state->specs.items[at];
    }
    return NULL;
}

ErrCode pod_spec_intern(ManifestReader *reader, const PodSpecSource *source, const PodSpec **ret_spec, Err *err) {
    ManifestState *state = reader->state;
    Arena *arena = reader->decoder.arena;
    Fingerprint print = pod_spec_fingerprint(&state->scratch, source);
    const PodSpec *known = spec_find(state, print);
    PodSpec *spec;

    if (known) {
        *ret_spec = known;
        return OK;
    }
    spec = arena_new(arena, PodSpec);
    TRY(pod_spec_decode(&reader->decoder, source, spec, err));
    index_map_add(arena, &state->spec_index, print.low, state->specs.count);
    vec_push(arena, &state->specs, spec);
    vec_push(arena, &state->spec_prints, print);
    *ret_spec = spec;
    return OK;
}
