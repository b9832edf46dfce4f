// Requirements on node labels and their algebra.
//
// One requirement per key: a finite set of values (In), or the complement of one (NotIn; Exists excludes nothing),
// with optional integer bounds and Karpenter's minValues. DoesNotExist is the empty finite set. Values are sorted by
// symbol. This is the exact, readable form, used for objects, messages and output; the planner's inner loops work on
// bitsets made from it (sched/index/universe.h). Behaviour and vectors: reference scheduling.md 2.
#pragma once

#include "base/vec.h"
#include "model/names.h"

typedef Vec(Symbol) SymbolVec;

typedef enum { OP_IN, OP_NOT_IN, OP_EXISTS, OP_DOES_NOT_EXIST, OP_GT, OP_LT, OP_GTE, OP_LTE } Operator;

// As written in a manifest: node affinity expressions and NodePool requirements.
typedef struct {
    Symbol key;
    Operator op;
    SymbolVec values;
    int32_t min_values; // 0: none
    uint32_t line;      // where it stands, for messages
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

// At most one requirement per key, sorted by key symbol.
typedef struct {
    Requirement *items;
    uint32_t count, capacity; // grows as a Vec
} Requirements;

// "In", "NotIn", …
const char *operator_text(Operator op);

// Karpenter's reading of an expression; the key is normalised (names.h). A bound that is no integer gives the empty
// set. O(values log values).
Requirement requirement_make(Arena *arena, Symbols *symbols, const Expression *expression);
Requirement requirement_in(Arena *arena, Symbol key, Symbol value);
// The operator read back: OP_IN, OP_NOT_IN, OP_EXISTS or OP_DOES_NOT_EXIST.
Operator requirement_operator(const Requirement *requirement);

// Whether the label value is allowed. O(log values).
bool requirement_has(const Symbols *symbols, const Requirement *requirement, Symbol value);
// Both of the same key. O(values).
Requirement requirement_intersect(Arena *arena, const Symbols *symbols, const Requirement *a, const Requirement *b);
bool requirement_intersects(const Symbols *symbols, const Requirement *a, const Requirement *b);
bool requirement_eq(const Requirement *a, const Requirement *b);

// The requirement on a key, or NULL. O(log keys).
const Requirement *requirements_get(const Requirements *set, Symbol key);
// Intersects with what the set has on that key, else adds. O(keys + values).
void requirements_add(Arena *arena, const Symbols *symbols, Requirements *set, const Requirement *requirement);
void requirements_add_all(Arena *arena, const Symbols *symbols, Requirements *set, const Requirements *other);
void requirements_remove(Requirements *set, Symbol key);
Requirements requirements_copy(Arena *arena, const Requirements *set); // shares the values

// Whether the keys in both have common values (scheduling.md 2.4 `intersects`, with quirk Q1 fixed: no common value
// passes only when both allow the label to be absent). Keys missing on either side pass.
// ret_key (may be NULL): the first key without common values, by text.
bool requirements_intersect(const Symbols *symbols, const Requirements *a, const Requirements *b, Symbol *ret_key);

// "key In [a b] minValues 2": Karpenter's text form of one requirement and of a set (sorted, ", "; hides hostname).
Slice requirement_print(Arena *arena, const Symbols *symbols, const Requirement *requirement);
Slice requirements_print(Arena *arena, const Symbols *symbols, const Requirements *set);
// The API form: one to three expressions per requirement (bounds and excluded values both kept: Q3 fixed), sorted by
// key text, values sorted. Interns the bounds.
ExpressionVec requirements_to_expressions(Arena *arena, Symbols *symbols, const Requirements *set);
