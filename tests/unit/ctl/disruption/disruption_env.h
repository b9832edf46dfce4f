// A TestEnv with the controller of disruption, whose looks are made by the room `disrupt` itself.
//
// Instance types: small (2 cpu, 4Gi, $0.1), large (8 cpu, 16Gi, $0.4), on demand and spot (0.6 of the price) in zone-a.
// The NodePool "default" exists and is ready.
#pragma once

#include "ctl/disruption/answer.h"
#include "ctl/disruption/disruption.h"
#include "ctl/support/env_parts.h"
#include "harness/test.h"
#include "sched/budget.h"

typedef struct {
    TestEnv *env;
    Arena types_arena, look_arena;
    InstanceTypeVec *types;
    Snapshot *snapshot;
    uint32_t looks, proofs;
} DisruptionEnv;

extern DisruptionEnv *disruption_env; // of the test that runs

// `disruption`: spec.disruption of the pool, "" for the defaults.
DisruptionEnv *disruption_env_new(const char *disruption);
DisruptionEnv *disruption_env_new_with(const char *disruption, Consolidation consolidation);
void disruption_env_free(DisruptionEnv *env);
void disruption_env_restart(DisruptionEnv *env);
// After a death inside env_run: the symbols are new.
void make_types_again(DisruptionEnv *env);

// A node of the pool with its claim, initialized and consolidatable, an hour old. `type` "small" or "large".
void put_pool_node(DisruptionEnv *env, const char *name, const char *type, const char *capacity_type);
// A node of no pool, with 8 cpu.
void put_foreign_node(DisruptionEnv *env, const char *name);
// A pod that is bound to the node and runs.
void put_bound_pod(DisruptionEnv *env, const char *name, const char *node, const char *cpu);
// The NodeClaim becomes an initialized node of that type.
void let_join(DisruptionEnv *env, const char *claim, const char *type, const char *capacity_type);
// Name of the only NodeClaim with the record of a replacement; NULL: there is none.
const char *replacement_name(DisruptionEnv *env);
// "karpenter.sh/disrupted" is among the node's taints.
bool is_tainted(DisruptionEnv *env, const char *node);
