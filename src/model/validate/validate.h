// What an API server with Karpenter's CRDs refuses, and what Karpenter itself finds wrong with a NodePool later.
//
// The first are errors of the input and name path and place. The second make a pool "not ready": it is ignored with a
// reason, as Karpenter does. Reference scheduling.md 1.2, 1.4 and 1.7, lifecycle.md 5.5, aws.md 1.1 and 1.5.
#pragma once

#include "model/objects.h"

// Schema and CEL rules. The Values were decoded before, so their types are right. ERR_INVALID.
// The decoder's path stands at the object; at `spec` of the claim for the second.
ErrCode validate_node_pool(Decoder *decoder, const Value *object, Err *err);
ErrCode validate_claim_spec(Decoder *decoder, const Value *spec, Err *err);
// Also settles `ami_family` and fills `not_ready` with what the runtime validation finds.
ErrCode validate_ec2_node_class(Decoder *decoder, const Value *object, EC2NodeClass *class, Err *err);

// Karpenter's runtime validation: empty when the pool passes, else the texts, joined with "; ".
Slice node_pool_complaint(Arena *arena, Symbols *symbols, const NodePool *pool);
