// Looks for commands, and proofs of those that were left alone for long enough.
#include "ctl/disruption/parts.h"

#include "ctl/common/claim_facts.h"
#include "ctl/outlook/outlook.h"

// --- when

static Mono next_proof(const CommandList *commands) {
    Mono at = MONO_END;

    for (const Command *command = commands->first; command; command = command->next) {
        if (command->phase == COMMAND_PROVING && command->due.ns < at.ns)
            at = command->due;
    }
    return at;
}

static Mono next_look(const Disruptor *disruptor) {
    Mono soon = mono_after(disruptor->looked_at, DISRUPTION_LOOK_S * NS_PER_S);

    return disruptor->changed && soon.ns < disruptor->look_at.ns ? soon : disruptor->look_at;
}

void disruption_call(Disruptor *disruptor, Turn *turn) {
    Mono proof = next_proof(&disruptor->commands), look = next_look(disruptor);

    if (disruptor->started && disruptor->activity == DISRUPTOR_IDLE)
        turn_enqueue(turn, &disruption_controller, (Key){0}, mono_left(turn->now, proof.ns < look.ns ? proof : look));
}

// --- what is asked for

static void add_known(const Disruptor *disruptor, Turn *turn, DisruptIntent *disrupt) {
    Handle handle = HANDLE_NONE;

    for (const Command *command = disruptor->commands.first; command; command = command->next) {
        if (command->is_looked_at)
            continue; // as if it were new
        for (vec_each(const CommandNode, node, &command->nodes))
            vec_push(turn->arena, &disrupt->in_command, node->claim_uid);
        for (vec_each(const Symbol, name, &command->created)) {
            const NodeClaim *claim =
                state_node_claim(turn->state, state_find(turn->state, KUBE_NODE_CLAIM, NAME_EMPTY, *name));

            if (claim)
                vec_push(turn->arena, &disrupt->in_command, claim->meta.uid);
        }
    }
    while ((handle = state_next(turn->state, KUBE_NODE, handle)).generation) {
        if (!mono_reached(turn->now, state_nominated_until(turn->state, handle)))
            vec_push(turn->arena, &disrupt->nominated, state_node(turn->state, handle)->meta.name);
        if (!mono_reached(turn->now, state_settles_until(turn->state, handle)))
            vec_push(turn->arena, &disrupt->settling, state_node(turn->state, handle)->meta.name);
    }
}

// One round of consolidation at a time: what is being proved uses room that a second one would count on.
static bool is_consolidating(const CommandList *commands) {
    for (const Command *command = commands->first; command; command = command->next) {
        if (command->method == METHOD_CONSOLIDATION && command->phase == COMMAND_PROVING)
            return true;
    }
    return false;
}

// Consolidation may wait for the fleet to come to rest, but not for ever.
static bool may_wait(const Disruptor *disruptor, const Turn *turn) {
    return !mono_is_set(disruptor->restless_since) ||
           mono_since(turn->now, disruptor->restless_since) < DISRUPTION_RESTLESS_MAX_S * NS_PER_S;
}

static uint32_t methods(const Disruptor *disruptor, const Settings *settings) {
    uint32_t all = (1U << DISRUPT_METHOD_COUNT) - 1;

    if (!settings->gate_node_repair)
        all &= ~(1U << METHOD_REPAIR);
    if (is_consolidating(&disruptor->commands))
        all &= ~(1U << METHOD_CONSOLIDATION);
    return all;
}

// What changes without a change that is watched is looked at in any case, now and then.
static uint64_t searched(const Disruptor *disruptor, const Turn *turn) {
    bool is_recent = mono_since(turn->now, disruptor->searched_at) < DISRUPTION_LOOK_AT_LEAST_S * NS_PER_S;

    return is_recent ? disruptor->searched : 0;
}

static DisruptIntent *intend(Disruptor *disruptor, Turn *turn, DisruptorActivity activity) {
    DisruptIntent *disrupt = &turn_intend(turn, INTENT_DISRUPT)->disrupt;
    const Settings *settings = turn->settings;
    DemandHistory *demand = arena_new(turn->arena, DemandHistory);

    *demand = demand_copy(turn->arena, &disruptor->demand);
    disrupt->options = (DisruptOptions){.consolidation = settings->consolidation,
                                        .preferences = settings->preferences,
                                        .min_values = settings->min_values,
                                        .search = settings->search,
                                        .methods = methods(disruptor, settings),
                                        .searched = searched(disruptor, turn),
                                        .spot_to_spot = settings->gate_spot_to_spot,
                                        .reboot = settings->gate_reboot,
                                        .terminate_first_drift = settings->gate_terminate_first_drift,
                                        .terminate_first_repair = settings->gate_terminate_first_repair,
                                        .ranks = settings->gate_pod_deletion_cost,
                                        .expiration_jitter_percent = settings->expiration_jitter_percent,
                                        .expiration_lead_ns = settings->expiration_lead_ns,
                                        .demand = demand,
                                        .now = turn->now};
    disrupt->cost_rules.managed = settings->gate_pod_deletion_cost;
    disrupt->options.search.effort = EFFORT_FAST; // of one what-if among many
    disrupt->options.search.skip_floor = true;    // nothing reads it here
    add_known(disruptor, turn, disrupt);
    disruptor->activity = activity;
    return disrupt;
}

static void prove(Disruptor *disruptor, Turn *turn) {
    DisruptProposalVec proposals = {0};

    for (Command *command = disruptor->commands.first; command; command = command->next) {
        DisruptProposal proposal = {
            .method = command->method, .replacements = command->proposed, .places = command->places};

        command->is_looked_at = command->phase == COMMAND_PROVING && mono_reached(turn->now, command->due);
        if (!command->is_looked_at)
            continue;
        for (vec_each(const CommandNode, node, &command->nodes))
            vec_push(turn->arena, &proposal.claims, node->claim_uid);
        vec_push(turn->arena, &proposals, proposal);
    }
    intend(disruptor, turn, DISRUPTOR_PROVING)->proposals = proposals;
}

static void look(Disruptor *disruptor, Turn *turn) {
    intend(disruptor, turn, DISRUPTOR_LOOKING)->options.may_wait = may_wait(disruptor, turn);
    disruptor->changed = false;
    disruptor->looked_at = turn->now;
}

void disruption_look(Disruptor *disruptor, Turn *turn) {
    if (!disruptor->started || disruptor->activity != DISRUPTOR_IDLE)
        return; // the last completion enqueues the key again
    if (mono_reached(turn->now, next_proof(&disruptor->commands)))
        prove(disruptor, turn);
    else if (mono_reached(turn->now, next_look(disruptor)))
        look(disruptor, turn);
    else
        disruption_call(disruptor, turn);
}

// --- what was found

// Empty nodes go one by one: none waits for the others, and none stays because of one that got a pod.
static void propose_each(Disruptor *disruptor, Turn *turn, const DisruptFacts *facts, const DisruptCommand *found) {
    for (vec_each(const uint32_t, at, &found->nodes)) {
        DisruptCommand one = *found;
        uint32_t node = *at;

        one.nodes = (U32Vec){.items = &node, .count = 1};
        one.pods = 0;
        commands_add(&disruptor->commands, turn, facts, &one);
    }
}

// Commands of expiration, drift and repair need no proof: their reason does not pass, or has lasted for long.
static bool starts_at_once(DisruptMethod method) {
    return method != METHOD_EMPTINESS && method != METHOD_CONSOLIDATION;
}

static void take_found(Disruptor *disruptor, Turn *turn, const DisruptFacts *facts, const DisruptCommand *found) {
    Command *command;

    if (found->method == METHOD_EMPTINESS)
        return propose_each(disruptor, turn, facts, found);
    command = commands_add(&disruptor->commands, turn, facts, found);
    if (starts_at_once(found->method) && !disruption_start(&disruptor->commands, turn, command, facts, found))
        commands_remove(&disruptor->commands, command);
}

// What a method waits for comes without a change.
static void look_in_time(Disruptor *disruptor, Turn *turn, int64_t at_ns) {
    Mono at = at_ns == INT64_MAX ? MONO_END : mono_after(turn->now, at_ns > turn->wall_ns ? at_ns - turn->wall_ns : 0);

    if (at.ns < disruptor->look_at.ns)
        disruptor->look_at = at;
}

static void note_rest(Disruptor *disruptor, Turn *turn, bool waits) {
    if (!waits) {
        disruptor->restless_since = (Mono){0};
        return;
    }
    disruptor->changed = true;
    if (mono_is_set(disruptor->restless_since))
        return;
    disruptor->restless_since = turn->now;
    turn_log(turn, LOG_DEBUG, "consolidation waits until pods have come to rest", "at-most",
             arena_printf(turn->arena, "%ds", DISRUPTION_RESTLESS_MAX_S), NULL);
}

static void take_pass(Disruptor *disruptor, Turn *turn, const Disrupted *disrupted) {
    Mono due = mono_after(turn->now, DISRUPTION_PROOF_S * NS_PER_S);
    uint32_t again_s = disrupted->pass.consolidated ? DISRUPTION_LOOK_AT_LEAST_S : DISRUPTION_LOOK_AGAIN_S;

    if (disrupted->pass.searched != disruptor->searched || !searched(disruptor, turn)) {
        disruptor->searched = disrupted->pass.searched;
        disruptor->searched_at = turn->now;
    }
    demand_note(&disruptor->demand, turn->now, &disrupted->pass.demand);
    disruption_report_notes(turn, disrupted->facts, &disrupted->pass.notes);
    outlook_take(turn, disrupted);
    for (vec_each(const DisruptCommand, found, &disrupted->pass.commands))
        take_found(disruptor, turn, disrupted->facts, found);
    for (Command *command = disruptor->commands.first; command; command = command->next) {
        if (command->phase == COMMAND_PROVING && !mono_is_set(command->due)) {
            command->due = due;
            disruption_report_found(turn, command);
        }
    }
    disruptor->look_at = mono_after(turn->now, again_s * NS_PER_S);
    look_in_time(disruptor, turn, disrupted->pass.look_at_ns);
    disruptor->changed |= disrupted->pass.commands.count > 0; // there may be more
    note_rest(disruptor, turn, disrupted->pass.waits_for_rest);
}

static void reject(Disruptor *disruptor, Turn *turn, Command *command, ProposalVerdict verdict) {
    disruption_report_rejected(turn, command, verdict);
    commands_remove(&disruptor->commands, command);
    disruptor->changed = true;
}

static void take_verdict(Disruptor *disruptor, Turn *turn, const DisruptFacts *facts, Command *command,
                         const ProvenProposal *proven) {
    command->is_looked_at = false;
    if (!proven->looked_at)
        return; // it stays due
    if (proven->verdict != PROPOSAL_STANDS)
        reject(disruptor, turn, command, proven->verdict);
    else if (!disruption_start(&disruptor->commands, turn, command, facts, &proven->command))
        reject(disruptor, turn, command, PROPOSAL_CHURN);
}

static void take_verdicts(Disruptor *disruptor, Turn *turn, const Disrupted *disrupted) {
    uint32_t at = 0;
    Command *next;

    for (Command *command = disruptor->commands.first; command; command = next) {
        next = command->next;
        if (command->is_looked_at)
            take_verdict(disruptor, turn, disrupted->facts, command, &disrupted->proven.items[at++]);
    }
}

// The proposals of a look that failed are looked at again.
static void forget_proof(Disruptor *disruptor) {
    for (Command *command = disruptor->commands.first; command; command = command->next)
        command->is_looked_at = false;
}

static bool is_starting(const CommandList *commands) {
    for (const Command *command = commands->first; command; command = command->next) {
        if (command->phase == COMMAND_STARTING)
            return true;
    }
    return false;
}

void disruption_looked(Disruptor *disruptor, Turn *turn, const Completion *completion) {
    DisruptorActivity activity = disruptor->activity;

    if (completion->code != OK) {
        forget_proof(disruptor);
        disruptor->changed = true;
    } else if (activity == DISRUPTOR_PROVING) {
        take_verdicts(disruptor, turn, completion->disrupted);
    } else {
        take_pass(disruptor, turn, completion->disrupted);
    }
    disruptor->activity = is_starting(&disruptor->commands) ? DISRUPTOR_STARTING : DISRUPTOR_IDLE;
    disruption_call(disruptor, turn);
}
