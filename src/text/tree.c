// A stack of open containers over a stack of their members. A value first gets its place among the items, then its
// members, so that a closing container always finds its own at the end.
#include "text/tree.h"

#include "text/quote.h"

#include <stdarg.h>
#include <stdio.h>

enum {
    DEPTH_DEFAULT = 256,
    VALUES_DEFAULT = 50000000,
    SHARED_VALUES_MAX = 1000000,
    LINEAR_KEYS_MAX = 16, // beyond, an index is cheaper
};

void tree_init(TreeBuilder *tree, Arena *arena, Slice file, const ParseOptions *options, WarningVec *warnings) {
    *tree = (TreeBuilder){.arena = arena, .file = file, .warnings = warnings};
    if (options)
        tree->options = *options;
    if (!tree->options.depth_max)
        tree->options.depth_max = DEPTH_DEFAULT;
    if (!tree->options.values_max)
        tree->options.values_max = VALUES_DEFAULT;
}

void tree_free(TreeBuilder *tree) {
    arena_free(&tree->scratch);
    arena_free(&tree->indexes);
}

void tree_reset(TreeBuilder *tree) {
    arena_free(&tree->indexes);
    tree->frames.count = 0;
    tree->items.count = 0;
    tree->shared_values = 0;
    tree->root = value_null();
    tree->root_size = (TreeSize){0};
}

ErrCode tree_fail(const TreeBuilder *tree, uint32_t line, ErrCode code, Err *err, const char *format, ...) {
    char message[ERR_TEXT_MAX];
    va_list args;

    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    return err_set(err, code, "%.*s:%u: %s", SLICE_ARG(tree->file), line, message);
}

static TreeFrame *top(TreeBuilder *tree) {
    return tree->frames.count ? vec_last(&tree->frames) : NULL;
}

bool tree_awaits_key(const TreeBuilder *tree) {
    const TreeFrame *frame = tree->frames.count ? vec_last(&tree->frames) : NULL;

    return frame && frame->kind == VALUE_MAP && frame->target == INDEX_NONE;
}

static uint32_t find_indexed(TreeBuilder *tree, TreeFrame *frame, Slice key) {
    uint64_t hash = slice_hash(key);
    uint32_t cursor = 0;

    if (!frame->index.capacity)
        frame->indexed = arena_mark(&tree->indexes);
    for (uint32_t i = frame->first + frame->index.count; i < tree->items.count; i++)
        index_map_add(&tree->indexes, &frame->index, slice_hash(tree->items.items[i].key), i);
    for (uint32_t i; (i = index_map_next(&frame->index, hash, &cursor)) != INDEX_NONE;) {
        if (slice_eq(tree->items.items[i].key, key))
            return i;
    }
    return INDEX_NONE;
}

// The member of the innermost map that has `key`, or INDEX_NONE.
static uint32_t find_key(TreeBuilder *tree, TreeFrame *frame, Slice key) {
    if (tree->items.count - frame->first > LINEAR_KEYS_MAX)
        return find_indexed(tree, frame, key);
    for (uint32_t i = frame->first; i < tree->items.count; i++) {
        if (slice_eq(tree->items.items[i].key, key))
            return i;
    }
    return INDEX_NONE;
}

static ErrCode note_duplicate(TreeBuilder *tree, Slice key, uint32_t line, uint32_t first_line, Err *err) {
    if (tree->options.strict) {
        return tree_fail(tree, line, ERR_INVALID, err, "key %s is given again (first at line %u); remove one of them",
                         quote(key).text, first_line);
    }
    if (tree->warnings) {
        Slice text = arena_printf(tree->arena, "%.*s:%u: key %s is given again (first at line %u); the last one counts",
                                  SLICE_ARG(tree->file), line, quote(key).text, first_line);

        vec_push(tree->arena, tree->warnings, (Warning){text});
    }
    return OK;
}

ErrCode tree_key(TreeBuilder *tree, Slice key, uint32_t line, Err *err) {
    TreeFrame *frame = top(tree);
    uint32_t found = find_key(tree, frame, key);

    if (found == INDEX_NONE) {
        frame->target = tree->items.count;
        vec_push(&tree->scratch, &tree->items, (ValueMember){.key = key, .line = line});
        return OK;
    }
    TRY(note_duplicate(tree, key, line, tree->items.items[found].line, err));
    tree->items.items[found].line = line;
    frame->target = found;
    return OK;
}

void tree_merge_next(TreeBuilder *tree) {
    TreeFrame *frame = top(tree);

    frame->merging = true;
    frame->target = tree->items.count; // a place that merge_value gives back
    vec_push(&tree->scratch, &tree->items, (ValueMember){0});
}

static void merge_map(TreeBuilder *tree, TreeFrame *frame, const Value *map) {
    for (vec_each(const ValueMember, member, &map->map)) {
        uint32_t found = find_key(tree, frame, member->key);

        if (found == INDEX_NONE)
            vec_push(&tree->scratch, &tree->items, *member);
        else
            tree->items.items[found] = *member;
    }
}

static ErrCode merge_value(TreeBuilder *tree, TreeFrame *frame, Value value, Err *err) {
    tree->items.count--;
    frame->merging = false;
    if (value.kind == VALUE_MAP) {
        merge_map(tree, frame, &value);
        return OK;
    }
    for (uint32_t i = value.kind == VALUE_LIST ? value.list.count : INDEX_NONE; i > 0; i--) {
        // An earlier map of the list wins over a later one, so it is merged after it.
        if (i == INDEX_NONE || value.list.items[i - 1].kind != VALUE_MAP)
            return tree_fail(tree, value.line, ERR_INVALID, err, "key \"<<\": expected a map or a list of maps to merge");
        merge_map(tree, frame, &value.list.items[i - 1]);
    }
    return OK;
}

// Finds the place for a value that starts now.
static void begin_value(TreeBuilder *tree) {
    TreeFrame *frame = top(tree);

    if (frame && frame->kind == VALUE_LIST) {
        frame->target = tree->items.count;
        (void)vec_add(&tree->scratch, &tree->items);
    }
}

static ErrCode check_size(TreeBuilder *tree, uint32_t line, TreeSize size, Err *err) {
    if (tree->frames.count + size.depth > tree->options.depth_max)
        return tree_fail(tree, line, ERR_TOO_LARGE, err, "nested deeper than %u levels", tree->options.depth_max);
    if (tree->root_size.values > tree->options.values_max - size.values || size.values > tree->options.values_max)
        return tree_fail(tree, line, ERR_TOO_LARGE, err, "more than %u values in one document", tree->options.values_max);
    tree->root_size.values += size.values;
    return OK;
}

// Puts a finished value where begin_value made room.
static ErrCode finish_value(TreeBuilder *tree, Value value, TreeSize size, Err *err) {
    TreeFrame *frame = top(tree);

    if (!frame) {
        tree->root = value;
        tree->root_size.depth = size.depth;
        return OK;
    }
    frame->size.values += size.values;
    if (frame->size.depth < size.depth + 1)
        frame->size.depth = size.depth + 1;
    if (frame->merging)
        TRY(merge_value(tree, frame, value, err));
    else
        tree->items.items[frame->target].value = value;
    frame->target = INDEX_NONE;
    return OK;
}

ErrCode tree_scalar(TreeBuilder *tree, Value scalar, Err *err) {
    begin_value(tree);
    TRY(check_size(tree, scalar.line, (TreeSize){1, 0}, err));
    return finish_value(tree, scalar, (TreeSize){1, 0}, err);
}

ErrCode tree_share(TreeBuilder *tree, Value value, TreeSize size, Err *err) {
    if (size.values > SHARED_VALUES_MAX - tree->shared_values) {
        return tree_fail(tree, value.line, ERR_TOO_LARGE, err, "aliases add more than %d values to the document",
                         SHARED_VALUES_MAX);
    }
    begin_value(tree);
    TRY(check_size(tree, value.line, size, err));
    tree->shared_values += size.values;
    return finish_value(tree, value, size, err);
}

ErrCode tree_open(TreeBuilder *tree, ValueKind kind, uint32_t line, Err *err) {
    begin_value(tree);
    TRY(check_size(tree, line, (TreeSize){1, 1}, err));
    vec_push(&tree->scratch, &tree->frames,
             (TreeFrame){.kind = kind,
                         .line = line,
                         .first = tree->items.count,
                         .target = INDEX_NONE,
                         .size = {.values = 1, .depth = 1}});
    return OK;
}

static Value take_list(TreeBuilder *tree, const TreeFrame *frame) {
    Value list = value_list();
    uint32_t count = tree->items.count - frame->first;

    if (count)
        list.list.items = arena_alloc_raw(tree->arena, sizeof(Value) * count);
    list.list.count = list.list.capacity = count;
    for (uint32_t i = 0; i < count; i++)
        list.list.items[i] = tree->items.items[frame->first + i].value;
    return list;
}

static Value take_map(TreeBuilder *tree, const TreeFrame *frame) {
    Value map = value_map();
    uint32_t count = tree->items.count - frame->first;

    if (count)
        map.map.items = arena_copy(tree->arena, &tree->items.items[frame->first], sizeof(ValueMember) * count);
    map.map.count = map.map.capacity = count;
    return map;
}

ErrCode tree_close(TreeBuilder *tree, Value *ret_value, TreeSize *ret_size, Err *err) {
    TreeFrame frame = *top(tree);
    Value value = frame.kind == VALUE_LIST ? take_list(tree, &frame) : take_map(tree, &frame);

    value.line = frame.line;
    tree->items.count = frame.first;
    if (frame.index.capacity)
        arena_rewind(&tree->indexes, frame.indexed);
    tree->frames.count--;
    TRY(finish_value(tree, value, frame.size, err));
    *ret_value = value;
    *ret_size = frame.size;
    return OK;
}
