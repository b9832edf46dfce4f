// What the files that draw a scenario share.
#pragma once

#include "base/random.h"
#include "sim/campaign/campaign.h"

// What comes after everything was deleted: the longest grace of a pool, and time to collect.
enum { CLEARING_S = 5400, POOLS_MOST = 4, WORKLOADS_MOST = 8 };

typedef struct {
    Buffer *out;
    Random random;
    int end_s; // when everything is deleted; faults are over a while before
    uint32_t lines, pools, workloads;
    bool has[4]; // Deployments, StatefulSets, Jobs, budgets
    struct {
        const char *kind;
        uint32_t number;
    } scalable[WORKLOADS_MOST];
    uint32_t scalable_count;
} Draft;

// Both ends included; at most 2^31 apart.
int64_t draw_between(Draft *draft, int64_t least, int64_t most);
bool draw_chance(Draft *draft, uint32_t percent);
const char *draw_word(Draft *draft, const char *const *words, size_t count);

// A line of the timeline: what is appended between the two are its other members.
void draft_begin_line(Draft *draft, int64_t at_s);
void draft_end_line(Draft *draft);

void draft_pools(Draft *draft);     // campaign_pools.c
void draft_workloads(Draft *draft); // campaign_workloads.c
void draft_changes(Draft *draft);   // campaign_changes.c
void draft_faults(Draft *draft);    // campaign_faults.c
