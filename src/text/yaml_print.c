// Values to YAML in block style.
#include "text/yaml.h"

#include "text/json.h"
#include "text/yaml_scalar.h"

static void indent(Buffer *buffer, uint32_t depth) {
    for (uint32_t i = 0; i < depth; i++)
        buffer_append(buffer, SLICE("  "));
}

static void print_string(Buffer *buffer, Slice text) {
    if (text.len == 0 || yaml_scalar_needs_quotes(text))
        json_print_string(buffer, text); // a JSON string is a double-quoted YAML scalar
    else
        buffer_append(buffer, text);
}

static void print_scalar(Buffer *buffer, const Value *value) {
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
        print_string(buffer, value->text);
        break;
    case VALUE_LIST:
        buffer_append(buffer, SLICE("[]"));
        break;
    default:
        buffer_append(buffer, SLICE("{}"));
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
        print_string(buffer, member->key);
        buffer_append_char(buffer, ':');
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
