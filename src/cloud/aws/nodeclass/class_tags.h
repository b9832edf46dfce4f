// The tags of what is made in EC2 for a NodeClass: the user's, and those by which tenon finds its own again. Reference
// aws.md 1.1, 1.6, 3.4.
#pragma once

#include "aws/service/ec2.h"
#include "model/ec2_node_class.h"

// What the tags that are always set say.
typedef struct {
    Slice cluster, node_pool, node_class;
} Ec2Owner;

// Why the user's tags are refused (condition ValidationSucceeded, reason TagValidationFailed); empty: they are not.
// O(tags).
Slice class_tags_complaint(Arena *arena, const TextEntryVec *tags);

// The tags of instances, volumes, fleets, launch templates and network interfaces, sorted by key: the user's, and
// tenon's, which win. An empty pool stays an empty value, as in a test of rights. Texts are shared. O(tags²).
Ec2TagVec class_tags(Arena *arena, const TextEntryVec *tags, const Ec2Owner *owner);
