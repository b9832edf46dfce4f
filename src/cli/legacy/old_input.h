// Objects of older Karpenters in the input of `tenon plan`: they are planned as what they are today
// (legacy/present/present.h), those of v1beta1 as converted ones.
#pragma once

#include "cli/load.h"

typedef struct {
    Arena *arena;         // of what is kept
    DocumentVec objects;  // Provisioners, AWSNodeTemplates and Machines, in the order of the input
    DocumentVec beta;     // objects of v1beta1
    DocumentVec settings; // karpenter-global-settings, at most one: the last one
} OldInput;

// Takes an object of an old kind over, with copies in the arena. True: `ret_rest` is what is left for today's reader,
// the object itself, a List without its old elements, or a Provisioner's Node as one of its pool (in `scratch`). O(size
// of what is old + elements).
bool old_input_take(OldInput *input, Arena *scratch, Slice file, const Value *object, Value *ret_rest);

// Reads what was taken into the cluster. Errors as manifest_read and legacy_convert.
ErrCode old_input_finish(const OldInput *input, Loaded *loaded, Err *err);
