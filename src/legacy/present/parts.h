// Trees of old objects changed to today's and back: what both ways need. Private to src/legacy.
#pragma once

#include "kube/kube.h"
#include "legacy/present/names.h"

// A string of the object, by its keys; empty when absent.
#define text_in(object, ...) kube_text((object), __VA_ARGS__, NULL)

// A member of a metadata's map of texts ("labels", "annotations"); empty when absent.
Slice meta_text(const Value *object, const char *map, Slice key);

// Owners of old kinds as today's, and back; in `metadata` in place, which must be a tree of the caller's.
void owners_present(Arena *arena, Value *metadata);
void owners_carry(Arena *arena, Value *metadata);

// The types of a Machine's conditions as a NodeClaim's, and back; in a status in place. A claim that expires by choice
// is Drifted with the reason Expired, and was MachineExpired. Reference legacy.md 4, 6.1.
void machine_conditions_present(Arena *arena, Value *status);
void machine_conditions_carry(Value *status);

// Has the conditions of a status be of the object's present generation where they do not say: the old definitions have
// no observedGeneration. In place.
void conditions_observe(Arena *arena, Value *status, int64_t generation);

// The annotations in which old objects keep what their kind has no place for.
#define STATUS_ANNOTATION "tenon.sh/status"     // JSON: members of today's status
#define CLASS_ANNOTATION  "tenon.sh/node-class" // JSON: annotations, finalizers and status of a Provisioner's own class

// The JSON of an annotation as a tree; an empty map when it is absent or cannot be read. O(size).
Value annotation_json(Arena *arena, const Value *object, Slice key);
