// Facts to the fleet search of sched, and parts to commands.
#include "disrupt/fleet.h"

#include "disrupt/balanced.h"
#include "disrupt/fleet_replace.h"
#include "disrupt/worthwhile.h"

#include <math.h>

// --- input

// A node without a price saves nothing that is known. A pod that cannot be planned for keeps its node.
static bool may_be_source(const Round *round, const DisruptionCandidate *candidate) {
    for (vec_each(const PendingPod, pod, whatif_pods(round->whatif, candidate->node))) {
        if (pod->ignored.len)
            return false;
    }
    return candidate->price_per_hour > 0;
}

static void add_pods(FleetQuestion *question, const PendingPodVec *pods, uint32_t home) {
    for (vec_each(const PendingPod, pod, pods)) {
        vec_push(question->round->arena, &question->input.plan.pending, *pod);
        vec_push(question->round->arena, &question->homes, home);
    }
}

static void add_source(FleetQuestion *question, const DisruptionCandidate *candidate) {
    const Round *round = question->round;
    FleetSource source = {.node = candidate->node,
                          .price_per_hour = candidate->price_per_hour,
                          .disruption = worthwhile_disruption(round, candidate),
                          .budget = (uint32_t)(candidate->pool - round->facts->pools.items)};

    add_pods(question, whatif_pods(round->whatif, candidate->node), question->input.sources.count);
    vec_push(round->arena, &question->input.sources, source);
    vec_push(round->arena, &question->candidates, candidate);
}

static void add_budgets(FleetQuestion *question) {
    const Round *round = question->round;

    for (vec_each(const PlanPool, pool, &round->facts->pools))
        vec_push(round->arena, &question->input.budgets,
                 pool_budgets_left(&round->budgets, pool->pool->meta.name, DISRUPTION_UNDERUTILIZED));
}

// Pods that may stay where they are do not go to nodes that are not up yet, and may never be.
static const bool *closed_nodes(const Round *round, const NodeViewVec *nodes) {
    bool *closed = arena_array(round->arena, bool, nodes->count);

    for (uint32_t i = 0; i < nodes->count; i++)
        closed[i] = !nodes->items[i].initialized;
    return closed;
}

static bool accepts(void *context, const FleetPart *part);

void fleet_ask(Round *round, FleetQuestion *ret_question) {
    CandidateList candidates = round_candidates(round, METHOD_CONSOLIDATION);

    *ret_question = (FleetQuestion){.round = round};
    ret_question->input = (FleetInput){.plan = whatif_input(round->whatif, DESTINATIONS_QUIET),
                                       .claim_overhead = WORTHWHILE_OVERHEAD,
                                       .saving_least = WORTHWHILE_LEAST,
                                       .accepts = accepts,
                                       .context = ret_question};
    ret_question->input.closed = closed_nodes(round, &ret_question->input.plan.nodes);
    add_pods(ret_question, whatif_waiting(round->whatif), INDEX_NONE);
    for (vec_each(const DisruptionCandidate *, candidate, &candidates)) {
        if (may_be_source(round, *candidate))
            add_source(ret_question, *candidate);
    }
    add_budgets(ret_question);
    ret_question->input.homes = ret_question->homes.items;
}

// --- replacements

static CandidateList nodes_of(Arena *arena, const FleetQuestion *question, const FleetPart *part) {
    CandidateList list = {0};

    for (vec_each(const uint32_t, source, &part->sources))
        vec_push(arena, &list, question->candidates.items[*source]);
    return list;
}

bool fleet_part_replacements(Arena *arena, const FleetQuestion *question, const FleetPart *part,
                             PlannedClaimVec *ret_claims) {
    CandidateList list = nodes_of(arena, question, part);

    return fleet_replace(arena, question->round, &list, &part->claims, ret_claims);
}

static bool accepts(void *context, const FleetPart *part) {
    Arena scratch = {0};
    PlannedClaimVec claims;
    bool accepted = fleet_part_replacements(&scratch, context, part, &claims);

    arena_free(&scratch);
    return accepted;
}

// --- commands

static void make_command(FleetQuestion *question, const FleetPart *part) {
    Round *round = question->round;
    CandidateList list = nodes_of(round->arena, question, part);
    DisruptCommand command = command_make(round->arena, METHOD_CONSOLIDATION, &list, NULL);

    // Limits that are settled, and parts that are linked, may leave another price limit than each move had.
    if (!fleet_part_replacements(round->arena, question, part, &command.replacements)) {
        round->is_held_back = true;
        return;
    }
    for (vec_each(const FleetDelivery, delivery, &part->deliveries))
        vec_push(round->arena, &command.destinations, delivery->node);
    for (vec_each(const uint32_t, node, &command.nodes))
        command.pods += whatif_pods_on(round->whatif, *node);
    command_value(&command);
    balanced_record(round, &question->candidates, &list, command.saving_per_hour, true);
    round_take(round, &command);
}

// --- why nodes stay

static Slice reason_to_stay(Arena *arena, const FleetSource *source, const FleetVerdict *verdict) {
    switch (verdict->fate) {
    case STAYS_FULL:
        return arena_printf(arena, "Costs $%.4f/h, no more than its pods do on new nodes ($%.4f/h)",
                            source->price_per_hour, verdict->worth);
    case STAYS_NO_ROOM:
        return SLICE("Not all pods would schedule elsewhere");
    case STAYS_NO_GAIN:
        return arena_printf(arena, "Other places for its pods would cost $%.4f/h more than it saves",
                            fmax(0, -verdict->gain));
    case STAYS_REFUSED:
        return SLICE("Can't replace with a cheaper node");
    case STAYS_OCCUPIED:
        return SLICE("Pods that wait for a node are expected on it");
    default:
        return (Slice){0};
    }
}

static void note_stays(FleetQuestion *question, const FleetResult *result) {
    for (uint32_t i = 0; i < question->input.sources.count; i++) {
        Slice why = reason_to_stay(question->round->arena, &question->input.sources.items[i], &result->verdicts[i]);

        question->round->is_held_back |=
            result->verdicts[i].fate == STAYS_BUDGET || result->verdicts[i].fate == STAYS_UNTRIED;
        if (why.len)
            round_note_node(question->round, question->input.sources.items[i].node, "Unconsolidatable", why);
    }
}

void fleet_find(Round *round) {
    FleetQuestion question;
    FleetResult result;

    fleet_ask(round, &question);
    if (!question.input.sources.count)
        return;
    fleet_search(round->arena, &question.input, &result);
    round->is_held_back |= result.cut_short;
    note_stays(&question, &result);
    for (vec_each(const FleetPart, part, &result.parts))
        make_command(&question, part);
}
