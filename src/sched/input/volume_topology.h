// Where volumes let a pod go: terms of PersistentVolumes and StorageClasses as alternatives, and their product.
#pragma once

#include "sched/input/volumes.h"

enum { VOLUME_ALTERNATIVES_MAX = 1000 };

// The OR-ed node affinity terms of a bound volume, each with the zones and regions that its labels name; none: it is
// reachable everywhere. A term that no node can meet is left out; when that leaves nothing of a restricted volume,
// ERR_INVALID. `ignore_hostname`: the host that a local volume names is to be replaced. O(expressions).
ErrCode volume_alternatives_of_volume(Arena *arena, Symbols *symbols, const PersistentVolume *volume,
                                      bool ignore_hostname, RequirementsVec *ret_alternatives, Err *err);

// The OR-ed allowed topologies of the class that an unbound claim will get its volume from; otherwise the same.
ErrCode volume_alternatives_of_class(Arena *arena, Symbols *symbols, const StorageClass *class,
                                     RequirementsVec *ret_alternatives, Err *err);

// product := every compatible pair of product × factor, equal results once, in order; an empty operand constrains
// nothing. ERR_INVALID: no pair is compatible (the volumes are in different places), or there are more than
// VOLUME_ALTERNATIVES_MAX results. `claim` ("ns/name") is named in the text. O(pairs × expressions).
ErrCode volume_alternatives_multiply(Arena *arena, Symbols *symbols, RequirementsVec *product,
                                     const RequirementsVec *factor, Slice claim, Err *err);
