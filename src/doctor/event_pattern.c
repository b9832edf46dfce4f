// A member that is absent is not asked for; one that is there is a list, any of which is enough.
#include "doctor/event_pattern.h"

#include "text/json.h"

// EventBridge takes 4 KiB.
enum { BYTES_MAX = 64 << 10, DEPTH_MAX = 32, VALUES_MAX = 10000 };

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
    const ParseOptions options = {.depth_max = DEPTH_MAX, .values_max = VALUES_MAX};
    DocumentVec documents = {0};
    WarningVec warnings = {0};
    const Value *root;

    if (pattern.len > BYTES_MAX ||
        json_parse(arena, SLICE("pattern"), pattern, &options, &documents, &warnings, NULL) != OK ||
        documents.count != 1)
        return false;
    root = &documents.items[0].root;
    return root->kind == VALUE_MAP && allows(root, "source", source) && allows(root, "detail-type", detail_type);
}
