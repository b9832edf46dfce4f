// A seeded random fleet, read as a cluster, of which every node may go that nothing protects: all claims are
// Consolidatable, and all pools WhenEmptyOrUnderutilized.
#pragma once

#include "checker/check_plan.h"
#include "cli/load.h"
#include "disrupt/pass.h"
#include "generator/generate.h"

typedef struct {
    Arena arena;
    GeneratedCase generated;
    CheckOptions check;
    Loaded loaded;
    DisruptFacts facts;
    DisruptOptions options;
} FleetCase;

// `budget_percent`: of the nodes of each pool that may go at once. On an error the case is to be freed, too.
ErrCode fleet_case_make(FleetCase *ret_case, uint64_t seed, bool heavy, uint32_t budget_percent, Err *err);
void fleet_case_free(FleetCase *fleet);
