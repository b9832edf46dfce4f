// Warnings, errors and trees of the converter.
#include "legacy/convert_parts.h"

#include "base/buffer.h"
#include "text/value_edit.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

static Slice text_at(const Value *value) {
    return value && value->kind == VALUE_STRING ? value->text : SLICE("");
}

void convert_note(const Conversion *conversion, const Item *item, const char *code, uint32_t line, const char *format,
                  ...) {
    Slice kind = text_at(value_get_text(&item->value, "kind"));
    Slice name = text_at(value_at(&item->value, "metadata", "name", NULL));
    char text[1024];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    vec_push(conversion->arena, conversion->warnings,
             (Warning){arena_printf(conversion->arena, "%.*s:%" PRIu32 ": %s %.*s %.*s: %s", SLICE_ARG(item->file),
                                    line, code, SLICE_ARG(kind), SLICE_ARG(name), text),
                       true});
}

ErrCode(convert_fail)(const Item *item, ErrCode code, Err *err, const char *format, ...) {
    Slice kind = text_at(value_get_text(&item->value, "kind"));
    Slice name = text_at(value_at(&item->value, "metadata", "name", NULL));
    char text[768];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return err_set(err, code, "%.*s:%" PRIu32 ": %.*s %.*s: %s", SLICE_ARG(item->file), item->value.line,
                   SLICE_ARG(kind), SLICE_ARG(name), text);
}

ErrCode convert_refuse(const Conversion *conversion, const Item *item, const ComplaintVec *complaints, Err *err) {
    ComplaintVec lasting = {0};
    Buffer text = {0};
    ErrCode code;
    Slice reply;

    for (vec_each(const Complaint, complaint, complaints)) {
        if (!complaint->is_newer)
            vec_push(conversion->arena, &lasting, *complaint);
    }
    if (!lasting.count)
        return OK;
    reply = complaints_print(conversion->arena, &lasting);
    for (size_t i = 0; i < reply.len; i++) // an error is one line
        buffer_append(&text, reply.ptr[i] == '\n' ? SLICE("; ") : (Slice){&reply.ptr[i], 1});
    code = convert_fail(item, ERR_INVALID, err, "E02 %.*s", SLICE_ARG(buffer_slice(&text)));
    buffer_free(&text);
    return code;
}

void put_old_text(Arena *arena, Value *map, const char *key, Slice text) {
    value_put(arena, map, slice_of(key), value_string(text));
}

void put_old_copy(Arena *arena, Value *map, const char *key, const Value *from, const char *from_key) {
    const Value *member = value_get(from, slice_of(from_key));

    if (member && member->kind != VALUE_NULL)
        value_put(arena, map, slice_of(key), value_copy_tree(arena, member));
}

Value text_map_value(Arena *arena, const TextMap *map) {
    Value value = value_map();

    for (vec_each(const TextPair, pair, map))
        vec_push(arena, &value.map, (ValueMember){pair->key, pair->line, value_string(pair->value)});
    return value;
}

// kubectl's record of the former object, and hashes of its fields, which nobody compares any more.
static const char *const gone_annotations[] = {"kubectl.kubernetes.io/last-applied-configuration",
                                               "karpenter.sh/provisioner-hash", "karpenter.k8s.aws/nodetemplate-hash"};

static void drop_annotations(Value *metadata) {
    Value *annotations = value_find_text(metadata, "annotations");

    if (!annotations || annotations->kind != VALUE_MAP)
        return;
    for (size_t i = 0; i < sizeof gone_annotations / sizeof *gone_annotations; i++)
        value_remove(annotations, slice_of(gone_annotations[i]));
    if (!annotations->map.count)
        value_remove_text(metadata, "annotations");
}

static Value kept_metadata(Arena *arena, const Value *from) {
    Value metadata = value_map();

    put_old_copy(arena, &metadata, "name", from, "name");
    put_old_copy(arena, &metadata, "labels", from, "labels");
    put_old_copy(arena, &metadata, "annotations", from, "annotations");
    put_old_copy(arena, &metadata, "finalizers", from, "finalizers");
    drop_annotations(&metadata);
    return metadata;
}

Value converted_object(Arena *arena, const char *api_version, const char *kind, const Value *metadata) {
    Value object = value_map();

    put_old_text(arena, &object, "apiVersion", slice_of(api_version));
    put_old_text(arena, &object, "kind", slice_of(kind));
    value_put(arena, &object, SLICE("metadata"), kept_metadata(arena, metadata));
    return object;
}

static bool is_class(const Item *item, Slice name) {
    Slice kind = text_at(value_get_text(&item->value, "kind"));

    return (slice_eq(kind, SLICE("EC2NodeClass")) || slice_eq(kind, SLICE("AWSNodeTemplate"))) &&
           slice_eq(text_at(value_at(&item->value, "metadata", "name", NULL)), name);
}

static bool has_class(const Conversion *conversion, Slice name) {
    for (vec_each(const Item, item, &conversion->items)) {
        if (is_class(item, name))
            return true;
    }
    return false;
}

Slice free_class_name(const Conversion *conversion, Slice name) {
    Slice candidate = name;

    for (uint32_t n = 2; has_class(conversion, candidate); n++)
        candidate = arena_printf(conversion->arena, "%.*s-%" PRIu32, SLICE_ARG(name), n);
    return candidate;
}
