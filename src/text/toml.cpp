// TOML texts to Values by toml++, in C++ as that library is.
//
// toml++ keeps a table's keys in the order of their texts; they are put back into that of the document by the places
// where they stand. Its own bound on nesting is set to ours. It is built without exceptions: the parse tells of a
// failure in its result.
#define TOML_EXCEPTIONS        0
#define TOML_HEADER_ONLY       1
#define TOML_ENABLE_FORMATTERS 0
#define TOML_MAX_NESTED_VALUES 64
#include <toml++/toml.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

extern "C" {
#include "text/toml.h"
}

namespace {

Slice copy_text(Arena *arena, std::string_view text) {
    return arena_slice(arena, Slice{text.data(), text.size()});
}

// A float as text that a reader takes for a float again.
Slice float_text(Arena *arena, double number) {
    Slice text = value_real(arena, number).text;

    if (slice_find(text, '.') < 0 && slice_find(text, 'e') < 0)
        text = arena_printf(arena, "%.*s.0", SLICE_ARG(text));
    return text;
}

template <typename T> Slice print_text(Arena *arena, const T &time) {
    std::ostringstream out;

    out << time;
    return copy_text(arena, out.str());
}

ErrCode convert(Arena *arena, const toml::node &node, Value *ret_value, Err *err);

uint32_t line_of_node(const toml::node &node) {
    return static_cast<uint32_t>(node.source().begin.line);
}

// Where a member stands: for a table, whose own place may be that of its first member, its key's.
bool stands_before(const std::pair<const toml::key *, const toml::node *> &a,
                   const std::pair<const toml::key *, const toml::node *> &b) {
    const toml::source_position &left = a.first->source().begin, &right = b.first->source().begin;

    return left.line != right.line ? left.line < right.line : left.column < right.column;
}

ErrCode convert_table(Arena *arena, const toml::table &table, Value *ret_value, Err *err) {
    std::vector<std::pair<const toml::key *, const toml::node *>> members;

    for (auto &&[key, node] : table)
        members.emplace_back(&key, &node);
    std::stable_sort(members.begin(), members.end(), stands_before);
    ret_value->kind = VALUE_MAP;
    ret_value->map.items = static_cast<ValueMember *>(arena_alloc_array(arena, sizeof(ValueMember), members.size()));
    ret_value->map.count = ret_value->map.capacity = static_cast<uint32_t>(members.size());
    for (size_t i = 0; i < members.size(); i++) {
        ValueMember *member = &ret_value->map.items[i];

        member->key = copy_text(arena, members[i].first->str());
        member->line = static_cast<uint32_t>(members[i].first->source().begin.line);
        TRY(convert(arena, *members[i].second, &member->value, err));
    }
    return OK;
}

ErrCode convert_array(Arena *arena, const toml::array &array, Value *ret_value, Err *err) {
    ret_value->kind = VALUE_LIST;
    ret_value->list.items = static_cast<Value *>(arena_alloc_array(arena, sizeof(Value), array.size()));
    ret_value->list.count = ret_value->list.capacity = static_cast<uint32_t>(array.size());
    for (size_t i = 0; i < array.size(); i++)
        TRY(convert(arena, array[i], &ret_value->list.items[i], err));
    return OK;
}

ErrCode convert_float(Arena *arena, const toml::node &node, Value *ret_value, Err *err) {
    double number = node.as_floating_point()->get();

    if (!std::isfinite(number))
        return err_set(err, ERR_INVALID, "TOML, line %u: expected a finite number", line_of_node(node));
    ret_value->kind = VALUE_NUMBER;
    ret_value->text = float_text(arena, number);
    return OK;
}

Slice time_text(Arena *arena, const toml::node &node) {
    if (const auto *date = node.as_date())
        return print_text(arena, date->get());
    if (const auto *time = node.as_time())
        return print_text(arena, time->get());
    return print_text(arena, node.as_date_time()->get());
}

ErrCode convert(Arena *arena, const toml::node &node, Value *ret_value, Err *err) {
    ret_value->line = line_of_node(node);
    switch (node.type()) {
    case toml::node_type::table:
        return convert_table(arena, *node.as_table(), ret_value, err);
    case toml::node_type::array:
        return convert_array(arena, *node.as_array(), ret_value, err);
    case toml::node_type::string:
        ret_value->kind = VALUE_STRING;
        ret_value->text = copy_text(arena, node.as_string()->get());
        return OK;
    case toml::node_type::boolean:
        ret_value->kind = VALUE_BOOL;
        ret_value->boolean = node.as_boolean()->get();
        return OK;
    case toml::node_type::integer:
        ret_value->kind = VALUE_NUMBER;
        ret_value->text = value_int(arena, node.as_integer()->get()).text;
        return OK;
    case toml::node_type::floating_point:
        return convert_float(arena, node, ret_value, err);
    default:
        ret_value->kind = VALUE_STRING;
        ret_value->text = time_text(arena, node);
        return OK;
    }
}

// toml++ gives nesting beyond its bound as an error like any other.
bool is_depth_error(std::string_view text) {
    return text.find("maximum nested") != std::string_view::npos;
}

} // namespace

extern "C" ErrCode toml_parse(Arena *arena, Slice text, Value *ret_document, Err *err) {
    Value document = {};

    if (text.len > TOML_BYTES_MAX)
        return err_set(err, ERR_TOO_LARGE, "TOML: more than %d bytes", TOML_BYTES_MAX);
    toml::parse_result result = toml::parse(std::string_view(text.len ? text.ptr : "", text.len));
    if (!result) {
        const std::string_view why = result.error().description();

        return err_set(err, is_depth_error(why) ? ERR_TOO_LARGE : ERR_INVALID, "TOML, line %u: %.*s",
                       static_cast<unsigned>(result.error().source().begin.line), static_cast<int>(why.size()),
                       why.data());
    }
    TRY(convert_table(arena, result.table(), &document, err));
    *ret_document = document;
    return OK;
}
