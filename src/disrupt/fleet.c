// Facts to the fleet search of sched, and parts to commands.
#include "disrupt/fleet.h"

#include "base/time.h"
#include "disrupt/fleet_replace.h"
#include "disrupt/worth/balanced.h"
#include "disrupt/worth/lasting.h"
#include "disrupt/worth/worthwhile.h"
#include "sched/fleet/fingerprint.h"
#include "text/duration.h"

#include <math.h>

// --- input

// A node without a price saves nothing that is known. A pod that cannot be planned for keeps its node.
bool fleet_may_take(const Round *round, const DisruptionCandidate *candidate) {
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

// Room for the pods of all candidates, which are most of a large cluster's.
static void reserve_pods(FleetQuestion *question, const CandidateList *candidates) {
    const Round *round = question->round;
    uint32_t count = whatif_waiting(round->whatif)->count + 1;

    for (vec_each(const DisruptionCandidate *, candidate, candidates))
        count += whatif_pods_on(round->whatif, (*candidate)->node);
    question->input.plan.pending =
        (PendingPodVec){.items = arena_array_raw(round->arena, PendingPod, count), .capacity = count};
    question->homes = (U32Vec){.items = arena_array_raw(round->arena, uint32_t, count), .capacity = count};
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

// Whether consolidation cannot take the node, whatever it looks for.
static bool stays(const DisruptionCandidate *candidate) {
    const NodePool *pool = candidate->pool ? candidate->pool->pool : NULL;

    return candidate->blocked.len || !pool || pool->is_static || pool->disruption.policy == CONSOLIDATE_WHEN_EMPTY ||
           pool->disruption.consolidate_after_ns == DURATION_NEVER;
}

// Room on nodes that stay costs nothing, however full the nodes are whose pods go there: those of somebody else, and
// those that something keeps.
static bool has_nodes_that_stay(Round *round) {
    for (vec_each(const NodeView, view, &round->facts->nodes)) {
        if (!view->claim && !view->deleting)
            return true;
    }
    for (vec_each(const DisruptionCandidate, candidate, round_all(round, DISRUPTION_GRACEFUL))) {
        if (stays(candidate))
            return true;
    }
    return false;
}

static bool accepts(void *context, const FleetPart *part);

void fleet_ask(Round *round, const CandidateList *candidates, FleetQuestion *ret_question) {
    *ret_question = (FleetQuestion){.round = round};
    ret_question->input = (FleetInput){.plan = whatif_input(round->whatif, DESTINATIONS_QUIET),
                                       .claim_overhead = WORTHWHILE_OVERHEAD,
                                       .saving_least = WORTHWHILE_LEAST,
                                       .accepts = accepts,
                                       .context = ret_question};
    ret_question->input.full_too = has_nodes_that_stay(round);
    ret_question->input.closed = closed_nodes(round, &ret_question->input.plan.nodes);
    reserve_pods(ret_question, candidates);
    add_pods(ret_question, whatif_waiting(round->whatif), INDEX_NONE);
    for (uint32_t i = 0; i < candidates->count; i++) {
        if (i + 1 < candidates->count)
            whatif_prefetch(round->whatif, candidates->items[i + 1]->node);
        if (fleet_may_take(round, candidates->items[i]))
            add_source(ret_question, candidates->items[i]);
    }
    add_budgets(ret_question);
    ret_question->rooms = demand_rooms(round->arena, round->facts);
    ret_question->waits_ns = arena_array(round->arena, int64_t, ret_question->input.sources.count);
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

// Whether the pools of the nodes think it worth it. Those of different policies must each agree.
static bool is_worth_it(const FleetQuestion *question, const CandidateList *list, double saving_per_hour) {
    return worthwhile_saves(question->round, list, saving_per_hour) &&
           balanced_approves(question->round, &question->candidates, list, saving_per_hour);
}

// Whether what the part saves lasts until it has paid for the moves. If not, there is another look when it will.
static bool lasts(FleetQuestion *question, const FleetPart *part, const CandidateList *list, double saving_per_hour) {
    Round *round = question->round;
    LastingMove move = {list, &part->claims, saving_per_hour};
    int64_t wait_ns = lasting_wait_ns(round, &question->rooms, &move);

    for (vec_each(const uint32_t, source, &part->sources))
        question->waits_ns[*source] = wait_ns;
    if (wait_ns) {
        question->is_waited_for = true;
        round_look_again(round, ns_add(round->facts->wall_ns, wait_ns));
    }
    return !wait_ns;
}

static bool accepts(void *context, const FleetPart *part) {
    FleetQuestion *question = context;
    Arena scratch = {0};
    CandidateList list = nodes_of(&scratch, question, part);
    double saving_per_hour = part->price_per_hour - part->claims_per_hour;
    PlannedClaimVec claims;
    bool accepted = is_worth_it(question, &list, saving_per_hour) && lasts(question, part, &list, saving_per_hour) &&
                    fleet_part_replacements(&scratch, question, part, &claims);

    arena_free(&scratch);
    return accepted;
}

// --- commands

static void add_place(const FleetQuestion *question, DisruptCommand *command, uint32_t pod, DisruptPlace place) {
    const Pod *of = question->input.plan.pending.items[pod].pod;

    place.ns = of->ns;
    place.name = of->name;
    vec_push(question->round->arena, &command->places, place);
}

static void add_places(const FleetQuestion *question, const FleetPart *part, DisruptCommand *command) {
    for (vec_each(const FleetDelivery, delivery, &part->deliveries)) {
        vec_push(question->round->arena, &command->destinations, delivery->node);
        for (vec_each(const uint32_t, pod, &delivery->pods))
            add_place(question, command, *pod,
                      (DisruptPlace){.node = question->input.plan.nodes.items[delivery->node].name});
    }
    for (uint32_t i = 0; i < part->claims.count; i++) {
        for (vec_each(const uint32_t, pod, &part->claims.items[i].pods))
            add_place(question, command, *pod, (DisruptPlace){.node = NAME_EMPTY, .replacement = i});
    }
}

bool fleet_command(FleetQuestion *question, const FleetPart *part, DisruptCommand *ret_command) {
    const Round *round = question->round;
    CandidateList list = nodes_of(round->arena, question, part);
    DisruptCommand command = command_make(round->arena, METHOD_CONSOLIDATION, &list, NULL);

    if (!fleet_part_replacements(round->arena, question, part, &command.replacements))
        return false;
    add_places(question, part, &command);
    for (vec_each(const uint32_t, node, &command.nodes))
        command.pods += whatif_pods_on(round->whatif, *node);
    command_value(&command);
    if (!is_worth_it(question, &list, command.saving_per_hour) ||
        !lasts(question, part, &list, command.saving_per_hour))
        return false;
    command.paid_back_ns = worthwhile_paid_back_ns(round, &list, &command);
    *ret_command = command;
    return true;
}

// Limits that are settled, and parts that are linked, may leave another price limit than each move had.
static void make_command(FleetQuestion *question, const FleetPart *part) {
    DisruptCommand command;
    CandidateList list;

    if (!fleet_command(question, part, &command)) {
        question->round->is_held_back = true;
        return;
    }
    list = nodes_of(question->round->arena, question, part);
    lasting_take(question->round, &question->rooms, &(LastingMove){&list, &part->claims, command.saving_per_hour});
    balanced_record(question->round, &question->candidates, &list, command.saving_per_hour, true);
    round_take(question->round, &command);
}

// --- why nodes stay

static Slice reason_to_stay(Arena *arena, const FleetSource *source, const FleetVerdict *verdict, int64_t wait_ns) {
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
        if (wait_ns)
            return arena_printf(arena,
                                "The pods of its NodePool asked for its room a short while ago: it goes if they do not "
                                "for %.0f minutes more",
                                ceil((double)wait_ns / NS_PER_MIN));
        return SLICE("Can't replace with a cheaper node");
    case STAYS_OCCUPIED:
        return SLICE("Pods that wait for a node are expected on it");
    default:
        return (Slice){0};
    }
}

static void note_stays(FleetQuestion *question, const FleetResult *result) {
    for (uint32_t i = 0; i < question->input.sources.count; i++) {
        Slice why = reason_to_stay(question->round->arena, &question->input.sources.items[i], &result->verdicts[i],
                                   question->waits_ns[i]);

        question->round->is_held_back |=
            result->verdicts[i].fate == STAYS_BUDGET || result->verdicts[i].fate == STAYS_UNTRIED;
        if (why.len)
            round_note_node(question->round, question->input.sources.items[i].node, "Unconsolidatable", why);
    }
}

static void note_held(const FleetQuestion *question) {
    for (uint32_t i = 0; i < question->input.sources.count; i++)
        question->round->is_held[question->input.sources.items[i].node] = question->waits_ns[i] > 0;
}

// Budgets that allow nothing keep everything where it is.
static bool any_budget_is_left(const FleetQuestion *question) {
    for (vec_each(const FleetSource, source, &question->input.sources)) {
        if (question->input.budgets.items[source->budget])
            return true;
    }
    return false;
}

// `asked`: the question's fingerprint.
static void search(FleetQuestion *question, uint64_t asked) {
    Round *round = question->round;
    bool was_held_back = round->is_held_back;
    FleetResult result;

    round->is_held_back = false;
    question->input.settled = round->options->searched ? asked : 0;
    fleet_search(round->arena, &question->input, &result);
    round->is_held_back |= result.cut_short;
    round->pass->has_plan = !result.cut_short;
    note_stays(question, &result);
    for (vec_each(const FleetPart, part, &result.parts))
        make_command(question, part);
    note_held(question);
    if (!round->is_held_back && !question->is_waited_for && !result.parts.count && !round_is_cancelled(round))
        round->pass->searched = asked;
    round->is_held_back |= was_held_back;
}

void fleet_find(Round *round) {
    CandidateList candidates = round_candidates(round, METHOD_CONSOLIDATION);
    FleetQuestion question;
    uint64_t asked;

    round->pass->has_plan = true; // unless there is something to search, and that is not done
    if (!candidates.count)
        return;
    fleet_ask(round, &candidates, &question);
    if (!question.input.sources.count)
        return;
    if (!any_budget_is_left(&question)) {
        round->is_held_back = true;
        round->pass->has_plan = false;
        return;
    }
    asked = fleet_fingerprint(&question.input);
    if (asked == round->options->searched)
        round->pass->searched = asked;
    else
        search(&question, asked);
}
