// INI: line by line.
#include "text/ini.h"

typedef struct {
    Arena *arena;
    Slice file;
    uint32_t line;
    uint32_t properties;
    Value root;
    Value *section;  // NULL: before the first
    Value *property; // that indented lines belong to; NULL: none
    Err *err;
} IniReader;

static ErrCode refuse(const IniReader *reader, const char *why) {
    return err_set(reader->err, ERR_INVALID, "%.*s:%u: %s", SLICE_ARG(reader->file), reader->line, why);
}

static bool is_blank(char c) {
    return c == ' ' || c == '\t';
}

static bool is_comment(char c) {
    return c == '#' || c == ';';
}

// Without the comment that follows a blank, and without blanks at both ends.
static Slice without_comment(Slice text) {
    for (size_t i = 1; i < text.len; i++) {
        if (is_comment(text.ptr[i]) && is_blank(text.ptr[i - 1])) {
            text.len = i;
            break;
        }
    }
    return slice_trim(text);
}

static ErrCode count_one(IniReader *reader) {
    if (++reader->properties > INI_PROPERTIES_MAX)
        return err_set(reader->err, ERR_TOO_LARGE, "%.*s: more than %d sections and properties",
                       SLICE_ARG(reader->file), INI_PROPERTIES_MAX);
    return OK;
}

// The value of a key in a map, made if there is none.
static Value *member_of(IniReader *reader, Value *map, Slice key) {
    for (uint32_t i = 0; i < map->map.count; i++) {
        if (slice_eq(map->map.items[i].key, key))
            return &map->map.items[i].value;
    }
    return value_put(reader->arena, map, arena_slice(reader->arena, key), value_null());
}

static ErrCode open_section(IniReader *reader, Slice line) {
    ptrdiff_t end = slice_find(line, ']');

    if (end < 0)
        return refuse(reader, "expected ']' at the end of the section's name");
    TRY(count_one(reader));
    reader->section = member_of(reader, &reader->root, slice_trim((Slice){line.ptr + 1, (size_t)end - 1}));
    if (reader->section->kind != VALUE_MAP)
        *reader->section = value_map();
    reader->property = NULL;
    return OK;
}

// Splits "name = value"; the name comes in lower case.
static bool split(IniReader *reader, Slice line, Slice *ret_name, Slice *ret_value) {
    ptrdiff_t at = slice_find(line, '='), colon = slice_find(line, ':');
    Slice name;
    char *copy;

    if (at < 0 || (colon >= 0 && colon < at))
        at = colon;
    name = at < 0 ? (Slice){0} : slice_trim(slice_first(line, (size_t)at));
    if (!name.len)
        return false;
    copy = arena_copy(reader->arena, name.ptr, name.len);
    for (size_t i = 0; i < name.len; i++) {
        if (copy[i] >= 'A' && copy[i] <= 'Z')
            copy[i] = (char)(copy[i] - 'A' + 'a');
    }
    *ret_name = (Slice){copy, name.len};
    *ret_value = slice_from(line, (size_t)at + 1);
    *ret_value = ret_value->len && is_comment(ret_value->ptr[0]) ? *ret_value : without_comment(*ret_value);
    return true;
}

static ErrCode add_property(IniReader *reader, Value *map, Slice line, Value **ret_property) {
    Slice name, value;

    TRY(count_one(reader));
    if (!split(reader, line, &name, &value))
        return refuse(reader, "expected a section, name = value, or a comment");
    *ret_property = member_of(reader, map, name);
    **ret_property = value_string(arena_slice(reader->arena, value));
    return OK;
}

static ErrCode append_line(IniReader *reader, Slice *text, Slice line) {
    TRY(count_one(reader));
    if (text->len + 1 + line.len > INI_CONTINUED_MAX)
        return err_set(reader->err, ERR_TOO_LARGE, "%.*s:%u: a value of several lines with more than %d bytes",
                       SLICE_ARG(reader->file), reader->line, INI_CONTINUED_MAX);
    *text = arena_printf(reader->arena, "%.*s\n%.*s", SLICE_ARG(*text), SLICE_ARG(line));
    return OK;
}

// An indented line: a property in a property, or more of its value.
static ErrCode go_on(IniReader *reader, Slice line) {
    Value *property = reader->property, *inner;

    if (property->kind == VALUE_STRING && property->text.len)
        return append_line(reader, &property->text, line);
    if (property->kind != VALUE_MAP)
        *property = value_map();
    return add_property(reader, property, line, &inner);
}

static ErrCode read_line(IniReader *reader, Slice line) {
    bool is_indented = line.len && is_blank(line.ptr[0]);

    line = slice_trim(line);
    if (!line.len || is_comment(line.ptr[0]))
        return OK;
    if (line.ptr[0] == '[' && !is_indented)
        return open_section(reader, line);
    if (!reader->section)
        return refuse(reader, "expected a section like [default] before the first property");
    if (is_indented && reader->property)
        return go_on(reader, line);
    return add_property(reader, reader->section, line, &reader->property);
}

ErrCode ini_parse(Arena *arena, Slice file, Slice text, Value *ret_root, Err *err) {
    IniReader reader = {.arena = arena, .file = file, .root = value_map(), .err = err};

    if (text.len > INI_BYTES_MAX)
        return err_set(err, ERR_TOO_LARGE, "%.*s: more than %d bytes", SLICE_ARG(file), INI_BYTES_MAX);
    while (text.len) {
        ptrdiff_t end = slice_find(text, '\n');
        Slice line = end < 0 ? text : slice_first(text, (size_t)end);

        reader.line++;
        TRY(read_line(&reader, line));
        text = slice_from(text, line.len + 1);
    }
    *ret_root = reader.root;
    return OK;
}
