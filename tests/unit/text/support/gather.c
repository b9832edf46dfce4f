#include "gather.h"

#include "text/json.h"
#include "text/value_edit.h"

typedef struct {
    Arena *arena;
    DocumentVec *documents;
} Gathering;

static void take_document(void *context, const Document *document) {
    Gathering *gathering = context;

    vec_push(gathering->arena, gathering->documents,
             (Document){document->file, value_copy(gathering->arena, &document->root)});
}

static void take_element(void *context, const Value *element) {
    Gathering *gathering = context;
    Value *root = &vec_last(gathering->documents)->root;

    value_append(gathering->arena, value_find_text(root, "items"), value_copy(gathering->arena, element));
}

ErrCode json_gather(Arena *arena, Slice file, Slice text, const ParseOptions *options, DocumentVec *documents,
                    WarningVec *warnings, Err *err) {
    Gathering gathering = {arena, documents};
    JsonSink sink = {&gathering, take_document, take_element};

    return json_read(arena, file, text, options, &sink, warnings, err);
}

static bool lists_are_same(const ValueList *a, const ValueList *b) {
    bool same = a->count == b->count;

    for (uint32_t i = 0; same && i < a->count; i++)
        same = value_is_same(&a->items[i], &b->items[i]);
    return same;
}

static bool maps_are_same(const ValueMap *a, const ValueMap *b) {
    bool same = a->count == b->count;

    for (uint32_t i = 0; same && i < a->count; i++)
        same = slice_eq(a->items[i].key, b->items[i].key) && a->items[i].line == b->items[i].line &&
               value_is_same(&a->items[i].value, &b->items[i].value);
    return same;
}

bool value_is_same(const Value *a, const Value *b) {
    if (a->kind != b->kind || a->line != b->line)
        return false;
    switch (a->kind) {
    case VALUE_LIST:
        return lists_are_same(&a->list, &b->list);
    case VALUE_MAP:
        return maps_are_same(&a->map, &b->map);
    default:
        return value_eq(a, b);
    }
}
