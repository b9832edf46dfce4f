// A member that is absent is not asked for; one that is there is a list, any of which is enough.
#include "doctor/event_pattern.h"

#include "doctor/stored_json.h"

static bool matches(const Value *matcher, Slice text) {
    const Value *prefix = value_get_text(matcher, "prefix");

    if (matcher->kind == VALUE_STRING)
        return slice_eq(matcher->text, text);
    if (prefix && prefix->kind == VALUE_STRING)
        return slice_starts_with(text, prefix->text);
    return matcher->kind == VALUE_MAP;
}

static bool allows(const Value *pattern, const char *member, Slice text) {
    const Value *list = value_get(pattern, slice_of(member));

    if (!list)
        return true;
    if (list->kind != VALUE_LIST)
        return false;
    for (vec_each(const Value, matcher, &list->list)) {
        if (matches(matcher, text))
            return true;
    }
    return false;
}

bool event_pattern_allows(Arena *arena, Slice pattern, Slice source, Slice detail_type) {
    Value whole;

    return stored_json_read(arena, pattern, &whole) && allows(&whole, "source", source) &&
           allows(&whole, "detail-type", detail_type);
}
