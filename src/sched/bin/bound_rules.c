// Owners of rules among bound pods, and their groups.
#include "sched/bin/bound_rules.h"

#include "model/pod_bounds.h"
#include "model/pod_predicates.h"
#include "sched/input/pod_order.h"

#include <stdlib.h>

enum { AHEAD = 8 };

uint64_t *solver_find_batch(Solver *solver) {
    const PodVec *pods = &solver->input->cluster->pods;
    uint64_t *batch = bitset_new(solver->arena, pods->count + 1);

    for (vec_each(const PendingPod, pending, &solver->input->pending)) {
        uintptr_t offset = (uintptr_t)pending->pod - (uintptr_t)pods->items;

        if (offset / sizeof(Pod) < pods->count)
            bitset_set(batch, (uint32_t)(offset / sizeof(Pod)));
    }
    return batch;
}

typedef Vec(BoundOwner *) BoundOwnerVec;

// The owner of a bound pod's anti-affinity.
static BoundOwner *bound_owner(Solver *solver, BoundOwnerVec *owners, IndexMap *index, const Pod *pod) {
    uint64_t hash = pod_spec_id(pod);
    uint32_t cursor = 0, found;
    BoundOwner *owner;

    while (owners->count && (found = index_map_next(index, hash, &cursor)) != INDEX_NONE) {
        owner = owners->items[found];
        if (owner->first->spec != pod->spec || owner->first->ns != pod->ns)
            continue;
        if (pod_order(solver->universe.symbols, pod, owner->first) < 0)
            owner->first = pod;
        return owner;
    }
    owner = arena_new(solver->arena, BoundOwner);
    owner->first = pod;
    index_map_add(solver->arena, index, hash, owners->count);
    vec_push(solver->arena, owners, owner);
    return owner;
}

static int compare_owners(const void *a, const void *b, void *symbols) {
    const BoundOwner *const *x = a, *const *y = b;

    return pod_order(symbols, (*x)->first, (*y)->first);
}

// --- namespaces of the pods that are placed

typedef struct {
    Symbol name;
    const Labels *labels; // NULL: the cluster has no such Namespace
    uint64_t reached_by;  // the last term that reaches it (BoundRules.terms)
} Space;

// A rule against any pod of a namespace, for rules that are not read.
typedef struct {
    uint32_t group;
    const BoundOwner *last; // the last owner that was counted for it
} RestRule;

typedef struct {
    Solver *solver;
    Vec(Space) spaces;
    IndexMap space_index; // name to index into `spaces`
    uint64_t terms;       // that were looked at
    IndexMap made;        // namespace of owners to the number of groups that their rules have made
    Vec(RestRule) rests;
    IndexMap rest_index; // topology key << 32 | namespace to index into `rests`
} BoundRules;

// NULL: no pending pod is in the namespace.
static Space *find_space(const BoundRules *rules, Symbol name) {
    uint32_t found = u64_map_get(&rules->space_index, name);

    return found == INDEX_NONE ? NULL : &rules->spaces.items[found];
}

static void find_spaces(BoundRules *rules) {
    Solver *solver = rules->solver;
    const ClassTable *classes = &solver->classes;

    for (uint32_t i = 0; i < classes->pending_label_classes; i++) {
        Symbol name = classes->label_classes.items[i].ns;

        if (find_space(rules, name))
            continue;
        u64_map_put(solver->arena, &rules->space_index, name, rules->spaces.count);
        vec_push(solver->arena, &rules->spaces, (Space){.name = name});
    }
    for (vec_each(const Namespace, space, &solver->input->cluster->namespaces)) {
        Space *found = find_space(rules, space->meta.name);

        if (found)
            found->labels = &space->meta.labels;
    }
}

static bool selects_space(const LabelSelector *selector, const Space *space) {
    return !selector->expressions.count || (space->labels && selector_matches(selector, space->labels));
}

static void reach(Arena *scratch, const BoundRules *rules, Space *space, SymbolVec *reached) {
    if (!space || space->reached_by == rules->terms)
        return;
    space->reached_by = rules->terms;
    vec_push(scratch, reached, space->name);
}

// The namespaces of pending pods that a term of a pod reaches.
static SymbolVec find_reached(Arena *scratch, BoundRules *rules, const Pod *pod, const PodAffinityTerm *term) {
    SymbolVec reached = {0};

    rules->terms++;
    if (!term->namespace_selector && !term->namespaces.count)
        reach(scratch, rules, find_space(rules, pod->ns), &reached);
    for (vec_each(const Symbol, name, &term->namespaces))
        reach(scratch, rules, find_space(rules, *name), &reached);
    for (uint32_t i = 0; term->namespace_selector && i < rules->spaces.count; i++) {
        if (selects_space(term->namespace_selector, &rules->spaces.items[i]))
            reach(scratch, rules, &rules->spaces.items[i], &reached);
    }
    return reached;
}

// --- groups

// Steps of the budget: for a rule that becomes a group, for a word of it, and for a namespace that it may reach.
enum { RULE_STEPS = BUDGET_STEPS_PER_US, WORD_STEPS = BUDGET_STEPS_PER_US / 5, SPACE_STEPS = 10 };

static bool spend_on_reach(const BoundRules *rules, const PodAffinityTerm *term) {
    return budget_spend(&rules->solver->budget, SPACE_STEPS * (4 + (uint64_t)term->namespaces.count +
                                                               (term->namespace_selector ? rules->spaces.count : 0)));
}

static void spend_on_rule(const BoundRules *rules, const PodAffinityTerm *term) {
    uint64_t words = term->namespaces.count;

    for (uint32_t i = 0; term->selector && i < term->selector->expressions.count; i++)
        words += 1 + term->selector->expressions.items[i].values.count;
    budget_spend(&rules->solver->budget, RULE_STEPS + WORD_STEPS * words);
}

// The term as far as it is about pods that wait, in words that are few where there are many Namespaces.
static PodAffinityTerm narrowed(const BoundRules *rules, const PodAffinityTerm *term, const SymbolVec *reached) {
    static const LabelSelector everywhere;
    PodAffinityTerm narrow = *term;
    bool all = term->namespace_selector && reached->count == rules->spaces.count;

    narrow.namespace_selector = all ? &everywhere : NULL;
    narrow.namespaces = all ? (SymbolVec){0} : *reached;
    return narrow;
}

// Makes the group of a rule; false: the rules of the pod's namespace have made as many as they may.
static bool read_rule(BoundRules *rules, BoundOwner *owner, const PodAffinityTerm *term) {
    Solver *solver = rules->solver;
    uint32_t made = u64_map_get(&rules->made, owner->first->ns), before = solver->topology.groups.count;

    made = made == INDEX_NONE ? 0 : made;
    if (made >= BOUND_RULES_MAX)
        return false;
    spend_on_rule(rules, term);
    vec_push(solver->arena, &owner->groups,
             topology_affinity_group(&solver->topology, owner->first->ns, GROUP_INVERSE, term->topology_key, term, 1));
    if (solver->topology.groups.count > before)
        u64_map_put(solver->arena, &rules->made, owner->first->ns, made + 1);
    return true;
}

static uint32_t rest_group(Solver *solver, Symbol topology_key, Symbol ns) {
    static const LabelSelector any_pod;
    PodAffinityTerm term = {.topology_key = topology_key, .selector = &any_pod};

    return topology_affinity_group(&solver->topology, ns, GROUP_INVERSE, topology_key, &term, 1);
}

static void keep_off(BoundRules *rules, BoundOwner *owner, Symbol topology_key, Symbol ns) {
    Arena *arena = rules->solver->arena;
    uint64_t id = (uint64_t)topology_key << 32 | ns;
    uint32_t found = u64_map_get(&rules->rest_index, id);
    RestRule *rest;

    if (found == INDEX_NONE) {
        found = rules->rests.count;
        u64_map_put(arena, &rules->rest_index, id, found);
        vec_push(arena, &rules->rests, (RestRule){.group = rest_group(rules->solver, topology_key, ns)});
    }
    rest = &rules->rests.items[found];
    if (rest->last == owner)
        return;
    rest->last = owner;
    vec_push(arena, &owner->groups, rest->group);
}

// Counts a rule that is not read as one against all pods of what it reaches.
static void add_rest(BoundRules *rules, BoundOwner *owner, const PodAffinityTerm *term, const SymbolVec *reached) {
    for (vec_each(const Symbol, ns, reached))
        keep_off(rules, owner, term->topology_key, *ns);
}

// False: the budget is used up.
static bool make_groups(BoundRules *rules, BoundOwner *owner) {
    const Pod *pod = owner->first;
    const PodAffinityTermVec *terms = &pod->spec->anti_affinity.required;
    const ClassTable *classes = &rules->solver->classes;
    bool unread = u64_map_get(&classes->unread, pod_spec_id(pod)) != INDEX_NONE, rest = false;
    uint32_t read = unread ? 0 : pod_anti_affinity_read(pod->spec);

    for (uint32_t i = 0; i < terms->count; i++) {
        const PodAffinityTerm *term = &terms->items[i];
        Arena scratch = {0};
        PodAffinityTerm narrow;
        SymbolVec reached;

        if (!class_table_counts_key(classes, term->topology_key))
            continue; // no node has the label
        if (!spend_on_reach(rules, term))
            return false;
        reached = find_reached(&scratch, rules, pod, term);
        narrow = narrowed(rules, term, &reached);
        if (term->selector && reached.count && (i >= read || !read_rule(rules, owner, &narrow))) {
            add_rest(rules, owner, term, &reached);
            rest = true;
        }
        arena_free(&scratch);
    }
    if (rest)
        vec_push(rules->solver->arena, &rules->solver->read_in_part, pod);
    return true;
}

// Makes the groups of the owners' rules, in the order of pods: what is summed up group by group must not depend on the
// order of the input.
static void make_owners_groups(Solver *solver, BoundOwnerVec *owners) {
    BoundRules rules = {.solver = solver};
    bool going = true;

    if (owners->count > 1)
        qsort_r(owners->items, owners->count, sizeof *owners->items, compare_owners,
                (void *)(uintptr_t)solver->universe.symbols);
    find_spaces(&rules);
    for (uint32_t i = 0; i < owners->count && going; i++)
        going = make_groups(&rules, owners->items[i]);
}

void solver_find_bound(Solver *solver, BoundPod **ret_bound) {
    const PodVec *pods = &solver->input->cluster->pods;
    const uint64_t *batch;
    BoundOwnerVec owners = {0};
    IndexMap index = {0};
    BoundPod *bound;

    *ret_bound = NULL;
    if (!solver->classes.has_rules)
        return;
    batch = solver_find_batch(solver);
    bound = arena_array(solver->arena, BoundPod, pods->count);
    for (uint32_t i = 0; i < pods->count; i++) {
        const Pod *pod = &pods->items[i];

        if (i + AHEAD < pods->count) // labels are scattered in memory
            __builtin_prefetch(pods->items[i + AHEAD].labels.items);
        bound[i].label_class = INDEX_NONE;
        if (pod_node(pod) == NAME_EMPTY || pod->deleting || bitset_has(batch, i))
            continue;
        bound[i].label_class = label_class_of(&solver->classes, pod->ns, &pod->labels);
        if (pod->spec->anti_affinity.required.count)
            bound[i].owner = bound_owner(solver, &owners, &index, pod);
    }
    make_owners_groups(solver, &owners);
    *ret_bound = bound;
}
