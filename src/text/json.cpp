// JSON texts to Values by simdjson's on-demand parser. The only C++ file of tenon.
//
// simdjson needs one padded document at a time, so a text of several is first split at the ends of its top-level
// values. Lines are counted in one pass while the parser advances.
#include <simdjson.h>

extern "C" {
#include "text/document.h"
#include "text/json.h"
#include "text/number.h"
}

namespace {

using namespace simdjson;

struct JsonReader {
    Reading *reading;
    const char *at; // lines are counted up to here
    uint32_t line;

    uint32_t line_at(const char *place) {
        for (; at < place; at++)
            line += *at == '\n';
        return line;
    }
};

Slice copy(const JsonReader &reader, std::string_view text) {
    return arena_slice(reader.reading->arena, Slice{text.data(), text.size()});
}

ErrCode fail(JsonReader &reader, error_code code) {
    return reading_fail(reader.reading, ERR_INVALID, reader.line, "not JSON: %s", error_message(code));
}

#define JSON_TRY(reader, expression)                                                                                   \
    do {                                                                                                               \
        error_code json_code_ = (expression);                                                                          \
        if (json_code_)                                                                                                \
            return fail((reader), json_code_);                                                                         \
    } while (0)

bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

Slice trimmed(std::string_view text) {
    while (!text.empty() && is_space(text.back()))
        text.remove_suffix(1);
    return Slice{text.data(), text.size()};
}

template <typename T> ErrCode read_value(JsonReader &reader, T &&source, uint32_t depth, Value *ret_value);

ErrCode read_array(JsonReader &reader, ondemand::array array, uint32_t depth, Value *value) {
    value->kind = VALUE_LIST;
    value->list = {};
    for (auto result : array) {
        ondemand::value item;
        Value element;

        JSON_TRY(reader, std::move(result).get(item));
        TRY(read_value(reader, item, depth + 1, &element));
        value_append(reader.reading->arena, value, element);
    }
    return OK;
}

ErrCode read_object(JsonReader &reader, ondemand::object object, uint32_t depth, Value *value) {
    MapBuilder builder = {};

    for (auto result : object) {
        ondemand::field field;
        std::string_view key;
        ValueMember member = {};

        JSON_TRY(reader, std::move(result).get(field));
        member.line = reader.line_at(field.key().raw());
        JSON_TRY(reader, field.unescaped_key().get(key));
        member.key = copy(reader, key);
        TRY(read_value(reader, field.value(), depth + 1, &member.value));
        TRY(map_builder_put(reader.reading, &builder, member));
    }
    value->kind = VALUE_MAP;
    value->map = builder.members;
    return OK;
}

// The token is not consumed, which simdjson allows: its own numbers are doubles, which lose digits.
template <typename T> ErrCode read_number(JsonReader &reader, T &&source, Value *value) {
    std::string_view token;
    Slice text;

    JSON_TRY(reader, simdjson_result<std::string_view>(source.raw_json_token()).get(token));
    text = trimmed(token);
    if (!number_is_json(text))
        return fail(reader, NUMBER_ERROR);
    value->kind = VALUE_NUMBER;
    value->text = arena_slice(reader.reading->arena, text);
    return OK;
}

template <typename T> ErrCode read_value(JsonReader &reader, T &&source, uint32_t depth, Value *ret_value) {
    ondemand::json_type type;
    std::string_view token;
    Value value = {};

    JSON_TRY(reader, source.type().get(type));
    JSON_TRY(reader, simdjson_result<std::string_view>(source.raw_json_token()).get(token));
    value.line = reader.line_at(token.data());
    TRY(reading_count(reader.reading, value.line, depth));
    switch (type) {
    case ondemand::json_type::array: {
        ondemand::array array;

        JSON_TRY(reader, source.get_array().get(array));
        TRY(read_array(reader, array, depth, &value));
        break;
    }
    case ondemand::json_type::object: {
        ondemand::object object;

        JSON_TRY(reader, source.get_object().get(object));
        TRY(read_object(reader, object, depth, &value));
        break;
    }
    case ondemand::json_type::number:
        TRY(read_number(reader, source, &value));
        break;
    case ondemand::json_type::string:
        value.kind = VALUE_STRING;
        JSON_TRY(reader, source.get_string().get(token));
        value.text = copy(reader, token);
        break;
    case ondemand::json_type::boolean:
        value.kind = VALUE_BOOL;
        JSON_TRY(reader, source.get_bool().get(value.boolean));
        break;
    default: {
        bool is_null;

        value.kind = VALUE_NULL;
        JSON_TRY(reader, simdjson_result<bool>(source.is_null()).get(is_null));
        if (!is_null)
            return fail(reader, N_ATOM_ERROR);
    }
    }
    *ret_value = value;
    return OK;
}

// The position after the string that starts at `at`, or the end.
const char *string_end(const char *at, const char *end) {
    for (at++; at < end; at++) {
        if (*at == '\\')
            at++;
        else if (*at == '"')
            return at + 1;
    }
    return end;
}

// The end of the first top-level value in [at, end): of its closing bracket or of its token. The parser checks whether
// the brackets match.
const char *value_end(const char *at, const char *end) {
    size_t depth = 0;

    while (at < end) {
        switch (*at) {
        case '"':
            at = string_end(at, end);
            break;
        case '{':
        case '[':
            depth++;
            at++;
            continue;
        case '}':
        case ']':
            depth -= depth > 0;
            at++;
            break;
        default:
            at++;
            if (depth > 0 || (at < end && !is_space(*at)))
                continue;
        }
        if (depth == 0)
            return at;
    }
    return end;
}

// Whether nothing follows a word or number up to the end; lists, maps and strings end where value_end found their end.
bool is_whole(const Value &root, Slice text) {
    switch (root.kind) {
    case VALUE_NUMBER:
        return slice_eq(root.text, text);
    case VALUE_BOOL:
        return slice_eq(root.boolean ? SLICE("true") : SLICE("false"), text);
    case VALUE_NULL:
        return slice_eq(SLICE("null"), text);
    default:
        return true;
    }
}

} // namespace

static ErrCode read_document(Reading *reading, Slice text, uint32_t line, Document *ret_document) {
    ondemand::parser parser;
    padded_string padded(text.ptr, text.len);
    ondemand::document document;
    JsonReader reader = {reading, padded.data(), line};

    JSON_TRY(reader, parser.iterate(padded).get(document));
    reading->values = 0;
    TRY(read_value(reader, document, 0, &ret_document->root));
    return is_whole(ret_document->root, text) ? OK : fail(reader, TRAILING_CONTENT);
}

extern "C" ErrCode json_parse(Arena *arena, Slice file, Slice text, const ParseOptions *options, DocumentVec *documents,
                              WarningVec *warnings, Err *err) {
    Reading reading = reading_start(arena, file, options, warnings, err);
    const char *at = text.ptr, *end = text.ptr + text.len, *counted = text.ptr;
    uint32_t line = 1;
    size_t bad;

    if (!utf8_valid(text, &bad))
        return reading_fail(&reading, ERR_INVALID, line_of(text, bad), "not UTF-8");
    if (slice_starts_with(text, SLICE("\xef\xbb\xbf")))
        at += 3;
    for (;;) {
        const char *stop;
        Document document = {};

        while (at < end && is_space(*at))
            at++;
        if (at == end)
            return OK;
        for (; counted < at; counted++)
            line += *counted == '\n';
        stop = value_end(at, end);
        document.file = file;
        TRY(read_document(&reading, Slice{at, static_cast<size_t>(stop - at)}, line, &document));
        documents_add(arena, documents, document);
        at = stop;
    }
}
