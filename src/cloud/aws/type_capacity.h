// Capacity of an instance type.
#pragma once

#include "cloud/aws/type_parts.h"

// Maximum number of pods by the IP addresses of the network interfaces: aws.md 4.2 "ENI formula".
int64_t ec2_pods_by_eni(const TypeContext *context, const Ec2Type *type, int32_t reserved_enis);
Resources ec2_type_capacity(TypeContext *context, const Ec2Type *type);

// Sets the size of the volume for pods' ephemeral storage, from block devices and family. ERR_INVALID: a volumeSize
// that is no quantity.
ErrCode ec2_prepare_storage(TypeContext *context, Err *err);
VolumeLimitVec ec2_type_volume_limits(TypeContext *context, const Ec2Type *type);
