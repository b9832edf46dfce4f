// Spread, affinity and anti-affinity rules that leave no domain.
#include "sched/explain/topology.h"

#include <stdlib.h>

typedef struct {
    Slice name;
    int32_t count;
} DomainCount;

static int compare_domains(const void *a, const void *b) {
    return slice_cmp(((const DomainCount *)a)->name, ((const DomainCount *)b)->name);
}

enum { DOMAINS_SHOWN = 25 };

// Whether a value of the group's key is a domain: some node has it, or some pool could create a node with it.
static bool domain_exists(const Explanation *e, const TopologyGroup *group, uint32_t atom) {
    Solver *solver = e->solver;
    LabelSetId pin = label_state_pin_set(&solver->states, group->key, atom);

    if (group->most[atom] > 0 || bitset_has(group->supported, atom))
        return true;
    for (uint32_t i = 0; i < solver->node_count && group->kind != GROUP_SPREAD; i++) {
        const uint64_t *mask = label_state_key(&solver->states, solver->bins.items[i].state, group->key);

        if (bitset_has(mask, atom) && bitset_count(mask, group->words) == 1)
            return true;
    }
    for (vec_each(Pool, pool, &solver->pools)) {
        if (group->kind != GROUP_SPREAD && label_state_step(&solver->states, pool->full_state, pin) != LABEL_STATE_NONE)
            return true;
    }
    return false;
}

static void append_counts(Explanation *e, const TopologyGroup *group) {
    const Universe *universe = &e->solver->universe;
    uint32_t total = group->key == INDEX_NONE ? e->solver->bins.count : universe->keys.items[group->key].value_count;
    DomainCount *counts = arena_array(e->solver->arena, DomainCount, total);
    uint32_t count = 0;

    for (uint32_t i = 0; i < total; i++) {
        if (group->key != INDEX_NONE && domain_exists(e, group, i))
            counts[count++] =
                (DomainCount){explain_name(e, universe->keys.items[group->key].values[i]), group->most[i]};
        else if (group->key == INDEX_NONE && topology_on_bin(group, i) > 0)
            counts[count++] =
                (DomainCount){e->solver->bins.items[i].node ? explain_name(e, e->solver->bins.items[i].node->hostname)
                                                            : arena_printf(e->solver->arena, "new-node-%u", i),
                              topology_on_bin(group, i)};
    }
    qsort(counts, count, sizeof *counts, compare_domains);
    for (uint32_t i = 0; i < count && i < DOMAINS_SHOWN; i++)
        buffer_printf(&e->text, "%s%.*s: %d", i ? ", " : "", SLICE_ARG(counts[i].name), counts[i].count);
    if (count > DOMAINS_SHOWN)
        buffer_printf(&e->text, " and %u other(s)", count - DOMAINS_SHOWN);
}

static void explain_group(Explanation *e, const TopologyGroup *group) {
    static const char *const kinds[] = {"topology spread", "pod affinity", "pod anti-affinity", "pod anti-affinity"};
    Solver *solver = e->solver;
    Expression exists = {.key = group->topology_key, .op = OP_EXISTS};
    Requirement any = requirement_make(solver->arena, solver->universe.symbols, &exists);
    const Requirement *pod = requirements_get(&e->pod, group->topology_key);
    const Requirement *node = requirements_get(&e->pool->requirements, group->topology_key);

    buffer_printf(&e->text, "unsatisfiable topology constraint for %s, key=%.*s (counts = ", kinds[group->kind],
                  SLICE_ARG(explain_name(e, group->topology_key)));
    append_counts(e, group);
    buffer_printf(&e->text, ", podDomains = %.*s, nodeDomains = %.*s",
                  SLICE_ARG(requirement_print(solver->arena, solver->universe.symbols, pod ? pod : &any)),
                  SLICE_ARG(requirement_print(solver->arena, solver->universe.symbols, node ? node : &any)));
    EXPLAIN_MISS(e, "no %.*s is left where the pod's %s holds", SLICE_ARG(explain_name(e, group->topology_key)),
                 kinds[group->kind]);
}

static bool group_blocks(Explanation *e, const TopologyGroup *group, uint32_t number) {
    Solver *solver = e->solver;
    bool self = class_counts_for(e->class, number), blocked;
    uint64_t *mask;

    if (group->key == INDEX_NONE)
        return topology_bin_allowance(group, self, solver->bins.count, 1) == 0;
    mask =
        arena_copy(solver->arena, label_state_key(&solver->states, e->state, group->key), group->words * sizeof *mask);
    topology_allow(&solver->topology, group, self, mask);
    blocked = bitset_is_empty(mask, group->words);
    return blocked;
}

// Reports the first group that leaves a new claim no domain.
bool explain_topology(Explanation *e) {
    const U32Vec *lists[] = {&e->variant->groups, &e->class->avoided};

    for (int i = 0; i < 2; i++) {
        for (vec_each(uint32_t, number, lists[i])) {
            const TopologyGroup *group = &e->solver->topology.groups.items[*number];

            if (!group_blocks(e, group, *number))
                continue;
            explain_group(e, group);
            return explain_fail(e, CHECK_TOPOLOGY, group->topology_key);
        }
    }
    return false;
}

bool explain_rules(Explanation *e) {
    const U32Vec *groups = e->variant->groups.count ? &e->variant->groups : &e->class->avoided;
    const TopologyGroup *group;

    if (!groups->count)
        return false;
    group = &e->solver->topology.groups.items[groups->items[0]];
    explain_group(e, group);
    return explain_fail(e, CHECK_TOPOLOGY, group->topology_key);
}
