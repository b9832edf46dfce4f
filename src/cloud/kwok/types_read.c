// Parser of JSON lists of instance types (the format is in types.h).
#include "cloud/kwok/type_entry.h"
#include "cloud/kwok/types.h"
#include "text/json.h"

// Whether two entries agree in everything but the platform: operating systems and architecture.
static bool differ_only_in_platform(const Value *a, const Value *b) {
    if (a->map.count != b->map.count)
        return false;
    for (uint32_t i = 0; i < a->map.count; i++) {
        Slice key = a->map.items[i].key;
        const Value *other = value_get(b, key);

        if (slice_eq(key, SLICE("operatingSystems")) || slice_eq(key, SLICE("architecture")))
            continue;
        if (!other || !value_eq(&a->map.items[i].value, other))
            return false;
    }
    return true;
}

// Adds the values of a label of `other` to those of `type`.
static void unite(Decoder *decoder, InstanceType *type, const InstanceType *other, Symbol key) {
    Expression both = {.key = key, .op = OP_IN};
    const InstanceType *sources[] = {type, other};
    Requirement requirement;

    for (size_t i = 0; i < 2; i++) {
        const SymbolVec *values = &requirements_get(&sources[i]->requirements, key)->values;

        for (uint32_t v = 0; v < values->count; v++)
            vec_push(decoder->arena, &both.values, values->items[v]);
    }
    requirement = requirement_make(decoder->arena, decoder->symbols, &both);
    requirements_remove(&type->requirements, key);
    requirements_add(decoder->arena, decoder->symbols, &type->requirements, &requirement);
}

// Adds an entry. Karpenter's own lists have an entry per operating system and architecture: such entries are merged
// into one type.
static ErrCode add_type(Decoder *decoder, const Value *root, uint32_t index, IndexMap *indexes, InstanceTypeVec *types,
                        U32Vec *entries, Err *err) {
    const Value *value = &root->list.items[index];
    InstanceType type;
    uint32_t earlier;

    TRY(kwok_type_read(decoder, value, &type, err));
    earlier = u64_map_get(indexes, type.name);
    if (earlier == INDEX_NONE) {
        u64_map_put(decoder->arena, indexes, type.name, types->count);
        vec_push(decoder->arena, types, type);
        vec_push(decoder->arena, entries, index);
        return OK;
    }
    CHECK(entries->items, "a type that was read has no entry");
    if (!differ_only_in_platform(&root->list.items[entries->items[earlier]], value))
        return decode_fail(decoder, value, err,
                           "name: expected a name that is new, or the same entry for another platform; \"%.*s\" "
                           "stands on line %u with other fields",
                           SLICE_ARG(symbol_text(decoder->symbols, type.name)),
                           root->list.items[entries->items[earlier]].line);
    unite(decoder, &types->items[earlier], &type, NAME_OS);
    unite(decoder, &types->items[earlier], &type, NAME_ARCH);
    return OK;
}

static void note_keys(Arena *arena, SymbolVec *keys, const Requirements *set) {
    for (uint32_t i = 0; i < set->count; i++) {
        bool known = false;

        for (vec_each(Symbol, key, keys))
            known |= *key == set->items[i].key;
        if (!known)
            vec_push(arena, keys, set->items[i].key);
    }
}

static void add_missing(Decoder *decoder, Requirements *set, const SymbolVec *keys) {
    for (vec_each(Symbol, key, keys)) {
        Requirement absent = {.key = *key};

        if (!requirements_get(set, *key))
            requirements_add(decoder->arena, decoder->symbols, set, &absent);
    }
}

// Gives every type a requirement on each label that any type has, DoesNotExist where it has none, so that a pod that
// asks for the label never gets a node without it (scheduling.md 3.4).
static void define_all_labels(Decoder *decoder, InstanceTypeVec *types) {
    SymbolVec of_types = {0}, of_offerings = {0};

    for (vec_each(InstanceType, type, types)) {
        note_keys(decoder->arena, &of_types, &type->requirements);
        for (vec_each(Offering, offering, &type->offerings))
            note_keys(decoder->arena, &of_offerings, &offering->requirements);
    }
    for (vec_each(InstanceType, type, types)) {
        add_missing(decoder, &type->requirements, &of_types);
        for (vec_each(Offering, offering, &type->offerings))
            add_missing(decoder, &offering->requirements, &of_offerings);
    }
}

static ErrCode read_list(Decoder *decoder, const Value *root, InstanceTypeVec *ret_types, Err *err) {
    InstanceTypeVec types = {0};
    IndexMap indexes = {0};
    U32Vec entries = {0}; // index of each type's entry in the list

    TRY(decode_expect(decoder, root, VALUE_LIST, err));
    for (uint32_t i = 0; i < root->list.count; i++) {
        decode_enter_index(decoder, i);
        TRY(add_type(decoder, root, i, &indexes, &types, &entries, err));
        decode_leave(decoder);
    }
    define_all_labels(decoder, &types);
    *ret_types = types;
    return OK;
}

ErrCode kwok_types_read(Arena *arena, Symbols *symbols, Slice file, Slice text, InstanceTypeVec *ret_types, Err *err) {
    Decoder decoder = {.arena = arena, .symbols = symbols, .file = file};
    ParseOptions options = {0};
    DocumentVec documents = {0};
    WarningVec warnings = {0};

    TRY(json_parse(arena, file, text, &options, &documents, &warnings, err));
    if (documents.count != 1)
        return err_set(err, ERR_INVALID, "%.*s: expected one JSON list of instance types, got %u documents",
                       SLICE_ARG(file), documents.count);
    return read_list(&decoder, &documents.items[0].root, ret_types, err);
}
