// State that the steps of packing_make share.
#pragma once

#include "sched/packing/packing.h"

// A signature: classes that may go to the same places, with equal label sets and tolerations of their variants, volumes
// and host ports. If there are too many, the last one stands for all further ones and may go anywhere, which keeps the
// packing a relaxation.
typedef struct {
    Vec(const PodClass *) classes; // one of them, or, of a share, all; none: may go anywhere
    LabelSetId within;             // of a share: its domain
} Signature;

// Pods that a spread counts, in one of its domains or anywhere (pack_shares.h).
typedef struct {
    uint32_t class; // one of their classes
    uint32_t signature, count;
} PackShare;

// A rule that limits how many pods of its classes share a node.
typedef struct {
    uint32_t source; // topology group, or host port
    bool is_port;
    int64_t most; // pods per node
    int64_t pods; // pods of its classes
} PackGroup;

typedef struct {
    Solver *solver;
    Packing *packing;
    Arena scratch;
    Vec(Signature) signatures;
    uint32_t *signature_of; // per class
    uint32_t signature_words;
    Vec(PackGroup) groups; // the rules that are kept
    U32Vec *groups_of;     // per class: into `groups`
    uint32_t *family_of;   // per signature
    const PackPlaced *placed;
    Vec(PackShare) shares;
    bool *in_share; // per class: its pods are in shares
} PackBuilder;
