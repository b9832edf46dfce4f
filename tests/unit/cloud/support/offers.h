// Instance types and claims for tests of launches, from short texts.
//
// Types: "m5.large pods=29 gpu=1: s:a:0.05 o:a:0.10; c5.large: o:b:0.09". An offering is s(pot), o(n-demand) or
// r(eserved), its zone, its price; of a reservation, its id, its room, and "block" or "int". "!" before it:
// unavailable. Resources: pods (29 if absent), cpu (2), gpu, neuron, gaudi, efa; arch=arm64, else amd64. Requirements:
// "ct=spot|on-demand zone=a|b type=m5.large|c5.large:2", ":2" being minValues; names of labels: ct, zone, type, arch,
// tenancy, crid; "!" before the name: NotIn.
#pragma once

#include "cloud/aws/launch/pipeline.h"

typedef struct {
    Arena arena;
    Symbols symbols;
    InstanceTypeVec types;
    Requirements requirements;
    Resources requests;
    LaunchWish wish; // of the above, strict
} TestLaunch;

TestLaunch *test_launch(const char *types, const char *requirements);
void test_launch_free(TestLaunch *test);

InstanceTypeVec test_types(Arena *arena, Symbols *symbols, const char *text);

// "spot default: m5.large[s:a s:b] c5.large[o:a]", " inflexible" behind a choice worth a warning.
const char *test_choice_text(TestLaunch *test, const LaunchChoice *choice);

// The parts of a text between separators, without empty ones.
SliceVec test_parts(Arena *arena, Slice text, char separator);
