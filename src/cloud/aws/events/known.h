// The instances of this cluster by the ids that AWS's messages and answers name: those tell of every instance of the
// account in the region. Reference aws.md 7.7 (matching), 13 (the form of provider ids).
#pragma once

#include "base/map.h"
#include "cloud/cloud.h"

// Views of instances that the caller owns; as long as they stay where they are.
typedef struct {
    const CloudInstanceVec *instances;
    SliceVec ids; // of the instances, in their order
    IndexMap by_id;
} KnownInstances;

// The index. An instance that is not in it is not heard of, so the caller lists what it launched itself, too, before
// EC2's own list shows it. O(instances).
KnownInstances known_instances(Arena *arena, const Symbols *symbols, const CloudInstanceVec *instances);

// The instance of an id; NULL: not of this cluster. Of two with one id the first. O(1) expected.
const CloudInstance *known_instance_find(const KnownInstances *known, Slice id);
