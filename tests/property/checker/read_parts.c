// Small readers that every other reader uses.
#include "checker/read.h"

#include "text/quantity.h"

Slice judge_read_text(const Value *map, const char *member) {
    const Value *value = map ? value_get(map, slice_of(member)) : NULL;

    return value && value->kind == VALUE_STRING ? value->text : (Slice){0};
}

Symbol judge_read_symbol(World *world, const Value *map, const char *member) {
    return symbol_intern(&world->symbols, judge_read_text(map, member));
}

int64_t judge_read_int(const Value *map, const char *member, int64_t when_absent) {
    const Value *value = map ? value_get(map, slice_of(member)) : NULL;
    int64_t number;

    return value && value_to_int64(value, &number) ? number : when_absent;
}

bool judge_read_bool(const Value *map, const char *member) {
    const Value *value = map ? value_get(map, slice_of(member)) : NULL;

    return value && value->kind == VALUE_BOOL && value->boolean;
}

bool judge_read_has(const Value *map, const char *member) {
    const Value *value = map ? value_get(map, slice_of(member)) : NULL;

    return value && value->kind != VALUE_NULL;
}

const Value *judge_read_list(const Value *map, const char *member) {
    const Value *value = map ? value_get(map, slice_of(member)) : NULL;

    return value && value->kind == VALUE_LIST ? value : NULL;
}

uint32_t judge_read_count(const Value *list) {
    return list && list->kind == VALUE_LIST ? list->list.count : 0;
}

Symbol judge_read_key(World *world, Slice key) {
    static const char *const pairs[][2] = {
        {"failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone"},
        {"failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region"},
        {"beta.kubernetes.io/arch", "kubernetes.io/arch"},
        {"beta.kubernetes.io/os", "kubernetes.io/os"},
        {"beta.kubernetes.io/instance-type", "node.kubernetes.io/instance-type"},
        {"topology.ebs.csi.aws.com/zone", "topology.kubernetes.io/zone"},
    };

    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        if (slice_eq_text(key, pairs[i][0]))
            key = slice_of(pairs[i][1]);
    }
    return symbol_intern(&world->symbols, key);
}

LabelVec judge_read_labels(World *world, const Value *map) {
    LabelVec labels = {0};

    if (!map || map->kind != VALUE_MAP)
        return labels;
    for (uint32_t i = 0; i < map->map.count; i++) {
        const ValueMember *member = &map->map.items[i];

        if (member->value.kind == VALUE_STRING)
            vec_push(world->arena, &labels,
                     (Label){symbol_intern(&world->symbols, member->key),
                             symbol_intern(&world->symbols, member->value.text)});
    }
    return labels;
}

U32Vec judge_read_symbols(World *world, const Value *list) {
    U32Vec symbols = {0};

    for (uint32_t i = 0; i < judge_read_count(list); i++) {
        const Value *item = &list->list.items[i];
        Symbol symbol = item->kind == VALUE_STRING ? symbol_intern(&world->symbols, item->text) : INDEX_NONE;

        if (symbol != INDEX_NONE && !judge_symbols_contain(&symbols, symbol))
            vec_push(world->arena, &symbols, symbol);
    }
    return symbols;
}

Expression judge_read_expression(World *world, const Value *value, const char *key_member) {
    static const char *const operators[] = {"In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt", "Gte", "Lte"};
    Slice op = judge_read_text(value, "operator");
    Expression expression = {.key = judge_read_key(world, judge_read_text(value, key_member))};
    U32Vec values = judge_read_symbols(world, judge_read_list(value, "values"));

    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
        if (slice_eq_text(op, operators[i]))
            expression.op = (Operator)i;
    }
    expression.states = judge_states_of_expression(&world->symbols, expression.op, values);
    expression.min_values = judge_read_int(value, "minValues", 0);
    return expression;
}

Selector judge_read_selector(World *world, const Value *value) {
    Selector selector = {.is_nil = !value || value->kind != VALUE_MAP};
    LabelVec labels = judge_read_labels(world, value ? value_get_text(value, "matchLabels") : NULL);
    const Value *list = judge_read_list(value, "matchExpressions");

    for (vec_each(Label, label, &labels))
        vec_push(world->arena, &selector.expressions,
                 (Expression){label->key, OPERATOR_IN, judge_states_value(world->arena, label->value), 0});
    for (uint32_t i = 0; i < judge_read_count(list); i++) {
        const Value *item = &list->list.items[i];
        Expression expression = judge_read_expression(world, item, "key");

        expression.key = judge_read_symbol(world, item, "key"); // keys of pod selectors are not normalised
        vec_push(world->arena, &selector.expressions, expression);
    }
    return selector;
}

NodeTerm judge_read_node_term(World *world, const Value *value) {
    NodeTerm term = {.has_fields = judge_read_count(judge_read_list(value, "matchFields")) > 0};
    const Value *list = judge_read_list(value, "matchExpressions");

    for (uint32_t i = 0; i < judge_read_count(list); i++)
        vec_push(world->arena, &term.expressions, judge_read_expression(world, &list->list.items[i], "key"));
    return term;
}

static Effect read_effect(const Value *value, Effect when_absent) {
    Slice effect = judge_read_text(value, "effect");

    if (slice_eq_text(effect, "NoSchedule"))
        return EFFECT_NO_SCHEDULE;
    if (slice_eq_text(effect, "PreferNoSchedule"))
        return EFFECT_PREFER_NO_SCHEDULE;
    if (slice_eq_text(effect, "NoExecute"))
        return EFFECT_NO_EXECUTE;
    return when_absent;
}

TaintVec judge_read_taints(World *world, const Value *list) {
    TaintVec taints = {0};

    for (uint32_t i = 0; i < judge_read_count(list); i++) {
        const Value *item = &list->list.items[i];

        vec_push(world->arena, &taints,
                 (Taint){judge_read_symbol(world, item, "key"), judge_read_symbol(world, item, "value"),
                         read_effect(item, EFFECT_NO_SCHEDULE)});
    }
    return taints;
}

TolerationVec judge_read_tolerations(World *world, const Value *list) {
    TolerationVec tolerations = {0};

    for (uint32_t i = 0; i < judge_read_count(list); i++) {
        const Value *item = &list->list.items[i];
        Slice op = judge_read_text(item, "operator");

        vec_push(world->arena, &tolerations,
                 (Toleration){judge_read_symbol(world, item, "key"),
                              symbol_intern(&world->symbols, op.len ? op : SLICE("Equal")),
                              judge_read_symbol(world, item, "value"), read_effect(item, EFFECT_ANY)});
    }
    return tolerations;
}

uint32_t judge_read_resource(World *world, Slice name) {
    Symbol symbol = symbol_intern(&world->symbols, name);

    for (uint32_t i = 0; i < world->resources.count; i++) {
        if (world->resources.items[i] == symbol)
            return i;
    }
    if (world->resources.count == RESOURCE_MAX)
        return RESOURCE_MAX;
    vec_push(world->arena, &world->resources, symbol);
    return world->resources.count - 1;
}

ErrCode judge_read_amounts(World *world, const Value *map, Amounts *ret_amounts, Err *err) {
    Amounts amounts = {0};

    for (uint32_t i = 0; map && map->kind == VALUE_MAP && i < map->map.count; i++) {
        const ValueMember *member = &map->map.items[i];
        uint32_t resource = judge_read_resource(world, member->key);

        if (resource == RESOURCE_MAX)
            return err_set(err, ERR_TOO_LARGE, "more than %d kinds of resources", RESOURCE_MAX);
        if (member->value.kind != VALUE_STRING && member->value.kind != VALUE_NUMBER)
            return err_set(err, ERR_INVALID, "line %u: expected a quantity", member->line);
        TRY(quantity_parse(member->value.text, resource == RESOURCE_CPU ? QUANTITY_MILLI : QUANTITY_UNIT,
                           &amounts.of[resource], err));
        amounts.present |= UINT32_C(1) << resource;
    }
    *ret_amounts = amounts;
    return OK;
}

Symbol judge_read_namespaced(World *world, Slice ns, Slice name) {
    return symbol_intern(&world->symbols, arena_printf(world->arena, "%.*s/%.*s", SLICE_ARG(ns), SLICE_ARG(name)));
}

bool judge_read_condition(const Value *status, const char *type, Slice *ret_status, Slice *ret_reason) {
    const Value *list = judge_read_list(status, "conditions");

    for (uint32_t i = 0; i < judge_read_count(list); i++) {
        const Value *item = &list->list.items[i];

        if (!slice_eq_text(judge_read_text(item, "type"), type))
            continue;
        *ret_status = judge_read_text(item, "status");
        *ret_reason = judge_read_text(item, "reason");
        return true;
    }
    return false;
}

const Value *judge_read_controller(const Value *metadata) {
    const Value *list = judge_read_list(metadata, "ownerReferences");

    for (uint32_t i = 0; i < judge_read_count(list); i++) {
        if (judge_read_bool(&list->list.items[i], "controller"))
            return &list->list.items[i];
    }
    return NULL;
}
