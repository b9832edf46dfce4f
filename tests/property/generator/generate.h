// Generator of random clusters from seeds: pools, a catalogue, nodes with pods, and pending pods, with every kind of
// constraint.
//
// The same seed and profile give the same bytes on every machine. In most cases most pods can be placed.
#pragma once

#include "base/buffer.h"

typedef enum {
    GENERATE_KARPENTER, // only what Karpenter 1.15 over its KWOK provider can read and express
    GENERATE_FULL,      // also what only tenon reads: catalogue extensions, static pools, pools that are not ready
    GENERATE_SMALL,     // like FULL, with so few pending pods that the cheapest plan can be found
    GENERATE_FLEET,     // like FULL, with many nodes that have room, and few pending pods
} GenerateProfile;

typedef struct {
    Buffer manifests; // a List, JSON
    Buffer catalog;   // a catalogue, JSON
    Buffer options;   // {"preferencePolicy":…, "minValuesPolicy":…}
} GeneratedCase;

// `heavy`: constraints that bind. Every second workload has a spread or an affinity between pods, many have OR terms;
// spreads over capacity types, minValues and tight limits are common, pods have priorities, and there are more of them.
void generate_case(uint64_t seed, GenerateProfile profile, bool heavy, GeneratedCase *ret_case);
void generated_case_free(GeneratedCase *generated);
