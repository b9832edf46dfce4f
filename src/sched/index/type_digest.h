// TypeDigest: the part of a TypeTable (index/type_table.h) that depends on the instance types alone and not on the
// values that a solve's input mentions. It has the rows, the distinct offerings, and per label the rows with equal
// requirements. A table is made from it in a small part of the time.
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

// Offerings with equal requirements, and the rows that have an available one.
typedef struct {
    const Offering *like; // the first one
    uint64_t *rows;
    double price_min;
} DigestShape;

// Rows with equal requirements on a label key.
typedef struct {
    const Requirement *requirement; // NULL: none
    uint64_t *rows;
} DigestRows;

typedef struct {
    Symbol key;
    Vec(DigestRows) rows; // ordered by their first rows
} DigestKey;

typedef struct {
    const InstanceTypeVec *types;
    uint32_t row_count, words; // words: of a bitset of rows
    TypeRow *rows;
    Resources *allocatable, *capacity; // per row
    Vec(DigestShape) shapes;
    Vec(DigestKey) keys; // keys with a requirement of some type
    IndexMap key_index;
    SymbolVec offering_keys; // keys with a requirement of some offering
} TypeDigest;

// Everything lives in `arena` or in the types. O(types × (labels + offerings)), about 3 ms for 800 types of EC2.
void type_digest_make(TypeDigest *digest, Arena *arena, const Symbols *symbols, const InstanceTypeVec *types);

// The group of an offering within its type (TypeRow.group).
uint32_t offering_group(const InstanceType *type, const Offering *offering);

// Cache of the digests of the last solves' catalogues. To be used by one thread at a time.
typedef struct TypeDigests TypeDigests;
TypeDigests *type_digests_new(void);
void type_digests_free(TypeDigests *digests);

// The digest of these types, made when none is cached. It is found by a hash over the bytes of types and offerings, so
// that memory that was reused for others is not mistaken for them. Valid until type_digests_sweep. O(bytes of types).
const TypeDigest *type_digests_get(TypeDigests *digests, const Symbols *symbols, const InstanceTypeVec *types);

// Frees the digests that were not used since the last sweep.
void type_digests_sweep(TypeDigests *digests);
