// Steps, clock and cancellation.
#include "sched/budget.h"

#include "base/time.h"

// About a tenth of a millisecond.
enum { LOOK_STEPS = 100 * BUDGET_STEPS_PER_US };

enum { PROOF_SHARE = 8 };

// The end of EFFORT_NORMAL's search: 0.4 s, and so many times the work before it.
enum { SEARCH_STEPS = 400 * 1000 * BUDGET_STEPS_PER_US, SEARCH_TIMES = 4 };

static int64_t now(const Budget *budget) {
    return budget->asked->now_ns(budget->asked->now_context);
}

// `ns` 0: no end.
static int64_t ns_after(int64_t at_ns, int64_t ns) {
    return ns ? ns_add(at_ns, ns) : INT64_MAX;
}

static uint64_t steps_after(uint64_t at, uint64_t steps) {
    return steps < UINT64_MAX - at ? at + steps : UINT64_MAX;
}

static uint64_t lesser(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

void budget_init(Budget *budget, const PlanSearch *asked) {
    *budget = (Budget){.asked = asked,
                       .steps_most = asked->deadline_steps ? asked->deadline_steps : UINT64_MAX,
                       .search_steps_most = UINT64_MAX,
                       .search_end_ns = INT64_MAX,
                       .end_ns = INT64_MAX,
                       .has_clock = asked->now_ns && (asked->budget_ns || asked->deadline_ns),
                       .stops_at = BUDGET_DEADLINE};
    if (budget->has_clock) {
        budget->began_ns = now(budget);
        budget->search_end_ns = ns_after(budget->began_ns, asked->budget_ns - asked->budget_ns / PROOF_SHARE);
        budget->end_ns = ns_after(budget->began_ns, asked->deadline_ns);
    }
    budget_end_part(budget);
    budget_look(budget);
}

void budget_begin_search(Budget *budget) {
    budget->stops_at = BUDGET_SEARCHED;
    if (budget->asked->effort == EFFORT_NORMAL && !budget->asked->budget_ns)
        budget->search_steps_most = steps_after(budget->steps * (1 + SEARCH_TIMES), SEARCH_STEPS);
}

void budget_begin_proof(Budget *budget) {
    budget_end_part(budget);
    budget->search_steps_most = UINT64_MAX;
    budget->search_end_ns = ns_after(budget->began_ns, budget->asked->budget_ns);
    if (budget->end == BUDGET_SEARCHED)
        budget->end = BUDGET_OPEN;
    budget_look(budget);
}

// --- parts

static void begin_part(Budget *budget, uint64_t steps, int64_t end_ns) {
    budget->part_steps = steps;
    budget->part_end_ns = end_ns;
    budget->part_over = false;
    budget->look_at = lesser(budget->look_at, steps);
}

void budget_begin_part(Budget *budget, uint64_t steps) {
    begin_part(budget, steps_after(budget->steps, steps), INT64_MAX);
}

void budget_begin_share(Budget *budget, double share) {
    uint64_t steps = UINT64_MAX;
    int64_t end_ns = INT64_MAX;

    if (budget->steps_most != UINT64_MAX)
        steps = steps_after(budget->steps, (uint64_t)(share * (double)budget->steps_most));
    if (budget->end_ns != INT64_MAX)
        end_ns = now(budget) + (int64_t)(share * (double)budget->asked->deadline_ns);
    begin_part(budget, steps, end_ns);
}

void budget_end_part(Budget *budget) {
    begin_part(budget, UINT64_MAX, INT64_MAX);
}

// --- ends

static void end(Budget *budget, BudgetEnd how) {
    if (how > budget->end)
        budget->end = how;
}

void budget_look(Budget *budget) {
    const atomic_bool *cancelled = budget->asked->cancelled;
    int64_t now_ns = budget->has_clock ? now(budget) : INT64_MIN;

    if (cancelled && atomic_load_explicit(cancelled, memory_order_relaxed))
        end(budget, BUDGET_CANCELLED);
    if (budget->steps >= budget->steps_most || now_ns >= budget->end_ns)
        end(budget, BUDGET_DEADLINE);
    if (now_ns >= budget->search_end_ns || budget->steps >= budget->search_steps_most)
        end(budget, BUDGET_SEARCHED);
    budget->part_over |= budget->steps >= budget->part_steps || now_ns >= budget->part_end_ns;
    budget->look_at = budget->steps + LOOK_STEPS;
    if (budget->steps < budget->steps_most)
        budget->look_at = lesser(budget->look_at, budget->steps_most);
    if (budget->steps < budget->part_steps)
        budget->look_at = lesser(budget->look_at, budget->part_steps);
}

double budget_used(const Budget *budget) {
    double steps = 0, time = 0;

    if (budget->steps_most != UINT64_MAX)
        steps = (double)budget->steps / (double)budget->steps_most;
    if (budget->end_ns != INT64_MAX)
        time = (double)(now(budget) - budget->began_ns) / (double)budget->asked->deadline_ns;
    return steps > time ? steps : time;
}
