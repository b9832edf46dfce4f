// Values to YAML in block style.
#include "text/yaml.h"

#include "text/json.h"
#include "text/utf8.h"
#include "text/yaml_scalar.h"

static void indent(Buffer *buffer, uint32_t depth) {
    for (uint32_t i = 0; i < depth; i++)
        buffer_append(buffer, SLICE("  "));
}

// Whether libyaml or go-yaml refuse the character inside a text or treat it as a line break, although JSON allows it.
static bool needs_escape(uint32_t character) {
    return character < 0x20 || (character >= 0x7f && character < 0xa0) || character == 0x2028 || character == 0x2029 ||
           character == 0xfeff || character == 0xfffe || character == 0xffff;
}

static void print_quoted(Buffer *buffer, Slice text) {
    buffer_append_char(buffer, '"');
    for (size_t at = 0; at < text.len;) {
        Slice rest = slice_from(text, at);
        uint32_t character = 0;
        size_t len = utf8_decode(rest, &character);

        if (character == '\n')
            buffer_append(buffer, SLICE("\\n"));
        else if (character == '"' || character == '\\')
            buffer_printf(buffer, "\\%c", (char)character);
        else if (!len || needs_escape(character)) // anything but valid UTF-8 is escaped
            buffer_printf(buffer, "\\u%04x", len ? character : UTF8_REPLACEMENT);
        else
            buffer_append(buffer, slice_first(rest, len));
        at += len ? len : 1;
    }
    buffer_append_char(buffer, '"');
}

static void print_string(Buffer *buffer, Slice text) {
    if (yaml_scalar_needs_quotes(text))
        print_quoted(buffer, text);
    else
        buffer_append(buffer, text);
}

enum { SIMPLE_KEY_MAX = 1000 }; // readers search the ':' of a key this far; a longer key needs a '?'

static void print_key(Buffer *buffer, Slice key, uint32_t depth) {
    size_t start = buffer->len;

    print_string(buffer, key);
    if (buffer->len - start > SIMPLE_KEY_MAX) {
        buffer->len = start;
        buffer_append(buffer, SLICE("? "));
        print_string(buffer, key);
        buffer_append_char(buffer, '\n');
        indent(buffer, depth);
    }
    buffer_append_char(buffer, ':');
}

static void print_scalar(Buffer *buffer, const Value *value) {
    switch (value->kind) {
    case VALUE_NUMBER: // -0 as an integer would lose its sign
        buffer_append(buffer, slice_eq(value->text, SLICE("-0")) ? SLICE("-0.0") : value->text);
        break;
    case VALUE_STRING:
        print_string(buffer, value->text);
        break;
    default: // null, booleans, empty lists and maps are printed as in JSON
        json_print(buffer, value, false);
    }
}

static bool is_block(const Value *value) {
    return (value->kind == VALUE_LIST && value->list.count) || (value->kind == VALUE_MAP && value->map.count);
}

static void print_block(Buffer *buffer, const Value *value, uint32_t depth, bool first_in_line);

static void print_map(Buffer *buffer, const Value *value, uint32_t depth, bool first_in_line) {
    for (vec_each(ValueMember, member, &value->map)) {
        if (!first_in_line)
            indent(buffer, depth);
        first_in_line = false;
        print_key(buffer, member->key, depth);
        if (is_block(&member->value)) {
            buffer_append_char(buffer, '\n');
            print_block(buffer, &member->value, depth + (member->value.kind == VALUE_MAP), false);
        } else {
            buffer_append_char(buffer, ' ');
            print_scalar(buffer, &member->value);
            buffer_append_char(buffer, '\n');
        }
    }
}

static void print_list(Buffer *buffer, const Value *value, uint32_t depth, bool first_in_line) {
    for (vec_each(Value, element, &value->list)) {
        if (!first_in_line)
            indent(buffer, depth);
        first_in_line = false;
        buffer_append(buffer, SLICE("- "));
        if (is_block(element)) {
            print_block(buffer, element, depth + 1, true);
        } else {
            print_scalar(buffer, element);
            buffer_append_char(buffer, '\n');
        }
    }
}

static void print_block(Buffer *buffer, const Value *value, uint32_t depth, bool first_in_line) {
    if (value->kind == VALUE_MAP)
        print_map(buffer, value, depth, first_in_line);
    else
        print_list(buffer, value, depth, first_in_line);
}

void yaml_print(Buffer *buffer, const Value *value) {
    if (is_block(value)) {
        print_block(buffer, value, 0, false);
        return;
    }
    print_scalar(buffer, value);
    buffer_append_char(buffer, '\n');
}
