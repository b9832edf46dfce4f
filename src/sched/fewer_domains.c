// Karpenter has no such step: it counts the domains that pools could open (reference scheduling.md 5.6), and leaves the
// pods out.
#include "sched/fewer_domains.h"

#include "sched/bin/home_pool.h"
#include "sched/input/class_variants.h"

// Whether the spread keeps a pod waiting for which there are types.
static bool keeps_waiting(Solver *solver, uint32_t group) {
    for (vec_each(const PodClass, class, &solver->classes.classes)) {
        if (class->placed < class->count && u32_vec_has(&class_last_variant(class)->groups, group) &&
            class_home_weight(solver, class) != INT32_MIN)
            return true;
    }
    return false;
}

static void add_set(LabelStates *states, uint32_t key, const uint64_t *mask, Arena *arena, LabelSetIdVec *sets) {
    LabelSetId set = label_state_mask_set(states, key, mask);

    for (vec_each(const LabelSetId, known, sets)) {
        if (*known == set)
            return;
    }
    vec_push(arena, sets, set);
}

static void add_sets(Solver *solver, const TopologyGroup *group, bool alone, Arena *arena, LabelSetIdVec *sets) {
    uint64_t *mask = bitset_new(arena, group->words * 64);

    for (bitset_each(atom, group->supported, group->words)) {
        if (alone)
            memset(mask, 0, group->words * sizeof *mask);
        else
            bitset_copy(mask, group->supported, group->words);
        if (alone)
            bitset_set(mask, atom);
        else
            bitset_clear(mask, atom);
        add_set(&solver->states, group->key, mask, arena, sets);
    }
}

void fewer_domains_find(Solver *solver, const TopologyGroup *initial, bool alone, Arena *arena,
                        LabelSetIdVec *ret_sets) {
    for (uint32_t i = 0; i < solver->topology.groups.count; i++) {
        uint32_t domains = 0;

        if (!topology_spreads_label(&initial[i]))
            continue;
        domains = bitset_count(initial[i].supported, initial[i].words);
        if (domains >= (alone ? 3 : 2) && domains <= FEWER_DOMAINS_MAX && keeps_waiting(solver, i))
            add_sets(solver, &initial[i], alone, arena, ret_sets);
    }
}
