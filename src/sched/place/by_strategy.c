// Dispatch to the strategies. STRATEGY_PATTERNS places the pods that are in no pattern by marginal price.
#include "sched/place/by_strategy.h"

#include "sched/place/first_fit.h"
#include "sched/place/marginal.h"

uint32_t place_by_strategy(Solver *solver, uint32_t class, uint32_t variant, uint32_t want, bool *ret_later) {
    switch (solver->strategy) {
    case STRATEGY_FIRST_FIT:
        return first_fit_place(solver, class, variant, want, ret_later);
    case STRATEGY_EMPTIEST_FIRST:
        return emptiest_place(solver, class, variant, want, ret_later);
    default:
        return marginal_place(solver, class, variant, want, ret_later);
    }
}
