// Finding and setting conditions.
#include "sim/api/condition.h"

#include "sim/api/request.h"
#include "text/value_edit.h"

const Value *condition_find(const Value *object, const char *type) {
    const Value *conditions = value_at(object, "status", "conditions", NULL);

    for (uint32_t i = 0; conditions && conditions->kind == VALUE_LIST && i < conditions->list.count; i++) {
        if (slice_eq_text(kube_text(&conditions->list.items[i], "type", NULL), type))
            return &conditions->list.items[i];
    }
    return NULL;
}

static Value *find_or_add(const Request *request, Value *object, const char *type) {
    Value *status = value_make(request->arena, object, "status", NULL);
    Value *conditions = value_find_text(status, "conditions"), *condition;

    if (!conditions || conditions->kind != VALUE_LIST)
        conditions = value_put(request->arena, status, SLICE("conditions"), value_list());
    for (vec_each(Value, there, &conditions->list)) {
        if (slice_eq_text(kube_text(there, "type", NULL), type))
            return there;
    }
    condition = value_append(request->arena, conditions, value_map());
    value_put(request->arena, condition, SLICE("type"), value_string(slice_of(type)));
    return condition;
}

static void put_text(Arena *arena, Value *map, const char *key, const char *text) {
    if (text[0])
        value_put(arena, map, slice_of(key), value_string(slice_of(text)));
    else
        value_remove(map, slice_of(key));
}

bool condition_set(const Request *request, Value *object, const char *type, const char *status, const char *reason,
                   const char *message) {
    Value *condition = find_or_add(request, object, type);
    Value before = value_copy_tree(request->arena, condition);
    bool moved = !slice_eq_text(kube_text(condition, "status", NULL), status);

    put_text(request->arena, condition, "status", status);
    put_text(request->arena, condition, "reason", reason);
    put_text(request->arena, condition, "message", message);
    if (moved)
        value_put(request->arena, condition, SLICE("lastTransitionTime"), value_string(request_now(request)));
    return !value_eq(&before, condition);
}
