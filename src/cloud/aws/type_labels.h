// Labels of an instance type.
#pragma once

#include "cloud/aws/type_parts.h"

// The labels, as requirements: aws.md 4.1.
Requirements ec2_type_labels(TypeContext *context, const Ec2Type *type);
