// Members of objects as texts.
#include "doctor/gather_parts.h"

Slice gather_text(const Value *map, const char *key) {
    const Value *value = value_get(map, slice_of(key));

    return value && value->kind == VALUE_STRING ? value->text : SLICE("");
}

FactPlace gather_place(const Gathering *gathering, const Value *value) {
    return (FactPlace){gathering->file, value ? value->line : 0};
}

Slice gather_object_name(const Gathering *gathering, const Value *object) {
    Slice name = gather_text(value_get_text(object, "metadata"), "name");

    return arena_printf(gathering->arena, "%.*s %.*s", SLICE_ARG(gather_text(object, "kind")), SLICE_ARG(name));
}

TextMap gather_text_map(const Gathering *gathering, const Value *map) {
    TextMap texts = {0};

    if (!map || map->kind != VALUE_MAP)
        return texts;
    for (vec_each(const ValueMember, member, &map->map)) {
        if (member->value.kind == VALUE_STRING)
            vec_push(gathering->arena, &texts, (TextPair){member->key, member->value.text, member->line});
    }
    return texts;
}
