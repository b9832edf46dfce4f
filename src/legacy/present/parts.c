// Owners, conditions and annotations of old objects.
#include "legacy/present/parts.h"

#include "text/json.h"
#include "text/value_edit.h"

Slice meta_text(const Value *object, const char *map, Slice key) {
    const Value *texts = value_at(object, "metadata", map, NULL), *text = value_get(texts, key);

    return text && text->kind == VALUE_STRING ? text->text : SLICE("");
}

// Owners.

static void set_owner(Arena *arena, Value *owner, KubeKind kind, Slice name) {
    value_put(arena, owner, SLICE("apiVersion"), value_string(kube_kind(kind)->api_version));
    value_put(arena, owner, SLICE("kind"), value_string(kube_kind(kind)->kind));
    value_put(arena, owner, SLICE("name"), value_string(name));
}

static KubeKind kind_of_owner(const Value *owner) {
    return kube_kind_find(text_in(owner, "apiVersion"), text_in(owner, "kind"));
}

static void owner_present(Arena *arena, Value *owner) {
    KubeKind kind = kind_of_owner(owner);
    Slice name = text_in(owner, "name");

    if (kind == KUBE_PROVISIONER)
        set_owner(arena, owner, KUBE_NODE_POOL, presented_name(arena, kind, name));
    else if (kind == KUBE_MACHINE)
        set_owner(arena, owner, KUBE_NODE_CLAIM, presented_name(arena, kind, name));
}

static void owner_carry(Arena *arena, Value *owner) {
    KubeKind kind = kind_of_owner(owner), old;
    Slice name;

    if (kind != KUBE_KIND_COUNT && old_name(kind, text_in(owner, "name"), &old, &name))
        set_owner(arena, owner, old, name);
}

static void owners_each(Arena *arena, Value *metadata, void (*change)(Arena *arena, Value *owner)) {
    Value *owners = value_find_text(metadata, "ownerReferences");

    if (!owners || owners->kind != VALUE_LIST)
        return;
    for (vec_each(Value, owner, &owners->list))
        change(arena, owner);
}

void owners_present(Arena *arena, Value *metadata) {
    owners_each(arena, metadata, owner_present);
}

void owners_carry(Arena *arena, Value *metadata) {
    owners_each(arena, metadata, owner_carry);
}

// Conditions.

static const struct {
    Slice old, today;
} types[] = {
    {SLICE_INIT("MachineLaunched"), SLICE_INIT("Launched")},
    {SLICE_INIT("MachineRegistered"), SLICE_INIT("Registered")},
    {SLICE_INIT("MachineInitialized"), SLICE_INIT("Initialized")},
    {SLICE_INIT("MachineDrifted"), SLICE_INIT("Drifted")},
    {SLICE_INIT("MachineEmpty"), SLICE_INIT("Empty")},
    {SLICE_INIT("MachineExpired"), SLICE_INIT("Expired")},
};

static Slice translated(Slice type, bool to_old) {
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (slice_eq(type, to_old ? types[i].today : types[i].old))
            return to_old ? types[i].old : types[i].today;
    }
    return type;
}

static Value *conditions_in(Value *status) {
    Value *conditions = value_find_text(status, "conditions");

    return conditions && conditions->kind == VALUE_LIST ? conditions : NULL;
}

static bool says(const Value *condition, const char *key, Slice text) {
    return slice_eq(text_in(condition, key), text);
}

static const Slice expired = SLICE_INIT("Expired"), drifted = SLICE_INIT("Drifted");

// A claim that expires by choice is a drifted one of that reason today, and was one with a condition of its own.
static Slice type_of(const Value *condition, bool to_old) {
    if (to_old && says(condition, "type", drifted) && says(condition, "reason", expired))
        return SLICE("MachineExpired");
    return translated(text_in(condition, "type"), to_old);
}

static void rename_conditions(Value *conditions, bool to_old) {
    for (vec_each(Value, condition, &conditions->list)) {
        Value *type = value_find_text(condition, "type");

        if (type && type->kind == VALUE_STRING)
            type->text = type_of(condition, to_old);
    }
}

// Makes the first condition of type Expired the only one of type Drifted: expiration came before drift.
static void show_expiration(Arena *arena, Value *conditions) {
    Value shown = value_list();
    bool is_expired = false;

    for (vec_each(const Value, condition, &conditions->list))
        is_expired |= says(condition, "type", expired) && says(condition, "status", SLICE("True"));
    if (!is_expired)
        return;
    for (vec_each(const Value, condition, &conditions->list)) {
        Value copy = value_copy_tree(arena, condition);

        if (says(condition, "type", drifted))
            continue;
        if (says(condition, "type", expired)) {
            value_put(arena, &copy, SLICE("type"), value_string(drifted));
            value_put(arena, &copy, SLICE("reason"), value_string(expired));
        }
        value_append(arena, &shown, copy);
    }
    *conditions = shown;
}

void machine_conditions_present(Arena *arena, Value *status) {
    Value *conditions = conditions_in(status);

    if (!conditions)
        return;
    rename_conditions(conditions, false);
    show_expiration(arena, conditions);
}

void machine_conditions_carry(Value *status) {
    Value *conditions = conditions_in(status);

    if (conditions)
        rename_conditions(conditions, true);
}

void conditions_observe(Arena *arena, Value *status, int64_t generation) {
    Value *conditions = value_find_text(status, "conditions");

    if (!conditions || conditions->kind != VALUE_LIST)
        return;
    for (vec_each(Value, condition, &conditions->list)) {
        if (condition->kind == VALUE_MAP && !value_get_text(condition, "observedGeneration"))
            value_put(arena, condition, SLICE("observedGeneration"), value_int(arena, generation));
    }
}

// Annotations.

Value annotation_json(Arena *arena, const Value *object, Slice key) {
    Slice text = meta_text(object, "annotations", key);
    DocumentVec documents = {0};
    WarningVec warnings = {0};
    Err ignored = {0};

    if (!text.len ||
        json_parse(arena, SLICE("annotation"), text, &(ParseOptions){0}, &documents, &warnings, &ignored) != OK ||
        documents.count != 1 || documents.items[0].root.kind != VALUE_MAP)
        return value_map();
    return value_copy_tree(arena, &documents.items[0].root);
}
