// What can be known of a catalogue of instance types before a solve asks about it: rows, offerings that are alike, rows
// that are alike by what they say of a label. A TypeTable (index/type_table.h) is made from it in a small part of the
// time; it depends on which values the solve's input mentions, the digest on nothing else than the types.
#pragma once

#include "model/instance_type.h"

// An available offering of a row.
typedef struct {
    const Offering *offering;
    uint32_t shape; // into the shapes of digest or table
} RowOffering;
typedef Vec(RowOffering) RowOfferingVec;

typedef struct {
    const InstanceType *type;
    uint32_t type_index;
    uint32_t group; // 0: offerings without override; n: the n-th distinct override
    bool negative;  // some allocatable amount is below zero: nothing fits
    RowOfferingVec offerings;
} TypeRow;

// Offerings that say the same of labels, with the rows that have an available one.
typedef struct {
    const Offering *like; // the first of them
    uint64_t *rows;
    double price_min;
} DigestShape;

// Rows that say the same of a label key.
typedef struct {
    const Requirement *requirement; // NULL: nothing
    uint64_t *rows;
} DigestRows;

typedef struct {
    Symbol key;
    Vec(DigestRows) rows; // in the order of their first rows
} DigestKey;

typedef struct {
    const InstanceTypeVec *types;
    uint32_t row_count, words; // of a bitset of rows
    TypeRow *rows;
    Resources *allocatable, *capacity; // per row
    Vec(DigestShape) shapes;
    Vec(DigestKey) keys; // that types speak of
    IndexMap key_index;
    SymbolVec offering_keys; // that offerings speak of
} TypeDigest;

// Everything lives in `arena` or in the types. O(types × (labels + offerings)), about 3 ms for 800 types of EC2.
void type_digest_make(TypeDigest *digest, Arena *arena, const Symbols *symbols, const InstanceTypeVec *types);

// The group of an offering within its type (TypeRow.group).
uint32_t offering_group(const InstanceType *type, const Offering *offering);

// Digests of the catalogues of the last solves. Belongs to one thread at a time.
typedef struct TypeDigests TypeDigests;
TypeDigests *type_digests_new(void);
void type_digests_free(TypeDigests *digests);

// The digest of these types, made when they are not what any digest was made from: their bytes are compared by a hash,
// so that memory which holds something else by now is no danger. Lives until type_digests_sweep. O(bytes of types).
const TypeDigest *type_digests_get(TypeDigests *digests, const Symbols *symbols, const InstanceTypeVec *types);

// Forgets those that nobody got since the last sweep.
void type_digests_sweep(TypeDigests *digests);
