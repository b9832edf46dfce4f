// Draft: a random scenario being written, shared by the files of this folder.
#pragma once

#include "base/random.h"
#include "sim/campaign/campaign.h"

// Times after everything was deleted: workloads that are deleted late, the longest grace period of a pool, and garbage
// collection.
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
    int end_s; // when everything is deleted; faults end a while before
    uint32_t lines, pools, workloads;
    bool is_aws;  // pools of KWOK are not wanted
    bool is_kwok; // pools of KWOKNodeClass, not of EC2NodeClass
    bool has_gpu; // there is a pool of POOL_GPU
    PoolKind pool_kind[POOLS_MOST];
    bool has[WORKLOAD_KINDS + 1];       // kinds that must be deleted at the end
    int64_t workload_s[WORKLOADS_MOST]; // when they are created
    uint32_t scalable[WORKLOADS_MOST];
    DraftKind scalable_kind[WORKLOADS_MOST];
    uint32_t scalable_count;
} Draft;
