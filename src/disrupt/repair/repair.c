// Replacing sick nodes.
#include "disrupt/repair/repair.h"

#include "disrupt/repair/reboots.h"
#include "disrupt/repair/wards.h"
#include "disrupt/static/static_pool.h"

#include <stdlib.h>

typedef struct {
    const DisruptionCandidate *candidate;
    Sickness sickness;
    uint32_t rank; // of its priority among those that occur, from 0
} Patient;
typedef Vec(Patient) PatientVec;

static const NodeView *view_of(const Round *round, const Patient *patient) {
    return &round->facts->nodes.items[patient->candidate->node];
}

static Slice text_of(const Round *round, Symbol name) {
    return symbol_text(&round->facts->cluster->symbols, name);
}

static void block(Round *round, const Patient *patient, Slice why) {
    round_note_node(round, patient->candidate->node, "DisruptionBlocked", why);
}

// --- order

static void rank(PatientVec *patients) {
    for (vec_each(Patient, patient, patients)) {
        for (uint32_t priority = 0; priority < patient->sickness.policy->priority; priority++) {
            bool occurs = false;

            for (vec_each(const Patient, other, patients))
                occurs |= other->sickness.policy->priority == priority;
            patient->rank += occurs;
        }
    }
}

// A step of priority weighs as much as half an hour.
static double urgency(const Patient *patient, int64_t wall_ns) {
    return patient->rank + (double)(wall_ns - patient->sickness.since_ns) / (30.0 * NS_PER_MIN);
}

static int compare_urgency(const void *a, const void *b, void *context) {
    const Patient *x = a, *y = b;
    const Round *round = context;
    double of_x = urgency(x, round->facts->wall_ns), of_y = urgency(y, round->facts->wall_ns);

    if (of_x != of_y)
        return of_x > of_y ? -1 : 1;
    if (x->candidate->disruption_cost != y->candidate->disruption_cost)
        return x->candidate->disruption_cost < y->candidate->disruption_cost ? -1 : 1;
    return symbol_cmp(&round->facts->cluster->symbols, view_of(round, x)->name, view_of(round, y)->name);
}

// --- who has to wait

static Slice breaker_text(const Round *round, WardKind kind, Symbol name) {
    static const char *const words[WARD_KINDS] = {
        [WARD_POOL] = "in nodepool", [WARD_ZONE] = "in zone", [WARD_IMAGE] = "of image"};

    return arena_printf(round->arena, "more than %d%% of nodes %s \"%.*s\" are unhealthy", REPAIR_BREAKER_PERCENT,
                        words[kind], SLICE_ARG(text_of(round, name)));
}

static bool is_broken(const Ward *ward) {
    return (uint64_t)ward->sick > ((uint64_t)ward->total * REPAIR_BREAKER_PERCENT + 99) / 100;
}

// Too much is sick at the same time: more of the same would not help.
static bool is_stopped(Round *round, const Wards *wards, const Patient *patient) {
    for (WardKind kind = 0; kind < WARD_KINDS; kind++) {
        Symbol name = ward_name(view_of(round, patient), kind);
        const Ward *ward = name == NAME_EMPTY ? NULL : ward_find(wards, kind, name);
        Slice text;

        if (!ward || !is_broken(ward))
            continue;
        text = breaker_text(round, kind, name);
        round_note_node(round, patient->candidate->node, "NodeRepairBlocked", text);
        round_note_pool(round, view_of(round, patient)->pool, "NodeRepairBlocked", text);
        return true;
    }
    return false;
}

// As much as may be was repaired lately.
static bool is_paced(Round *round, const Wards *wards, const Patient *patient) {
    for (WardKind kind = 0; kind < WARD_KINDS; kind++) {
        Symbol name = ward_name(view_of(round, patient), kind);
        const Ward *ward = name == NAME_EMPTY ? NULL : ward_find(wards, kind, name);
        uint32_t most;

        if (!ward)
            continue;
        most = kind == WARD_POOL ? REPAIR_HISTORY_MAX : repair_pace(ward->total);
        if (ward->repaired < most)
            continue;
        round_look_again(round, ns_add(ward->repaired_ns, REPAIR_WINDOW_MIN * NS_PER_MIN));
        return true;
    }
    return false;
}

// --- one node

static int64_t bound_of(const Round *round, const Patient *patient) {
    const NodeClaimTemplateSpec *spec = &view_of(round, patient)->claim->spec;
    int64_t own_ns = spec->has_termination_grace_period ? spec->termination_grace_period_ns : REPAIR_NO_BOUND;

    return own_ns < patient->sickness.bound_ns ? own_ns : patient->sickness.bound_ns;
}

// A drain without an end would wait for ever for pods that must not be evicted.
static bool pods_hold(Round *round, const Patient *patient) {
    if (bound_of(round, patient) != REPAIR_NO_BOUND ||
        !node_pods_block(round->arena, round->facts, &round->node_pods, patient->candidate->node).len)
        return false;
    block(round, patient, SLICE("repair requires a termination grace period to bypass blocking pods"));
    return true;
}

static bool may_refill(const Round *round, const NodePool *pool) {
    return !pool->meta.deleting &&
           condition_is_true(&pool->conditions, &round->facts->cluster->symbols, SLICE("Ready"));
}

static bool replace_static(Round *round, const Patient *patient, DisruptCommand *ret_command) {
    const NodePool *pool = patient->candidate->pool->pool;
    StaticPool look = static_pool_look(round->facts, pool);

    if (!look.is_settled)
        return false;
    if (!look.room && !(round->options->terminate_first_repair && may_refill(round, pool))) {
        block(round, patient, SLICE("static NodePool is at its node limit and cannot stage a replacement"));
        return false;
    }
    *ret_command = static_pool_command(round, METHOD_REPAIR, patient->candidate, look.room > 0);
    return true;
}

static bool replace_dynamic(Round *round, const Patient *patient, DisruptCommand *ret_command) {
    CandidateList alone = {0};
    WhatifAnswer answer;

    vec_push(round->arena, &alone, patient->candidate);
    round_ask_for_all(round, patient->candidate, &answer);
    if (!answer.works) {
        if (answer.complaint.len)
            block(round, patient, answer.complaint);
        return false;
    }
    *ret_command = command_make_replacing(round->arena, METHOD_REPAIR, &alone, &answer);
    return true;
}

// A node that two reboots did not cure is replaced.
static bool may_reboot(const Round *round, const Patient *patient) {
    return patient->sickness.policy->action == REPAIR_REBOOT && round->options->reboot &&
           reboots_lately(view_of(round, patient)->claim, &round->facts->cluster->symbols, round->facts->wall_ns) <
               REBOOTS_MOST;
}

// Its pods wait until it is back: no other node is needed.
static bool reboot(Round *round, const Patient *patient, DisruptCommand *ret_command) {
    CandidateList alone = {0};

    vec_push(round->arena, &alone, patient->candidate);
    *ret_command = command_make(round->arena, METHOD_REPAIR, &alone, NULL);
    ret_command->reboots = true;
    return true;
}

static bool repair(Round *round, const Patient *patient) {
    bool is_static = patient->candidate->pool->pool->is_static;
    DisruptCommand command = {0};

    if (pods_hold(round, patient) || !(may_reboot(round, patient) ? reboot
                                       : is_static                ? replace_static
                                                                  : replace_dynamic)(round, patient, &command))
        return false;
    command.repair = patient->sickness.policy;
    command.bound_ns = bound_of(round, patient);
    round_take(round, &command);
    return true;
}

// --- all of them

static PatientVec admit(Round *round) {
    CandidateList candidates = round_candidates(round, METHOD_REPAIR);
    PatientVec patients = {0};

    for (vec_each(const DisruptionCandidate *, candidate, &candidates))
        vec_push(round->arena, &patients,
                 (Patient){.candidate = *candidate, .sickness = sickness_in(round->facts, (*candidate)->node)});
    rank(&patients);
    if (patients.count)
        qsort_r(patients.items, patients.count, sizeof *patients.items, compare_urgency, round);
    return patients;
}

void repair_find(Round *round) {
    Wards wards = wards_make(round->arena, round->facts);
    PatientVec patients;

    round_look_again(round, wards.awaits_ns);
    if (!wards.sick)
        return;
    patients = admit(round);
    for (vec_each(const Patient, patient, &patients)) {
        if (round_is_cancelled(round))
            return;
        if (is_stopped(round, &wards, patient) || !round_budget(round, patient->candidate, METHOD_REPAIR) ||
            is_paced(round, &wards, patient))
            continue;
        if (repair(round, patient))
            return;
    }
}
