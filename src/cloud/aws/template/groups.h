// Which launch templates a launch needs. Reference aws.md 3.5 (grouping), 5.3.
#pragma once

#include "cloud/aws/ami/selection.h"
#include "cloud/aws/template/template.h"

typedef Vec(const InstanceType *) InstanceTypeRefVec;

typedef struct {
    TemplateKey key;
    InstanceTypeRefVec types; // in the order of the launch
} TemplateGroup;
typedef Vec(TemplateGroup) TemplateGroupVec;

// What the types are grouped by.
typedef struct {
    Symbols *symbols;
    const EC2NodeClass *class;
    Symbol capacity_type;
    bool requests_efa; // the claim asks for vpc.amazonaws.com/efa
} TemplateGrouping;

// Puts types together that start from one image with equal numbers of pods and EFA interfaces; in a launch into
// reservations, one group for each reservation with room that an offering of its types has. Types that no image fits
// are left out. Groups are in the order of their first types. O(types × (images + offerings + groups)).
TemplateGroupVec template_groups(Arena *arena, const TemplateGrouping *grouping, const InstanceTypeRefVec *types);
