// The plan to judge.
#include "checker/read.h"

#include "text/json.h"

// Pods of a list of "ns/name"; unknown names are findings.
static U32Vec read_plan_pods(World *world, const Value *list, const char *where) {
    U32Vec pods = {0};

    for (uint32_t i = 0; i < judge_read_count(list); i++) {
        const Value *item = &list->list.items[i];
        Symbol name = item->kind == VALUE_STRING ? symbol_intern(&world->symbols, item->text) : SYMBOL_EMPTY;
        uint32_t pod = judge_find_pod(world, name);

        if (pod == INDEX_NONE)
            judge_report(world, "unknown-pod", name, "%s names a pod that the input does not have", where);
        else
            vec_push(world->arena, &pods, pod);
    }
    return pods;
}

static void read_choice(World *world, const Value *value, Claim *claim) {
    const Value *price = value ? value_get_text(value, "pricePerHour") : NULL;

    claim->has_choice = price && value_to_double(price, &claim->choice_price);
    claim->choice_type = judge_read_symbol(world, value, "instanceType");
    claim->choice_zone = judge_read_symbol(world, value, "zone");
    claim->choice_capacity_type = judge_read_symbol(world, value, "capacityType");
}

// Sets the possible labels of a claim's node. A key of the pool's requirements will be a label even if the claim only
// excludes values of it; a key of which only pods excluded values may be missing.
static void set_claim_states(World *world, Claim *claim) {
    for (vec_each(Expression, expression, &claim->requirements))
        judge_table_narrow(world->arena, &world->symbols, &claim->states, expression->key, &expression->states);
    for (vec_each(KeyStates, entry, &claim->states)) {
        bool of_pool = false;

        for (uint32_t i = 0; claim->pool && i < claim->pool->requirements.count; i++)
            of_pool |= claim->pool->requirements.items[i].key == entry->key;
        if (of_pool && entry->states.others)
            entry->states.missing = false;
    }
    for (uint32_t i = 0; claim->pool && i < claim->pool->labels.count; i++)
        judge_table_narrow(world->arena, &world->symbols, &claim->states, claim->pool->labels.items[i].key,
                           &claim->pool->labels.items[i].states);
}

static Symbol claim_identity(World *world, const Value *object) {
    Buffer buffer = {0};
    Symbol identity;

    buffer_append(&buffer, judge_read_text(object, "nodePool"));
    if (value_get_text(object, "instanceTypes"))
        json_print(&buffer, value_get_text(object, "instanceTypes"), false);
    if (value_get_text(object, "requirements"))
        json_print(&buffer, value_get_text(object, "requirements"), false);
    if (world->has_overrides && value_get_text(object, "requests"))
        json_print(&buffer, value_get_text(object, "requests"), false);
    identity = symbol_intern(&world->symbols, buffer_slice(&buffer));
    buffer_free(&buffer);
    return identity;
}

static ErrCode read_claim(World *world, const Value *object, Err *err) {
    const Value *list = judge_read_list(object, "requirements");
    Claim claim = {.name = judge_read_symbol(world, object, "name"),
                   .pool_name = judge_read_symbol(world, object, "nodePool")};

    claim.pool = judge_find_pool(world, claim.pool_name);
    claim.type_names = judge_read_symbols(world, judge_read_list(object, "instanceTypes"));
    for (uint32_t i = 0; i < claim.type_names.count; i++) {
        const Type *type = judge_find_type(world, claim.type_names.items[i]);

        if (type)
            vec_push(world->arena, &claim.types, type);
        else
            judge_report(world, "unknown-type", claim.name, "type %.*s is not in the catalogue",
                         SLICE_ARG(judge_text(world, claim.type_names.items[i])));
    }
    for (uint32_t i = 0; i < judge_read_count(list); i++)
        vec_push(world->arena, &claim.requirements, judge_read_expression(world, &list->list.items[i], "key"));
    claim.identity = claim_identity(world, object);
    set_claim_states(world, &claim);
    TRY(judge_read_amounts(world, value_get_text(object, "requests"), &claim.requests, err));
    read_choice(world, value_get_text(object, "choice"), &claim);
    claim.pods = read_plan_pods(world, judge_read_list(object, "pods"), "a nodeClaim");
    vec_push(world->arena, &world->claims, claim);
    return OK;
}

ErrCode judge_read_plan(World *world, const Value *plan, Err *err) {
    const Value *claims = judge_read_list(plan, "nodeClaims"), *nodes = judge_read_list(plan, "existingNodes");
    const Value *rest = judge_read_list(plan, "unschedulable"), *price = value_at(plan, "price", "perHour", NULL);

    if (plan->kind != VALUE_MAP || !claims || !nodes || !rest)
        return err_set(err, ERR_INVALID, "plan: expected nodeClaims, existingNodes and unschedulable");
    for (uint32_t i = 0; i < claims->list.count; i++)
        TRY(read_claim(world, &claims->list.items[i], err));
    for (uint32_t i = 0; i < nodes->list.count; i++) {
        const Value *item = &nodes->list.items[i];
        NodePlan node = {.name = judge_read_symbol(world, item, "name")};

        node.node = judge_find_node(world, node.name);
        node.pods = read_plan_pods(world, judge_read_list(item, "pods"), "an existingNode");
        vec_push(world->arena, &world->node_plans, node);
    }
    for (uint32_t i = 0; i < rest->list.count; i++) {
        Symbol name = judge_read_symbol(world, &rest->list.items[i], "pod");
        uint32_t pod = judge_find_pod(world, name);

        if (pod == INDEX_NONE)
            judge_report(world, "unknown-pod", name, "unschedulable names a pod that the input does not have");
        else
            vec_push(world->arena, &world->unschedulable, pod);
    }
    if (!price || !value_to_double(price, &world->price_per_hour))
        return err_set(err, ERR_INVALID, "plan: price.perHour: expected a number");
    return OK;
}
