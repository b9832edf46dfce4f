// Rules between nodes, and cells: what the rules read of a node.
#include "exact/problem.h"

static uint32_t key_index(Problem *problem, Symbol key) {
    for (uint32_t i = 0; i < problem->keys.count; i++) {
        if (problem->keys.items[i] == key)
            return i;
    }
    vec_push(problem->world.arena, &problem->keys, key);
    return problem->keys.count - 1;
}

static uint32_t items_of_class(const Problem *problem, uint32_t class_index) {
    uint32_t items = 0;

    for (uint32_t i = 0; i < problem->items.count; i++)
        items |= problem->items.items[i].class_index == class_index ? UINT32_C(1) << i : 0;
    return items;
}

static uint32_t bin_domain(Problem *problem, uint32_t bin, Symbol key) {
    Domain domain = judge_scene_domain(&problem->scene, bin, key);

    if (domain.missing || (!domain.open && domain.values.count == 0))
        return DOMAIN_ABSENT;
    return judge_domain_only(&domain) == INDEX_NONE ? DOMAIN_OPEN : judge_domain_only(&domain);
}

// ---- spreads

static bool pool_opens(World *world, const Pool *pool, Symbol key, uint32_t domain) {
    for (vec_each(Type, type, &world->types)) {
        for (vec_each(Offering, offering, &type->offerings)) {
            Shape shape = {&pool->states, &offering->states, NULL};
            LabelStates states = judge_shape_get(world, &shape, key);

            if (offering->is_available && judge_states_have(&world->symbols, &states, domain) &&
                judge_shape_is_possible(world, &shape))
                return true;
        }
    }
    return false;
}

// Whether a node is in the domain, or some pool has an offering there: what types could have elsewhere, as upstream
// looks at it (reference scheduling.md 5.6), makes no domain in which a node can ever be.
static bool is_open(Problem *problem, const PodClass *class, const Spread *spread, uint32_t domain) {
    World *world = &problem->world;

    for (uint32_t bin = 0; bin < problem->scene.bins.count; bin++) {
        uint32_t at = bin_domain(problem, bin, spread->key);

        if (at == domain || at == DOMAIN_OPEN)
            return true;
    }
    for (vec_each(Pool, pool, &world->pools)) {
        if (pool->is_ready && !pool->is_static &&
            !(spread->honor_taints && judge_taint_in_the_way(world, class, &pool->taints)) &&
            pool_opens(world, pool, spread->key, domain))
            return true;
    }
    return false;
}

static void set_reach(Problem *problem, uint32_t item, SpreadRule *rule) {
    uint32_t kept = 0;
    Shape none = {0};
    Place place = {&problem->scene, problem->items.items[item].pod, item_class(problem, item), &none, INDEX_NONE};

    if (problem->question->plans == EXACT_PROMISED)
        rule->reachable = judge_spread_universe(&place, rule->spread);
    for (vec_each(const uint32_t, domain, &rule->reachable)) {
        if (is_open(problem, place.class, rule->spread, *domain))
            rule->reachable.items[kept++] = *domain;
    }
    rule->reachable.count = kept;
}

static void add_spread(Problem *problem, uint32_t item, const Spread *spread) {
    const PodClass *class = item_class(problem, item);
    SpreadRule rule = {.class_index = problem->items.items[item].class_index, .spread = spread};

    for (vec_each(SpreadRule, known, &problem->spreads)) {
        if (known->spread->identity == spread->identity)
            return;
    }
    if (problem->spreads.count == 64) {
        problem->too_large = "too many spreads";
        return;
    }
    rule.key = key_index(problem, spread->key);
    for (uint32_t i = 0; i < problem->items.count; i++) {
        bool matches = judge_spread_matches(&problem->world, spread, class, item_class(problem, i));

        rule.matched |= matches ? UINT32_C(1) << i : 0;
        for (vec_each(Spread, other, &item_class(problem, i)->spreads))
            rule.owners |= other->identity == spread->identity ? UINT32_C(1) << i : 0;
    }
    set_reach(problem, item, &rule);
    vec_push(problem->world.arena, &problem->spreads, rule);
}

int64_t exact_bound_in(Problem *problem, const SpreadRule *rule, uint32_t domain, bool *ret_exists) {
    const PodClass *class = &problem->world.classes.items[rule->class_index];
    int64_t count = 0;

    for (vec_each(Group, group, &problem->scene.groups)) {
        Domain at = judge_scene_domain(&problem->scene, group->bin, rule->spread->key);

        if (!group->is_terminating && judge_domain_only(&at) == domain &&
            judge_spread_matches(&problem->world, rule->spread, class,
                                 &problem->world.classes.items[group->class_index]) &&
            judge_spread_counts_bin(&problem->scene, rule->class_index, rule->spread, group->bin))
            count += group->count;
    }
    *ret_exists = count > 0;
    for (uint32_t bin = 0; bin < problem->world.nodes.count; bin++) {
        Domain at = judge_scene_domain(&problem->scene, bin, rule->spread->key);

        *ret_exists |= !problem->world.nodes.items[bin].is_deleting && judge_domain_only(&at) == domain &&
                       judge_spread_counts_bin(&problem->scene, rule->class_index, rule->spread, bin);
    }
    return count;
}

// ---- anti-affinity

static void forbid(Problem *problem, uint32_t key, uint32_t domain, uint32_t item) {
    if (domain != DOMAIN_ABSENT && domain != DOMAIN_OPEN)
        vec_push(problem->world.arena, &problem->forbidden, (Forbidden){key, domain, UINT32_C(1) << item});
}

// The key of a rule, and the domain of a bound pod under it: the node itself for the hostname.
static void forbid_beside(Problem *problem, const Group *group, Symbol key, uint32_t item) {
    if (key == problem->scene.hostname_key)
        forbid(problem, INDEX_NONE, group->bin, item);
    else
        forbid(problem, key_index(problem, key), bin_domain(problem, group->bin, key), item);
}

static void add_bound_antis(Problem *problem, uint32_t item) {
    World *world = &problem->world;
    const PodClass *class = item_class(problem, item);

    for (vec_each(Group, group, &problem->scene.groups)) {
        const PodClass *bound = &world->classes.items[group->class_index];

        if (group->is_terminating)
            continue;
        for (vec_each(const AffinityTerm, term, &class->anti_affinity)) {
            if (judge_term_matches(world, term, bound))
                forbid_beside(problem, group, term->key, item);
        }
        for (vec_each(const AffinityTerm, term, &bound->anti_affinity)) {
            if (judge_term_matches(world, term, class))
                forbid_beside(problem, group, term->key, item);
        }
    }
}

static void add_antis(Problem *problem, uint32_t item) {
    World *world = &problem->world;

    add_bound_antis(problem, item);
    for (vec_each(AffinityTerm, term, &item_class(problem, item)->anti_affinity)) {
        AntiRule rule = {0};

        if (term->key == problem->scene.hostname_key)
            continue;
        rule.key = key_index(problem, term->key);
        rule.owners = items_of_class(problem, problem->items.items[item].class_index);
        for (uint32_t i = 0; i < problem->items.count; i++)
            rule.matched |= judge_term_matches(world, term, item_class(problem, i)) ? UINT32_C(1) << i : 0;
        if (rule.matched)
            vec_push(world->arena, &problem->antis, rule);
    }
}

// ---- affinity

static bool has_any_key(Problem *problem, uint32_t bin, const AffinityTermVec *terms) {
    for (vec_each(const AffinityTerm, term, terms)) {
        if (bin_domain(problem, bin, term->key) != DOMAIN_ABSENT)
            return true;
    }
    return false;
}

// Whether two classes have equal affinity: then one first pod serves both.
static bool wants_the_same(const Problem *problem, const PodClass *one, const PodClass *other) {
    const World *world = &problem->world;

    if (one->affinity.count != other->affinity.count)
        return false;
    for (uint32_t i = 0; i < one->affinity.count; i++) {
        if (one->affinity.items[i].key != other->affinity.items[i].key)
            return false;
    }
    for (vec_each(const PodClass, class, &world->classes)) {
        if (judge_all_terms_match(world, &one->affinity, class) !=
            judge_all_terms_match(world, &other->affinity, class))
            return false;
    }
    return true;
}

// Adds a rule, once for all classes that want the same.
static void add_affinity(Problem *problem, AffinityRule rule) {
    for (vec_each(const AffinityRule, known, &problem->affinities)) {
        if (known->key == rule.key && known->owners == rule.owners && known->others == rule.others)
            return;
    }
    vec_push(problem->world.arena, &problem->affinities, rule);
}

static void add_affinities(Problem *problem, uint32_t item) {
    World *world = &problem->world;
    const PodClass *class = item_class(problem, item);
    AffinityRule rule = {0};

    for (uint32_t i = 0; i < problem->items.count; i++) {
        bool matches = judge_all_terms_match(world, &class->affinity, item_class(problem, i));

        if (wants_the_same(problem, class, item_class(problem, i))) {
            rule.owners |= UINT32_C(1) << i;
            rule.may_start |= matches;
        } else if (matches) {
            rule.others |= UINT32_C(1) << i;
        }
    }
    for (vec_each(Group, group, &problem->scene.groups)) {
        if (judge_all_terms_match(world, &class->affinity, &world->classes.items[group->class_index]) &&
            !group->is_terminating && has_any_key(problem, group->bin, &class->affinity))
            rule.may_start = false;
    }
    for (vec_each(const AffinityTerm, term, &class->affinity)) {
        bool is_host = term->key == problem->scene.hostname_key;

        rule.key = is_host ? INDEX_NONE : key_index(problem, term->key);
        rule.seeds = (U32Vec){0};
        for (vec_each(Group, group, &problem->scene.groups)) {
            if (judge_all_terms_match(world, &class->affinity, &world->classes.items[group->class_index]) &&
                (!group->is_terminating || problem->question->plans == EXACT_ALL_VALID))
                vec_push(world->arena, &rule.seeds, is_host ? group->bin : bin_domain(problem, group->bin, term->key));
        }
        add_affinity(problem, rule);
    }
}

static bool is_first_of_class(const Problem *problem, uint32_t item) {
    uint32_t items = items_of_class(problem, problem->items.items[item].class_index);

    return (items & ((UINT32_C(1) << item) - 1)) == 0;
}

void exact_make_rules(Problem *problem) {
    for (uint32_t i = 0; i < problem->items.count; i++) {
        for (vec_each(Spread, spread, &item_class(problem, i)->spreads)) {
            if (spread->key != problem->scene.hostname_key)
                add_spread(problem, i, spread);
        }
        if (is_first_of_class(problem, i)) {
            add_antis(problem, i);
            if (item_class(problem, i)->affinity.count)
                add_affinities(problem, i);
        } else {
            add_bound_antis(problem, i);
        }
    }
}

// ---- cells

uint32_t exact_cell(Problem *problem, const Cell *cell) {
    for (vec_each(Cell, known, &problem->cells)) {
        bool equal = known->counted == cell->counted;

        for (uint32_t i = 0; equal && i < problem->keys.count; i++)
            equal = known->domains.items[i] == cell->domains.items[i];
        if (equal)
            return (uint32_t)(known - problem->cells.items);
    }
    vec_push(problem->world.arena, &problem->cells, *cell);
    return problem->cells.count - 1;
}

uint32_t exact_node_cell(Problem *problem, uint32_t node) {
    Cell cell = {0};

    for (uint32_t i = 0; i < problem->keys.count; i++)
        vec_push(problem->world.arena, &cell.domains, bin_domain(problem, node, problem->keys.items[i]));
    for (uint32_t i = 0; i < problem->spreads.count; i++) {
        const SpreadRule *rule = &problem->spreads.items[i];

        if (judge_spread_counts_bin(&problem->scene, rule->class_index, rule->spread, node))
            cell.counted |= UINT64_C(1) << i;
    }
    return exact_cell(problem, &cell);
}

static uint32_t shape_domain(Problem *problem, const Shape *shape, Symbol key) {
    LabelStates states = judge_shape_get(&problem->world, shape, key);

    if (states.missing || (!states.others && states.values.count == 0))
        return DOMAIN_ABSENT;
    return judge_states_only_value(&states) == INDEX_NONE ? DOMAIN_OPEN : judge_states_only_value(&states);
}

static bool counts_way(Problem *problem, const Family *family, const Shape *shape, const SpreadRule *rule) {
    World *world = &problem->world;
    const PodClass *class = &world->classes.items[rule->class_index];

    for (vec_each(Spread, other, &class->spreads)) {
        if (other->key != problem->scene.hostname_key && shape_domain(problem, shape, other->key) == DOMAIN_ABSENT)
            return false;
    }
    if (rule->spread->honor_affinity && !judge_class_holds_on(world, class, shape))
        return false;
    return !rule->spread->honor_taints || !judge_taint_in_the_way(world, class, &family->claim->pool->taints);
}

uint32_t exact_way_cell(Problem *problem, const Family *family, const Offering *offering) {
    Shape shape = {&family->claim->states, &offering->states, NULL};
    Cell cell = {0};

    for (uint32_t i = 0; i < problem->keys.count; i++)
        vec_push(problem->world.arena, &cell.domains, shape_domain(problem, &shape, problem->keys.items[i]));
    for (uint32_t i = 0; i < problem->spreads.count; i++) {
        if (counts_way(problem, family, &shape, &problem->spreads.items[i]))
            cell.counted |= UINT64_C(1) << i;
    }
    return exact_cell(problem, &cell);
}

// The cell of a claim that may be launched in either of two.
uint32_t exact_joint_cell(Problem *problem, uint32_t one, uint32_t other) {
    Cell cell = {0};

    if (one == other)
        return one;
    for (uint32_t i = 0; i < problem->keys.count; i++) {
        uint32_t a = problem->cells.items[one].domains.items[i], b = problem->cells.items[other].domains.items[i];

        vec_push(problem->world.arena, &cell.domains, a == b ? a : DOMAIN_OPEN);
    }
    cell.counted = problem->cells.items[one].counted & problem->cells.items[other].counted;
    return exact_cell(problem, &cell);
}

uint32_t exact_kept_out(const Problem *problem, uint32_t cell, uint32_t node) {
    const U32Vec *domains = &problem->cells.items[cell].domains;
    uint32_t out = 0;

    for (vec_each(const Forbidden, entry, &problem->forbidden)) {
        if (entry->key == INDEX_NONE ? entry->domain == node : entry->domain == domains->items[entry->key])
            out |= entry->items;
    }
    for (vec_each(const SpreadRule, rule, &problem->spreads)) {
        if (domains->items[rule->key] == DOMAIN_ABSENT || domains->items[rule->key] == DOMAIN_OPEN)
            out |= rule->owners;
    }
    for (vec_each(const AffinityRule, rule, &problem->affinities)) {
        if (rule->key != INDEX_NONE && domains->items[rule->key] == DOMAIN_ABSENT)
            out |= rule->owners;
    }
    return out;
}
