// Requirement: requirements on node labels and their algebra.
//
// One requirement per key: a finite set of values (In), or the complement of one (NotIn; Exists excludes nothing), with
// optional integer bounds and Karpenter's minValues. DoesNotExist is the empty finite set. Values are sorted by symbol.
// This is the exact, readable form for objects, messages and output; the planner's inner loops use bitsets made from it
// (sched/index/universe.h). Behaviour and test vectors: reference scheduling.md 2.
// bitsets made from it (sched/index/universe.h). Behaviour and vectors: reference scheduling.md 2.
#pragma once

#include "base/vec.h"
#include "model/names.h"

typedef Vec(Symbol) SymbolVec;

typedef enum { OP_IN, OP_NOT_IN, OP_EXISTS, OP_DOES_NOT_EXIST, OP_GT, OP_LT, OP_GTE, OP_LTE } Operator;

// An expression of a manifest: of node affinity or of a NodePool's requirements.
typedef struct {
    Symbol key;
    Operator op;
    SymbolVec values;
    int32_t min_values; // 0: none
    uint32_t line;      // in the manifest, for messages
} Expression;
typedef Vec(Expression) ExpressionVec;

typedef struct {
    Symbol key;
    bool complement;
    bool has_gte, has_lte;
    int64_t gte, lte;
    int32_t min_values; // 0: none
    SymbolVec values;
} Requirement;

// Requirements, at most one per key, sorted by key symbol.
typedef struct {
    Requirement *items;
    uint32_t count, capacity; // grows as a Vec
} Requirements;

// "In", "NotIn", …
const char *operator_text(Operator op);

// The requirement of an expression, as Karpenter interprets it; the key is normalised (names.h). A bound that is not an
// integer gives the empty set. O(values log values).
Requirement requirement_make(Arena *arena, Symbols *symbols, const Expression *expression);
Requirement requirement_in(Arena *arena, Symbol key, Symbol value);
// The operator of a requirement: OP_IN, OP_NOT_IN, OP_EXISTS or OP_DOES_NOT_EXIST.
Operator requirement_operator(const Requirement *requirement);

// Whether the requirement allows the label value. O(log values).
bool requirement_has(const Symbols *symbols, const Requirement *requirement, Symbol value);
// Intersection of two requirements on the same key. O(values).
Requirement requirement_intersect(Arena *arena, const Symbols *symbols, const Requirement *a, const Requirement *b);
bool requirement_intersects(const Symbols *symbols, const Requirement *a, const Requirement *b);
bool requirement_eq(const Requirement *a, const Requirement *b);
// Whether two sets have equal requirements. O(keys + values).
bool requirements_eq(const Requirements *a, const Requirements *b);

// The requirement on a key, or NULL. O(log keys).
const Requirement *requirements_get(const Requirements *set, Symbol key);
// Adds a requirement; intersects it with the one on the same key, if there is one. O(keys + values).
void requirements_add(Arena *arena, const Symbols *symbols, Requirements *set, const Requirement *requirement);
void requirements_add_all(Arena *arena, const Symbols *symbols, Requirements *set, const Requirements *other);
void requirements_remove(Requirements *set, Symbol key);
Requirements requirements_copy(Arena *arena, const Requirements *set); // shares the values

// Whether the requirements on each common key have a common value (scheduling.md 2.4 `intersects`, with quirk Q1 fixed:
// without a common value a key passes only when both sides allow the label to be absent). Keys that one side lacks
// pass. ret_key (may be NULL): the first key without a common value, in text order.
bool requirements_intersect(const Symbols *symbols, const Requirements *a, const Requirements *b, Symbol *ret_key);

// Karpenter's text form of a requirement, "key In [a b] minValues 2", and of a set (sorted, ", "; without hostname).
Slice requirement_print(Arena *arena, const Symbols *symbols, const Requirement *requirement);
Slice requirements_print(Arena *arena, const Symbols *symbols, const Requirements *set);
// The API form: one to three expressions per requirement (bounds and excluded values are both kept: Q3 fixed), sorted
// by key text, values sorted. Interns the bounds.
ExpressionVec requirements_to_expressions(Arena *arena, Symbols *symbols, const Requirements *set);
