// Validation: what an API server with Karpenter's CRDs refuses, and what Karpenter's controller finds wrong with a
// NodePool.
//
// The former are errors of the input and name path and position. The latter make a pool not ready: it is ignored for a
// stated reason, as in Karpenter. Reference scheduling.md 1.2, 1.4 and 1.7, lifecycle.md 5.5, aws.md 1.1 and 1.5.
#pragma once

#include "model/objects.h"

// Check schema and CEL rules. The Values were decoded before, so their types are right. ERR_INVALID. The decoder's path
// is at the object; for validate_claim_spec at `spec` of the claim.
ErrCode validate_node_pool(Decoder *decoder, const Value *object, Err *err);
ErrCode validate_claim_spec(Decoder *decoder, const Value *spec, Err *err);
// Also sets `ami_family`, and `not_ready` by the runtime validation.
ErrCode validate_ec2_node_class(Decoder *decoder, const Value *object, EC2NodeClass *class, Err *err);

// Karpenter's runtime validation: the errors joined with "; "; empty: the pool passes.
Slice node_pool_complaint(Arena *arena, Symbols *symbols, const NodePool *pool);
