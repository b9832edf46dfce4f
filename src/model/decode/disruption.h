// spec.disruption of NodePools.
#pragma once

#include "model/decode/parts.h"

// PoolDisruption, without its defaults: they are there for what is absent altogether, too.
ErrCode decode_disruption(Decoder *decoder, const Value *value, void *ret_disruption, Err *err);

// The definition's default where `spec` (of a NodePool) says nothing of it.
void default_disruption(Decoder *decoder, const Value *spec, PoolDisruption *disruption);
