// The list of instance types of a NodeClass, without what changes from minute to minute: what is unavailable, how much
// room reservations have, and what nodes taught of memory (present.h).
#pragma once

#include "cloud/aws/instance_types.h"
#include "cloud/aws/market/type_list.h"

// Everything of a class that the list depends on, as bytes: of one catalogue, equal texts have equal lists, give or
// take the order of reserved offerings. Subnets and reservations may stand in any order. O(members × log members +
// subnets × zones). The text is in `arena`, with scratch.
Slice class_list_key(Arena *arena, const EC2NodeClass *class);

// Computes the list, with every reservation active and with room, sharing what it can with `model` (as type_list_pack):
// the list of another class, of the same catalogue. Symbols are permanent. O(types × (labels + zones)), some
// milliseconds. ERR_NOT_FOUND: the class has no subnets. Further errors: as ec2_instance_types.
ErrCode class_list_make(Symbols *symbols, const Ec2Catalogue *catalogue, const Ec2TypeOptions *options,
                        const EC2NodeClass *class, TypeList *model, TypeList **ret_list, Err *err);
