// Budget: how long a solve may take. It ends by steps, by the clock, or by cancellation.
//
// Work is counted in steps of about two nanoseconds, so that equal input ends at the same step on any machine. The
// clock and the flag of cancellation are read from time to time. Long loops call budget_spend with the steps that they
// did, and end when it returns false. They may end anywhere: unfinished work is dropped, or is a solution with fewer
// pods, so data structures need only be consistent.
//
// The work that every effort does (that of EFFORT_FAST) ends at the solve's deadline; the search for a cheaper plan
// (after budget_begin_search) at the end of the search.
#pragma once

#include "sched/plan.h"

enum { BUDGET_STEPS_PER_US = 500 };

typedef enum {
    BUDGET_OPEN,
    BUDGET_SEARCHED,  // the search is over: PlanSearch.budget_ns, or its steps
    BUDGET_DEADLINE,  // the solve is over: PlanSearch.deadline_ns, deadline_steps
    BUDGET_CANCELLED, // PlanSearch.cancelled was set
} BudgetEnd;

typedef struct {
    const PlanSearch *asked;
    uint64_t steps;             // steps so far
    uint64_t look_at;           // steps at which budget_look is called next
    uint64_t steps_most;        // end of the solve; UINT64_MAX: none
    uint64_t search_steps_most; // end of the search; UINT64_MAX: none
    // Times on the clock of `asked`; INT64_MAX: none.
    int64_t began_ns, search_end_ns, end_ns;
    bool has_clock;     // an end depends on the clock
    BudgetEnd end;      // the last end that was reached
    BudgetEnd stops_at; // the end at which work stops in the present phase
    // The present part.
    uint64_t part_steps; // its end; UINT64_MAX: none
    int64_t part_end_ns;
    bool part_over;
} Budget;

// Begins the work that every effort does. `asked` must outlive the budget.
void budget_init(Budget *budget, const PlanSearch *asked);

// Begins the search, which ends after seven eighths of PlanSearch.budget_ns. EFFORT_NORMAL, which counts trials, also
// ends at several hundred million steps, since for some pods a trial costs thousands of times the usual; ordinary input
// is far below that. budget_begin_proof: the rest of the budget, for the floor.
void budget_begin_search(Budget *budget);
void budget_begin_proof(Budget *budget);

// Begins a part: a limit for the next piece of work, of so many steps (efforts differ in these), or of a share, 0 to 1,
// of the solve's deadline. When it is used up the budget is over until the part ends or another one begins.
void budget_begin_part(Budget *budget, uint64_t steps);
void budget_begin_share(Budget *budget, double share);
void budget_end_part(Budget *budget);

// Reads the clock and the flag of cancellation. Called by budget_spend.
void budget_look(Budget *budget);

// Whether work must stop, as of the last budget_spend.
static inline bool budget_is_over(const Budget *budget) {
    return budget->end >= budget->stops_at || budget->part_over;
}

// Charges so many steps; false: work must stop. A few instructions.
static inline bool budget_spend(Budget *budget, uint64_t steps) {
    budget->steps += steps;
    if (__builtin_expect(budget->steps >= budget->look_at, 0))
        budget_look(budget);
    return !budget_is_over(budget);
}

// The share of the solve's deadline that is used, by time or by steps, whichever is larger; 0 without a deadline. Reads
// the clock if the deadline is in time.
double budget_used(const Budget *budget);

static inline bool budget_has_deadline(const Budget *budget) {
    return budget->steps_most != UINT64_MAX || budget->end_ns != INT64_MAX;
}
