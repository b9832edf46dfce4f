// An instance type as EC2 describes it, in the catalogue's words. Reference aws.md 4.1, 4.2, 2.5.
//
// What EC2 does not say (network bandwidth as a number, branch interfaces, usual spot prices) is taken from the
// built-in catalogue, as Karpenter takes it from tables.
#pragma once

#include "aws/service/ec2_type.h"
#include "cloud/aws/catalogue.h"

// Greatest number of devices of a kind and of network cards in a type.
enum { EC2_LIVE_PARTS_MAX = 64 };

// Reads a type; its offers are left NULL. `baked`: the built-in catalogue. A type without an architecture that
// Kubernetes has a word for (a Mac) has an empty `arch`. Texts are copied. O(members + log types). ERR_INVALID: a
// member that its capacity is computed from is absent or out of range (numbers: 0 to 10^9); the text names both.
ErrCode ec2_type_read(Arena *arena, const Ec2Catalogue *baked, const Ec2InstanceType *answer, Ec2Type *ret_type,
                      Err *err);
