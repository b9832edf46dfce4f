// Internals of a World (world_plan.h).
#pragma once

#include "sched/support/world_plan.h"

typedef struct {
    const char *name;           // "web-0"
    const char *before, *after; // its YAML up to and behind the members "nodeName" and "status"
    const char *node, *status;
} WorldPod;

struct World {
    Arena arena; // texts
    Vec(TypeText) types;
    Vec(OfferingText) offerings;
    Vec(PoolText) pools;
    Vec(WorldPod) pods;
    SliceVec objects; // everything else, as YAML
    PreferencePolicy preferences;
    MinValuesPolicy min_values;
    const char *default_spread;
    uint32_t max_types;
    Vec(Cluster *) clusters; // of all plans so far
    PlanInput input;         // of the last one
    Plan plan;
};

// The instance types of a world, in the symbols of `cluster`; `names` ("small arm") picks some, NULL takes all.
const InstanceTypeVec *world_types(World *world, Cluster *cluster, const char *names);

// Whether a word stands in a list of words separated by spaces.
bool word_in(const char *list, Slice word);
// The next word behind *at, which moves past it; empty at the end.
Slice next_word(const char **at);
