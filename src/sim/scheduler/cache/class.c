// Classes: pods with equal shape, namespace, labels and owner. Rules between pods are made once per class.
#include "sim/scheduler/cache/class.h"

#include "sim/scheduler/cache/identity.h"
#include "sim/scheduler/cache/index.h"
#include "sim/scheduler/cache/match.h"
#include "sim/scheduler/cache/shape.h"
#include "sim/scheduler/cache/tally.h"
#include "sim/scheduler/cache/view.h"

#include <stdlib.h>

// Adding classes.

static KubeKind owner_kind(const SchedulerCache *cache, const OwnerReference *owner) {
    Slice kind = owner ? symbol_text(cache->symbols, owner->kind) : (Slice){0};

    if (slice_eq_text(kind, "ReplicaSet"))
        return KUBE_REPLICA_SET;
    return slice_eq_text(kind, "StatefulSet") ? KUBE_STATEFUL_SET : KUBE_KIND_COUNT;
}

static void write_class(SchedulerCache *cache, uint32_t shape, const Pod *pod) {
    const OwnerReference *owner = pod_controller(pod);
    KubeKind kind = owner_kind(cache, owner);

    cache->scratch.len = 0;
    cache_write_number(&cache->scratch, (uint64_t)shape << 32 | pod->ns);
    cache_write_number(&cache->scratch, kind == KUBE_KIND_COUNT ? 0 : (uint64_t)kind << 32 | owner->name);
    for (uint32_t i = 0; i < pod->labels.count; i++)
        cache_write_number(&cache->scratch, (uint64_t)pod->labels.items[i].key << 32 | pod->labels.items[i].value);
}

static void take_holders(SchedulerCache *cache, uint32_t class_index);

static uint32_t class_slot(SchedulerCache *cache) {
    if (cache->free_classes.count)
        return cache->free_classes.items[--cache->free_classes.count];
    GROW(cache->classes, cache->class_capacity, cache->class_count + 1);
    return cache->class_count++;
}

static uint32_t class_make(SchedulerCache *cache, uint32_t shape, const Pod *pod, uint64_t hash) {
    const OwnerReference *owner = pod_controller(pod);
    uint32_t slot = class_slot(cache);
    CacheClass *class = &cache->classes[slot];

    *class = (CacheClass){.refs = 1, .hash = hash, .shape = shape, .ns = pod->ns, .first_pod = CACHE_NONE};
    class->identity = arena_slice(&class->arena, buffer_slice(&cache->scratch));
    class->labels = cache_copy_labels(&class->arena, &pod->labels);
    class->owner_kind = owner_kind(cache, owner);
    class->owner_name = owner ? owner->name : NAME_EMPTY;
    cache_index_add(&cache->class_index, hash, slot);
    cache->classes_live++;
    cache_tallies_meet_class(cache, slot);
    take_holders(cache, slot);
    return slot;
}

uint32_t cache_class_take(SchedulerCache *cache, const Pod *pod, const CacheExtras *extras) {
    uint32_t shape = cache_shape_take(cache, pod, extras), i;
    Slice identity;
    uint64_t hash;

    write_class(cache, shape, pod);
    identity = buffer_slice(&cache->scratch);
    hash = slice_hash(identity);
    i = cache_index_first(&cache->class_index, hash);
    while (i != CACHE_NONE && !slice_eq(cache->classes[i].identity, identity))
        i = cache->class_index.next[i];
    if (i == CACHE_NONE)
        return class_make(cache, shape, pod, hash);
    cache_shape_drop(cache, shape); // the class holds a reference
    cache->classes[i].refs++;
    return i;
}

static void drop_rules(SchedulerCache *cache, CacheRules *rules) {
    for (uint32_t i = 0; i < rules->count; i++) {
        if (rules->items[i].view != CACHE_NONE)
            cache_view_drop(cache, rules->items[i].view);
        cache_tally_drop(cache, rules->items[i].tally);
    }
    free(rules->items);
    *rules = (CacheRules){0};
}

void cache_class_drop(SchedulerCache *cache, uint32_t slot) {
    CacheClass *class = &cache->classes[slot];

    if (--class->refs)
        return;
    drop_rules(cache, &class->hard);
    drop_rules(cache, &class->soft);
    drop_rules(cache, &class->affinity);
    drop_rules(cache, &class->anti_affinity);
    drop_rules(cache, &class->preferred);
    drop_rules(cache, &class->held);
    cache_index_remove(&cache->class_index, class->hash, slot);
    cache_shape_drop(cache, class->shape);
    free(class->counted_in.items);
    free(class->aimed_by.items);
    class->counted_in = class->aimed_by = (CacheList){0}; // cache_tally_drop looks at free slots too
    free(class->failed_message);
    arena_free(&class->arena);
    cache_list_add(&cache->free_classes, slot);
    cache->classes_live--;
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

static CacheTarget term_target(Arena *arena, const PodAffinityTerm *term, const CacheClass *class) {
    LabelSelector *selector = cache_copy_selector(arena, term->selector);
    CacheTarget target = {.namespaces = cache_copy_symbols(arena, &term->namespaces),
                          .namespace_selector = cache_copy_selector(arena, term->namespace_selector)};

    if (selector) {
        merge_keys(arena, selector, &term->match_label_keys, &class->labels, OP_IN);
        merge_keys(arena, selector, &term->mismatch_label_keys, &class->labels, OP_NOT_IN);
    }
    target.selector = selector;
    if (!target.namespaces.count && !target.namespace_selector)
        vec_push(arena, &target.namespaces, class->ns);
    return target;
}

static void rule_add(CacheRules *rules, CacheRule rule) {
    GROW(rules->items, rules->capacity, rules->count + 1);
    rules->items[rules->count++] = rule;
}

static uint32_t view_of(SchedulerCache *cache, uint32_t tally, Symbol key) {
    return cache_view_take(cache, &(CacheView){.tally = tally, .key = cache_key(cache, key), .shape = CACHE_NONE});
}

static void hold_terms(SchedulerCache *cache, uint32_t slot, const PodAffinityTermVec *terms, TermRole role) {
    for (uint32_t i = 0; i < terms->count; i++) {
        const PodAffinityTerm *term = &terms->items[i];
        CacheTally wanted = {.kind = TALLY_HOLDERS, .role = role, .weight = term->weight};
        CacheRule rule = {.key = term->topology_key, .weight = term->weight};

        vec_push(&wanted.arena, &wanted.targets, term_target(&wanted.arena, term, &cache->classes[slot]));
        // Two terms with different keys only are two tallies.
        wanted.view = cache_key(cache, term->topology_key);
        rule.tally = cache_tally_take(cache, &wanted);
        rule.view = view_of(cache, rule.tally, term->topology_key);
        cache->tallies[rule.tally].view = rule.view;
        rule_add(&cache->classes[slot].held, rule);
        cache_list_add(&cache->classes[slot].counted_in, rule.tally);
    }
}

// Adds the class to the holders of its own terms, wherever its pods are.
static void take_holders(SchedulerCache *cache, uint32_t slot) {
    const PodSpec *spec = &cache->shapes[cache->classes[slot].shape].spec;

    hold_terms(cache, slot, &spec->affinity.required, ROLE_AFFINITY);
    hold_terms(cache, slot, &spec->anti_affinity.required, ROLE_ANTI_AFFINITY);
    hold_terms(cache, slot, &spec->affinity.preferred, ROLE_PREFERRED);
    hold_terms(cache, slot, &spec->anti_affinity.preferred, ROLE_PREFERRED_ANTI);
}

// Rules for placing a pod of the class.

static void rule_for_term(SchedulerCache *cache, uint32_t slot, const PodAffinityTerm *term, int32_t weight,
                          CacheRules *ret_rules) {
    CacheTally wanted = {.kind = TALLY_ALL};
    CacheRule rule = {.key = term->topology_key, .weight = weight};

    vec_push(&wanted.arena, &wanted.targets, term_target(&wanted.arena, term, &cache->classes[slot]));
    rule.tally = cache_tally_take(cache, &wanted);
    rule.view = view_of(cache, rule.tally, term->topology_key);
    rule_add(ret_rules, rule);
}

// Required affinity terms share one tally, because one existing pod has to match all of them.
static void make_affinity(SchedulerCache *cache, uint32_t slot) {
    const PodAffinityTermVec *terms = &cache->shapes[cache->classes[slot].shape].spec.affinity.required;
    CacheRules rules = {0};

    for (uint32_t i = 0; i < terms->count; i++) {
        CacheTally wanted = {.kind = TALLY_ALL};
        CacheRule rule = {.key = terms->items[i].topology_key};

        for (vec_each(const PodAffinityTerm, term, terms))
            vec_push(&wanted.arena, &wanted.targets, term_target(&wanted.arena, term, &cache->classes[slot]));
        rule.tally = cache_tally_take(cache, &wanted);
        rule.view = view_of(cache, rule.tally, rule.key);
        rule_add(&rules, rule);
    }
    cache->classes[slot].affinity = rules;
    if (rules.count)
        cache->classes[slot].affinity_matches_self =
            cache_tally_selects(cache, &cache->tallies[rules.items[0].tally], &cache->classes[slot]);
}

static void make_pod_terms(SchedulerCache *cache, uint32_t slot) {
    const PodSpec *spec = &cache->shapes[cache->classes[slot].shape].spec;
    CacheRules anti = {0}, preferred = {0};

    make_affinity(cache, slot);
    for (uint32_t i = 0; i < spec->anti_affinity.required.count; i++)
        rule_for_term(cache, slot, &spec->anti_affinity.required.items[i], 0, &anti);
    for (uint32_t i = 0; i < spec->affinity.preferred.count; i++)
        rule_for_term(cache, slot, &spec->affinity.preferred.items[i], spec->affinity.preferred.items[i].weight,
                      &preferred);
    for (uint32_t i = 0; i < spec->anti_affinity.preferred.count; i++)
        rule_for_term(cache, slot, &spec->anti_affinity.preferred.items[i],
                      -spec->anti_affinity.preferred.items[i].weight, &preferred);
    cache->classes[slot].anti_affinity = anti;
    cache->classes[slot].preferred = preferred;
}

// Makes the rule of a topology spread. `keys`: labels that a node must have to count.
static void spread_rule(SchedulerCache *cache, uint32_t slot, const TopologySpread *spread, const SymbolVec *keys,
                        CacheRules *rules) {
    const CacheClass *class = &cache->classes[slot];
    CacheTally wanted = {.kind = TALLY_ALIVE};
    CacheTarget *target = vec_add(&wanted.arena, &wanted.targets);
    LabelSelector *selector = cache_copy_selector(&wanted.arena, spread->selector);
    CacheView view = {.shape = class->shape,
                      .honor_affinity = !spread->ignore_node_affinity,
                      .honor_taints = spread->honor_node_taints};
    CacheRule rule = {.key = spread->topology_key,
                      .max_skew = spread->max_skew,
                      .min_domains = spread->min_domains,
                      .is_hostname = spread->topology_key == NAME_HOSTNAME};

    if (selector)
        merge_keys(&wanted.arena, selector, &spread->match_label_keys, &class->labels, OP_IN);
    rule.counts_nobody = selector && selector->expressions.count == 0;
    target->selector = selector;
    vec_push(&wanted.arena, &target->namespaces, class->ns);
    rule.matches_self = cache_selector_selects(cache->symbols, selector, &class->labels);
    rule.tally = cache_tally_take(cache, &wanted);
    view.tally = rule.tally;
    view.key = cache_key(cache, rule.key);
    view.needed_keys = NEW_ARRAY(uint32_t, keys->count);
    for (uint32_t i = 0; i < keys->count; i++)
        view.needed_keys[view.needed_key_count++] = cache_key(cache, keys->items[i]);
    rule.view = cache_view_take(cache, &view);
    rule_add(rules, rule);
}

static void add_match(Arena *arena, LabelSelector *selector, const Labels *labels) {
    for (uint32_t i = 0; i < labels->count; i++) {
        Expression *expression = vec_add(arena, &selector->expressions);

        *expression = (Expression){.key = labels->items[i].key, .op = OP_IN};
        vec_push(arena, &expression->values, labels->items[i].value);
    }
}

static bool service_selects(const Service *service, const CacheClass *class) {
    if (!service->has_selector || service->meta.ns != class->ns)
        return false;
    for (uint32_t i = 0; i < service->selector.count; i++) {
        if (labels_get(&class->labels, service->selector.items[i].key) != service->selector.items[i].value)
            return false;
    }
    return true;
}

// The selectors of the pod's services and of its owner, combined.
static LabelSelector *default_selector(SchedulerCache *cache, Arena *arena, const CacheClass *class) {
    LabelSelector *selector = arena_new(arena, LabelSelector);
    const PodOwner *owner = NULL;

    for (uint32_t i = 0;; i++) {
        const Service *service = cache->sources.service(cache->sources.self, i);

        if (!service)
            break;
        if (service_selects(service, class))
            add_match(arena, selector, &service->selector);
    }
    if (class->owner_kind != KUBE_KIND_COUNT)
        owner = cache->sources.owner(cache->sources.self, class->owner_kind, class->ns, class->owner_name);
    if (owner && owner->selector) {
        LabelSelector *copy = cache_copy_selector(arena, owner->selector);

        for (vec_each(const Expression, expression, &copy->expressions))
            vec_push(arena, &selector->expressions, *expression);
    }
    return selector;
}

// kube-scheduler's default constraints for pods without any: soft, by hostname (3) and zone (5).
static void make_default_spread(SchedulerCache *cache, uint32_t slot, CacheRules *soft) {
    static const struct {
        Symbol key;
        int32_t max_skew;
    } defaults[] = {{NAME_HOSTNAME, 3}, {NAME_ZONE, 5}};
    Arena arena = {0};
    LabelSelector *selector = default_selector(cache, &arena, &cache->classes[slot]);

    for (size_t i = 0; i < 2 && selector->expressions.count; i++) {
        TopologySpread spread = {
            .topology_key = defaults[i].key, .max_skew = defaults[i].max_skew, .selector = selector};

        spread_rule(cache, slot, &spread, &(SymbolVec){0}, soft);
    }
    arena_free(&arena);
}

static void make_spread(SchedulerCache *cache, uint32_t slot) {
    const TopologySpreadVec *spreads = &cache->shapes[cache->classes[slot].shape].spec.spreads;
    CacheRules rules[2] = {{0}};
    Arena arena = {0};

    for (int soft = 0; soft < 2; soft++) {
        SymbolVec keys = {0};

        for (vec_each(const TopologySpread, spread, spreads)) {
            if (spread->schedule_anyway == soft)
                vec_push(&arena, &keys, spread->topology_key);
        }
        for (uint32_t i = 0; i < spreads->count; i++) {
            if (spreads->items[i].schedule_anyway == soft)
                spread_rule(cache, slot, &spreads->items[i], &keys, &rules[soft]);
        }
    }
    if (spreads->count == 0)
        make_default_spread(cache, slot, &rules[1]);
    cache->classes[slot].soft_is_default = spreads->count == 0;
    cache->classes[slot].hard = rules[0];
    cache->classes[slot].soft = rules[1];
    arena_free(&arena);
}

void cache_class_make_rules(SchedulerCache *cache, uint32_t slot) {
    CacheClass *class = &cache->classes[slot];

    if (class->ruled && class->services_epoch == cache->services_epoch)
        return;
    if (class->ruled) {
        if (class->soft_is_default) {
            CacheRules soft = {0}, old = class->soft;

            make_default_spread(cache, slot, &soft);
            drop_rules(cache, &old);
            cache->classes[slot].soft = soft;
        }
    } else {
        make_pod_terms(cache, slot);
        make_spread(cache, slot);
    }
    cache->classes[slot].ruled = true;
    cache->classes[slot].services_epoch = cache->services_epoch;
}
