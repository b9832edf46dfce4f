// What the files that draw a scenario share.
#pragma once

#include "base/random.h"
#include "sim/campaign/campaign.h"

// What comes after everything was deleted: workloads that go late, the longest grace of a pool, and time to collect.
enum { LATE_WORKLOADS_S = 2400, CLEARING_S = 5400, POOLS_MOST = 4, WORKLOADS_MOST = 6 };

typedef enum { POOL_ORDINARY, POOL_STATIC, POOL_GPU } PoolKind;
typedef enum {
    WORKLOAD_DEPLOYMENT,
    WORKLOAD_STATEFUL_SET,
    WORKLOAD_JOB,
    WORKLOAD_KINDS,
    WORKLOAD_BUDGET = WORKLOAD_KINDS, // of `has` only
} DraftKind;

typedef struct {
    Buffer *out;
    Random random;
    int end_s; // when everything is deleted; faults are over a while before
    uint32_t lines, pools, workloads;
    bool is_kwok; // pools are KWOK's, not EC2's
    bool has_gpu; // a pool of POOL_GPU
    PoolKind pool_kind[POOLS_MOST];
    bool has[WORKLOAD_KINDS + 1];       // that must be deleted at the end
    int64_t workload_s[WORKLOADS_MOST]; // when they come
    uint32_t scalable[WORKLOADS_MOST];
    DraftKind scalable_kind[WORKLOADS_MOST];
    uint32_t scalable_count;
} Draft;

// Both ends included; at most 2^31 apart.
int64_t draw_between(Draft *draft, int64_t least, int64_t most);
bool draw_chance(Draft *draft, uint32_t percent);
const char *draw_word(Draft *draft, const char *const *words, size_t count);

// A line of the timeline: what is appended between the two are its other members.
void draft_begin_line(Draft *draft, int64_t at_s);
void draft_end_line(Draft *draft);

const char *draft_kind_text(DraftKind kind);
// Of the NodeClass that all pools have.
const char *draft_class_group(const Draft *draft);
const char *draft_class_kind(const Draft *draft);

void draft_pools(Draft *draft);     // campaign_pools.c
void draft_workloads(Draft *draft); // campaign_workloads.c
// "template: {…}" of a workload; small: as one of many. campaign_pods.c
void draft_pod(Draft *draft, uint32_t workload, DraftKind kind, bool small);
void draft_classes_of_pods(Draft *draft); // campaign_pods.c: priorities, storage
void draft_changes(Draft *draft);         // campaign_changes.c
void draft_faults(Draft *draft);          // campaign_faults.c
void draft_clock(Draft *draft);           // campaign_faults.c
void draft_probe(Draft *draft);           // campaign_probe.c
