// Members of an object that the definition of its kind does not know: misspelled ones, mostly. An API server drops them
// without a word, and then a NodePool has no limits.
#pragma once

#include "kube/crds/crds.h"
#include "text/value.h"

typedef struct {
    Slice path;    // "spec.template.spec.taint"
    uint32_t line; // of the member
    Slice meant;   // the known name beside it that is nearest, or where that very name is known; empty: neither
    Slice wrong;   // not empty: the member is known and its value is not: "expected one of …, got …"
} Stranger;
typedef Vec(Stranger) StrangerVec;

// The definitions, each parsed when it is first asked for.
typedef struct CrdSchemas CrdSchemas;
CrdSchemas *crd_schemas_new(Arena *arena);

// Appends what is strange about an object of one of the kinds that have a definition (lists are not looked into); of
// other kinds and versions nothing. Texts live in `arena` or in the object. O(size × members of its schema).
void crd_strangers(CrdSchemas *schemas, Arena *arena, const Value *object, StrangerVec *strangers);
