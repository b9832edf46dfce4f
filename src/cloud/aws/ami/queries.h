// From the terms of spec.amiSelectorTerms to the requests by which images are found. Reference aws.md 2.1
// (DescribeImages), 5.1.
#pragma once

#include "aws/service/ec2_image.h"
#include "cloud/aws/ami/parameters.h"
#include "model/ec2_node_class.h"

typedef Vec(Ec2DescribeImagesInput) AmiQueryVec;

// A parameter that was read, and what it held.
typedef struct {
    Slice path, value;
    uint32_t variants; // of an alias's parameter; 0: one that a term names
} AmiFound;
typedef Vec(AmiFound) AmiFoundVec;

// The requests for the terms: one for all ids, of id terms and of the parameters in `found` that hold one, then one for
// each term by name or tags. Parameters that were not found, or hold no image id, are passed over. Every request asks
// for images that are available, deprecated ones too, in pages of 1,000. Texts are shared. O(terms × tags + found).
AmiQueryVec ami_queries(Arena *arena, const Ec2SelectorTermVec *terms, const AmiFoundVec *found);
