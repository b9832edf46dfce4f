// The version of Bottlerocket that instances start with, which decides how their local disks are used. Reference aws.md
// 5.5.
#pragma once

#include "model/ec2_node_class.h"

// The version as text ("1.45.0", "latest"), from the alias, the name of a selector term, the name of an image that a
// term gives by id, or the name of any Bottlerocket image; empty: unknown. O(terms × images).
Slice bottlerocket_version(const Ec2SelectorTermVec *terms, const AmiStatusVec *amis);

// Whether that version needs to be told which directories to put on local disks: one before 1.46, or unknown.
bool bottlerocket_needs_directories(Slice version);
