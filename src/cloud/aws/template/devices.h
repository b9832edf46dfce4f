// Disks of a launch template. Reference aws.md 3.5, 5.4, 6.4.
#pragma once

#include "aws/service/ec2_launch_template.h"
#include "cloud/aws/ami_family.h"
#include "model/ec2_node_class.h"

// The class's disks, or, without any, those of the family: encrypted, gp3. Sizes are rounded up to whole GiB. Texts are
// shared. ERR_INVALID: a size that is no quantity; the text names the disk.
ErrCode template_devices(Arena *arena, const BlockDeviceMappingVec *devices, const AmiFamily *family,
                         Ec2BlockDeviceMappingVec *ret_devices, Err *err);
