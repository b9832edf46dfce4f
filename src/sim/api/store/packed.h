// One version of an object, packed into a single allocation that the store, the history and readers share by count.
//
// A pod of 90 members is about 1 KB packed and 5 KB as a tree of Values, and 100,000 of them live in the store. The
// form is written once and never changed: names of members are numbers of a table (Symbols) that all objects share,
// lists and maps know their size in bytes, so that a reader can step over what it does not look for.
//
//   null false true            tag
//   number string              tag, length, bytes
//   list                       tag, bytes that follow (32 bits), count, elements
//   map                        tag, bytes that follow (32 bits), count, members: name, value
//   name                       number of the table * 2, or length * 2 + 1 and bytes (names that are rare or long)
//
// Lengths, counts and names are in base 128, low bits first. metadata.resourceVersion is not in it: that is the
// revision.
#pragma once

#include "base/buffer.h"
#include "base/symbol.h"
#include "kube/kube.h"

enum { PACKED_DEPTH_MAX = 100, PACKED_NAMES_MAX = 1 << 16, PACKED_NAME_BYTES_MAX = 64 };

typedef struct {
    uint32_t references;
    uint32_t key_bytes, bytes; // of the key "namespace/name", and of the packed tree behind it
    KubeRevision revision;
    char data[];
} Packed;

// Packs `object`, which has no resourceVersion, for the key. O(size). NULL: deeper than PACKED_DEPTH_MAX. One
// reference, the caller's. `scratch` is any buffer that is kept between calls.
Packed *packed_new(Symbols *names, Buffer *scratch, Slice key, const Value *object);

static inline Packed *packed_hold(Packed *packed) {
    if (packed)
        packed->references++;
    return packed;
}

// NULL is allowed.
void packed_release(Packed *packed);

static inline Slice packed_key(const Packed *packed) {
    return (Slice){packed->data, packed->key_bytes};
}

// The tree, with `revision` as its metadata.resourceVersion. Texts point into `packed` when `borrow`, else into the
// arena; names of members point into `names` or as the texts do. O(size).
Value packed_open(Arena *arena, const Symbols *names, const Packed *packed, KubeRevision revision, bool borrow);

// The part below a path of names (NULL-terminated) without opening the rest; false: absent. Texts point into `packed`.
// O(members on the way + size of the part).
__attribute__((sentinel)) bool packed_part(Arena *arena, const Symbols *names, const Packed *packed, Value *ret_part,
                                           ...);
