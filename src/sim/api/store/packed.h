// Packed: one version of an object, serialized into a single allocation that the store, its history and readers share
// by reference count.
//
// A pod of 90 members takes about 1 KB packed and 5 KB as a tree of Values, and the store may hold 100,000 of them. A
// Packed is never changed. Names of members are numbers of a table (Symbols) that all objects share; lists and maps
// have their size in bytes, so that a reader can skip them.
//
//   null false true            tag
//   number string              tag, length, bytes
//   list                       tag, size of the rest (32 bits), count, elements
//   map                        tag, size of the rest (32 bits), count, members: name, value
//   name                       number in the table * 2, or length * 2 + 1 and bytes (rare or long names)
//
// Lengths, counts and names are LEB128-encoded (base 128, low bits first). metadata.resourceVersion is not included: it
// is the revision.
#pragma once

#include "base/buffer.h"
#include "base/symbol.h"
#include "kube/kube.h"

enum { PACKED_DEPTH_MAX = 100, PACKED_NAMES_MAX = 1 << 16, PACKED_NAME_BYTES_MAX = 64 };

typedef struct {
    uint32_t references;
    uint32_t key_bytes, bytes; // of the key "namespace/name", and of the serialized tree after it
    KubeRevision revision;
    char data[];
} Packed;

// Packs `object`, which has no resourceVersion, under the key. O(size). NULL: nested deeper than PACKED_DEPTH_MAX. The
// caller has one reference. `scratch` is any buffer that is kept between calls.
Packed *packed_new(Symbols *names, Buffer *scratch, Slice key, const Value *object);

static inline Packed *packed_hold(Packed *packed) {
    if (packed)
        packed->references++;
    return packed;
}

// NULL is fine.
void packed_release(Packed *packed);

static inline Slice packed_key(const Packed *packed) {
    return (Slice){packed->data, packed->key_bytes};
}

// The tree, with `revision` as its metadata.resourceVersion. Texts point into `packed` if `borrow`, else into the
// arena; names of members point into `names` or likewise. O(size).
Value packed_open(Arena *arena, const Symbols *names, const Packed *packed, KubeRevision revision, bool borrow);

// The part at a path of names (NULL-terminated), without opening the rest; false: absent. Texts point into `packed`.
// O(members on the way + size of the part).
__attribute__((sentinel)) bool packed_part(Arena *arena, const Symbols *names, const Packed *packed, Value *ret_part,
                                           ...);
