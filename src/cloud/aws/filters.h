// Filters of EC2's Describe calls. Reference aws.md 2.1.
#pragma once

#include "aws/service/ec2.h"
#include "model/ec2_node_class.h"

// Adds a filter for one value. Texts are shared.
void ec2_filter_add(Arena *arena, Ec2FilterVec *filters, Slice name, Slice value);
// Adds a filter for each tag: "tag:<key>" with its value, or "tag-key" with the key where the value is "*". O(tags).
void ec2_filter_add_tags(Arena *arena, Ec2FilterVec *filters, const TextEntryVec *tags);
