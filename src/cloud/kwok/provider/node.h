// Nodes and instances, one as the other.
#pragma once

#include "cloud/kwok/provider/parts.h"

// "kwok-<claim>-<ten letters and digits>-<number>": drawn from the uid.
Slice kwok_node_name(Arena *arena, Slice claim_name, Slice claim_uid);

// What Karpenter has as the hostname of the Node: the claim's name. Names that are too long for a label lose their
// beginning, so that they still differ. Points into its argument.
Slice kwok_hostname(Slice claim_name);

// The name of the claim that a Node was made for.
Slice kwok_claim_name(Slice node_name, Slice hostname);
CloudInstance kwok_instance_of_offer(Arena *arena, Symbols *symbols, const NodeClaim *claim, Slice node_name,
                                     const KwokOffer *offer);

// Of a claim that was launched, as its status tells.
CloudInstance kwok_instance_of_claim(Arena *arena, Symbols *symbols, const NodeClaim *claim);

// ERR_INVALID: the Node cannot be read.
ErrCode kwok_instance_of_node(Arena *arena, Symbols *symbols, const Value *node, CloudInstance *ret_instance, Err *err);

// The Node to be created. Shares texts with `symbols`.
Value kwok_node_of_instance(Arena *arena, const Symbols *symbols, Slice name, const CloudInstance *instance);
