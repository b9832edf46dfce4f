// Spread, affinity and anti-affinity for one more pod, the stricter of Karpenter's and kube-scheduler's rules.
#include "checker/place.h"
#include "checker/topology.h"

// The label at the place, after narrowing.
static LabelStates label_at(const Place *place, const StateTable *narrowed, Symbol key) {
    const LabelStates *states = judge_table_get(narrowed, key);

    return states ? *states : judge_shape_get(place->scene->world, place->shape, key);
}

// The value of a label at the place; the hostname of a new node is unique.
static Symbol value_at_place(const Place *place, const StateTable *narrowed, Symbol key) {
    LabelStates states;

    if (key == place->scene->hostname_key)
        return place->bin == INDEX_NONE ? judge_symbol(place->scene->world, "(fresh node)")
                                        : place->scene->bins.items[place->bin].hostname;
    states = label_at(place, narrowed, key);
    return judge_states_only_value(&states);
}

static void add_key(Scene *scene, U32Vec *keys, Symbol key) {
    if (key != scene->hostname_key && !judge_symbols_contain(keys, key))
        vec_push(scene->world->arena, keys, key);
}

// Topology keys, other than the hostname, of the rules that concern pods of the class.
static U32Vec rule_keys(Scene *scene, const PodClass *class, bool *ret_any) {
    World *world = scene->world;
    U32Vec keys = {0};

    *ret_any = class->spreads.count + class->affinity.count + class->anti_affinity.count > 0;
    for (vec_each(const Spread, spread, &class->spreads))
        add_key(scene, &keys, spread->key);
    for (vec_each(const AffinityTerm, term, &class->affinity))
        add_key(scene, &keys, term->key);
    for (vec_each(const AffinityTerm, term, &class->anti_affinity))
        add_key(scene, &keys, term->key);
    for (vec_each(PodClass, other, &world->classes)) {
        for (vec_each(AffinityTerm, term, &other->anti_affinity)) {
            if (!judge_term_matches(world, term, class))
                continue;
            *ret_any = true;
            add_key(scene, &keys, term->key);
        }
    }
    return keys;
}

bool judge_place_has_topology(Scene *scene, const PodClass *class) {
    bool any;

    rule_keys(scene, class, &any);
    return any;
}

// ---- anti-affinity and affinity

static bool is_beside(const Place *place, const Group *group, Symbol key, Symbol value) {
    Domain domain = judge_scene_domain(place->scene, group->bin, key);

    return group->bin == place->bin || judge_domain_has(&domain, value);
}

static bool is_kept_away(const Place *place, const StateTable *narrowed) {
    Scene *scene = place->scene;
    World *world = scene->world;

    for (vec_each(const AffinityTerm, term, &place->class->anti_affinity)) {
        Symbol value = value_at_place(place, narrowed, term->key);

        for (vec_each(Group, group, &scene->groups)) {
            if (judge_term_matches(world, term, &world->classes.items[group->class_index]) &&
                is_beside(place, group, term->key, value))
                return true;
        }
    }
    for (vec_each(Group, group, &scene->groups)) {
        for (vec_each(AffinityTerm, term, &world->classes.items[group->class_index].anti_affinity)) {
            if (judge_term_matches(world, term, place->class) &&
                is_beside(place, group, term->key, value_at_place(place, narrowed, term->key)))
                return true;
        }
    }
    return false;
}

static bool finds_term(const Place *place, const AffinityTerm *term, Symbol value) {
    Scene *scene = place->scene;

    for (vec_each(Group, group, &scene->groups)) {
        Domain domain;

        if (group->is_terminating || !judge_all_terms_match(scene->world, &place->class->affinity,
                                                            &scene->world->classes.items[group->class_index]))
            continue;
        domain = judge_scene_domain(scene, group->bin, term->key);
        if (group->bin == place->bin || judge_domain_only(&domain) == value)
            return true;
    }
    return false;
}

static bool anybody_matches(const Place *place, const AffinityTerm *term) {
    Scene *scene = place->scene;

    for (vec_each(Group, group, &scene->groups)) {
        if (judge_term_matches(scene->world, term, &scene->world->classes.items[group->class_index]))
            return true;
    }
    return false;
}

static bool finds_company(const Place *place, const StateTable *narrowed) {
    const AffinityTermVec *terms = &place->class->affinity;
    bool all = true, nobody = judge_all_terms_match(place->scene->world, terms, place->class);

    for (vec_each(const AffinityTerm, term, terms)) {
        all = all && finds_term(place, term, value_at_place(place, narrowed, term->key));
        nobody = nobody && !anybody_matches(place, term);
    }
    return all || nobody;
}

// ---- spread

// Whether pods of that bin may count, for claims also if it depends on what is launched. Unlike kube-scheduler,
// Karpenter also counts nodes that lack the key of another constraint.
static bool may_count_bin(const Place *place, const Spread *spread, uint32_t index) {
    Scene *scene = place->scene;
    const Bin *bin = &scene->bins.items[index];

    if (bin->node)
        return judge_spread_policies_hold(scene, place->pod->class_index, spread, index);
    if (spread->honor_taints && judge_taint_in_the_way(scene->world, place->class, judge_bin_taints(bin)))
        return false;
    if (!spread->honor_affinity || judge_scene_class_holds(scene, place->pod->class_index, index))
        return true;
    for (vec_each(Candidate, candidate, &scene->launches.items[bin->launch].candidates)) {
        Shape shape = {&bin->claim->states, &candidate->offering->states, NULL};

        if (judge_class_can_hold_on(scene->world, place->class, NULL, &shape, true, NULL))
            return true;
    }
    return false;
}

// Whether some term of the pod's node affinity allows that value of the key.
static bool pod_allows(World *world, const PodClass *class, Symbol key, Symbol value) {
    bool any = !class->has_terms;

    for (vec_each(const Label, label, &class->node_selector)) {
        if (label->key == key && label->value != value)
            return false;
    }
    for (vec_each(const NodeTerm, term, &class->terms)) {
        bool allows = true;

        for (vec_each(const Expression, expression, &term->expressions))
            allows =
                allows && (expression->key != key || judge_states_have(&world->symbols, &expression->states, value));
        any |= allows;
    }
    return any;
}

static void add_values(const Place *place, const Spread *spread, const LabelStates *states, U32Vec *universe) {
    World *world = place->scene->world;

    for (uint32_t i = 0; !states->others && i < states->values.count; i++) {
        Symbol value = states->values.items[i];

        if (!judge_symbols_contain(universe, value) &&
            (!spread->honor_affinity || pod_allows(world, place->class, spread->key, value)))
            vec_push(world->arena, universe, value);
    }
}

U32Vec judge_spread_universe(const Place *place, const Spread *spread) {
    Scene *scene = place->scene;
    World *world = scene->world;
    U32Vec universe = {0};

    for (vec_each(Pool, pool, &world->pools)) {
        if (pool->is_static || !pool->is_ready ||
            (spread->honor_taints && judge_taint_in_the_way(world, place->class, &pool->taints)))
            continue;
        for (vec_each(Type, type, &world->types)) {
            Shape shape = {&pool->states, &type->states, NULL};
            LabelStates states = judge_shape_get(world, &shape, spread->key);

            if (judge_shape_is_possible(world, &shape))
                add_values(place, spread, &states, &universe);
        }
    }
    for (uint32_t bin = 0; bin < scene->bins.count; bin++) {
        Domain domain = judge_scene_domain(scene, bin, spread->key);
        LabelStates states = {.values = domain.values};

        if (may_count_bin(place, spread, bin))
            add_values(place, spread, &states, &universe);
    }
    return universe;
}

// The number of matching pods in a domain at the end: the least, or the most if some bins are undecided.
static int64_t spread_count(const Place *place, const Spread *spread, Symbol value, bool at_most) {
    Scene *scene = place->scene;
    int64_t count = 0;

    for (vec_each(Group, group, &scene->groups)) {
        Domain domain;

        if (group->is_terminating ||
            !judge_spread_matches(scene->world, spread, place->class, &scene->world->classes.items[group->class_index]))
            continue;
        domain = judge_scene_domain(scene, group->bin, spread->key);
        if (at_most ? judge_domain_has(&domain, value) && may_count_bin(place, spread, group->bin)
                    : judge_domain_only(&domain) == value &&
                          judge_spread_counts_bin(scene, place->pod->class_index, spread, group->bin))
            count += group->count;
    }
    return count;
}

static bool stays_level(const Place *place, const StateTable *narrowed, const Spread *spread) {
    Scene *scene = place->scene;
    Symbol value = value_at_place(place, narrowed, spread->key);
    int64_t self = judge_spread_matches(scene->world, spread, place->class, place->class), minimum = INT64_MAX;
    U32Vec universe;

    if (spread->key == scene->hostname_key)
        return spread_count(place, spread, value, true) + self <= spread->max_skew;
    universe = judge_spread_universe(place, spread);
    if (!judge_symbols_contain(&universe, value))
        return false;
    for (uint32_t i = 0; i < universe.count; i++) {
        int64_t count = spread_count(place, spread, universe.items[i], false);

        minimum = count < minimum ? count : minimum;
    }
    if (universe.count < spread->min_domains)
        minimum = 0;
    return spread_count(place, spread, value, true) + self - minimum <= spread->max_skew;
}

// ---- all of them

static bool is_met(const Place *place, const StateTable *narrowed) {
    if (is_kept_away(place, narrowed))
        return false;
    if (place->class->affinity.count && !finds_company(place, narrowed))
        return false;
    for (vec_each(const Spread, spread, &place->class->spreads)) {
        if (!stays_level(place, narrowed, spread))
            return false;
    }
    return true;
}

// Tries each value of undecided labels that the rules use.
static bool try_values(const Place *place, const StateTable *narrowed, const U32Vec *keys, uint32_t at) {
    World *world = place->scene->world;
    LabelStates states;

    if (at == keys->count)
        return is_met(place, narrowed);
    states = label_at(place, narrowed, keys->items[at]);
    if (states.missing || states.others)
        return false; // a node without the label, or with an unknown value
    for (uint32_t i = 0; i < states.values.count; i++) {
        StateTable pinned = {0};
        LabelStates one = judge_states_value(world->arena, states.values.items[i]);

        for (vec_each(const KeyStates, entry, narrowed))
            vec_push(world->arena, &pinned, *entry);
        judge_table_narrow(world->arena, &world->symbols, &pinned, keys->items[at], &one);
        if (try_values(place, &pinned, keys, at + 1))
            return true;
    }
    return false;
}

bool judge_place_meets_topology(const Place *place, const StateTable *narrowed) {
    bool any;
    U32Vec keys = rule_keys(place->scene, place->class, &any);

    return !any || try_values(place, narrowed, &keys, 0);
}
