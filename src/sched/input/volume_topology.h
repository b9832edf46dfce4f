// Volume topology: the terms of PersistentVolumes and StorageClasses as alternatives, and their product.
#pragma once

#include "sched/input/volumes.h"

enum { VOLUME_ALTERNATIVES_MAX = 1000 };

// The OR-ed node affinity terms of a bound volume, each with the zones and regions of the volume's labels; none: it is
// reachable from everywhere. Terms that no node can meet are left out; ERR_INVALID when that leaves none of a volume
// with terms. `ignore_hostname`: requirements on the host name of a local volume are dropped. O(expressions).
ErrCode volume_alternatives_of_volume(Arena *arena, Symbols *symbols, const PersistentVolume *volume,
                                      bool ignore_hostname, RequirementsVec *ret_alternatives, Err *err);

// The same for the allowed topologies of the StorageClass that provisions the volume of an unbound claim.
ErrCode volume_alternatives_of_class(Arena *arena, Symbols *symbols, const StorageClass *class,
                                     RequirementsVec *ret_alternatives, Err *err);

// product := every compatible pair of product × factor, in order and without duplicates; an empty operand constrains
// nothing. ERR_INVALID: no pair is compatible (the volumes are in different places), or there are more than
// VOLUME_ALTERNATIVES_MAX results. `claim` ("ns/name"): for the text of the error. O(pairs × expressions).
ErrCode volume_alternatives_multiply(Arena *arena, Symbols *symbols, RequirementsVec *product,
                                     const RequirementsVec *factor, Slice claim, Err *err);
