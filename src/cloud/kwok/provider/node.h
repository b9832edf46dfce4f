// Conversion of instances to Nodes and back.
#pragma once

#include "cloud/kwok/provider/parts.h"

// Name of the Node of a claim: "kwok-<claim>-<ten letters and digits>-<number>", drawn from the uid.
Slice kwok_node_name(Arena *arena, Slice claim_name, Slice claim_uid);

// Label hostname of the Node, as in Karpenter: the claim's name. Of names that are too long for a label the beginning
// is cut, so that they still differ. Points into its argument.
Slice kwok_hostname(Slice claim_name);

// Name of the claim that a Node was created for.
Slice kwok_claim_name(Slice node_name, Slice hostname);
CloudInstance kwok_instance_of_offer(Arena *arena, Symbols *symbols, const NodeClaim *claim, Slice node_name,
                                     const KwokOffer *offer);

// The instance of a claim that was launched, from the claim's status.
CloudInstance kwok_instance_of_claim(Arena *arena, Symbols *symbols, const NodeClaim *claim);

// ERR_INVALID: the Node cannot be read.
ErrCode kwok_instance_of_node(Arena *arena, Symbols *symbols, const Value *node, CloudInstance *ret_instance, Err *err);

// The Node to create. Shares texts with `symbols`.
Value kwok_node_of_instance(Arena *arena, const Symbols *symbols, Slice name, const CloudInstance *instance);
