// Classes: pods with equal shape, namespace, labels and owner. What decides between pods is made once per class.
#include <stdlib.h>

#include "sim/scheduler/usher_parts.h"

// Taking up.

static KubeKind owner_kind(const Usher *usher, const OwnerReference *owner) {
    Slice kind = owner ? symbol_text(usher->symbols, owner->kind) : (Slice){0};

    if (slice_eq_text(kind, "ReplicaSet"))
        return KUBE_REPLICA_SET;
    return slice_eq_text(kind, "StatefulSet") ? KUBE_STATEFUL_SET : KUBE_KIND_COUNT;
}

static void write_class(Usher *usher, uint32_t shape, const Pod *pod) {
    const OwnerReference *owner = pod_controller(pod);
    KubeKind kind = owner_kind(usher, owner);

    usher->scratch.len = 0;
    usher_write_number(&usher->scratch, (uint64_t)shape << 32 | pod->ns);
    usher_write_number(&usher->scratch, kind == KUBE_KIND_COUNT ? 0 : (uint64_t)kind << 32 | owner->name);
    for (uint32_t i = 0; i < pod->labels.count; i++)
        usher_write_number(&usher->scratch, (uint64_t)pod->labels.items[i].key << 32 | pod->labels.items[i].value);
}

static void take_holders(Usher *usher, uint32_t class_index);

static uint32_t class_slot(Usher *usher) {
    if (usher->free_classes.count)
        return usher->free_classes.items[--usher->free_classes.count];
    usher_reserve(usher->classes, usher->class_count + 1, &usher->class_capacity);
    return usher->class_count++;
}

static uint32_t class_make(Usher *usher, uint32_t shape, const Pod *pod, uint64_t hash) {
    const OwnerReference *owner = pod_controller(pod);
    uint32_t slot = class_slot(usher);
    UsherClass *class = &usher->classes[slot];

    *class = (UsherClass){.refs = 1, .hash = hash, .shape = shape, .ns = pod->ns, .first_pod = USHER_NONE};
    class->identity = arena_slice(&class->arena, buffer_slice(&usher->scratch));
    class->labels = usher_copy_labels(&class->arena, &pod->labels);
    class->owner_kind = owner_kind(usher, owner);
    class->owner_name = owner ? owner->name : NAME_EMPTY;
    usher_index_add(&usher->class_index, hash, slot);
    usher->classes_live++;
    usher_tallies_meet_class(usher, slot);
    take_holders(usher, slot);
    return slot;
}

uint32_t usher_class_take(Usher *usher, const Pod *pod, const UsherExtras *extras) {
    uint32_t shape = usher_shape_take(usher, pod, extras), i;
    Slice identity;
    uint64_t hash;

    write_class(usher, shape, pod);
    identity = buffer_slice(&usher->scratch);
    hash = slice_hash(identity);
    i = usher_index_first(&usher->class_index, hash);
    while (i != USHER_NONE && !slice_eq(usher->classes[i].identity, identity))
        i = usher->class_index.next[i];
    if (i == USHER_NONE)
        return class_make(usher, shape, pod, hash);
    usher_shape_drop(usher, shape); // the class has it
    usher->classes[i].refs++;
    return i;
}

static void drop_rules(Usher *usher, UsherRules *rules) {
    for (uint32_t i = 0; i < rules->count; i++) {
        if (rules->items[i].view != USHER_NONE)
            usher_view_drop(usher, rules->items[i].view);
        usher_tally_drop(usher, rules->items[i].tally);
    }
    free(rules->items);
    *rules = (UsherRules){0};
}

void usher_class_drop(Usher *usher, uint32_t slot) {
    UsherClass *class = &usher->classes[slot];

    if (--class->refs)
        return;
    drop_rules(usher, &class->hard);
    drop_rules(usher, &class->soft);
    drop_rules(usher, &class->affinity);
    drop_rules(usher, &class->anti_affinity);
    drop_rules(usher, &class->preferred);
    drop_rules(usher, &class->held);
    usher_index_remove(&usher->class_index, class->hash, slot);
    usher_shape_drop(usher, class->shape);
    free(class->counted_in.items);
    free(class->aimed_by.items);
    class->counted_in = class->aimed_by = (UsherList){0}; // usher_tally_drop looks at free slots too
    free(class->failed_message);
    arena_free(&class->arena);
    usher_list_add(&usher->free_classes, slot);
    usher->classes_live--;
}

// Terms.

static void merge_keys(Arena *arena, LabelSelector *selector, const SymbolVec *keys, const Labels *labels,
                       Operator op) {
    for (uint32_t i = 0; i < keys->count; i++) {
        Symbol value = labels_get(labels, keys->items[i]);
        Expression *expression;

        if (value == INDEX_NONE)
            continue;
        expression = vec_add(arena, &selector->expressions);
        *expression = (Expression){.key = keys->items[i], .op = op};
        vec_push(arena, &expression->values, value);
    }
}

static UsherTarget term_target(Arena *arena, const PodAffinityTerm *term, const UsherClass *class) {
    LabelSelector *selector = usher_copy_selector(arena, term->selector);
    UsherTarget target = {.namespaces = usher_copy_symbols(arena, &term->namespaces),
                          .namespace_selector = usher_copy_selector(arena, term->namespace_selector)};

    if (selector) {
        merge_keys(arena, selector, &term->match_label_keys, &class->labels, OP_IN);
        merge_keys(arena, selector, &term->mismatch_label_keys, &class->labels, OP_NOT_IN);
    }
    target.selector = selector;
    if (!target.namespaces.count && !target.namespace_selector)
        vec_push(arena, &target.namespaces, class->ns);
    return target;
}

static void rule_add(UsherRules *rules, UsherRule rule) {
    usher_reserve(rules->items, rules->count + 1, &rules->capacity);
    rules->items[rules->count++] = rule;
}

static uint32_t view_of(Usher *usher, uint32_t tally, Symbol key) {
    return usher_view_take(usher, &(UsherView){.tally = tally, .key = usher_key(usher, key), .shape = USHER_NONE});
}

static void hold_terms(Usher *usher, uint32_t slot, const PodAffinityTermVec *terms, TermRole role) {
    for (uint32_t i = 0; i < terms->count; i++) {
        const PodAffinityTerm *term = &terms->items[i];
        UsherTally wanted = {.kind = TALLY_HOLDERS, .role = role, .weight = term->weight};
        UsherRule rule = {.key = term->topology_key, .weight = term->weight};

        vec_push(&wanted.arena, &wanted.targets, term_target(&wanted.arena, term, &usher->classes[slot]));
        // Two terms that differ in the key only are two tallies.
        wanted.view = usher_key(usher, term->topology_key);
        rule.tally = usher_tally_take(usher, &wanted);
        rule.view = view_of(usher, rule.tally, term->topology_key);
        usher->tallies[rule.tally].view = rule.view;
        rule_add(&usher->classes[slot].held, rule);
        usher_list_add(&usher->classes[slot].counted_in, rule.tally);
    }
}

// Pods of the class are holders of its terms wherever they are.
static void take_holders(Usher *usher, uint32_t slot) {
    const PodSpec *spec = &usher->shapes[usher->classes[slot].shape].spec;

    hold_terms(usher, slot, &spec->affinity.required, ROLE_AFFINITY);
    hold_terms(usher, slot, &spec->anti_affinity.required, ROLE_ANTI_AFFINITY);
    hold_terms(usher, slot, &spec->affinity.preferred, ROLE_PREFERRED);
    hold_terms(usher, slot, &spec->anti_affinity.preferred, ROLE_PREFERRED_ANTI);
}

// Rules that a pod of the class is placed by.

static void rule_for_term(Usher *usher, uint32_t slot, const PodAffinityTerm *term, int32_t weight,
                          UsherRules *ret_rules) {
    UsherTally wanted = {.kind = TALLY_ALL};
    UsherRule rule = {.key = term->topology_key, .weight = weight};

    vec_push(&wanted.arena, &wanted.targets, term_target(&wanted.arena, term, &usher->classes[slot]));
    rule.tally = usher_tally_take(usher, &wanted);
    rule.view = view_of(usher, rule.tally, term->topology_key);
    rule_add(ret_rules, rule);
}

// One pod has to meet all required terms, so they have one tally.
static void make_affinity(Usher *usher, uint32_t slot) {
    const PodAffinityTermVec *terms = &usher->shapes[usher->classes[slot].shape].spec.affinity.required;
    UsherRules rules = {0};

    for (uint32_t i = 0; i < terms->count; i++) {
        UsherTally wanted = {.kind = TALLY_ALL};
        UsherRule rule = {.key = terms->items[i].topology_key};

        for (vec_each(const PodAffinityTerm, term, terms))
            vec_push(&wanted.arena, &wanted.targets, term_target(&wanted.arena, term, &usher->classes[slot]));
        rule.tally = usher_tally_take(usher, &wanted);
        rule.view = view_of(usher, rule.tally, rule.key);
        rule_add(&rules, rule);
    }
    usher->classes[slot].affinity = rules;
    if (rules.count)
        usher->classes[slot].affinity_matches_self =
            usher_tally_selects(usher, &usher->tallies[rules.items[0].tally], &usher->classes[slot]);
}

static void make_pod_terms(Usher *usher, uint32_t slot) {
    const PodSpec *spec = &usher->shapes[usher->classes[slot].shape].spec;
    UsherRules anti = {0}, preferred = {0};

    make_affinity(usher, slot);
    for (uint32_t i = 0; i < spec->anti_affinity.required.count; i++)
        rule_for_term(usher, slot, &spec->anti_affinity.required.items[i], 0, &anti);
    for (uint32_t i = 0; i < spec->affinity.preferred.count; i++)
        rule_for_term(usher, slot, &spec->affinity.preferred.items[i], spec->affinity.preferred.items[i].weight,
                      &preferred);
    for (uint32_t i = 0; i < spec->anti_affinity.preferred.count; i++)
        rule_for_term(usher, slot, &spec->anti_affinity.preferred.items[i],
                      -spec->anti_affinity.preferred.items[i].weight, &preferred);
    usher->classes[slot].anti_affinity = anti;
    usher->classes[slot].preferred = preferred;
}

// Topology spread. `keys`: that a node must have to count.
static void spread_rule(Usher *usher, uint32_t slot, const TopologySpread *spread, const SymbolVec *keys,
                        UsherRules *rules) {
    const UsherClass *class = &usher->classes[slot];
    UsherTally wanted = {.kind = TALLY_ALIVE};
    UsherTarget *target = vec_add(&wanted.arena, &wanted.targets);
    LabelSelector *selector = usher_copy_selector(&wanted.arena, spread->selector);
    UsherView view = {.shape = class->shape,
                      .honor_affinity = !spread->ignore_node_affinity,
                      .honor_taints = spread->honor_node_taints};
    UsherRule rule = {.key = spread->topology_key,
                      .max_skew = spread->max_skew,
                      .min_domains = spread->min_domains,
                      .is_hostname = spread->topology_key == NAME_HOSTNAME};

    if (selector)
        merge_keys(&wanted.arena, selector, &spread->match_label_keys, &class->labels, OP_IN);
    rule.counts_nobody = selector && selector->expressions.count == 0;
    target->selector = selector;
    vec_push(&wanted.arena, &target->namespaces, class->ns);
    rule.matches_self = usher_selector_selects(usher->symbols, selector, &class->labels);
    rule.tally = usher_tally_take(usher, &wanted);
    view.tally = rule.tally;
    view.key = usher_key(usher, rule.key);
    view.needed_keys = calloc(keys->count + 1, sizeof *view.needed_keys);
    CHECK(view.needed_keys, "out of memory");
    for (uint32_t i = 0; i < keys->count; i++)
        view.needed_keys[view.needed_key_count++] = usher_key(usher, keys->items[i]);
    rule.view = usher_view_take(usher, &view);
    rule_add(rules, rule);
}

static void add_match(Arena *arena, LabelSelector *selector, const Labels *labels) {
    for (uint32_t i = 0; i < labels->count; i++) {
        Expression *expression = vec_add(arena, &selector->expressions);

        *expression = (Expression){.key = labels->items[i].key, .op = OP_IN};
        vec_push(arena, &expression->values, labels->items[i].value);
    }
}

static bool service_selects(const Service *service, const UsherClass *class) {
    if (!service->has_selector || service->meta.ns != class->ns)
        return false;
    for (uint32_t i = 0; i < service->selector.count; i++) {
        if (labels_get(&class->labels, service->selector.items[i].key) != service->selector.items[i].value)
            return false;
    }
    return true;
}

// What the services that select the pod and its owner select by, together.
static LabelSelector *default_selector(Usher *usher, Arena *arena, const UsherClass *class) {
    LabelSelector *selector = arena_new(arena, LabelSelector);
    const PodOwner *owner = NULL;

    for (uint32_t i = 0;; i++) {
        const Service *service = usher->sources.service(usher->sources.self, i);

        if (!service)
            break;
        if (service_selects(service, class))
            add_match(arena, selector, &service->selector);
    }
    if (class->owner_kind != KUBE_KIND_COUNT)
        owner = usher->sources.owner(usher->sources.self, class->owner_kind, class->ns, class->owner_name);
    if (owner && owner->selector) {
        LabelSelector *copy = usher_copy_selector(arena, owner->selector);

        for (vec_each(const Expression, expression, &copy->expressions))
            vec_push(arena, &selector->expressions, *expression);
    }
    return selector;
}

// kube-scheduler's own constraints for pods that bring none: soft, by hostname (3) and zone (5).
static void make_default_spread(Usher *usher, uint32_t slot, UsherRules *soft) {
    static const struct {
        Symbol key;
        int32_t max_skew;
    } defaults[] = {{NAME_HOSTNAME, 3}, {NAME_ZONE, 5}};
    Arena arena = {0};
    LabelSelector *selector = default_selector(usher, &arena, &usher->classes[slot]);

    for (size_t i = 0; i < 2 && selector->expressions.count; i++) {
        TopologySpread spread = {
            .topology_key = defaults[i].key, .max_skew = defaults[i].max_skew, .selector = selector};

        spread_rule(usher, slot, &spread, &(SymbolVec){0}, soft);
    }
    arena_free(&arena);
}

static void make_spread(Usher *usher, uint32_t slot) {
    const TopologySpreadVec *spreads = &usher->shapes[usher->classes[slot].shape].spec.spreads;
    UsherRules rules[2] = {{0}};
    Arena arena = {0};

    for (int soft = 0; soft < 2; soft++) {
        SymbolVec keys = {0};

        for (vec_each(const TopologySpread, spread, spreads)) {
            if (spread->schedule_anyway == soft)
                vec_push(&arena, &keys, spread->topology_key);
        }
        for (uint32_t i = 0; i < spreads->count; i++) {
            if (spreads->items[i].schedule_anyway == soft)
                spread_rule(usher, slot, &spreads->items[i], &keys, &rules[soft]);
        }
    }
    if (spreads->count == 0)
        make_default_spread(usher, slot, &rules[1]);
    usher->classes[slot].soft_is_default = spreads->count == 0;
    usher->classes[slot].hard = rules[0];
    usher->classes[slot].soft = rules[1];
    arena_free(&arena);
}

void usher_class_make_rules(Usher *usher, uint32_t slot) {
    UsherClass *class = &usher->classes[slot];

    if (class->ruled && class->services_epoch == usher->services_epoch)
        return;
    if (class->ruled) {
        if (class->soft_is_default) {
            UsherRules soft = {0}, old = class->soft;

            make_default_spread(usher, slot, &soft);
            drop_rules(usher, &old);
            usher->classes[slot].soft = soft;
        }
    } else {
        make_pod_terms(usher, slot);
        make_spread(usher, slot);
    }
    usher->classes[slot].ruled = true;
    usher->classes[slot].services_epoch = usher->services_epoch;
}
