// Variants of classes, and the topology groups of their rules.
//
// A pod with n preferences has n variants with up to n rules each. What they share is computed once per class: the
// groups of its rules, the label sets, the lists of tolerations. Which of the groups bind a variant is computed when
// the variant is first used, since most pods take the first variant.
#include "sched/input/class_variants.h"

#include "sched/input/group_index.h"

#include <stdlib.h>

// The preferences that are left of a pod after some steps of relaxation.
typedef struct {
    const PodSpec *spec;
    const TopologySpreadVec *spreads;
    bool respect, prefer_no_schedule;
    uint32_t *preferred_nodes, *preferred_affinity, *preferred_anti_affinity; // indexes of terms, heaviest first
    uint32_t first_term, node_at, affinity_at, anti_affinity_at;
    uint32_t *spread_order; // indexes of the spreads that are left
    uint32_t spread_count;
    bool tolerate; // PreferNoSchedule taints are tolerated
} Preferences;

// What all variants of a class share.
struct VariantMaker {
    ClassTable *table;
    PodClass *class;
    Preferences start;
    // Topology groups, parallel to the spreads, and to the preferred terms with the heaviest first.
    uint32_t *spreads, *preferred_affinity, *preferred_anti_affinity;
    U32Vec required;                // groups of required affinity and anti-affinity, without duplicates
    uint32_t tolerations, tolerant; // the pod's list, and that list with PreferNoSchedule tolerated
};

// Indexes 0..count-1, heaviest first, stable. Quadratic: preferences are few.
#define ORDER_BY_WEIGHT(arena, order, terms)                                                                           \
    do {                                                                                                               \
        (order) = arena_array((arena), uint32_t, (terms)->count);                                                      \
        for (uint32_t i_ = 0; i_ < (terms)->count; i_++) {                                                             \
            uint32_t at_ = i_;                                                                                         \
            for (; at_ > 0 && (terms)->items[(order)[at_ - 1]].weight < (terms)->items[i_].weight; at_--)              \
                (order)[at_] = (order)[at_ - 1];                                                                       \
            (order)[at_] = i_;                                                                                         \
        }                                                                                                              \
    } while (0)

static Preferences preferences_start(ClassTable *table, const PodClass *class) {
    const PodSpec *spec = class->pod->spec;
    Preferences preferences = {.spec = spec,
                               .spreads = class_table_spreads(table, table->pods[class->first]),
                               .respect = table->input->preferences == PREFERENCES_RESPECT || plan_weighs(table->input),
                               .prefer_no_schedule = table->prefer_no_schedule};

    ORDER_BY_WEIGHT(table->arena, preferences.preferred_nodes, &spec->preferred_node_terms);
    ORDER_BY_WEIGHT(table->arena, preferences.preferred_affinity, &spec->affinity.preferred);
    ORDER_BY_WEIGHT(table->arena, preferences.preferred_anti_affinity, &spec->anti_affinity.preferred);
    preferences.spread_order = arena_array(table->arena, uint32_t, preferences.spreads->count);
    for (uint32_t i = 0; i < preferences.spreads->count; i++) {
        if (preferences.respect || !preferences.spreads->items[i].schedule_anyway)
            preferences.spread_order[preferences.spread_count++] = i;
    }
    return preferences;
}

static bool relax_spread(Preferences *preferences) {
    for (uint32_t i = 0; i < preferences->spread_count; i++) {
        if (!preferences->spreads->items[preferences->spread_order[i]].schedule_anyway)
            continue;
        preferences->spread_order[i] = preferences->spread_order[--preferences->spread_count];
        return true;
    }
    return false;
}

// Drops the next preference in Karpenter's order; false when none is left. scheduling.md 5.8.
static bool relax(Preferences *preferences) {
    const PodSpec *spec = preferences->spec;

    if (preferences->first_term + 1 < spec->required_node_terms.count) {
        preferences->first_term++;
        return true;
    }
    if (preferences->respect) {
        if (preferences->affinity_at < spec->affinity.preferred.count)
            return ++preferences->affinity_at;
        if (preferences->anti_affinity_at < spec->anti_affinity.preferred.count)
            return ++preferences->anti_affinity_at;
        if (preferences->node_at < spec->preferred_node_terms.count)
            return ++preferences->node_at;
        if (relax_spread(preferences))
            return true;
    }
    if (preferences->prefer_no_schedule && !preferences->tolerate)
        return preferences->tolerate = true;
    return false;
}

// Adds the node selector and a required term; a number that no term has: none.
static void want_required(LabelSetBuilder *builder, const PodSpec *spec, uint32_t term) {
    label_set_and_labels(builder, &spec->node_selector);
    if (term < spec->required_node_terms.count)
        label_set_and_term(builder, &spec->required_node_terms.items[term].expressions);
}

static LabelSetId variant_labels(ClassTable *table, const Preferences *preferences) {
    const PodSpec *spec = preferences->spec;
    Arena scratch = {0};
    LabelSetBuilder builder = label_set_start(&scratch, table->universe);
    LabelSetId id;

    want_required(&builder, spec, preferences->first_term);
    if (preferences->respect && preferences->node_at < spec->preferred_node_terms.count)
        label_set_and_expressions(
            &builder,
            &spec->preferred_node_terms.items[preferences->preferred_nodes[preferences->node_at]].expressions);
    id = label_set_finish(&builder);
    arena_free(&scratch);
    return id;
}

static bool tolerations_equal(const TolerationVec *a, const TolerationVec *b) {
    if (a->count != b->count)
        return false;
    for (uint32_t i = 0; i < a->count; i++) {
        const Toleration *x = &a->items[i], *y = &b->items[i];

        if (x->key != y->key || x->value != y->value || x->op != y->op || x->effect != y->effect)
            return false;
    }
    return true;
}

static uint64_t tolerations_hash(const TolerationVec *tolerations) {
    uint64_t hash = 0;

    for (vec_each(const Toleration, toleration, tolerations))
        hash = hash_combine(hash_combine(hash, (uint64_t)toleration->key << 32 | toleration->value),
                            (uint64_t)toleration->op << 32 | toleration->effect);
    return hash;
}

// The index of a list of tolerations in the table, which is added when it is new.
static uint32_t tolerations_number(ClassTable *table, const TolerationVec *tolerations) {
    uint64_t hash = tolerations_hash(tolerations);
    uint32_t cursor = 0, found;

    while ((found = index_map_next(&table->toleration_index, hash, &cursor)) != INDEX_NONE) {
        if (tolerations_equal(&table->tolerations.items[found], tolerations))
            return found;
    }
    index_map_add(table->arena, &table->toleration_index, hash, table->tolerations.count);
    vec_push(table->arena, &table->tolerations, *tolerations);
    return table->tolerations.count - 1;
}

static uint32_t tolerant_number(ClassTable *table, const TolerationVec *own) {
    TolerationVec tolerations = {0};

    for (vec_each(const Toleration, toleration, own))
        vec_push(table->arena, &tolerations, *toleration);
    vec_push(table->arena, &tolerations, (Toleration){.op = TOLERATION_EXISTS, .effect = EFFECT_PREFER_NO_SCHEDULE});
    return tolerations_number(table, &tolerations);
}

// The key is not normalized: for topology rules kube-scheduler does not treat deprecated label names as the new ones.
static void require_key(LabelSetBuilder *builder, Symbol topology_key) {
    uint32_t key = universe_key(builder->universe, topology_key);
    uint64_t *mask = bitset_new(builder->scratch, builder->universe->keys.items[key].atoms);

    universe_expression_mask(builder->universe, key, &(Expression){.key = topology_key, .op = OP_EXISTS}, mask);
    label_set_and_mask(builder, key, mask);
}

// kube-scheduler counts only nodes that have the keys of all hard constraints of the pod. The group's own key needs no
// requirement: a node without it is in no domain.
static void require_other_keys(LabelSetBuilder *builder, const TopologySpreadVec *spreads, Symbol own) {
    for (vec_each(TopologySpread, spread, spreads)) {
        if (!spread->schedule_anyway && spread->topology_key != own && spread->topology_key != NAME_HOSTNAME)
            require_key(builder, spread->topology_key);
    }
}

// The labels that a node must have to be counted, with required node affinity term `term` (INDEX_NONE: no term).
static LabelSetId filter_term(ClassTable *table, const Preferences *preferences, const TopologySpread *spread,
                              uint32_t term) {
    Arena scratch = {0};
    LabelSetBuilder builder = label_set_start(&scratch, table->universe);
    LabelSetId id;

    require_other_keys(&builder, preferences->spreads, spread->topology_key);
    if (!spread->ignore_node_affinity)
        want_required(&builder, preferences->spec, term);
    id = label_set_finish(&builder);
    arena_free(&scratch);
    return id;
}

// The nodes that a spread counts: those that meet any required term of the pod, not only the variant's term.
// scheduling.md 11.
static uint32_t spread_filter(ClassTable *table, const Preferences *preferences, const TopologySpread *spread) {
    const PodSpec *spec = preferences->spec;
    NodeFilter filter = {.honor_taints = spread->honor_node_taints, .tolerations = &spec->tolerations};
    uint32_t terms = spread->ignore_node_affinity ? 0 : spec->required_node_terms.count;

    for (uint32_t i = 0; i < (terms ? terms : 1); i++)
        vec_push(table->arena, &filter.terms, filter_term(table, preferences, spread, terms ? i : INDEX_NONE));
    if (filter.terms.count == 1 && filter.terms.items[0] == LABEL_SET_EMPTY)
        filter.terms.count = 0;
    return topology_filter(table->topology, &filter);
}

// Steps charged to the budget: for a variant, and for a rule that is indexed.
enum { VARIANT_STEPS = BUDGET_STEPS_PER_US, RULE_STEPS = BUDGET_STEPS_PER_US / 20 };

static void add_unique(Arena *arena, U32Vec *list, uint32_t number) {
    if (!u32_vec_has(list, number))
        vec_push(arena, list, number);
}

static void require_group(VariantMaker *maker, uint32_t number) {
    maker->table->topology->groups.items[number].required = true;
    add_unique(maker->table->arena, &maker->required, number);
}

// All required affinity terms form one group per topology key: kube-scheduler wants pods that match every term.
static void find_required_affinity(VariantMaker *maker) {
    ClassTable *table = maker->table;
    const Pod *pod = maker->class->pod;
    const PodAffinityTermVec *terms = &pod->spec->affinity.required;
    U32Vec keys = {0};

    for (vec_each(PodAffinityTerm, term, terms)) {
        if (u32_vec_has(&keys, term->topology_key))
            continue;
        vec_push(table->arena, &keys, term->topology_key);
        require_group(maker, topology_affinity_group(table->topology, pod->ns, GROUP_AFFINITY, term->topology_key,
                                                     terms->items, terms->count));
    }
}

// Charges for one rule of a class and the row of label keys that it touches.
static void spend_on_rule(const ClassTable *table) {
    class_table_spend(table, RULE_STEPS + 2 * (uint64_t)table->universe->keys.count);
}

// The group of each term, in the given order (NULL: the order of the terms).
static uint32_t *find_terms(VariantMaker *maker, GroupKind kind, const PodAffinityTermVec *terms,
                            const uint32_t *order) {
    ClassTable *table = maker->table;
    uint32_t *groups = arena_array(table->arena, uint32_t, terms->count);

    for (uint32_t i = 0; i < terms->count; i++) {
        const PodAffinityTerm *term = &terms->items[order ? order[i] : i];

        spend_on_rule(table);
        groups[i] = topology_affinity_group(table->topology, maker->class->pod->ns, kind, term->topology_key, term, 1);
    }
    return groups;
}

static void find_spreads(VariantMaker *maker) {
    ClassTable *table = maker->table;
    const Preferences *start = &maker->start;

    maker->spreads = arena_array(table->arena, uint32_t, start->spreads->count);
    for (uint32_t i = 0; i < start->spread_count; i++) {
        uint32_t number = start->spread_order[i];
        const TopologySpread *spread = &start->spreads->items[number];

        spend_on_rule(table);
        maker->spreads[number] =
            topology_spread_group(table->topology, maker->class->pod->ns, spread, spread_filter(table, start, spread));
        table->topology->groups.items[maker->spreads[number]].required |= !spread->schedule_anyway;
    }
}

// Finds the groups of all rules of the class. Each variant is bound by some of them.
static void find_groups(VariantMaker *maker) {
    const PodSpec *spec = maker->start.spec;
    PodClass *class = maker->class;
    uint32_t *apart, *inverse;

    find_spreads(maker);
    find_required_affinity(maker);
    apart = find_terms(maker, GROUP_ANTI_AFFINITY, &spec->anti_affinity.required, NULL);
    for (uint32_t i = 0; i < spec->anti_affinity.required.count; i++)
        require_group(maker, apart[i]);
    if (maker->start.respect) {
        maker->preferred_affinity =
            find_terms(maker, GROUP_AFFINITY, &spec->affinity.preferred, maker->start.preferred_affinity);
        maker->preferred_anti_affinity = find_terms(maker, GROUP_ANTI_AFFINITY, &spec->anti_affinity.preferred,
                                                    maker->start.preferred_anti_affinity);
    }
    inverse = find_terms(maker, GROUP_INVERSE, &spec->anti_affinity.required, NULL);
    for (uint32_t i = 0; i < spec->anti_affinity.required.count; i++) {
        maker->table->topology->groups.items[inverse[i]].required = true;
        add_unique(maker->table->arena, &class->inverse, inverse[i]);
    }
}

// The bit of the rule against PreferNoSchedule taints; 0: the class has no such rule, or preferences are not weighed.
static uint32_t taints_bit(const PodClass *class) {
    for (uint32_t i = 0; i < class->preferred.count; i++) {
        if (class->preferred.items[i].kind == RULE_TAINTS)
            return preferred_rule_bit(i);
    }
    return 0;
}

// The labels and tolerations of a variant. `last`: the variant before, which often has the same labels.
static void add_variant(VariantMaker *maker, const Preferences *preferences, const Preferences *last) {
    PodClass *class = maker->class;
    const PodSpec *spec = preferences->spec;
    bool prefers = preferences->respect && preferences->node_at < spec->preferred_node_terms.count;
    bool same = last && last->first_term == preferences->first_term && last->node_at == preferences->node_at;
    LabelSetId labels = same ? vec_last(&class->variants)->labels : variant_labels(maker->table, preferences);

    vec_push(maker->table->arena, &class->variants,
             (Variant){.labels = labels,
                       .term = spec->required_node_terms.count ? preferences->first_term : INDEX_NONE,
                       .preferred = prefers ? preferences->preferred_nodes[preferences->node_at] : INDEX_NONE,
                       .tolerations = preferences->tolerate ? maker->tolerant : maker->tolerations,
                       .kept = preferences->tolerate ? 0 : taints_bit(class)});
}

// --- variants with PREFERENCES_WEIGH: for each set of preferred rules that is kept, a variant per required term

static void want_kept_terms(LabelSetBuilder *builder, const PodClass *class, uint32_t kept) {
    for (uint32_t i = 0; i < class->preferred.count; i++) {
        const PreferredRule *rule = &class->preferred.items[i];

        if (rule->kind == RULE_NODE_AFFINITY && kept & preferred_rule_bit(i))
            label_set_and_expressions(builder, &class->pod->spec->preferred_node_terms.items[rule->index].expressions);
    }
}

static LabelSetId kept_labels(const VariantMaker *maker, uint32_t kept, uint32_t term) {
    Arena scratch = {0};
    LabelSetBuilder builder = label_set_start(&scratch, maker->table->universe);
    LabelSetId id;

    want_required(&builder, maker->start.spec, term);
    want_kept_terms(&builder, maker->class, kept);
    id = label_set_finish(&builder);
    arena_free(&scratch);
    return id;
}

static uint32_t term_count(const PodClass *class) {
    uint32_t terms = class->pod->spec->required_node_terms.count;

    return terms ? terms : 1;
}

static void add_keeping(VariantMaker *maker, uint32_t kept) {
    PodClass *class = maker->class;
    uint32_t taints = taints_bit(class), tolerations = taints & ~kept ? maker->tolerant : maker->tolerations;

    class_table_spend(maker->table, VARIANT_STEPS * (uint64_t)term_count(class));
    for (uint32_t term = 0; term < term_count(class); term++)
        vec_push(maker->table->arena, &class->variants,
                 (Variant){.labels = kept_labels(maker, kept, term),
                           .term = class->pod->spec->required_node_terms.count ? term : INDEX_NONE,
                           .preferred = INDEX_NONE,
                           .tolerations = tolerations,
                           .kept = kept});
}

uint32_t class_variant_keeping(PodClass *class, uint32_t kept) {
    uint32_t terms = term_count(class);

    for (uint32_t first = 0; first < class->variants.count; first += terms) {
        if (class->variants.items[first].kept == kept)
            return first;
    }
    add_keeping(class->maker, kept);
    return class->variants.count - terms;
}

static void add_weighed(VariantMaker *maker) {
    PodClass *class = maker->class;

    add_keeping(maker, preferred_rules_all(&class->preferred));
    add_keeping(maker, 0);
    class->relaxations = class->variants.count;
}

// --- variants with the other policies

// Variants in Karpenter's order of relaxation, then variants that Karpenter never tries: the earlier OR terms without
// any preference.
static void add_variants(VariantMaker *maker) {
    PodClass *class = maker->class;
    Preferences preferences = maker->start, last;

    preferences.spread_order = arena_copy(maker->table->arena, maker->start.spread_order,
                                          maker->start.spread_count * sizeof *preferences.spread_order);
    add_variant(maker, &preferences, NULL);
    for (last = preferences; relax(&preferences); last = preferences)
        add_variant(maker, &preferences, &last);
    class->relaxations = class->variants.count;
    if (class->relaxations > preferences.spec->required_node_terms.count) {
        for (uint32_t term = 0; term < preferences.first_term; term++) {
            Preferences bare = preferences;

            bare.first_term = term;
            add_variant(maker, &bare, NULL);
        }
    }
}

Alternatives variant_alternatives(const PodClass *class, uint32_t variant) {
    uint32_t terms = class->pod->spec->required_node_terms.count, first = 0, end = terms;

    if (class->weighed) {
        first = variant - variant % term_count(class);
        end = first + term_count(class);
    } else if (variant >= terms) {
        bool bare = variant + 1 >= class->relaxations; // no preference is left: the earlier terms follow

        first = bare ? class->relaxations - 1 : variant;
        end = bare ? class->variants.count : variant + 1;
    }
    if (end > class->variants.count) // the budget was over before all were made
        end = class->variants.count;
    first += (variant - first) / ALTERNATIVES_MAX * ALTERNATIVES_MAX;
    return (Alternatives){first, end - first < ALTERNATIVES_MAX ? end - first : ALTERNATIVES_MAX};
}

uint32_t variant_level(const PodClass *class, uint32_t variant) {
    uint32_t terms = term_count(class);

    if (class->weighed)
        return 0;
    if (variant >= class->relaxations) // the earlier terms without preferences
        variant = class->relaxations - 1;
    return variant < terms ? 0 : variant - terms + 1;
}

uint32_t variant_in_turn(const PodClass *class, uint32_t at, uint32_t turn) {
    uint32_t terms = term_count(class), last = class->relaxations - 1;

    if (class->weighed)
        return (at + turn) % class->variants.count;
    if (at < terms)
        return (at + turn) % terms;
    return at < last ? at : last + (at - last + turn) % (class->variants.count - last);
}

static void make_class(ClassTable *table, PodClass *class) {
    VariantMaker *maker = arena_new(table->arena, VariantMaker);

    *maker = (VariantMaker){.table = table, .class = class, .start = preferences_start(table, class)};
    maker->tolerations = tolerations_number(table, &class->pod->spec->tolerations);
    if (table->prefer_no_schedule)
        maker->tolerant = tolerant_number(table, &class->pod->spec->tolerations);
    class->maker = maker;
    find_groups(maker);
    if (table->input->preferences == PREFERENCES_WEIGH)
        class->preferred =
            preferred_rules(table->arena, class->pod->spec, maker->start.spreads, table->prefer_no_schedule);
    class->weighed = class->preferred.count && plan_weighs(table->input);
    if (class->weighed)
        add_weighed(maker);
    else
        add_variants(maker);
}

// --- the rules of one variant

// The preferences that a variant keeps. The node affinity terms are not restored: the rules do not depend on them.
static Preferences preferences_at(const VariantMaker *maker, Arena *scratch, uint32_t number) {
    Preferences preferences = maker->start;

    preferences.spread_order =
        arena_copy(scratch, maker->start.spread_order, maker->start.spread_count * sizeof *preferences.spread_order);
    for (uint32_t i = 0; i < number && relax(&preferences); i++)
        continue;
    return preferences;
}

static void find_variant_groups(const VariantMaker *maker, const Preferences *left, U32Vec *groups) {
    Arena *arena = maker->table->arena;

    for (uint32_t i = 0; i < left->spread_count; i++)
        add_unique(arena, groups, maker->spreads[left->spread_order[i]]);
    for (vec_each(const uint32_t, number, &maker->required))
        add_unique(arena, groups, *number);
    if (!left->respect)
        return;
    for (uint32_t i = left->affinity_at; i < left->spec->affinity.preferred.count; i++)
        add_unique(arena, groups, maker->preferred_affinity[i]);
    for (uint32_t i = left->anti_affinity_at; i < left->spec->anti_affinity.preferred.count; i++)
        add_unique(arena, groups, maker->preferred_anti_affinity[i]);
}

static uint32_t place_in(const uint32_t *order, uint32_t index) {
    uint32_t at = 0;

    while (order[at] != index)
        at++;
    return at;
}

// The topology group of a preferred rule; INDEX_NONE: the rule is not about topology.
static uint32_t rule_group(const VariantMaker *maker, const PreferredRule *rule) {
    switch (rule->kind) {
    case RULE_POD_AFFINITY:
        return maker->preferred_affinity[place_in(maker->start.preferred_affinity, rule->index)];
    case RULE_POD_ANTI_AFFINITY:
        return maker->preferred_anti_affinity[place_in(maker->start.preferred_anti_affinity, rule->index)];
    case RULE_SPREAD:
        return maker->spreads[rule->index];
    default:
        return INDEX_NONE;
    }
}

static void find_kept_groups(const VariantMaker *maker, uint32_t kept, U32Vec *groups) {
    const PodClass *class = maker->class;
    Arena *arena = maker->table->arena;

    for (uint32_t i = 0; i < maker->start.spread_count; i++) {
        uint32_t number = maker->start.spread_order[i];

        if (!maker->start.spreads->items[number].schedule_anyway)
            add_unique(arena, groups, maker->spreads[number]);
    }
    for (vec_each(const uint32_t, number, &maker->required))
        add_unique(arena, groups, *number);
    for (uint32_t i = 0; i < class->preferred.count; i++) {
        uint32_t group = rule_group(maker, &class->preferred.items[i]);

        if (group != INDEX_NONE && kept & preferred_rule_bit(i))
            add_unique(arena, groups, group);
    }
}

// The rules of a variant while they are collected. `rule_of`: topology key to index into `rules`.
typedef struct {
    Arena *arena, *scratch;
    IndexMap rule_of;
    KeyRuleVec *rules;
} RuleIndex;

static KeyRule *key_rule(RuleIndex *index, uint32_t key) {
    uint32_t place = u64_map_get(&index->rule_of, key);

    if (place == INDEX_NONE) {
        place = index->rules->count;
        u64_map_put(index->scratch, &index->rule_of, key, place);
        vec_add(index->arena, index->rules)->key = key;
    }
    return &index->rules->items[place];
}

// Groups the rules of a variant by topology key. No topology group is in two of the lists. `bare`: the pod has given up
// all its preferences; groups that are only preferences of other pods then no longer pin it to one domain.
static void index_rules(const ClassTable *table, Arena *scratch, const PodClass *class, Variant *variant, bool bare) {
    const U32Vec *checks[] = {&variant->groups, &class->avoided}, *pins[] = {&class->counted, &class->inverse};
    RuleIndex index = {.arena = table->arena, .scratch = scratch, .rules = &variant->keys};

    for (int i = 0; i < 2; i++) {
        for (vec_each(uint32_t, number, checks[i])) {
            const TopologyGroup *group = &table->topology->groups.items[*number];

            if (group->key == INDEX_NONE) {
                vec_push(table->arena, &variant->bin_checks, *number);
            } else {
                KeyRule *rule = key_rule(&index, group->key);

                vec_push(table->arena, &rule->checks, *number);
                rule->pin |= group->kind == GROUP_SPREAD || group->kind == GROUP_AFFINITY;
            }
        }
        for (vec_each(uint32_t, number, pins[i])) {
            const TopologyGroup *group = &table->topology->groups.items[*number];

            if (group->key != INDEX_NONE && (group->required || !bare))
                key_rule(&index, group->key)->pin = true;
        }
    }
}

void variant_find_rules(const PodClass *class, uint32_t number) {
    const VariantMaker *maker = class->maker;
    Variant *variant = &class->variants.items[number];
    Arena scratch = {0};
    Preferences left;
    bool bare = number > 0 && number + 1 >= class->relaxations;

    variant->has_rules = true;
    if (class->weighed) {
        bare = !variant->kept;
        find_kept_groups(maker, variant->kept, &variant->groups);
    } else {
        left = preferences_at(maker, &scratch, number);
        find_variant_groups(maker, &left, &variant->groups);
    }
    index_rules(maker->table, &scratch, class, variant, bare);
    arena_free(&scratch);
}

// Makes a required affinity group wait when it also counts pods that do not have the rule. If the first pod started a
// domain and a counted pod were placed in another one, kube-scheduler would require the first pod to be there.
static void find_waiting_groups(ClassTable *table) {
    for (vec_each(PodClass, class, &table->classes)) {
        for (vec_each(uint32_t, number, &class->wanted)) {
            TopologyGroup *group = &table->topology->groups.items[*number];

            if (group->required && !u32_vec_has(&class_variant(class, 0)->groups, *number))
                group->waits = true;
        }
    }
}

static bool any_preferred(const TaintVec *taints) {
    for (vec_each(Taint, taint, taints)) {
        if (taint->effect == EFFECT_PREFER_NO_SCHEDULE)
            return true;
    }
    return false;
}

// Whether a pool or node has a PreferNoSchedule taint. Karpenter looks at its NodePools only.
static bool has_preferred_taints(const PlanInput *input) {
    for (vec_each(PlanPool, pool, &input->pools)) {
        if (any_preferred(&pool->pool->template_spec.taints))
            return true;
    }
    for (vec_each(NodeView, node, &input->nodes)) {
        if (any_preferred(&node->taints))
            return true;
    }
    return false;
}

void class_table_finish(ClassTable *table) {
    GroupIndex index;

    table->prefer_no_schedule = has_preferred_taints(table->input);
    for (vec_each(PodClass, class, &table->classes)) {
        Arena scratch = {0};

        if (!class_table_spend(table, VARIANT_STEPS))
            return;
        make_class(table, class);
        for (vec_each(Requirements, requirements, &class->volume_requirements)) {
            LabelSetBuilder builder = label_set_start(&scratch, table->universe);

            label_set_and_requirements(&builder, requirements);
            vec_push(table->arena, &class->volume_alternatives, label_set_finish(&builder));
        }
        arena_free(&scratch);
    }
    group_index_make(table, &index);
    table->counted_by = index.counted;
    for (vec_each(PodClass, class, &table->classes)) {
        class->counted = index.counted[class->label_class];
        class->wanted = index.wanted[class->label_class];
        class->avoided = index.avoided[class->label_class];
    }
    find_waiting_groups(table);
}
