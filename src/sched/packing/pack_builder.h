// What the steps of packing_make hand to each other.
#pragma once

#include "sched/packing/packing.h"

// Classes that may go to the same places: with the same launch_order of labels and tolerations, volumes and host ports.
// Of very many signatures the last one stands for all further ones, and goes anywhere: that lets packings do more.
typedef struct {
    const PodClass *class; // one of them; NULL: goes anywhere
} Signature;

// A rule that lets only so many pods of its classes share a node.
typedef struct {
    uint32_t source; // group of the topology, or host port
    bool is_port;
    int64_t most; // per node
    int64_t pods; // of its classes
} PackGroup;

typedef struct {
    Solver *solver;
    Packing *packing;
    Arena scratch;
    Vec(Signature) signatures;
    uint32_t *signature_of; // per class
    uint32_t signature_words;
    Vec(PackGroup) groups; // those that are kept
    U32Vec *groups_of;     // per class: into groups
    uint32_t *family_of;   // per signature
} PackBuilder;
