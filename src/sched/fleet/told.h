// Placing pods where a part that was found earlier had them.
#pragma once

#include "sched/fleet/state.h"

// Pods of a class that go to a node's bin or, INDEX_NONE, to a claim.
typedef struct {
    uint32_t class, bin, claim, count;
} ToldPods;
typedef Vec(ToldPods) ToldPodsVec;

typedef struct {
    const FleetGroup *group;
    ToldPodsVec pods; // by the order of placing
} Told;

// What a group says, by classes. `class_of`: per pending pod. O(places × log).
Told told_make(const FleetSearch *search, Arena *arena, const FleetGroup *group, const uint32_t *class_of);

// Places `pods`, whose counts become those of pods without a place: first those that the group has a place for, on
// claims that may become the types that the group names; then the others into room that is free on nodes and those
// claims. False: some have no place.
bool told_place(FleetSearch *search, const Told *told, BinPodsVec *pods);
