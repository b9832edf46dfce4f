// Helpers for building the small trees that controllers and kubelets write, and for reading simple members.
//
// Keys are literals. Texts are not copied: they must live at least as long as the arena of the tree.
#pragma once

#include "kube/kube.h"
#include "text/value_edit.h"

// "kube-controller-manager": field manager of its simulated controllers.
#define CONTROLLER_MANAGER SLICE("kube-controller-manager")

void put_text(Arena *arena, Value *map, const char *key, Slice text);
void put_int(Arena *arena, Value *map, const char *key, int64_t number);
void put_bool(Arena *arena, Value *map, const char *key, bool boolean);
void put_time(Arena *arena, Value *map, const char *key, int64_t at_ns);
// Adds an empty map or list under that key.
Value *put_map(Arena *arena, Value *map, const char *key);
Value *put_list(Arena *arena, Value *map, const char *key);
// Appends an empty map.
Value *add_map(Arena *arena, Value *list);

// Appends a condition with its time. Empty reason and message are omitted.
Value *add_condition(Arena *arena, Value *conditions, const char *type, const char *status, const char *reason,
                     const char *message, int64_t at_ns);

// Sets metadata.ownerReferences of `meta`: one controlling owner with blockOwnerDeletion.
void put_controller(Arena *arena, Value *meta, KubeKind kind, Slice name, Slice uid);

// A number member, or `otherwise` when it is absent.
int64_t read_int(const Value *map, const char *key, int64_t otherwise);
bool read_bool(const Value *map, const char *key);
// A time of RFC 3339; 0: absent.
int64_t read_time(const Value *map, const char *key);
// A number, or a percentage of `whole` (rounded up or down); `otherwise` when it is absent.
int64_t read_share(const Value *map, const char *key, int64_t whole, bool up, int64_t otherwise);
// An annotation with seconds as a decimal number ("90", "0.5"), in nanoseconds; -1: absent or invalid.
int64_t read_seconds(const Value *annotations, const char *key);
// The elements of a list; none when it is absent or not a list.
const ValueList *read_list(const Value *map, const char *key);
