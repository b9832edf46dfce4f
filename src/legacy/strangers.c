// Members that the old kinds do not have: misspelled or misplaced ones.
#include "legacy/fields.h"

#include "text/nearest.h"

typedef struct {
    Arena *arena;
    const FieldTable *root;
    OldStrangerVec *strangers;
} Search;

static const Field *find_field(const FieldTable *table, Slice name) {
    for (size_t i = 0; i < table->count; i++) {
        if (slice_eq_text(name, table->fields[i].name))
            return &table->fields[i];
    }
    return NULL;
}

static Slice joined(Arena *arena, Slice path, Slice name) {
    return path.len ? arena_printf(arena, "%.*s.%.*s", SLICE_ARG(path), SLICE_ARG(name)) : name;
}

// The path at which the kind has a member of that very name; empty: nowhere. Tables are finite trees.
static Slice place_of(Arena *arena, const FieldTable *table, Slice path, Slice name) {
    const Field *field = find_field(table, name);

    if (field)
        return joined(arena, path, name);
    for (size_t i = 0; i < table->count; i++) {
        const Field *inner = &table->fields[i];
        Slice found = SLICE("");

        if (inner->kind == FIELD_OBJECT || inner->kind == FIELD_POINTER)
            found = place_of(arena, inner->table, joined(arena, path, slice_of(inner->name)), name);
        if (found.len)
            return found;
    }
    return SLICE("");
}

static Slice meant_by(const Search *search, const FieldTable *table, Slice name) {
    enum { LETTERS_OFF = 2 };
    Nearest nearest = {.text = name};
    Slice place = place_of(search->arena, search->root, SLICE(""), name);

    if (place.len)
        return place;
    for (size_t i = 0; i < table->count; i++)
        nearest_offer(&nearest, slice_of(table->fields[i].name));
    return nearest.distance <= LETTERS_OFF ? nearest.word : SLICE("");
}

static void note(const Search *search, const FieldTable *table, Slice path, const ValueMember *member) {
    if (search->strangers->count < OLD_STRANGERS_MAX)
        vec_push(search->arena, search->strangers,
                 (OldStranger){joined(search->arena, path, member->key), meant_by(search, table, member->key),
                               member->line});
}

static Value without(const Search *search, Slice path, const Value *value, const FieldTable *table);

static Value member_without(const Search *search, Slice path, const Value *value, const Field *field) {
    Value list = {.kind = VALUE_LIST, .line = value->line};

    if (field->kind == FIELD_OBJECT || field->kind == FIELD_POINTER)
        return without(search, path, value, field->table);
    if (field->kind != FIELD_LIST || value->kind != VALUE_LIST)
        return *value;
    for (uint32_t i = 0; i < value->list.count; i++) {
        Slice at = arena_printf(search->arena, "%.*s[%u]", SLICE_ARG(path), i);

        vec_push(search->arena, &list.list, without(search, at, &value->list.items[i], field->table));
    }
    return list;
}

static Value without(const Search *search, Slice path, const Value *value, const FieldTable *table) {
    Value copy = {.kind = VALUE_MAP, .line = value->line};

    if (value->kind != VALUE_MAP)
        return *value;
    for (vec_each(const ValueMember, member, &value->map)) {
        const Field *field = find_field(table, member->key);
        ValueMember kept = *member;

        if (!field) {
            note(search, table, path, member);
            continue;
        }
        kept.value = member_without(search, joined(search->arena, path, member->key), &member->value, field);
        vec_push(search->arena, &copy.map, kept);
    }
    return copy;
}

Value strangers_without(Arena *arena, const Value *value, const FieldTable *table, OldStrangerVec *strangers) {
    Search search = {arena, table, strangers};

    return without(&search, SLICE(""), value, table);
}
