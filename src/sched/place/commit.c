// Everything that has to know of pods that go to a bin: the bin, the open change, the limits, the strategy.
#include "sched/place/commit.h"

#include "sched/bin/limits.h"
#include "sched/place/change.h"
#include "sched/place/marginal_state.h"

void solver_commit(Solver *solver, uint32_t bin, uint32_t class, uint32_t variant, const Placement *placement) {
    if (solver->change)
        change_save(solver->change, bin);
    bin_commit(solver, &solver->bins.items[bin], class, variant, placement);
    if (solver->change)
        change_note(solver->change, bin, class, placement->count);
    if (solver->bins.items[bin].pool)
        claim_charge(solver, &solver->bins.items[bin]);
    if (solver->marginal)
        marginal_note(solver, bin, (int32_t)placement->count);
}
