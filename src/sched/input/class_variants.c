// The launch_order of preferences of each class, the groups its rules form, and who is counted by which.
#include "sched/input/class_variants.h"

#include <stdlib.h>

// What is left of a pod's preferences at one step of the launch_order.
typedef struct {
    const PodSpec *spec;
    const TopologySpreadVec *spreads;
    bool respect;
    uint32_t *preferred_nodes, *preferred_affinity, *preferred_anti_affinity; // numbers, heaviest first
    uint32_t first_term, node_at, affinity_at, anti_affinity_at;
    uint32_t *spread_order; // numbers into spreads that are left
    uint32_t spread_count;
    bool tolerate; // PreferNoSchedule taints
} Preferences;

// Numbers 0..count-1 with the heaviest first, stable. Preferences are few.
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
                               .spreads = &table->spreads[table->pods[class->first]],
                               .respect = table->input->preferences == PREFERENCES_RESPECT};

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
static bool relax(const ClassTable *table, Preferences *preferences) {
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
    if (table->prefer_no_schedule && !preferences->tolerate)
        return preferences->tolerate = true;
    return false;
}

static LabelSetId variant_labels(ClassTable *table, const Preferences *preferences) {
    const PodSpec *spec = preferences->spec;
    Arena scratch = {0};
    LabelSetBuilder builder = label_set_start(&scratch, table->universe);
    LabelSetId id;

    label_set_and_labels(&builder, &spec->node_selector);
    if (preferences->first_term < spec->required_node_terms.count)
        label_set_and_term(&builder, &spec->required_node_terms.items[preferences->first_term].expressions);
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

// The number of a list of tolerations; clusters have few distinct ones.
static uint32_t variant_tolerations(ClassTable *table, const Preferences *preferences) {
    TolerationVec tolerations = {0};

    for (vec_each(Toleration, toleration, &preferences->spec->tolerations))
        vec_push(table->arena, &tolerations, *toleration);
    if (preferences->tolerate)
        vec_push(table->arena, &tolerations,
                 (Toleration){.op = TOLERATION_EXISTS, .effect = EFFECT_PREFER_NO_SCHEDULE});
    for (uint32_t i = 0; i < table->tolerations.count; i++) {
        if (tolerations_equal(&table->tolerations.items[i], &tolerations))
            return i;
    }
    vec_push(table->arena, &table->tolerations, tolerations);
    return table->tolerations.count - 1;
}

// kube-scheduler counts only nodes that have the keys of all hard constraints of the pod. The group's own key needs no
// word: a node without it is in no domain.
static void require_other_keys(LabelSetBuilder *builder, const TopologySpreadVec *spreads, Symbol own) {
    ExpressionVec present = {0};
    Expression exists[8];

    present.items = exists;
    for (vec_each(TopologySpread, spread, spreads)) {
        if (!spread->schedule_anyway && spread->topology_key != own && spread->topology_key != NAME_HOSTNAME &&
            present.count < sizeof exists / sizeof *exists)
            exists[present.count++] = (Expression){.key = spread->topology_key, .op = OP_EXISTS};
    }
    label_set_and_expressions(builder, &present);
}

// One set of labels that a counted node may have: those of required term `term` (INDEX_NONE: no term).
static LabelSetId filter_term(ClassTable *table, const Preferences *preferences, const TopologySpread *spread,
                              uint32_t term) {
    const PodSpec *spec = preferences->spec;
    Arena scratch = {0};
    LabelSetBuilder builder = label_set_start(&scratch, table->universe);
    LabelSetId id;

    require_other_keys(&builder, preferences->spreads, spread->topology_key);
    if (!spread->ignore_node_affinity) {
        label_set_and_labels(&builder, &spec->node_selector);
        if (term != INDEX_NONE)
            label_set_and_term(&builder, &spec->required_node_terms.items[term].expressions);
    }
    id = label_set_finish(&builder);
    arena_free(&scratch);
    return id;
}

// Which nodes a spread counts: all required terms of the pod as it is, not the one in force. scheduling.md 11.
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

// Of the budget: for a variant, and for a rule that is held against labels or indexed.
enum { VARIANT_STEPS = BUDGET_STEPS_PER_US, RULE_STEPS = BUDGET_STEPS_PER_US / 20 };

static void add_unique(Arena *arena, U32Vec *list, uint32_t number) {
    for (uint32_t i = 0; i < list->count; i++) {
        if (list->items[i] == number)
            return;
    }
    vec_push(arena, list, number);
}

// Required affinity terms count together, per topology key: kube-scheduler wants pods that match every term.
static void add_required_affinity(ClassTable *table, const Pod *pod, U32Vec *groups) {
    const PodAffinityTermVec *terms = &pod->spec->affinity.required;

    for (vec_each(PodAffinityTerm, term, terms)) {
        uint32_t number = topology_affinity_group(table->topology, pod->ns, GROUP_AFFINITY, term->topology_key,
                                                  terms->items, terms->count);

        table->topology->groups.items[number].required = true;
        add_unique(table->arena, groups, number);
    }
}

// A rule of a variant: its labels over all keys, and a look among the rules before it. False: the budget is over.
static bool spend_on_rule(const ClassTable *table, const Variant *variant) {
    return class_table_spend(table, RULE_STEPS + 2 * (uint64_t)table->universe->keys.count + variant->groups.count);
}

static void add_terms(ClassTable *table, const Pod *pod, GroupKind kind, const PodAffinityTermVec *terms,
                      const uint32_t *order, uint32_t from, U32Vec *groups) {
    for (uint32_t i = from; i < terms->count; i++) {
        const PodAffinityTerm *term = &terms->items[order ? order[i] : i];

        if (!class_table_spend(table, RULE_STEPS + groups->count))
            return;
        add_unique(table->arena, groups,
                   topology_affinity_group(table->topology, pod->ns, kind, term->topology_key, term, 1));
    }
}

static void make_variant(ClassTable *table, PodClass *class, const Preferences *preferences) {
    const Pod *pod = class->pod;
    bool prefers = preferences->respect && preferences->node_at < pod->spec->preferred_node_terms.count;
    Variant variant = {.labels = variant_labels(table, preferences),
                       .term = pod->spec->required_node_terms.count ? preferences->first_term : INDEX_NONE,
                       .preferred = prefers ? preferences->preferred_nodes[preferences->node_at] : INDEX_NONE,
                       .tolerations = variant_tolerations(table, preferences)};

    for (uint32_t i = 0; i < preferences->spread_count && spend_on_rule(table, &variant); i++) {
        const TopologySpread *spread = &preferences->spreads->items[preferences->spread_order[i]];

        add_unique(table->arena, &variant.groups,
                   topology_spread_group(table->topology, pod->ns, spread, spread_filter(table, preferences, spread)));
    }
    add_required_affinity(table, pod, &variant.groups);
    add_terms(table, pod, GROUP_ANTI_AFFINITY, &pod->spec->anti_affinity.required, NULL, 0, &variant.groups);
    if (preferences->respect) {
        add_terms(table, pod, GROUP_AFFINITY, &pod->spec->affinity.preferred, preferences->preferred_affinity,
                  preferences->affinity_at, &variant.groups);
        add_terms(table, pod, GROUP_ANTI_AFFINITY, &pod->spec->anti_affinity.preferred,
                  preferences->preferred_anti_affinity, preferences->anti_affinity_at, &variant.groups);
    }
    vec_push(table->arena, &class->variants, variant);
}

// Karpenter's launch_order; then, what it never tries: the earlier OR terms without any preference.
static void make_launch_order(ClassTable *table, PodClass *class) {
    Preferences preferences = preferences_start(table, class);

    do {
        make_variant(table, class, &preferences);
    } while (class_table_spend(table, VARIANT_STEPS) && relax(table, &preferences));
    class->relaxations = class->variants.count;
    if (class->relaxations > preferences.spec->required_node_terms.count) {
        for (uint32_t term = 0; term < preferences.first_term; term++) {
            Preferences bare = preferences;

            bare.first_term = term;
            make_variant(table, class, &bare);
        }
    }
    for (vec_each(PodAffinityTerm, term, &class->pod->spec->anti_affinity.required))
        add_unique(
            table->arena, &class->inverse,
            topology_affinity_group(table->topology, class->pod->ns, GROUP_INVERSE, term->topology_key, term, 1));
}

Alternatives variant_alternatives(const PodClass *class, uint32_t variant) {
    uint32_t terms = class->pod->spec->required_node_terms.count, first = 0, end = terms;

    if (variant >= terms) {
        bool bare = variant + 1 >= class->relaxations; // no preference is left: the earlier terms follow

        first = bare ? class->relaxations - 1 : variant;
        end = bare ? class->variants.count : variant + 1;
    }
    if (end > class->variants.count) // the budget was over before all were made
        end = class->variants.count;
    first += (variant - first) / ALTERNATIVES_MAX * ALTERNATIVES_MAX;
    return (Alternatives){first, end - first < ALTERNATIVES_MAX ? end - first : ALTERNATIVES_MAX};
}

static uint32_t term_count(const PodClass *class) {
    uint32_t terms = class->pod->spec->required_node_terms.count;

    return terms ? terms : 1;
}

uint32_t variant_level(const PodClass *class, uint32_t variant) {
    uint32_t terms = term_count(class);

    if (variant >= class->relaxations) // the earlier terms without preferences
        variant = class->relaxations - 1;
    return variant < terms ? 0 : variant - terms + 1;
}

uint32_t variant_in_turn(const PodClass *class, uint32_t at, uint32_t turn) {
    uint32_t terms = term_count(class), last = class->relaxations - 1;

    if (at < terms)
        return (at + turn) % terms;
    return at < last ? at : last + (at - last + turn) % (class->variants.count - last);
}

static KeyRule *key_rule(Arena *arena, KeyRuleVec *rules, uint32_t key) {
    KeyRule *rule;

    for (vec_each(KeyRule, known, rules)) {
        if (known->key == key)
            return known;
    }
    rule = vec_add(arena, rules);
    rule->key = key;
    return rule;
}

// Sorts the groups that matter to a variant by topology key.
static void index_rules(ClassTable *table, const PodClass *class, Variant *variant) {
    const U32Vec *checks[] = {&variant->groups, &class->avoided}, *pins[] = {&class->counted, &class->inverse};

    for (int i = 0; i < 2; i++) {
        for (vec_each(uint32_t, number, checks[i])) {
            const TopologyGroup *group = &table->topology->groups.items[*number];

            if (group->key == INDEX_NONE) {
                add_unique(table->arena, &variant->bin_checks, *number);
            } else {
                KeyRule *rule = key_rule(table->arena, &variant->keys, group->key);

                add_unique(table->arena, &rule->checks, *number);
                rule->pin |= group->kind == GROUP_SPREAD || group->kind == GROUP_AFFINITY;
            }
        }
        for (vec_each(uint32_t, number, pins[i])) {
            const TopologyGroup *group = &table->topology->groups.items[*number];

            if (group->key != INDEX_NONE)
                key_rule(table->arena, &variant->keys, group->key)->pin = true;
        }
    }
}

// Per label class: the forward groups that count its pods and the inverse groups that select them.
// O(groups × label classes).
static void index_label_classes(ClassTable *table, U32Vec *counted, U32Vec *avoided) {
    for (uint32_t i = 0; i < table->label_classes.count; i++) {
        const LabelClass *labels = &table->label_classes.items[i];

        if (!class_table_spend(table, RULE_STEPS * (uint64_t)table->topology->groups.count))
            return;
        for (uint32_t g = 0; g < table->topology->groups.count; g++) {
            const TopologyGroup *group = &table->topology->groups.items[g];

            if (topology_group_selects(group, labels->ns, &labels->labels))
                vec_push(table->arena, group->kind == GROUP_INVERSE ? &avoided[i] : &counted[i], g);
        }
    }
}

static bool has_number(const U32Vec *list, uint32_t number) {
    for (vec_each(uint32_t, member, list)) {
        if (*member == number)
            return true;
    }
    return false;
}

// A required affinity group that also counts pods without the rule waits for them: were its first pod to start a
// domain of its own and a counted pod came up elsewhere, kube-scheduler would want the first one there.
static void find_waiting_groups(ClassTable *table) {
    for (vec_each(PodClass, class, &table->classes)) {
        for (vec_each(uint32_t, number, &class->counted)) {
            TopologyGroup *group = &table->topology->groups.items[*number];

            if (group->kind == GROUP_AFFINITY && group->required &&
                !has_number(&class->variants.items[0].groups, *number))
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

// Whether tolerating PreferNoSchedule taints can help. Karpenter asks its NodePools only; nodes may have them too.
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
    U32Vec *counted = arena_array(table->arena, U32Vec, table->label_classes.count);
    U32Vec *avoided = arena_array(table->arena, U32Vec, table->label_classes.count);

    table->prefer_no_schedule = has_preferred_taints(table->input);
    for (vec_each(PodClass, class, &table->classes)) {
        Arena scratch = {0};

        if (!class_table_spend(table, 0))
            return;
        make_launch_order(table, class);
        for (vec_each(Requirements, requirements, &class->volume_requirements)) {
            LabelSetBuilder builder = label_set_start(&scratch, table->universe);

            label_set_and_requirements(&builder, requirements);
            vec_push(table->arena, &class->volume_alternatives, label_set_finish(&builder));
        }
        arena_free(&scratch);
    }
    index_label_classes(table, counted, avoided);
    table->counted_by = counted;
    table->avoided_by = avoided;
    for (vec_each(PodClass, class, &table->classes)) {
        class->counted = counted[class->label_class];
        class->avoided = avoided[class->label_class];
        for (vec_each(Variant, variant, &class->variants)) {
            uint64_t rules = variant->groups.count + class->avoided.count;

            if (!class_table_spend(table, rules * (RULE_STEPS + rules)))
                return;
            index_rules(table, class, variant);
        }
    }
    find_waiting_groups(table);
}
