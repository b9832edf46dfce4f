// The table-driven decoder.
#include "text/decode.h"

#include "base/buffer.h"
#include "text/document.h"
#include "text/duration.h"

#include <stdarg.h>
#include <stdio.h>

void decode_enter(Decoder *decoder, Slice name) {
    CHECK(decoder->depth < DECODE_DEPTH_MAX, "objects nested deeper than the tables allow");
    decoder->path[decoder->depth++] = (PathStep){.name = name};
}

void decode_enter_index(Decoder *decoder, uint32_t index) {
    CHECK(decoder->depth < DECODE_DEPTH_MAX, "objects nested deeper than the tables allow");
    decoder->path[decoder->depth++] = (PathStep){.index = index};
}

void decode_leave(Decoder *decoder) {
    CHECK(decoder->depth > 0);
    decoder->depth--;
}

// Prints the path. Keys that contain a dot or a slash are in brackets: metadata.labels["app.kubernetes.io/name"].
static void print_path(const Decoder *decoder, Buffer *buffer) {
    for (uint32_t i = 0; i < decoder->depth; i++) {
        const PathStep *step = &decoder->path[i];

        if (!step->name.ptr)
            buffer_printf(buffer, "[%u]", step->index);
        else if (slice_find(step->name, '.') >= 0 || slice_find(step->name, '/') >= 0)
            buffer_printf(buffer, "[\"%.*s\"]", SLICE_ARG(step->name));
        else
            buffer_printf(buffer, "%s%.*s", i ? "." : "", SLICE_ARG(step->name));
    }
}

// Prints the position: "pools.yaml:41, NodePool general".
static void print_place(const Decoder *decoder, const Value *value, Buffer *buffer) {
    buffer_printf(buffer, "%.*s:%u", SLICE_ARG(decoder->file), value ? value->line : 0);
    if (decoder->kind.len)
        buffer_printf(buffer, ", %.*s%s%.*s%s%.*s", SLICE_ARG(decoder->kind), decoder->name.len ? " " : "",
                      SLICE_ARG(decoder->ns), decoder->ns.len ? "/" : "", SLICE_ARG(decoder->name));
}

ErrCode(decode_fail_as)(const Decoder *decoder, const Value *value, ErrCode code, Err *err, const char *format, ...) {
    Buffer path = {0}, place = {0};
    char message[512];
    va_list args;

    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    print_path(decoder, &path);
    print_place(decoder, value, &place);
    err_set(err, code, "%.*s%s%s (%.*s)", path.len > 300 ? 300 : (int)path.len, path.len ? path.bytes : "",
            path.len ? ": " : "", message, place.len > 200 ? 200 : (int)place.len, place.bytes);
    buffer_free(&path);
    buffer_free(&place);
    return code;
}

ErrCode decode_expect(const Decoder *decoder, const Value *value, ValueKind kind, Err *err) {
    if (value->kind == kind)
        return OK;
    return decode_fail(
        decoder, value, err, "expected %s, got %s%s", value_kind_text(kind), value_kind_text(value->kind),
        kind == VALUE_STRING && (value->kind == VALUE_NUMBER || value->kind == VALUE_BOOL) ? "; quote it" : "");
}

static ErrCode decode_integer(const Decoder *decoder, const Value *value, int64_t least, int64_t most,
                              int64_t *ret_number, Err *err) {
    TRY(decode_expect(decoder, value, VALUE_NUMBER, err));
    if (!value_to_int64(value, ret_number) || *ret_number < least || *ret_number > most) {
        Slice shown = excerpt(decoder->arena, value->text);

        return decode_fail(decoder, value, err, "expected an integer of %d bits, got %.*s", most == INT32_MAX ? 32 : 64,
                           SLICE_ARG(shown));
    }
    return OK;
}

static ErrCode decode_int32(const Decoder *decoder, const Value *value, void *field, Err *err) {
    int64_t number;

    TRY(decode_integer(decoder, value, INT32_MIN, INT32_MAX, &number, err));
    *(int32_t *)field = (int32_t)number;
    return OK;
}

static ErrCode decode_time(const Decoder *decoder, const Value *value, void *field, Err *err) {
    Err why;

    TRY(decode_expect(decoder, value, VALUE_STRING, err));
    if (time_parse(value->text, field, &why) != OK)
        return decode_fail(decoder, value, err, "%s", why.text);
    return OK;
}

static ErrCode decode_text(const Decoder *decoder, const Value *value, bool symbol, void *field, Err *err) {
    TRY(decode_expect(decoder, value, VALUE_STRING, err));
    if (symbol)
        *(Symbol *)field = symbol_intern(decoder->symbols, value->text);
    else
        *(Slice *)field = arena_slice(decoder->arena, value->text);
    return OK;
}

static ErrCode decode_pointer(Decoder *decoder, const Value *value, const FieldTable *table, void *field, Err *err) {
    void *object = arena_alloc(decoder->arena, table->struct_size);

    TRY(decode_object(decoder, value, table, object, err));
    *(void **)field = object;
    return OK;
}

// The common layout of all vectors.
typedef Vec(char) AnyVec;

static ErrCode decode_list(Decoder *decoder, const Value *value, const FieldTable *table, void *field, Err *err) {
    AnyVec *list = field;
    uint32_t count = value->kind == VALUE_LIST ? value->list.count : 0;

    TRY(decode_expect(decoder, value, VALUE_LIST, err));
    list->items = arena_alloc_array(decoder->arena, table->struct_size, count);
    for (uint32_t i = 0; i < count; i++) {
        decode_enter_index(decoder, i);
        TRY(decode_object(decoder, &value->list.items[i], table, list->items + (size_t)i * table->struct_size, err));
        decode_leave(decoder);
    }
    list->count = list->capacity = count;
    return OK;
}

static ErrCode decode_symbols(Decoder *decoder, const Value *value, void *field, Err *err) {
    U32Vec *list = field;

    TRY(decode_expect(decoder, value, VALUE_LIST, err));
    for (uint32_t i = 0; i < value->list.count; i++) {
        const Value *element = &value->list.items[i];

        decode_enter_index(decoder, i);
        TRY(decode_expect(decoder, element, VALUE_STRING, err));
        decode_leave(decoder);
        vec_push(decoder->arena, list, symbol_intern(decoder->symbols, element->text));
    }
    return OK;
}

static ErrCode decode_field(Decoder *decoder, const Field *field, const Value *value, void *target, Err *err) {
    switch (field->kind) {
    case FIELD_STRING:
    case FIELD_SYMBOL:
        return decode_text(decoder, value, field->kind == FIELD_SYMBOL, target, err);
    case FIELD_BOOL:
        TRY(decode_expect(decoder, value, VALUE_BOOL, err));
        *(bool *)target = value->boolean;
        return OK;
    case FIELD_INT32:
        return decode_int32(decoder, value, target, err);
    case FIELD_INT64:
        return decode_integer(decoder, value, INT64_MIN, INT64_MAX, target, err);
    case FIELD_REAL:
        TRY(decode_expect(decoder, value, VALUE_NUMBER, err));
        if (!value_to_double(value, target))
            return decode_fail(decoder, value, err, "expected a finite number");
        return OK;
    case FIELD_TIME:
        return decode_time(decoder, value, target, err);
    case FIELD_OBJECT:
        return decode_object(decoder, value, field->table, target, err);
    case FIELD_POINTER:
        return decode_pointer(decoder, value, field->table, target, err);
    case FIELD_LIST:
        return decode_list(decoder, value, field->table, target, err);
    case FIELD_SYMBOLS:
        return decode_symbols(decoder, value, target, err);
    case FIELD_VALUE:
        *(const Value **)target = value;
        return OK;
    default:
        return field->custom(decoder, value, target, err);
    }
}

ErrCode decode_object(Decoder *decoder, const Value *value, const FieldTable *table, void *ret_object, Err *err) {
    TRY(decode_expect(decoder, value, VALUE_MAP, err));
    for (size_t i = 0; i < table->count; i++) {
        const Field *field = &table->fields[i];
        Slice name = slice_of(field->name);
        const Value *member = value_get(value, name);

        if (!member && !field->required)
            continue;
        decode_enter(decoder, name);
        if (member && member->kind != VALUE_NULL) {
            TRY(decode_field(decoder, field, member, (char *)ret_object + field->offset, err));
            if (field->has_offset != SIZE_MAX)
                *((bool *)ret_object + field->has_offset) = true;
        } else if (field->required) {
            return decode_fail(decoder, value, err, "required");
        }
        decode_leave(decoder);
    }
    return OK;
}
