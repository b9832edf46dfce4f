// Writing and reading packed objects.
#include "sim/api/store/packed.h"

#include "base/alloc.h"

#include <stdarg.h>
#include <stdio.h>

typedef enum { TAG_NULL, TAG_FALSE, TAG_TRUE, TAG_NUMBER, TAG_STRING, TAG_LIST, TAG_MAP } Tag;

enum { SIZE_BYTES = sizeof(uint32_t) };

// Writing.

static void write_number(Buffer *out, uint64_t number) {
    char bytes[10];
    size_t len = 0;

    for (; number >= 0x80; number >>= 7)
        bytes[len++] = (char)(number | 0x80);
    bytes[len++] = (char)number;
    buffer_append(out, (Slice){bytes, len});
}

static void write_text(Buffer *out, Slice text) {
    write_number(out, text.len);
    buffer_append(out, text);
}

// Names beyond the limits of the table are written in full: a stream of ever new label keys must not make it grow
// forever.
static void write_name(Symbols *names, Buffer *out, Slice name) {
    Symbol symbol = INDEX_NONE;

    if (name.len <= PACKED_NAME_BYTES_MAX)
        symbol = symbols_count(names) < PACKED_NAMES_MAX ? symbol_intern(names, name) : symbol_find(names, name);
    if (symbol != INDEX_NONE) {
        write_number(out, (uint64_t)symbol << 1);
        return;
    }
    write_number(out, (uint64_t)name.len << 1 | 1);
    buffer_append(out, name);
}

static bool write_value(Symbols *names, Buffer *out, const Value *value, uint32_t depth);

static bool write_members(Symbols *names, Buffer *out, const Value *map, uint32_t depth) {
    write_number(out, map->map.count);
    for (vec_each(const ValueMember, member, &map->map)) {
        write_name(names, out, member->key);
        if (!write_value(names, out, &member->value, depth))
            return false;
    }
    return true;
}

static bool write_elements(Symbols *names, Buffer *out, const Value *list, uint32_t depth) {
    write_number(out, list->list.count);
    for (vec_each(const Value, element, &list->list)) {
        if (!write_value(names, out, element, depth))
            return false;
    }
    return true;
}

static bool write_container(Symbols *names, Buffer *out, const Value *value, uint32_t depth) {
    size_t at = out->len + 1;
    uint32_t size = 0;
    bool done;

    if (depth > PACKED_DEPTH_MAX)
        return false;
    buffer_append_char(out, value->kind == VALUE_LIST ? TAG_LIST : TAG_MAP);
    buffer_append(out, (Slice){(const char *)&size, SIZE_BYTES});
    done =
        value->kind == VALUE_LIST ? write_elements(names, out, value, depth) : write_members(names, out, value, depth);
    size = (uint32_t)(out->len - at - SIZE_BYTES);
    memcpy(out->bytes + at, &size, SIZE_BYTES);
    return done;
}

static bool write_value(Symbols *names, Buffer *out, const Value *value, uint32_t depth) {
    switch (value->kind) {
    case VALUE_NULL:
        buffer_append_char(out, TAG_NULL);
        return true;
    case VALUE_BOOL:
        buffer_append_char(out, value->boolean ? TAG_TRUE : TAG_FALSE);
        return true;
    case VALUE_NUMBER:
    case VALUE_STRING:
        buffer_append_char(out, value->kind == VALUE_NUMBER ? TAG_NUMBER : TAG_STRING);
        write_text(out, value->text);
        return true;
    case VALUE_LIST:
    case VALUE_MAP:
        return write_container(names, out, value, depth + 1);
    }
    return false;
}

Packed *packed_new(Symbols *names, Buffer *scratch, Slice key, const Value *object) {
    Packed *packed;

    scratch->len = 0;
    if (!write_value(names, scratch, object, 0))
        return NULL;
    CHECK(scratch->len <= UINT32_MAX, "an object of %zu bytes", scratch->len);
    packed = alloc_raw(sizeof *packed + key.len + scratch->len);
    packed->references = 1;
    packed->key_bytes = (uint32_t)key.len;
    packed->bytes = (uint32_t)scratch->len;
    packed->revision = 0;
    memcpy(packed->data, key.ptr, key.len);
    memcpy(packed->data + key.len, scratch->bytes, scratch->len);
    return packed;
}

void packed_release(Packed *packed) {
    if (packed && --packed->references == 0)
        free(packed);
}

// Reading.

typedef struct {
    Arena *arena;
    const Symbols *names;
    const char *at;
} Reader;

static uint64_t read_number(Reader *in) {
    uint64_t number = 0;

    for (unsigned shift = 0;; shift += 7) {
        unsigned char byte = (unsigned char)*in->at++;

        number |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return number;
    }
}

static Slice read_bytes(Reader *in, uint64_t len) {
    Slice text = {in->at, (size_t)len};

    in->at += len;
    return text;
}

static Slice read_name(Reader *in) {
    uint64_t number = read_number(in);

    return number & 1 ? read_bytes(in, number >> 1) : symbol_text(in->names, (Symbol)(number >> 1));
}

static uint32_t read_size(Reader *in) {
    uint32_t size;

    memcpy(&size, in->at, SIZE_BYTES);
    in->at += SIZE_BYTES;
    return size;
}

static Value read_value(Reader *in, uint32_t depth);

// metadata gets room for the resourceVersion, which is added later.
static Value read_map(Reader *in, uint32_t depth) {
    Value map = value_map();

    read_size(in);
    map.map.count = (uint32_t)read_number(in);
    map.map.capacity = map.map.count + (depth == 1);
    map.map.items = arena_array_raw(in->arena, ValueMember, map.map.capacity);
    for (uint32_t i = 0; i < map.map.count; i++) {
        ValueMember *member = &map.map.items[i];

        member->key = read_name(in);
        member->line = 0;
        member->value = read_value(in, depth + 1);
    }
    return map;
}

static Value read_list(Reader *in, uint32_t depth) {
    Value list = value_list();

    read_size(in);
    list.list.count = list.list.capacity = (uint32_t)read_number(in);
    list.list.items = arena_array_raw(in->arena, Value, list.list.count);
    for (uint32_t i = 0; i < list.list.count; i++)
        list.list.items[i] = read_value(in, depth + 1);
    return list;
}

static Value read_value(Reader *in, uint32_t depth) {
    Tag tag = (Tag)*in->at++;

    switch (tag) {
    case TAG_NULL:
        return value_null();
    case TAG_FALSE:
    case TAG_TRUE:
        return value_bool(tag == TAG_TRUE);
    case TAG_NUMBER:
    case TAG_STRING:
        return (Value){.kind = tag == TAG_NUMBER ? VALUE_NUMBER : VALUE_STRING,
                       .text = read_bytes(in, read_number(in))};
    case TAG_LIST:
        return read_list(in, depth);
    case TAG_MAP:
        return read_map(in, depth);
    }
    CHECK(false, "a packed object with the tag %d", (int)tag);
}

static void skip_value(Reader *in) {
    Tag tag = (Tag)*in->at++;

    if (tag == TAG_NUMBER || tag == TAG_STRING)
        read_bytes(in, read_number(in));
    else if (tag == TAG_LIST || tag == TAG_MAP)
        read_bytes(in, read_size(in));
}

// Used by every read, and faster than printf.
static Slice print_revision(Arena *arena, KubeRevision revision) {
    char digits[20];
    size_t at = sizeof digits;

    do {
        digits[--at] = (char)('0' + revision % 10);
        revision /= 10;
    } while (revision);
    return arena_slice(arena, (Slice){digits + at, sizeof digits - at});
}

Value packed_open(Arena *arena, const Symbols *names, const Packed *packed, KubeRevision revision, bool borrow) {
    const char *bytes = packed->data + packed->key_bytes;
    Reader in = {arena, names, borrow ? bytes : arena_copy(arena, bytes, packed->bytes)};
    Value object = read_value(&in, 0);

    for (vec_each(ValueMember, member, &object.map)) {
        if (slice_eq_text(member->key, "metadata") && member->value.kind == VALUE_MAP)
            value_put(arena, &member->value, SLICE("resourceVersion"), value_string(print_revision(arena, revision)));
    }
    return object;
}

bool packed_part(Arena *arena, const Symbols *names, const Packed *packed, Value *ret_part, ...) {
    Reader in = {arena, names, packed->data + packed->key_bytes};
    bool found = true;
    va_list path;

    va_start(path, ret_part);
    for (const char *name; found && (name = va_arg(path, const char *));) {
        Slice wanted = slice_of(name);
        uint64_t count;

        found = false;
        if (*in.at++ != TAG_MAP)
            break;
        read_size(&in);
        for (count = read_number(&in); count && !found; count--) {
            found = slice_eq(read_name(&in), wanted);
            if (!found)
                skip_value(&in);
        }
    }
    va_end(path);
    if (found)
        *ret_part = read_value(&in, 0);
    return found;
}
