// Values to JSON.
#include "text/json.h"

void json_print_string(Buffer *buffer, Slice text) {
    buffer_append_char(buffer, '"');
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];

        switch (c) {
        case '"':
        case '\\':
            buffer_append_char(buffer, '\\');
            buffer_append_char(buffer, (char)c);
            break;
        case '\n':
            buffer_append(buffer, SLICE("\\n"));
            break;
        case '\t':
            buffer_append(buffer, SLICE("\\t"));
            break;
        case '\r':
            buffer_append(buffer, SLICE("\\r"));
            break;
        default:
            if (c < 0x20)
                buffer_printf(buffer, "\\u%04x", c);
            else
                buffer_append_char(buffer, (char)c);
        }
    }
    buffer_append_char(buffer, '"');
}

static void break_line(Buffer *buffer, bool indented, uint32_t depth) {
    if (!indented)
        return;
    buffer_append_char(buffer, '\n');
    for (uint32_t i = 0; i < depth; i++)
        buffer_append(buffer, SLICE("  "));
}

static void print(Buffer *buffer, const Value *value, bool indented, uint32_t depth);

static void print_list(Buffer *buffer, const Value *value, bool indented, uint32_t depth) {
    buffer_append_char(buffer, '[');
    for (vec_each(Value, element, &value->list)) {
        if (element != value->list.items)
            buffer_append_char(buffer, ',');
        break_line(buffer, indented, depth + 1);
        print(buffer, element, indented, depth + 1);
    }
    if (value->list.count)
        break_line(buffer, indented, depth);
    buffer_append_char(buffer, ']');
}

static void print_map(Buffer *buffer, const Value *value, bool indented, uint32_t depth) {
    buffer_append_char(buffer, '{');
    for (vec_each(ValueMember, member, &value->map)) {
        if (member != value->map.items)
            buffer_append_char(buffer, ',');
        break_line(buffer, indented, depth + 1);
        json_print_string(buffer, member->key);
        buffer_append(buffer, indented ? SLICE(": ") : SLICE(":"));
        print(buffer, &member->value, indented, depth + 1);
    }
    if (value->map.count)
        break_line(buffer, indented, depth);
    buffer_append_char(buffer, '}');
}

static void print(Buffer *buffer, const Value *value, bool indented, uint32_t depth) {
    switch (value->kind) {
    case VALUE_NULL:
        buffer_append(buffer, SLICE("null"));
        break;
    case VALUE_BOOL:
        buffer_append(buffer, value->boolean ? SLICE("true") : SLICE("false"));
        break;
    case VALUE_NUMBER:
        buffer_append(buffer, value->text);
        break;
    case VALUE_STRING:
        json_print_string(buffer, value->text);
        break;
    case VALUE_LIST:
        print_list(buffer, value, indented, depth);
        break;
    default:
        print_map(buffer, value, indented, depth);
    }
}

void json_print(Buffer *buffer, const Value *value, bool indented) {
    print(buffer, value, indented, 0);
}
