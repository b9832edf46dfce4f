// How many launches may be under way at once, and where none is worth trying for now.
//
// A launch that the cloud has no capacity for costs an API call, a NodeClaim and a plan; without a bound one workload
// that asks for what is sold out keeps all three spinning (users.md #19: 2,700 NodeClaims in 90 minutes, 88 % of the
// failures naming one offering). The bounds:
//   per offering  as TCP's congestion window: at most `window` claims that have not launched yet: at first a tenth
//                 of the pool's window (100), one more for each that launches. After a failure the window is 1 and the
//                 offering is closed for 15 s, twice as long for each further failure, at most 10 minutes, plus up to a
//                 tenth by chance. Failures of claims that were created before the last failure belong to the same wave
//                 and count once.
//   per pool      1,000 at first, an eighth more for each claim that launches; halved by a wave of failures, cut to an
//                 eighth by each further wave with no launch between, down to 8: hundreds of offerings cannot each have
//                 their wave. From the fourth such wave on, offerings that have failed are closed all together, for
//                 15 s, then twice as long each time, at most 2 minutes. An offering that never failed may still be
//                 tried: what is sold out says nothing about it.
//   altogether    1,000 claims without an instance: EC2's bucket for RunInstances holds 1,000 instances, so more of
//                 them would only be throttled, and it bounds the memory of what is in flight.
// An offering is named by what the claim is expected to become: its pool, type, capacity type, and its zone when the
// claim leaves no choice of it. Lost with the process: a restart begins with fresh windows.
#pragma once

#include "base/random.h"
#include "base/symbol.h"
#include "base/time.h"

enum {
    LAUNCH_MAX = 1000,
    LAUNCH_POOL_WINDOW = LAUNCH_MAX,
    LAUNCH_OFFERING_SHARE = 10,
    LAUNCH_POOL_WINDOW_LEAST = 8,
    LAUNCH_POOL_WAVES = 3, // without a launch between, before offerings that failed are closed all together
    LAUNCH_POOL_CLOSED_MAX_S = 120,
    LAUNCH_CLOSED_FIRST_S = 15,
    LAUNCH_CLOSED_MAX_S = 600,
};

typedef struct {
    Symbol pool, type, capacity_type, zone; // all but the pool empty: the pool as a whole
} LaunchOffering;

typedef struct {
    LaunchOffering offering;
    uint32_t window;   // 0: of an offering that neither launched nor failed yet, its share of the pool's
    uint32_t on_way;   // created, and neither launched nor failed nor gone
    uint32_t failures; // waves in a row, with no launch between
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

// Whether one more claim may be created. ret_until is set with LAUNCH_CLOSED. O(1) expected, as all below.
LaunchVerdict launch_budget_ask(LaunchBudgets *budgets, LaunchOffering offering, Mono now, Mono *ret_until);
// A claim was created; it launched; it failed for lack of capacity; it is gone without having launched.
void launch_budget_take(LaunchBudgets *budgets, LaunchOffering offering);
void launch_budget_launched(LaunchBudgets *budgets, LaunchOffering offering);
void launch_budget_failed(LaunchBudgets *budgets, LaunchOffering offering, Mono created, Mono now, Random *random);
void launch_budget_give_back(LaunchBudgets *budgets, LaunchOffering offering);

// For tests and reports: the budget, or NULL when the offering was never asked for.
const LaunchBudget *launch_budget_find(const LaunchBudgets *budgets, LaunchOffering offering);
