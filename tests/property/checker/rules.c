// The rules of one pod and one node, as kube-scheduler's plugins NodeAffinity, TaintToleration, NodePorts and
// NodeResourcesFit judge them.
#include "checker/rules.h"

LabelStates judge_shape_get(World *world, const Shape *shape, Symbol key) {
    const LabelStates *own = judge_table_get(shape->own, key),
                      *pinned = shape->pins ? judge_table_get(shape->pins, key) : NULL;
    const LabelStates *offered = shape->offered ? judge_table_get(shape->offered, key) : NULL;
    LabelStates missing = judge_states_missing();

    if (pinned)
        return *pinned;
    if (!own)
        return offered ? *offered : missing;
    if (offered)
        return judge_states_meet(world->arena, &world->symbols, own, offered);
    if (shape->offered && judge_symbols_contain(&world->type_keys, key)) // a label of other types
        return judge_states_meet(world->arena, &world->symbols, own, &missing);
    return *own;
}

bool judge_shape_is_possible(World *world, const Shape *shape) {
    for (vec_each(KeyStates, entry, shape->own)) {
        LabelStates states = judge_shape_get(world, shape, entry->key);

        if (judge_states_are_empty(&world->symbols, &states))
            return false;
    }
    return true;
}

static bool label_holds(World *world, const Shape *shape, Symbol key, const LabelStates *accepted) {
    LabelStates states = judge_shape_get(world, shape, key);

    return judge_states_are_within(&world->symbols, &states, accepted);
}

static bool term_holds(World *world, const NodeTerm *term, const Shape *shape) {
    for (vec_each(Expression, expression, &term->expressions)) {
        if (!label_holds(world, shape, expression->key, &expression->states))
            return false;
    }
    return term->expressions.count > 0 && !term->has_fields; // an empty term matches nothing
}

static bool any_term_holds(World *world, const NodeTermVec *terms, const Shape *shape) {
    for (vec_each(NodeTerm, term, terms)) {
        if (term_holds(world, term, shape))
            return true;
    }
    return false;
}

static bool selector_holds(World *world, const PodClass *class, const Shape *shape) {
    for (vec_each(Label, label, &class->node_selector)) {
        LabelStates wanted = judge_states_value(world->arena, label->value);

        if (!label_holds(world, shape, label->key, &wanted))
            return false;
    }
    return true;
}

// A key of the terms that has several possible states; INDEX_NONE: none.
static Symbol open_key(World *world, const NodeTermVec *terms, const Shape *shape) {
    for (vec_each(NodeTerm, term, terms)) {
        for (vec_each(Expression, expression, &term->expressions)) {
            LabelStates states = judge_shape_get(world, shape, expression->key);

            if (!states.others && states.values.count + states.missing > 1)
                return expression->key;
        }
    }
    return INDEX_NONE;
}

// Different terms may hold for different values of an undecided label, so each value is tried.
static bool terms_hold(World *world, const NodeTermVec *terms, const Shape *shape) {
    Symbol key;
    LabelStates states;
    StateTable pins = {0};
    Shape pinned = *shape;

    if (any_term_holds(world, terms, shape))
        return true;
    key = open_key(world, terms, shape);
    if (key == INDEX_NONE)
        return false;
    states = judge_shape_get(world, shape, key);
    for (uint32_t i = 0; shape->pins && i < shape->pins->count; i++)
        vec_push(world->arena, &pins, shape->pins->items[i]);
    vec_push(world->arena, &pins, (KeyStates){key, judge_states_missing()});
    pinned.pins = &pins;
    if (states.missing && !terms_hold(world, terms, &pinned))
        return false;
    for (uint32_t i = 0; i < states.values.count; i++) {
        vec_last(&pins)->states = judge_states_value(world->arena, states.values.items[i]);
        if (!terms_hold(world, terms, &pinned))
            return false;
    }
    return true;
}

bool judge_class_holds_on(World *world, const PodClass *class, const Shape *shape) {
    return selector_holds(world, class, shape) && (!class->has_terms || terms_hold(world, &class->terms, shape));
}

bool judge_volumes_hold_on(World *world, const PodVolumeVec *volumes, const Shape *shape) {
    for (vec_each(PodVolume, volume, volumes)) {
        if (volume->terms.count && !terms_hold(world, &volume->terms, shape))
            return false;
    }
    return true;
}

// A search for labels that satisfy all terms together.
typedef struct {
    World *world;
    const Shape *shape;
    bool doubtful;
    StateTable narrowed;
} Search;

static bool search_narrow(Search *search, Symbol key, const LabelStates *accepted) {
    LabelStates before = judge_shape_get(search->world, search->shape, key), states = before;
    const LabelStates *narrowed = judge_table_get(&search->narrowed, key);

    states = judge_states_meet(search->world->arena, &search->world->symbols, narrowed ? narrowed : &states, accepted);
    if (judge_states_are_empty(&search->world->symbols, &states))
        return false;
    // The pool only excludes values, so it is not certain that the node gets the label that the pod requires.
    if (!search->doubtful && before.missing && before.others && states.others && !states.missing)
        return false;
    judge_table_narrow(search->world->arena, &search->world->symbols, &search->narrowed, key, &states);
    return true;
}

// Groups of OR-ed terms: those of the pod, if any, then those of each volume.
static bool search_groups(Search *search, const NodeTermVec *const *groups, uint32_t count) {
    if (count == 0)
        return true;
    for (vec_each(NodeTerm, term, groups[0])) {
        StateTable before = {0};
        bool holds = term->expressions.count > 0 && !term->has_fields;

        for (vec_each(KeyStates, entry, &search->narrowed))
            vec_push(search->world->arena, &before, *entry);
        for (uint32_t i = 0; holds && i < term->expressions.count; i++)
            holds = search_narrow(search, term->expressions.items[i].key, &term->expressions.items[i].states);
        if (holds && search_groups(search, groups + 1, count - 1))
            return true;
        search->narrowed = before;
    }
    return false;
}

bool judge_class_can_hold_on(World *world, const PodClass *class, const PodVolumeVec *volumes, const Shape *shape,
                             bool doubtful, StateTable *ret_narrowed) {
    Search search = {world, shape, doubtful, {0}};
    Vec(const NodeTermVec *) groups = {0};

    for (vec_each(Label, label, &class->node_selector)) {
        LabelStates wanted = judge_states_value(world->arena, label->value);

        if (!search_narrow(&search, label->key, &wanted))
            return false;
    }
    if (class->has_terms)
        vec_push(world->arena, &groups, &class->terms);
    for (uint32_t i = 0; volumes && i < volumes->count; i++) {
        if (volumes->items[i].terms.count)
            vec_push(world->arena, &groups, &volumes->items[i].terms);
    }
    if (!search_groups(&search, groups.items, groups.count))
        return false;
    if (ret_narrowed)
        *ret_narrowed = search.narrowed;
    return true;
}

static bool numbers_satisfy(const World *world, const Toleration *toleration, const Taint *taint, bool less) {
    int64_t wanted, value;

    return slice_to_int64(judge_text(world, toleration->value), &wanted) &&
           slice_to_int64(judge_text(world, taint->value), &value) && (less ? value < wanted : value > wanted);
}

bool judge_taint_is_tolerated(const World *world, const PodClass *class, const Taint *taint) {
    for (vec_each(Toleration, toleration, &class->tolerations)) {
        Slice op = judge_text(world, toleration->op);

        if (toleration->effect != EFFECT_ANY && toleration->effect != taint->effect)
            continue;
        if (toleration->key != SYMBOL_EMPTY && toleration->key != taint->key)
            continue;
        if (slice_eq_text(op, "Exists"))
            return true;
        if (slice_eq_text(op, "Equal") && toleration->key != SYMBOL_EMPTY && toleration->value == taint->value)
            return true;
        if (slice_eq_text(op, "Lt") && numbers_satisfy(world, toleration, taint, true))
            return true;
        if (slice_eq_text(op, "Gt") && numbers_satisfy(world, toleration, taint, false))
            return true;
    }
    return false;
}

const Taint *judge_taint_in_the_way(const World *world, const PodClass *class, const TaintVec *taints) {
    for (vec_each(Taint, taint, taints)) {
        if (taint->effect != EFFECT_PREFER_NO_SCHEDULE && !judge_taint_is_tolerated(world, class, taint))
            return taint;
    }
    return NULL;
}

static bool is_unspecified(Slice ip) {
    return slice_eq_text(ip, "0.0.0.0") || slice_eq_text(ip, "::");
}

bool judge_ports_conflict(const World *world, const HostPortVec *a, const HostPortVec *b) {
    for (vec_each(HostPort, one, a)) {
        for (vec_each(HostPort, other, b)) {
            if (one->port == other->port && one->protocol == other->protocol &&
                (one->ip == other->ip || is_unspecified(judge_text(world, one->ip)) ||
                 is_unspecified(judge_text(world, other->ip))))
                return true;
        }
    }
    return false;
}

uint32_t judge_resource_short(const Amounts *requests, const Amounts *room) {
    for (uint32_t i = 0; i < RESOURCE_MAX; i++) {
        if (requests->of[i] > 0 && requests->of[i] > room->of[i])
            return i;
    }
    return RESOURCE_MAX;
}

bool judge_offering_is_launchable(World *world, const StateTable *own, const Offering *offering) {
    Shape shape = {own, &offering->states, NULL};

    return offering->is_available && offering->reservation_capacity != 0 && judge_shape_is_possible(world, &shape);
}

bool judge_daemon_runs_on(World *world, const DaemonSet *daemon_set, const TaintVec *taints, const Shape *shape) {
    const PodClass *class = &world->classes.items[daemon_set->class_index];

    return !class->has_resource_claims && !judge_taint_in_the_way(world, class, taints) &&
           judge_class_holds_on(world, class, shape);
}

bool judge_daemon_runs_on_new(World *world, const DaemonSet *daemon_set, const Pool *pool, const Shape *shape) {
    return !judge_symbols_contain(&pool->left_out, daemon_set->name) &&
           judge_daemon_runs_on(world, daemon_set, &pool->taints, shape);
}

bool judge_daemon_may_run_on(World *world, const DaemonSet *daemon_set, const Pool *pool, const Type *type) {
    const PodClass *class = &world->classes.items[daemon_set->class_index];
    Shape shape = {&pool->states, &type->states, NULL};

    return !judge_symbols_contain(&pool->left_out, daemon_set->name) && !class->has_resource_claims &&
           !judge_taint_in_the_way(world, class, &pool->taints) &&
           judge_class_can_hold_on(world, class, NULL, &shape, true, NULL);
}
