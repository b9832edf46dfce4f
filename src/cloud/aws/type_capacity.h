// Capacity of an instance type.
#pragma once

#include "cloud/aws/type_parts.h"

// Pods that the network interfaces have addresses for: aws.md 4.2 "ENI formula".
int64_t ec2_pods_by_eni(const TypeContext *context, const Ec2Type *type, int32_t reserved_enis);
Resources ec2_type_capacity(TypeContext *context, const Ec2Type *type);

// Size of the volume that pods' ephemeral storage is on, from block devices and family.
// ERR_INVALID: a volumeSize that is no quantity.
ErrCode ec2_prepare_storage(TypeContext *context, Err *err);
VolumeLimitVec ec2_type_volume_limits(TypeContext *context, const Ec2Type *type);
