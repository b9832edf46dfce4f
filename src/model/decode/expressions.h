// Decoders of selectors and requirements.
#pragma once

#include "model/decode/parts.h"

// const LabelSelector * from {matchLabels, matchExpressions}; and from the plain map of a Service, with OP_IN per
// label.
ErrCode decode_selector(Decoder *decoder, const Value *value, void *ret_selector, Err *err);
ErrCode decode_map_selector(Decoder *decoder, const Value *value, void *ret_selector, Err *err);

// ExpressionVec of node affinity; and of NodePools and NodeClaims (with Gte, Lte and minValues).
ErrCode decode_node_expressions(Decoder *decoder, const Value *value, void *ret_expressions, Err *err);
ErrCode decode_pool_requirements(Decoder *decoder, const Value *value, void *ret_expressions, Err *err);
