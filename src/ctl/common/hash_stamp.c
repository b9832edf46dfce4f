// Annotations with hashes.
#include "ctl/common/hash_stamp.h"

#include "text/value_edit.h"

static bool has(const Turn *turn, const ObjectMeta *meta, Slice key, Slice value) {
    Symbol name = symbol_find(turn->symbols, key);
    Symbol found = name == INDEX_NONE ? INDEX_NONE : labels_get(&meta->annotations, name);

    return found != INDEX_NONE && slice_eq(symbol_text(turn->symbols, found), value);
}

bool hash_stamp_has_version(const Turn *turn, const ObjectMeta *meta, const HashStamp *stamp) {
    return has(turn, meta, stamp->version_key, stamp->version);
}

bool hash_stamp_is_on(const Turn *turn, const ObjectMeta *meta, const HashStamp *stamp) {
    return hash_stamp_has_version(turn, meta, stamp) && has(turn, meta, stamp->hash_key, stamp->hash);
}

static void stamp_with(Turn *turn, KubeKind kind, const ObjectMeta *meta, const HashStamp *stamp, bool keeps_hash) {
    Value *body = arena_new(turn->arena, Value), *annotations;

    *body = value_map();
    annotations = value_make(turn->arena, body, "metadata", "annotations", NULL);
    if (!keeps_hash)
        value_put(turn->arena, annotations, stamp->hash_key, value_string(stamp->hash));
    value_put(turn->arena, annotations, stamp->version_key, value_string(stamp->version));
    turn_patch(turn, kind, meta->ns, meta->name, KUBE_OBJECT, body, 0);
}

void hash_stamp_claim(Turn *turn, const NodeClaim *claim, const HashStamp *stamp) {
    bool is_drifted = condition_get(&claim->conditions, turn->symbols, SLICE("Drifted"));

    if (!hash_stamp_has_version(turn, &claim->meta, stamp))
        stamp_with(turn, KUBE_NODE_CLAIM, &claim->meta, stamp, is_drifted);
}

void hash_stamp_object(Turn *turn, KubeKind kind, const ObjectMeta *meta, const HashStamp *stamp) {
    if (!hash_stamp_is_on(turn, meta, stamp))
        stamp_with(turn, kind, meta, stamp, false);
}
