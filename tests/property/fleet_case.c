// Random fleets as facts of disruption.
#include "fleet_case.h"

#include "cli/consolidate/fleet.h"
#include "planning.h"

static Condition consolidatable(FleetCase *fleet) {
    Symbols *symbols = &fleet->loaded.cluster.symbols;

    return (Condition){.type = symbol_intern(symbols, SLICE("Consolidatable")),
                       .status = symbol_intern(symbols, SLICE("True")),
                       .reason = NAME_EMPTY,
                       .message = SLICE("")};
}

static void allow_all(FleetCase *fleet, uint32_t percent) {
    Cluster *cluster = &fleet->loaded.cluster;

    for (vec_each(NodeClaim, claim, &cluster->node_claims))
        vec_push(&cluster->arena, &claim->conditions, consolidatable(fleet));
    for (vec_each(NodePool, pool, &cluster->node_pools)) {
        pool->disruption = (PoolDisruption){.policy = CONSOLIDATE_WHEN_EMPTY_OR_UNDERUTILIZED};
        vec_push(&cluster->arena, &pool->disruption.budgets,
                 (PoolBudget){.nodes = percent, .percent = true, .reasons = UINT32_MAX});
    }
}

ErrCode fleet_case_make(FleetCase *ret_case, uint64_t seed, bool heavy, uint32_t budget_percent, Err *err) {
    FleetCase *fleet = ret_case;
    PlanOptions options = {.consolidate = true};
    Value given;

    *fleet = (FleetCase){0};
    generate_case(seed, GENERATE_FLEET, heavy, &fleet->generated);
    if (case_parse_json(&fleet->arena, buffer_slice(&fleet->generated.options), &given))
        fleet->check = check_options_read(&given);
    vec_push(&fleet->arena, &options.inputs,
             (InputText){SLICE("manifests.json"), buffer_slice(&fleet->generated.manifests)});
    options.catalogue = (InputText){SLICE("catalog.json"), buffer_slice(&fleet->generated.catalog)};
    TRY(load_input(&options, &fleet->loaded, err));
    allow_all(fleet, budget_percent);
    fleet_facts(&fleet->arena, &fleet->loaded, INT64_C(1) << 60, &fleet->facts);
    fleet->options.preferences = fleet->check.ignore_preferences ? PREFERENCES_IGNORE : PREFERENCES_RESPECT;
    fleet->options.min_values = fleet->check.best_effort_min_values ? MIN_VALUES_BEST_EFFORT : MIN_VALUES_STRICT;
    fleet->options.spot_to_spot = true;
    return OK;
}

void fleet_case_free(FleetCase *fleet) {
    loaded_free(&fleet->loaded);
    generated_case_free(&fleet->generated);
    arena_free(&fleet->arena);
}
