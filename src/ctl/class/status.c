// Status members and conditions of a NodeClass in one patch.
#include "ctl/class/status.h"

#include "ctl/common/conditions.h"
#include "text/value_edit.h"

// Whether a merge patch would change the tree; `stored` NULL: it is absent.
static bool changes(const Value *stored, const Value *patch) {
    if (patch->kind == VALUE_NULL)
        return stored && stored->kind != VALUE_NULL;
    if (!stored || stored->kind != patch->kind)
        return true;
    if (patch->kind != VALUE_MAP)
        return !value_eq(stored, patch);
    for (vec_each(const ValueMember, member, &patch->map)) {
        if (changes(value_get(stored, member->key), &member->value))
            return true;
    }
    return false;
}

static ConditionRules rules_of(Arena *arena, const CloudClass *found) {
    const char **types = arena_alloc_array(arena, sizeof *types, found->conditions.count);
    uint32_t count = 0;

    for (vec_each(const CloudCondition, condition, &found->conditions))
        types[count++] = condition->type;
    return (ConditionRules){types, count};
}

static void set(Conditions *conditions, const CloudCondition *found) {
    const char *reason = found->reason.len ? arena_text(conditions->arena, found->reason) : found->type;

    if (strcmp(found->status, "True") == 0)
        conditions_set_true_because(conditions, found->type, reason, found->message);
    else if (strcmp(found->status, "False") == 0)
        conditions_set_false(conditions, found->type, reason, found->message);
    else
        conditions_set_unknown(conditions, found->type, reason, found->message);
}

// The patch of the conditions; NULL: they are what they were. Without any there is nothing to be ready by.
static Value *conditions_written(Turn *turn, const ClassFacts *class, const CloudClass *found) {
    ConditionRules rules = rules_of(turn->arena, found);
    Conditions conditions;

    if (!rules.count)
        return NULL;
    conditions = conditions_open(turn, &rules, class->meta, class->conditions);
    for (vec_each(const CloudCondition, condition, &found->conditions))
        set(&conditions, condition);
    return conditions.changed ? conditions_patch(&conditions) : NULL;
}

bool class_status_write(Turn *turn, const ClassFacts *class, const CloudClass *found, uint64_t tag) {
    Value *body = conditions_written(turn, class, found), *status;
    const Value *members = found->status && found->status->kind == VALUE_MAP ? found->status : NULL;
    bool differs = members && (class->status ? changes(class->status, members) : members->map.count > 0);

    if (!body && !differs)
        return false;
    if (!body) {
        body = arena_new(turn->arena, Value);
        *body = value_map();
    }
    status = value_make(turn->arena, body, "status", NULL);
    for (uint32_t i = 0; differs && i < members->map.count; i++)
        value_put(turn->arena, status, members->map.items[i].key, members->map.items[i].value);
    turn_patch(turn, class->kind, NAME_EMPTY, class->meta->name, KUBE_STATUS, body, class->meta->revision);
    vec_last(turn->intents)->tag = tag;
    return true;
}
