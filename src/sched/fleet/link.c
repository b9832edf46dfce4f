// Counts each part's pods in each group as if no other part was carried out.
#include "sched/fleet/link.h"

#include "sched/fleet/parts.h"
#include "sched/input/class_variants.h"

// Pods of a part that a group counts or binds, at a domain.
typedef struct {
    uint32_t part, atom;
    int32_t count; // counted by the group: placed there (positive), or gone from there
    bool is_bound; // pods that have the rule are placed there
} Shift;
typedef Vec(Shift) ShiftVec;

typedef struct {
    FleetSearch *search;
    Arena scratch;
    ShiftVec *shifts; // per group
} Linking;

void link_init(FleetSearch *search) {
    const Solver *solver = search->solver;

    search->counts = arena_array(search->arena, int32_t *, solver->topology.groups.count);
    for (uint32_t i = 0; i < solver->topology.groups.count; i++) {
        const TopologyGroup *group = &solver->topology.groups.items[i];

        if (group->key != INDEX_NONE)
            search->counts[i] = arena_copy(search->arena, group->most,
                                           solver->universe.keys.items[group->key].atoms * sizeof *group->most);
    }
}

// --- what parts move

static uint32_t atom_of(const Linking *linking, const TopologyGroup *group, const Bin *bin) {
    Solver *solver = linking->search->solver;

    if (group->key == INDEX_NONE || bin_filter(solver, group->filter, bin->state, bin_taints(bin)) == COUNTED_NEVER)
        return INDEX_NONE;
    return bitset_next(label_state_key(&solver->states, bin->state, group->key), group->words, 0);
}

static void add_shift(Linking *linking, uint32_t part, const Bin *bin, uint32_t group, int32_t count, bool is_bound) {
    uint32_t atom = atom_of(linking, &linking->search->solver->topology.groups.items[group], bin);

    vec_push(&linking->scratch, &linking->shifts[group], (Shift){part, atom, count, is_bound});
}

static void add_shifts(Linking *linking, uint32_t part, const Bin *bin, uint32_t number, int32_t count) {
    const PodClass *class = &linking->search->solver->classes.classes.items[number];
    const U32Vec *rules = &class_variant(class, 0)->groups;

    for (vec_each(const uint32_t, group, &class->counted))
        add_shift(linking, part, bin, *group, count, count > 0 && u32_vec_has(rules, *group));
    for (vec_each(const uint32_t, group, &class->inverse))
        add_shift(linking, part, bin, *group, count, false);
    for (vec_each(const uint32_t, group, rules)) {
        if (count > 0 && !class_counts_for(class, *group))
            add_shift(linking, part, bin, *group, 0, true);
    }
}

static void add_taken(Linking *linking) {
    FleetSearch *search = linking->search;
    const ClassTable *table = &search->solver->classes;

    for (uint32_t class = 0; class < table->classes.count; class ++) {
        const PodClass *of = &table->classes.items[class];

        for (uint32_t i = 0; i < of->count; i++) {
            uint32_t home = search->input->homes[table->pods[of->first + i]];

            if (home != INDEX_NONE && search->verdicts[home].fate == GOES)
                add_shifts(linking, part_of(search, home), &search->solver->bins.items[search->bin_of_source[home]],
                           class, -1);
        }
    }
}

static void add_placed(Linking *linking) {
    FleetSearch *search = linking->search;
    const Solver *solver = search->solver;

    for (vec_each(const Delivered, delivered, &search->delivered))
        add_shifts(linking, part_of(search, delivered->source), &solver->bins.items[delivered->bin], delivered->class,
                   (int32_t)delivered->count);
    for (uint32_t i = solver->node_count; i < solver->bins.count; i++) {
        const Bin *bin = &solver->bins.items[i];

        for (uint32_t k = 0; k < bin->pods.count && !bin->gone; k++)
            add_shifts(linking, part_of_claim(search, i), bin, bin->pods.items[k].class,
                       (int32_t)bin->pods.items[k].count);
    }
}

// --- what does not hold alone

// `before`: the least count without any part. A domain that the part leaves may have been the least.
static bool holds_at(const TopologyGroup *group, const ShiftVec *shifts, uint32_t part, int32_t before) {
    int32_t least = topology_spread_minimum(group);

    if (least < before && !topology_spread_holds(group))
        return false;
    for (vec_each(const Shift, shift, shifts)) {
        if (shift->part == part && shift->is_bound && shift->atom != INDEX_NONE &&
            group->most[shift->atom] - least > group->max_skew)
            return false;
    }
    return true;
}

// Whether a spread holds with nothing but the part carried out.
static bool holds_alone(const Linking *linking, uint32_t number, uint32_t part) {
    const Solver *solver = linking->search->solver;
    const ShiftVec *shifts = &linking->shifts[number];
    TopologyGroup group = solver->topology.groups.items[number];
    Arena scratch = {0};
    int32_t before;
    bool holds;

    group.most = group.least = arena_copy(&scratch, linking->search->counts[number],
                                          solver->universe.keys.items[group.key].atoms * sizeof *group.most);
    before = topology_spread_minimum(&group);
    for (vec_each(const Shift, shift, shifts)) {
        if (shift->part == part && shift->atom != INDEX_NONE)
            group.most[shift->atom] += shift->count;
    }
    holds = holds_at(&group, shifts, part, before);
    arena_free(&scratch);
    return holds;
}

static bool link_all(Linking *linking, const ShiftVec *shifts) {
    bool linked = false;

    for (vec_each(const Shift, shift, shifts)) {
        if (part_of(linking->search, shift->part) == part_of(linking->search, shifts->items[0].part))
            continue;
        part_link(linking->search, shift->part, shifts->items[0].part);
        linked = true;
    }
    return linked;
}

static bool link_by_spread(Linking *linking, uint32_t number) {
    const ShiftVec *shifts = &linking->shifts[number];
    uint32_t last = INDEX_NONE;

    for (vec_each(const Shift, shift, shifts)) {
        if (shift->part == last)
            continue;
        last = shift->part;
        if (!holds_alone(linking, number, shift->part))
            return link_all(linking, shifts);
    }
    return false;
}

static bool link_by_group(Linking *linking, uint32_t number) {
    const TopologyGroup *group = &linking->search->solver->topology.groups.items[number];

    if (!linking->shifts[number].count)
        return false;
    if (group->kind == GROUP_SPREAD)
        return group->key != INDEX_NONE && link_by_spread(linking, number);
    if (group->kind == GROUP_AFFINITY || group->key != INDEX_NONE)
        return link_all(linking, &linking->shifts[number]);
    return false;
}

static bool link_once(FleetSearch *search) {
    uint32_t groups = search->solver->topology.groups.count;
    Linking linking = {.search = search};
    bool linked = false;

    linking.shifts = arena_array(&linking.scratch, ShiftVec, groups);
    add_taken(&linking);
    add_placed(&linking);
    for (uint32_t i = 0; i < groups; i++)
        linked |= link_by_group(&linking, i);
    arena_free(&linking.scratch);
    return linked;
}

void link_parts(FleetSearch *search) {
    while (search->kept && link_once(search))
        continue;
}
