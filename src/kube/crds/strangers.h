// Strangers: members of an object that the schema of its kind does not know, mostly misspelled ones. An API server
// drops them silently, which may leave a NodePool without limits.
#pragma once

#include "kube/crds/crds.h"
#include "text/value.h"

typedef struct {
    Slice path;    // "spec.template.spec.taint"
    uint32_t line; // of the member
    Slice meant; // suggestion: the nearest known name beside it, or the path where that very name is known; empty: none
    Slice wrong; // not empty: the member is known but its value is not: "expected one of …, got …"
} Stranger;
typedef Vec(Stranger) StrangerVec;

// Schemas of the definitions, each parsed at its first use.
typedef struct CrdSchemas CrdSchemas;
CrdSchemas *crd_schemas_new(Arena *arena);

// Appends the strangers of an object whose kind and version have a definition; other objects have none (lists are not
// searched). Texts are in `arena` or in the object. O(size × members of its schema).
void crd_strangers(CrdSchemas *schemas, Arena *arena, const Value *object, StrangerVec *strangers);
