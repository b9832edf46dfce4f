// What `tenon trace launch` reads: a NodeClaim and its EC2NodeClass, out of manifests.
#pragma once

#include "cli/plan.h"

// Objects live in the arena; symbols belong to the input.
typedef struct {
    Arena arena;
    Symbols symbols;
    NodeClaim claim;
    EC2NodeClass class; // with the definition's defaults
} TraceInput;

// Reads the NodeClaim of that name (empty: the only one) and the class that it refers to; what else is in the texts is
// passed over. trace_input_free in any case. O(length). ERR_INVALID: no YAML or JSON, an object that cannot be read,
// two NodeClaims where none is named. ERR_NOT_FOUND: there is no such object; the message names those that are there.
ErrCode trace_input_read(const InputTextVec *texts, Slice name, TraceInput *ret_input, Err *err);
void trace_input_free(TraceInput *input);
