// Values to TOML.
#include "text/toml/toml.h"

#include "text/utf8.h"

static bool is_bare_key(Slice key) {
    for (size_t i = 0; i < key.len; i++) {
        char c = key.ptr[i];

        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_'))
            return false;
    }
    return key.len > 0;
}

// Whether a text can stand between apostrophes, where nothing is escaped.
static bool is_literal(Slice text) {
    for (size_t at = 0; at < text.len;) {
        uint32_t character;
        size_t len = utf8_decode(slice_from(text, at), &character);

        if (!len || character == '\'' || (character < 0x20 && character != '\t') || character == 0x7f)
            return false;
        at += len;
    }
    return true;
}

static void print_escaped(Buffer *out, uint32_t character) {
    switch (character) {
    case '"':
    case '\\':
        buffer_printf(out, "\\%c", (char)character);
        return;
    case '\n':
        buffer_append(out, SLICE("\\n"));
        return;
    case '\r':
        buffer_append(out, SLICE("\\r"));
        return;
    default:
        buffer_printf(out, "\\u%04x", character);
    }
}

static void print_string(Buffer *out, Slice text) {
    if (is_literal(text)) {
        buffer_printf(out, "'%.*s'", SLICE_ARG(text));
        return;
    }
    buffer_append_char(out, '"');
    for (size_t at = 0; at < text.len;) {
        Slice rest = slice_from(text, at);
        uint32_t character = UTF8_REPLACEMENT;
        size_t len = utf8_decode(rest, &character);

        if (!len || character == '"' || character == '\\' || (character < 0x20 && character != '\t') ||
            character == 0x7f)
            print_escaped(out, len ? character : UTF8_REPLACEMENT);
        else
            buffer_append(out, slice_first(rest, len));
        at += len ? len : 1;
    }
    buffer_append_char(out, '"');
}

static void print_key(Buffer *out, Slice key) {
    if (is_bare_key(key))
        buffer_append(out, key);
    else
        print_string(out, key);
}

// An integer that TOML takes as it is; other numbers become floats.
static void print_number(Buffer *out, Slice number) {
    int64_t integer;

    buffer_append(out, number);
    if (!slice_to_int64(number, &integer) && slice_find(number, '.') < 0 && slice_find(number, 'e') < 0 &&
        slice_find(number, 'E') < 0)
        buffer_append(out, SLICE(".0"));
}

static void print_inline(Buffer *out, const Value *value) {
    const char *comma = "";

    switch (value->kind) {
    case VALUE_NULL:
        return;
    case VALUE_BOOL:
        buffer_append(out, value->boolean ? SLICE("true") : SLICE("false"));
        return;
    case VALUE_NUMBER:
        print_number(out, value->text);
        return;
    case VALUE_STRING:
        print_string(out, value->text);
        return;
    case VALUE_LIST:
        buffer_append_char(out, '[');
        for (vec_each(const Value, element, &value->list)) {
            if (element->kind == VALUE_NULL)
                continue;
            buffer_append(out, slice_of(comma));
            print_inline(out, element);
            comma = ", ";
        }
        buffer_append_char(out, ']');
        return;
    case VALUE_MAP:
        buffer_append_char(out, '{');
        for (vec_each(const ValueMember, member, &value->map)) {
            if (member->value.kind == VALUE_NULL)
                continue;
            buffer_append(out, slice_of(comma));
            print_key(out, member->key);
            buffer_append(out, SLICE(" = "));
            print_inline(out, &member->value);
            comma = ", ";
        }
        buffer_append_char(out, '}');
        return;
    }
}

// A list of maps alone is written as sections of its own.
static bool is_table_list(const Value *value) {
    if (value->kind != VALUE_LIST || !value->list.count)
        return false;
    for (vec_each(const Value, element, &value->list)) {
        if (element->kind != VALUE_MAP)
            return false;
    }
    return true;
}

// The path of a section; steps are on the stack of the calls.
typedef struct Path {
    const struct Path *before;
    Slice key;
} Path;

static void print_path(Buffer *out, const Path *path) {
    if (path->before) {
        print_path(out, path->before);
        buffer_append_char(out, '.');
    }
    print_key(out, path->key);
}

static void print_heading(Buffer *out, const Path *path, bool element, bool *after_heading) {
    if (!*after_heading)
        buffer_append_char(out, '\n');
    buffer_append(out, element ? SLICE("[[") : SLICE("["));
    print_path(out, path);
    buffer_append(out, element ? SLICE("]]\n") : SLICE("]\n"));
    *after_heading = true;
}

// Recursive over the depth of the tree.
static void print_table(Buffer *out, const Value *table, const Path *path, bool *after_heading) {
    for (vec_each(const ValueMember, member, &table->map)) {
        if (member->value.kind == VALUE_MAP || member->value.kind == VALUE_NULL || is_table_list(&member->value))
            continue;
        print_key(out, member->key);
        buffer_append(out, SLICE(" = "));
        print_inline(out, &member->value);
        buffer_append_char(out, '\n');
        *after_heading = false;
    }
    for (vec_each(const ValueMember, member, &table->map)) {
        Path step = {path, member->key};

        if (member->value.kind == VALUE_MAP) {
            print_heading(out, &step, false, after_heading);
            print_table(out, &member->value, &step, after_heading);
        }
        for (uint32_t i = 0; is_table_list(&member->value) && i < member->value.list.count; i++) {
            print_heading(out, &step, true, after_heading);
            print_table(out, &member->value.list.items[i], &step, after_heading);
        }
    }
}

void toml_print(Buffer *out, const Value *document) {
    bool after_heading = true;

    CHECK(document->kind == VALUE_MAP, "a document is a map");
    print_table(out, document, NULL, &after_heading);
}
