// Everything that is updated when pods are placed: the bin, settled spreads, the open change, the limits, the strategy.
#include "sched/place/commit.h"

#include "sched/bin/limits.h"
#include "sched/bin/settle.h"
#include "sched/place/change.h"
#include "sched/place/marginal_state.h"

// Adds the domains of a new claim to settled spreads. Further pods only reduce the claim's domains, so the first
// placement is enough.
static void note_domains(Solver *solver, const Bin *bin, uint32_t added) {
    if (!solver->domains_settled || !bin->pool || bin->pod_count != added)
        return;
    if (solver->change)
        change_save_settled(solver->change);
    add_claim_to_settled(solver, bin);
}

void solver_commit(Solver *solver, uint32_t bin, uint32_t class, uint32_t variant, const Placement *placement) {
    if (solver->change)
        change_save(solver->change, bin);
    bin_commit(solver, &solver->bins.items[bin], class, variant, placement);
    note_domains(solver, &solver->bins.items[bin], placement->count);
    if (solver->change)
        change_note(solver->change, bin, class, placement->count);
    if (solver->bins.items[bin].pool)
        claim_charge(solver, &solver->bins.items[bin]);
    if (solver->marginal)
        marginal_note(solver, bin, (int32_t)placement->count);
}
