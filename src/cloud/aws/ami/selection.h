// Which of the images that were found are used, and for which instance types. Reference aws.md 5.2, 5.3.
#pragma once

#include "aws/service/ec2_image.h"
#include "cloud/aws/ami/queries.h"
#include "model/instance_type.h"

// The images for the status: of those that fit the same instance types the best one (not deprecated, then newer, then
// the greater name), newest first, then by id. An image of an alias has the requirements of its variants (`found`),
// others only that of their architecture; an image of several variants has several entries. Images of other
// architectures than x86_64 and arm64 are passed over. `windows_build`: of the family, empty for Linux. Texts are
// shared. O(images² × variants).
AmiStatusVec ami_select(Arena *arena, Symbols *symbols, const Ec2ImageVec *images, const AmiFoundVec *found,
                        Slice windows_build, int64_t now_ns);

// The requirements of the entries of a status, for ami_for_type. O(entries).
typedef Vec(Requirements) AmiRequirementsVec;
AmiRequirementsVec ami_requirements(Arena *arena, Symbols *symbols, const AmiStatusVec *amis);

// The image that instances of the type start from: the first in the order of the status whose requirements the type
// meets; NULL: the type has none. `requirements`: of ami_requirements. O(entries).
const AmiStatus *ami_for_type(const Symbols *symbols, const AmiStatusVec *amis, const AmiRequirementsVec *requirements,
                              const InstanceType *type);
