// Pods whose planning takes too long: left out of the plans of the others, and tried alone, ever less often.
//
// Pods that are alike are set aside together, and together have a moment when they are tried alone: that moment, which
// no others have, is what tells them apart.
#include "ctl/provision/parts.h"

// --- whose turn it is

void provision_aside_look(AsideLook *look, const KnownPod *known) {
    if (mono_is_set(look->due) && look->due.ns <= known->aside.ns)
        return;
    look->due = known->aside;
    look->uid = known->uid;
}

// Others go first; after one plan for them those who are set aside have theirs, whether or not the others have places.
bool provision_aside_choose(Provisioner *provisioner, const Turn *turn, const AsideLook *look, bool others) {
    bool due = mono_is_set(look->due) && mono_reached(turn->now, look->due);

    provisioner->alone = (Mono){0};
    if (due && (!others || provisioner->alone_next))
        provisioner->alone = look->due;
    provisioner->alone_next = due && !mono_is_set(provisioner->alone);
    return others || due;
}

void provision_aside_intend(Provisioner *provisioner, Turn *turn, SolveIntent *solve) {
    Mono alone = provisioner->alone;

    for (vec_each(const KnownPod, known, &provisioner->index.pods)) {
        if (mono_is_set(known->aside) && known->aside.ns != alone.ns)
            vec_push(turn->arena, &solve->set_aside, known->uid);
    }
    if (!mono_is_set(alone))
        return;
    solve->search.patient = true;
    solve->search.deadline_ns /= 2; // others that come meanwhile wait for it
}

// --- what came of a plan

// Those that the plan tried alone need it no more, unless they are left over again.
static int64_t take_back(Provisioner *provisioner) {
    int64_t rested_ns = 0;

    for (vec_each(KnownPod, known, &provisioner->index.pods)) {
        if (!mono_is_set(provisioner->alone) || known->aside.ns != provisioner->alone.ns)
            continue;
        rested_ns = known->aside_rest_ns;
        known->aside = (Mono){0};
    }
    provisioner->alone = (Mono){0};
    return rested_ns;
}

static int64_t next_rest(int64_t rested_ns) {
    int64_t rest_ns = rested_ns ? rested_ns * 2 : PROVISION_ASIDE_S * NS_PER_S;

    return rest_ns < PROVISION_ASIDE_MAX_S * NS_PER_S ? rest_ns : PROVISION_ASIDE_MAX_S * NS_PER_S;
}

void provision_aside_apply(Provisioner *provisioner, Turn *turn, const Solved *solved) {
    int64_t rested_ns = take_back(provisioner);
    Mono due = mono_after(turn->now, next_rest(rested_ns));
    const PodSpec *spec = NULL;
    uint32_t count = 0;

    for (vec_each(const UnplacedPod, unplaced, &solved->plan->unplaced)) {
        const Pod *pod = solved->input->pending.items[unplaced->pod].pod;
        uint32_t number = provision_index_find_pod(&provisioner->index, pod->uid);
        KnownPod *known = number == INDEX_NONE ? NULL : known_pod(&provisioner->index, number);

        // A pod that was tried alone and has no place is in no haste, whatever the reason is.
        if (!known || mono_is_set(known->aside) || !(unplaced->aside || (rested_ns && known->aside_rest_ns)))
            continue;
        due = mono_after(due, pod->spec != spec);
        spec = pod->spec;
        known->aside_rest_ns = next_rest(known->aside_rest_ns);
        known->aside = due;
        count++;
    }
    if (count)
        turn_log(turn, LOG_WARN, "pod(s) take too long to plan and are set aside", "pods",
                 arena_printf(turn->arena, "%u", count), NULL);
}
