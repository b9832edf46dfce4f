// How long a solve may go on, and who may end it.
//
// Work is counted in steps of about two nanoseconds, as packing/lp.h counts its own, so that equal input ends at the
// same step on any machine. The clock and the flag of somebody who no longer wants the plan are looked at now and then.
// Whoever loops for long says what it did by budget_spend and ends when told to, in the middle of anything: what is
// half done is dropped or is a solution with fewer pods, so it need only be left in order.
//
// What a solve must do at least (what EFFORT_FAST does) goes on until the solve's deadline; what it does to find a
// cheaper plan (after budget_begin_search) until the end of the search.
#pragma once

#include "sched/plan.h"

enum { BUDGET_STEPS_PER_US = 500 };

typedef enum {
    BUDGET_OPEN,
    BUDGET_SEARCHED,  // the time to search is over, by PlanSearch.budget_ns
    BUDGET_DEADLINE,  // so is that of the solve: PlanSearch.deadline_ns, deadline_steps
    BUDGET_CANCELLED, // nobody wants the plan any more
} BudgetEnd;

typedef struct {
    const PlanSearch *asked;
    uint64_t steps;             // done so far
    uint64_t look_at;           // steps at which the next look is due
    uint64_t steps_most;        // of the solve; UINT64_MAX: no end
    uint64_t search_steps_most; // of the search, whatever its tries cost; UINT64_MAX: no end
    // On the clock of `asked`; INT64_MAX: no end.
    int64_t began_ns, search_end_ns, end_ns;
    bool has_clock;     // something depends on it
    BudgetEnd end;      // how far it came
    BudgetEnd stops_at; // from there on it is over
    // A part that ends before the whole.
    uint64_t part_steps; // UINT64_MAX: no end
    int64_t part_end_ns;
    bool part_over;
} Budget;

// Begins with what must be done. `asked` stays the caller's.
void budget_init(Budget *budget, const PlanSearch *asked);

// From here on it is over when the time to search is: seven eighths of PlanSearch.budget_ns. EFFORT_NORMAL, which
// counts tries, also ends at several hundred million steps, for pods can be written of which each try costs thousands
// of times the usual; ordinary input comes nowhere near. budget_begin_proof: the rest, for the floor.
void budget_begin_search(Budget *budget);
void budget_begin_proof(Budget *budget);

// A part: at most so many steps (how efforts are told apart), or so much of the solve's deadline, 0 to 1. It is over
// before the whole is, until the next part begins or it is ended. One at a time.
void budget_begin_part(Budget *budget, uint64_t steps);
void budget_begin_share(Budget *budget, double share);
void budget_end_part(Budget *budget);

// Looks at the clock and the flag: called by budget_spend.
void budget_look(Budget *budget);

// Whether work must stop, as the last budget_spend said.
static inline bool budget_is_over(const Budget *budget) {
    return budget->end >= budget->stops_at || budget->part_over;
}

// Says that so many steps were done; false: stop. A few instructions.
static inline bool budget_spend(Budget *budget, uint64_t steps) {
    budget->steps += steps;
    if (__builtin_expect(budget->steps >= budget->look_at, 0))
        budget_look(budget);
    return !budget_is_over(budget);
}

// How much of the solve's deadline is used up, from 0: the larger of time and steps. 0 without a deadline. Reads the
// clock, if the deadline is one in time.
double budget_used(const Budget *budget);

static inline bool budget_has_deadline(const Budget *budget) {
    return budget->steps_most != UINT64_MAX || budget->end_ns != INT64_MAX;
}
