// Building small trees, and reading simple members.
#include "sim/workloads/build.h"

#include "text/duration.h"

void put_text(Arena *arena, Value *map, const char *key, Slice text) {
    value_put(arena, map, slice_of(key), value_string(text));
}

void put_int(Arena *arena, Value *map, const char *key, int64_t number) {
    value_put(arena, map, slice_of(key), value_int(arena, number));
}

void put_bool(Arena *arena, Value *map, const char *key, bool boolean) {
    value_put(arena, map, slice_of(key), value_bool(boolean));
}

void put_time(Arena *arena, Value *map, const char *key, int64_t at_ns) {
    value_put(arena, map, slice_of(key), value_string(time_print(arena, at_ns)));
}

Value *put_map(Arena *arena, Value *map, const char *key) {
    return value_put(arena, map, slice_of(key), value_map());
}

Value *put_list(Arena *arena, Value *map, const char *key) {
    return value_put(arena, map, slice_of(key), value_list());
}

Value *add_map(Arena *arena, Value *list) {
    return value_append(arena, list, value_map());
}

Value *add_condition(Arena *arena, Value *conditions, const char *type, const char *status, const char *reason,
                     const char *message, int64_t at_ns) {
    Value *condition = add_map(arena, conditions);

    put_text(arena, condition, "type", slice_of(type));
    put_text(arena, condition, "status", slice_of(status));
    if (reason[0])
        put_text(arena, condition, "reason", slice_of(reason));
    if (message[0])
        put_text(arena, condition, "message", slice_of(message));
    put_time(arena, condition, "lastTransitionTime", at_ns);
    return condition;
}

void put_controller(Arena *arena, Value *meta, KubeKind kind, Slice name, Slice uid) {
    Value *owner = add_map(arena, put_list(arena, meta, "ownerReferences"));

    put_text(arena, owner, "apiVersion", kube_kind(kind)->api_version);
    put_text(arena, owner, "kind", kube_kind(kind)->kind);
    put_text(arena, owner, "name", name);
    put_text(arena, owner, "uid", uid);
    put_bool(arena, owner, "controller", true);
    put_bool(arena, owner, "blockOwnerDeletion", true);
}

int64_t read_int(const Value *map, const char *key, int64_t otherwise) {
    int64_t number;

    return value_to_int64(value_get(map, slice_of(key)), &number) ? number : otherwise;
}

bool read_bool(const Value *map, const char *key) {
    const Value *value = value_get(map, slice_of(key));

    return value && value->kind == VALUE_BOOL && value->boolean;
}

int64_t read_time(const Value *map, const char *key) {
    const Value *value = value_get(map, slice_of(key));
    int64_t at_ns;

    if (!value || value->kind != VALUE_STRING || time_parse(value->text, &at_ns, NULL) != OK)
        return 0;
    return at_ns;
}

int64_t read_share(const Value *map, const char *key, int64_t whole, bool up, int64_t otherwise) {
    const Value *value = value_get(map, slice_of(key));
    int64_t number;

    if (!value)
        return otherwise;
    if (value_to_int64(value, &number))
        return number;
    if (value->kind != VALUE_STRING || value->text.len < 2 || value->text.ptr[value->text.len - 1] != '%' ||
        !slice_to_int64(slice_first(value->text, value->text.len - 1), &number))
        return otherwise;
    return (whole * number + (up ? 99 : 0)) / 100;
}

int64_t read_seconds(const Value *annotations, const char *key) {
    const Value *value = value_get(annotations, slice_of(key));
    Value number = {.kind = VALUE_NUMBER};
    double seconds;

    if (!value || value->kind != VALUE_STRING)
        return -1;
    number.text = value->text;
    if (!value_to_double(&number, &seconds) || !(seconds >= 0 && seconds < 1e9))
        return -1;
    return (int64_t)(seconds * NS_PER_S);
}

const ValueList *read_list(const Value *map, const char *key) {
    static const ValueList none = {0};
    const Value *value = value_get(map, slice_of(key));

    return value && value->kind == VALUE_LIST ? &value->list : &none;
}
