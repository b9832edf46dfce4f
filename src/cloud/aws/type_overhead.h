// Overhead of an instance type: what kubelet and system reserve.
#pragma once

#include "cloud/aws/type_parts.h"

// Checks spec.kubelet.evictionHard once, so that computing an overhead cannot fail. ERR_INVALID.
ErrCode ec2_check_eviction(const TypeContext *context, Err *err);
Resources ec2_type_overhead(TypeContext *context, const Ec2Type *type, const Resources *capacity);
