// LaunchBudgets: how many launches may be in flight at once, and which offerings are closed after failures.
//
// A launch that fails for lack of capacity costs an API call, a NodeClaim and a plan; without a bound, one workload
// that asks for a sold-out offering keeps all three busy (users.md #19: 2,700 NodeClaims in 90 minutes, 88 % of the
// failures for one offering). The bounds:
//   per offering  a window like TCP's congestion window bounds the claims that have not launched yet: a tenth of the
//                 pool's window at first (100), one more for each launch. After a failure the window is 1 and the
//                 offering is closed for 15 s, doubled with each further failure, at most 10 minutes, plus a jitter of
//                 up to a tenth. Failures of claims that were created before the last failure belong to the same wave
//                 and count once.
//   per pool      1,000 at first, an eighth more for each claim that launches; halved by a wave of failures, cut to an
//                 eighth by each further wave without a launch in between, down to 8, so that hundreds of offerings
//                 cannot have a wave each. From the fourth such wave on, all offerings that have failed are closed
//                 together, for 15 s, doubled each time, at most 2 minutes. An offering that never failed may still be
//                 tried: other offerings' failures say nothing about it.
//   in total      1,000 claims without an instance: EC2's token bucket for RunInstances holds 1,000 instances, so more
//   of
//                 them would only be throttled; it also bounds the memory of launches in flight.
// An offering is named by what the claim is expected to become: pool, type, capacity type, and the zone when the claim
// allows only one. The budgets are process memory: a restart begins with fresh windows.
#pragma once

#include "base/random.h"
#include "base/symbol.h"
#include "base/time.h"

enum {
    LAUNCH_MAX = 1000,
    LAUNCH_POOL_WINDOW = LAUNCH_MAX,
    LAUNCH_OFFERING_SHARE = 10,
    LAUNCH_POOL_WINDOW_LEAST = 8,
    LAUNCH_POOL_WAVES = 3, // waves without a launch in between, before all offerings that failed are closed together
    LAUNCH_POOL_CLOSED_MAX_S = 120,
    LAUNCH_CLOSED_FIRST_S = 15,
    LAUNCH_CLOSED_MAX_S = 600,
};

typedef struct {
    Symbol pool, type, capacity_type, zone; // only `pool` set: the pool as a whole
} LaunchOffering;

typedef struct {
    LaunchOffering offering;
    uint32_t window;   // 0: the offering neither launched nor failed yet and has its share of the pool's window
    uint32_t on_way;   // claims in flight: created, and neither launched nor failed nor gone
    uint32_t failures; // waves in a row without a launch in between
    Mono failed;       // when the last wave began to fail
    Mono closed_until;
} LaunchBudget;

typedef struct {
    Arena arena;
    IndexMap index;
    Vec(LaunchBudget) items;
} LaunchBudgets;

void launch_budgets_free(LaunchBudgets *budgets);

typedef enum { LAUNCH_ALLOWED, LAUNCH_CLOSED, LAUNCH_WINDOW_FULL } LaunchVerdict;

// Whether one more claim of the offering may be created. ret_until is set with LAUNCH_CLOSED. O(1) expected, as all
// below.
LaunchVerdict launch_budget_ask(LaunchBudgets *budgets, LaunchOffering offering, Mono now, Mono *ret_until);
// Reports of claims: created; launched; failed for lack of capacity; gone without having launched.
void launch_budget_take(LaunchBudgets *budgets, LaunchOffering offering);
void launch_budget_launched(LaunchBudgets *budgets, LaunchOffering offering);
void launch_budget_failed(LaunchBudgets *budgets, LaunchOffering offering, Mono created, Mono now, Random *random);
void launch_budget_give_back(LaunchBudgets *budgets, LaunchOffering offering);

// For tests and reports: the budget, or NULL when the offering was never asked for.
const LaunchBudget *launch_budget_find(const LaunchBudgets *budgets, LaunchOffering offering);
