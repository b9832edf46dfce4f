// A cell is a combination of domains, one for each key that rules between nodes use.
#include "sched/contents/cells.h"

#include "sched/contents/items.h"
#include "sched/index/domain_counts.h"

// A rule over domains, and its items.
typedef struct {
    const TopologyGroup *group;
    uint32_t number; // index of the group
    uint32_t owners; // items that have the rule
    uint32_t minded; // items that it counts; of an inverse group: that it keeps out
    uint32_t key;    // into keys; INDEX_NONE: cells do not distinguish its domains
} Rule;
typedef Vec(Rule) RuleVec;

static Rule rule_of(const SmallProblem *problem, uint32_t number) {
    Rule rule = {.group = &problem->solver->topology.groups.items[number], .number = number, .key = INDEX_NONE};
    bool inverse = rule.group->kind == GROUP_INVERSE;

    for (uint32_t item = 0; item < problem->item_count; item++) {
        const PodClass *class = small_class(problem, item);

        rule.owners |= (uint32_t)(inverse ? u32_vec_has(&class->inverse, number) : small_owns(class, number)) << item;
        rule.minded |= (uint32_t)(inverse ? u32_vec_has(&class->avoided, number) : class_counts_for(class, number))
                       << item;
    }
    return rule;
}

// Whether the rule binds pods of the plan.
static bool binds(const SmallProblem *problem, const Rule *rule) {
    if (rule->group->key == INDEX_NONE)
        return false;
    if (rule->group->kind == GROUP_INVERSE)
        return rule->minded && (rule->owners || *rule->group->total > 0);
    return rule->owners && !(rule->group->kind == GROUP_SPREAD && problem->settled[rule->number]);
}

// --- keys and cells

// The values of a key that nodes may have.
static uint64_t *possible_values(const SmallProblem *problem, uint32_t key) {
    const Solver *solver = problem->solver;
    uint32_t words = solver->universe.keys.items[key].words;
    uint64_t *mask = arena_array(problem->arena, uint64_t, words);

    for (vec_each(const Pool, pool, &solver->pools))
        bitset_or(mask, label_state_key(&solver->states, pool->full_state, key), words);
    for (uint32_t i = 0; i < solver->node_count; i++)
        bitset_or(mask, label_state_key(&solver->states, solver->bins.items[i].state, key), words);
    return mask;
}

static U32Vec atoms_of(const SmallProblem *problem, uint32_t key) {
    const LabelKey *label_key = &problem->solver->universe.keys.items[key];
    const uint64_t *possible = possible_values(problem, key);
    U32Vec atoms = {0};
    bool none = false;

    for (bitset_each(atom, possible, label_key->words)) {
        if (atom < label_key->value_count)
            vec_push(problem->arena, &atoms, atom);
        else
            none = true;
    }
    if (none)
        vec_push(problem->arena, &atoms, INDEX_NONE);
    return atoms;
}

// Multiplies the cells by the domains of a further key. False: too many cells.
static bool split_cells(SmallProblem *problem, uint32_t key) {
    U32Vec atoms = atoms_of(problem, key);
    uint32_t before = problem->cells.count, at = problem->keys.count;

    if (!atoms.count || before * atoms.count > SMALL_CELLS_MAX)
        return false;
    for (uint32_t i = 0; i < before; i++) {
        for (uint32_t j = 0; j < atoms.count; j++) {
            SmallCell cell = {.atoms = arena_array(problem->arena, uint32_t, at + 1)};

            memcpy(cell.atoms, problem->cells.items[i].atoms, at * sizeof *cell.atoms);
            cell.atoms[at] = atoms.items[j];
            vec_push(problem->arena, &problem->cells, cell);
        }
    }
    problem->cells.count -= before;
    memmove(problem->cells.items, problem->cells.items + before, problem->cells.count * sizeof *problem->cells.items);
    vec_push(problem->arena, &problem->keys, key);
    return true;
}

static uint32_t key_number(const SmallProblem *problem, uint32_t key) {
    for (uint32_t i = 0; i < problem->keys.count; i++) {
        if (problem->keys.items[i] == key)
            return i;
    }
    return INDEX_NONE;
}

// --- rules in cells

static bool keeps_out(const Rule *rule, uint32_t atom) {
    const TopologyGroup *group = rule->group;

    switch (group->kind) {
    case GROUP_SPREAD:
        return atom == INDEX_NONE || !bitset_has(group->supported, atom);
    case GROUP_AFFINITY: // if the plan places only owners, they must join pods that run there
        return atom == INDEX_NONE || (!(rule->minded & ~rule->owners) && *group->total > 0 && group->least[atom] == 0);
    default:
        return atom != INDEX_NONE && group->most[atom] > 0;
    }
}

static void ban(SmallProblem *problem, const Rule *rule) {
    for (vec_each(SmallCell, cell, &problem->cells)) {
        if (keeps_out(rule, cell->atoms[rule->key]))
            cell->banned |= rule->group->kind == GROUP_INVERSE ? rule->minded : rule->owners;
    }
}

// The cells of a domain, as bits.
static uint64_t cells_in(const SmallProblem *problem, uint32_t key, uint32_t atom) {
    uint64_t cells = 0;

    for (uint32_t i = 0; i < problem->cells.count; i++)
        cells |= (uint64_t)(problem->cells.items[i].atoms[key] == atom) << i;
    return cells;
}

static void count_spread(SmallProblem *problem, const Rule *rule) {
    uint32_t bound = rule->owners & rule->minded;
    DomainCounts counts = {.owners = small_placed(problem, bound), .counted = small_placed(problem, rule->minded)};

    if (!bound || !domain_counts_make(&counts, problem->arena, rule->group))
        return;
    for (uint32_t i = 0; i < counts.count; i++) {
        uint64_t cells = cells_in(problem, rule->key, counts.atoms[i]);

        if (counts.most[i] < counts.owners)
            vec_push(problem->arena, &problem->counts,
                     (SmallCount){bound, rule->key, cells, false, (double)counts.most[i]});
        if (counts.least[i] > 0)
            vec_push(problem->arena, &problem->counts,
                     (SmallCount){rule->minded, rule->key, cells, true, (double)counts.least[i]});
    }
}

// An anti-affinity allows one pod per domain of those that have it and are selected by it.
static void count_anti(SmallProblem *problem, const Rule *rule) {
    const LabelKey *key = &problem->solver->universe.keys.items[rule->group->key];
    uint32_t both = rule->owners & rule->minded;
    uint64_t cells;

    vec_push(problem->arena, &problem->aparts, (SmallApart){rule->owners, rule->minded, rule->key});
    if (small_placed(problem, both) < 2)
        return;
    for (uint32_t atom = 0; atom < key->value_count; atom++) {
        if ((cells = cells_in(problem, rule->key, atom)))
            vec_push(problem->arena, &problem->counts, (SmallCount){both, rule->key, cells, false, 1});
    }
}

static void count(SmallProblem *problem, const Rule *rule) {
    if (rule->group->kind == GROUP_SPREAD)
        count_spread(problem, rule);
    if (rule->group->kind == GROUP_INVERSE)
        count_anti(problem, rule);
    if (rule->group->kind == GROUP_AFFINITY && *rule->group->total == 0 && !(rule->minded & ~rule->owners))
        vec_push(problem->arena, &problem->togethers, (SmallTogether){rule->owners, rule->key});
}

void small_make_cells(SmallProblem *problem) {
    RuleVec rules = {0};

    vec_push(problem->arena, &problem->cells, (SmallCell){.atoms = arena_array(problem->arena, uint32_t, 1)});
    for (uint32_t i = 0; i < problem->solver->topology.groups.count; i++) {
        Rule rule = rule_of(problem, i);

        if (!binds(problem, &rule))
            continue;
        rule.key = key_number(problem, rule.group->key);
        if (rule.key == INDEX_NONE && split_cells(problem, rule.group->key))
            rule.key = problem->keys.count - 1;
        if (rule.key != INDEX_NONE)
            vec_push(problem->arena, &rules, rule);
    }
    for (vec_each(const Rule, rule, &rules)) { // after all cells are made
        ban(problem, rule);
        count(problem, rule);
    }
}

uint32_t small_state_in(SmallProblem *problem, uint32_t state, uint32_t cell) {
    LabelStates *states = &problem->solver->states;
    Arena scratch = {0};

    for (uint32_t i = 0; i < problem->keys.count && state != LABEL_STATE_NONE; i++) {
        uint32_t key = problem->keys.items[i], atom = problem->cells.items[cell].atoms[i];
        const LabelKey *label_key = &problem->solver->universe.keys.items[key];
        uint64_t *mask = bitset_new(&scratch, label_key->words * 64);

        for (uint32_t other = label_key->value_count; atom == INDEX_NONE && other < label_key->atoms; other++)
            bitset_set(mask, other);
        state = label_state_step(states, state,
                                 atom == INDEX_NONE ? label_state_mask_set(states, key, mask)
                                                    : label_state_pin_set(states, key, atom));
    }
    arena_free(&scratch);
    return state;
}

bool small_hold_together(const SmallProblem *problem, const SmallTogether *together, uint32_t cell,
                         uint32_t *ret_banned) {
    uint32_t atom = problem->cells.items[cell].atoms[together->key];

    for (uint32_t i = 0; i < problem->cells.count; i++) {
        bool same = problem->cells.items[i].atoms[together->key] == atom;

        if (same && i < cell)
            return false;
        ret_banned[i] = same ? 0 : together->owners;
    }
    return true;
}
