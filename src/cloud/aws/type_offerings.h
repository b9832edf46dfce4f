// Offerings of an instance type.
#pragma once

#include "cloud/aws/type_parts.h"

// Whether the type works with the EC2NodeClass. aws.md 4.4 "Compatibility".
bool ec2_type_is_compatible(const TypeContext *context, const Ec2Type *type);

// Prepares the requirements of on-demand and spot offerings, shared by all types.
void ec2_prepare_offerings(TypeContext *context);
OfferingVec ec2_type_offerings(TypeContext *context, const Ec2Type *type);

// Whether the EC2NodeClass' reservation is for this type.
bool ec2_reservation_is_for(const TypeContext *context, const CapacityReservation *reservation, const Ec2Type *type);
