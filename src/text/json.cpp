// JSON texts to Values by simdjson's on-demand parser. The only C++ file of tenon.
//
// simdjson wants one padded document at a time, so a text of several is first split at the ends of its top-level
// values, and a list at those of its elements; what it then parses is a copy of one. It chooses its implementation for
// the processor when the program runs. Strings without escapes stay where they are in that copy. Lines are counted
// while the parser advances.
#include <simdjson.h>

extern "C" {
#include "text/document.h"
#include "text/json.h"
#include "text/json_scan.h"
#include "text/number.h"
}

namespace {

using namespace simdjson;

struct JsonReader {
    Reading *reading;
    ondemand::parser parser{};
    const char *end = nullptr;     // of the text that is being read
    const char *newline = nullptr; // the next one that is not counted yet, or `end`
    uint32_t line = 1;
    const char *gap = nullptr; // where `gap_lines` lines were left out of the text
    uint32_t gap_lines = 0;

    explicit JsonReader(Reading *of) : reading(of) {}

    const char *newline_from(const char *at) const {
        const void *found = std::memchr(at, '\n', static_cast<size_t>(end - at));

        return found ? static_cast<const char *>(found) : end;
    }

    void start(Slice text, uint32_t first_line) {
        end = text.ptr + text.len;
        newline = newline_from(text.ptr);
        line = first_line;
    }

    uint32_t line_at(const char *place) {
        while (newline < place) {
            line++;
            newline = newline_from(newline + 1);
        }
        if (gap_lines && place >= gap) {
            line += gap_lines;
            gap_lines = 0;
        }
        return line;
    }
};

ErrCode fail(JsonReader &reader, error_code code) {
    return reading_fail(reader.reading, ERR_INVALID, reader.line, "not JSON: %s", error_message(code));
}

#define JSON_TRY(reader, expression)                                                                                   \
    do {                                                                                                               \
        error_code json_code_ = (expression);                                                                          \
        if (json_code_)                                                                                                \
            return fail((reader), json_code_);                                                                         \
    } while (0)

Slice trimmed(std::string_view text) {
    while (!text.empty() && json_is_space(text.back()))
        text.remove_suffix(1);
    return Slice{text.data(), text.size()};
}

// The string whose content starts at `at`, when nothing in it is escaped: the parser has found its end already.
bool is_plain(const JsonReader &reader, const char *at, Slice *ret_text) {
    const char *mark = json_string_mark(at, reader.end);

    *ret_text = Slice{at, static_cast<size_t>(mark - at)};
    return mark < reader.end && *mark == '"';
}

Slice copy(const JsonReader &reader, std::string_view text) {
    return arena_slice(reader.reading->arena, Slice{text.data(), text.size()});
}

template <typename T> ErrCode read_value(JsonReader &reader, T &&source, uint32_t depth, Value *value);

// An element of a list or map, where simdjson left it: its structs are not copied, which costs more than what they say.
template <typename T> T &in_place(simdjson_result<T> &result) {
    return const_cast<T &>(static_cast<const simdjson_result<T> &>(result).value_unsafe());
}

ErrCode read_array(JsonReader &reader, ondemand::array array, uint32_t depth, Value *value) {
    value->kind = VALUE_LIST;
    value->list = {};
    for (auto result : array) {
        JSON_TRY(reader, result.error());
        TRY(read_value(reader, in_place(result), depth + 1, value_append(reader.reading->arena, value, Value{})));
    }
    return OK;
}

// Reads the value of a key that was given before.
ErrCode read_again(JsonReader &reader, MapBuilder *builder, Slice key, uint32_t line, ondemand::value &source,
                   uint32_t depth) {
    ValueMember member = {key, line, {}};

    TRY(read_value(reader, source, depth, &member.value));
    return map_builder_put(reader.reading, builder, member);
}

ErrCode read_key(JsonReader &reader, ondemand::field &field, Slice *ret_key) {
    std::string_view key;

    if (is_plain(reader, field.key().raw(), ret_key))
        return OK;
    JSON_TRY(reader, field.unescaped_key().get(key));
    *ret_key = copy(reader, key);
    return OK;
}

ErrCode read_object(JsonReader &reader, ondemand::object object, uint32_t depth, Value *value) {
    MapBuilder builder = {};

    for (auto result : object) {
        JSON_TRY(reader, result.error());
        ondemand::field &field = in_place(result);
        uint32_t line = reader.line_at(field.key().raw());
        ValueMember *member;
        Slice key;

        TRY(read_key(reader, field, &key));
        member = map_builder_add(reader.reading, &builder, key, line);
        if (member)
            TRY(read_value(reader, field.value(), depth + 1, &member->value));
        else
            TRY(read_again(reader, &builder, key, line, field.value(), depth + 1));
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
    value->text = text;
    return OK;
}

// `token` starts with the opening quote.
template <typename T> ErrCode read_string(JsonReader &reader, T &&source, std::string_view token, Value *value) {
    ondemand::raw_json_string raw;

    value->kind = VALUE_STRING;
    if (is_plain(reader, token.data() + 1, &value->text)) {
        JSON_TRY(reader, source.get_raw_json_string().get(raw));
        return OK;
    }
    JSON_TRY(reader, source.get_string().get(token));
    value->text = copy(reader, token);
    return OK;
}

template <typename T> ErrCode read_value(JsonReader &reader, T &&source, uint32_t depth, Value *value) {
    ondemand::json_type type;
    std::string_view token;

    JSON_TRY(reader, source.type().get(type));
    JSON_TRY(reader, simdjson_result<std::string_view>(source.raw_json_token()).get(token));
    value->line = reader.line_at(token.data());
    TRY(reading_count(reader.reading, value->line, depth));
    switch (type) {
    case ondemand::json_type::array: {
        ondemand::array array;

        JSON_TRY(reader, source.get_array().get(array));
        TRY(read_array(reader, array, depth, value));
        break;
    }
    case ondemand::json_type::object: {
        ondemand::object object;

        JSON_TRY(reader, source.get_object().get(object));
        TRY(read_object(reader, object, depth, value));
        break;
    }
    case ondemand::json_type::number:
        TRY(read_number(reader, source, value));
        break;
    case ondemand::json_type::string:
        TRY(read_string(reader, source, token, value));
        break;
    case ondemand::json_type::boolean:
        value->kind = VALUE_BOOL;
        JSON_TRY(reader, source.get_bool().get(value->boolean));
        break;
    default: {
        bool is_null;

        value->kind = VALUE_NULL;
        JSON_TRY(reader, simdjson_result<bool>(source.is_null()).get(is_null));
        if (!is_null)
            return fail(reader, N_ATOM_ERROR);
    }
    }
    return OK;
}

// Whether nothing follows the value up to the end. Numbers are not consumed; the parser cannot tell of them.
bool is_whole(ondemand::document &document, const Value &root, Slice text) {
    const char *place;

    switch (root.kind) {
    case VALUE_NUMBER:
        return slice_eq(root.text, text);
    case VALUE_BOOL:
        return slice_eq(root.boolean ? SLICE("true") : SLICE("false"), text);
    case VALUE_NULL:
        return slice_eq(SLICE("null"), text);
    default:
        return document.current_location().get(place) == OUT_OF_BOUNDS;
    }
}

// A copy of the text that is followed by zeros, as simdjson wants it.
Slice padded(Arena *arena, Slice text) {
    char *bytes = static_cast<char *>(arena_alloc_raw(arena, text.len + SIMDJSON_PADDING));

    if (text.len)
        std::memcpy(bytes, text.ptr, text.len);
    std::memset(bytes + text.len, 0, SIMDJSON_PADDING);
    return Slice{bytes, text.len};
}

// Reads a padded text, which is a value at that depth of its document. reader.line is that of its start, then of its
// end.
ErrCode read_text(JsonReader &reader, Slice text, uint32_t depth, Value *ret_root) {
    padded_string_view view(text.ptr, text.len, text.len + SIMDJSON_PADDING);
    ondemand::document document;

    reader.start(text, reader.line);
    JSON_TRY(reader, reader.parser.iterate(view).get(document));
    TRY(read_value(reader, document, depth, ret_root));
    if (!is_whole(document, *ret_root, text))
        return fail(reader, TRAILING_CONTENT);
    reader.line_at(reader.end);
    return OK;
}

// Reads a document that is padded.
ErrCode read_document(JsonReader &reader, Slice text, Value *ret_root) {
    reader.reading->values = 0;
    return read_text(reader, text, 0, ret_root);
}

uint32_t lines_in(const char *at, const char *end) {
    uint32_t count = 0;

    while ((at = static_cast<const char *>(std::memchr(at, '\n', static_cast<size_t>(end - at))))) {
        count++;
        at++;
    }
    return count;
}

// The documents of a text, from one to the next.
struct Documents {
    const char *at, *end;
    uint32_t line;

    // Whether there is one more; `at` is where it starts.
    bool next() {
        for (; at < end && json_is_space(*at); at++)
            line += *at == '\n';
        return at < end;
    }
};

ErrCode start(const Reading *reading, Slice text, Documents *ret_documents) {
    const char *begin = text.ptr;
    size_t bad;

    if (!validate_utf8(text.ptr, text.len) && !utf8_valid(text, &bad))
        return reading_fail(reading, ERR_INVALID, line_of(text, bad), "not UTF-8");
    if (slice_starts_with(text, SLICE("\xef\xbb\xbf")))
        begin += 3;
    *ret_documents = Documents{begin, text.ptr + text.len, 1};
    return OK;
}

// --- lists, element by element

// What was noted in the middle of a document, to be forgotten when it is read once more.
struct Noted {
    uint32_t duplicates, warnings;

    explicit Noted(const Reading &reading)
        : duplicates(reading.duplicates), warnings(reading.warnings ? reading.warnings->count : 0) {}

    void restore(Reading *reading) const {
        reading->duplicates = duplicates;
        if (reading->warnings)
            reading->warnings->count = warnings;
    }
};

// Reads the document without its elements. False: it is to be read as a whole, which says what is wrong with it.
bool read_frame(JsonReader &reader, const JsonList &list, Value *ret_root) {
    Arena *arena = reader.reading->arena;
    size_t len = list.before.len + list.after.len;
    char *text = static_cast<char *>(arena_alloc(arena, len + SIMDJSON_PADDING));
    Noted noted(*reader.reading);
    Err err, *outer = reader.reading->err;
    ErrCode code;

    std::memcpy(text, list.before.ptr, list.before.len);
    std::memcpy(text + list.before.len, list.after.ptr, list.after.len);
    reader.reading->err = &err;
    reader.gap = text + list.before.len;
    reader.gap_lines = lines_in(list.before.ptr + list.before.len, list.after.ptr);
    code = read_document(reader, Slice{text, len}, ret_root);
    reader.gap_lines = 0;
    reader.reading->err = outer;
    return code == OK && ret_root->kind == VALUE_MAP && reader.reading->duplicates == noted.duplicates;
}

// Reads and tells the elements. reader.line is that of the document.
ErrCode read_elements(JsonReader &reader, const JsonList &list, const JsonSink *sink) {
    Arena *arena = reader.reading->arena;
    const char *counted = list.before.ptr;

    for (uint32_t i = 0; i < list.elements.count; i++) {
        Slice element = list.elements.items[i];
        ArenaMark mark = arena_mark(arena);
        Value value;

        reader.line += lines_in(counted, element.ptr);
        TRY(read_text(reader, padded(arena, element), 2, &value));
        sink->element(sink->context, &value);
        arena_rewind(arena, mark);
        counted = element.ptr + element.len;
    }
    reader.line += lines_in(counted, list.end);
    return OK;
}

// Reads the next document as a whole and goes on behind it.
ErrCode read_next(JsonReader &reader, Documents *documents, Document *ret_document) {
    const char *stop = json_value_end(documents->at, documents->end);
    Slice text = {documents->at, static_cast<size_t>(stop - documents->at)};

    reader.line = documents->line;
    TRY(read_document(reader, padded(reader.reading->arena, text), &ret_document->root));
    ret_document->file = reader.reading->file;
    documents->at = stop;
    documents->line = reader.line;
    return OK;
}

ErrCode tell_whole(JsonReader &reader, Documents *documents, const JsonSink *sink) {
    Document document;

    TRY(read_next(reader, documents, &document));
    sink->document(sink->context, &document);
    return OK;
}

// A failure is explained by reading the document as a whole, from its start.
ErrCode tell_list(JsonReader &reader, Documents *documents, const JsonList &list, const JsonSink *sink) {
    Document frame = {reader.reading->file, {}}, document;
    Noted noted(*reader.reading);
    ErrCode code;

    reader.line = documents->line;
    if (!read_frame(reader, list, &frame.root)) {
        noted.restore(reader.reading);
        return tell_whole(reader, documents, sink);
    }
    sink->document(sink->context, &frame);
    reader.line = documents->line;
    code = read_elements(reader, list, sink);
    if (code != OK) {
        noted.restore(reader.reading);
        TRY(read_next(reader, documents, &document));
        return code;
    }
    documents->at = list.end;
    documents->line = reader.line;
    return OK;
}

ErrCode tell_next(JsonReader &reader, Documents *documents, const JsonSink *sink) {
    Reading *reading = reader.reading;
    ArenaMark mark = arena_mark(reading->arena);
    JsonList list;

    if (json_list_find(reading->arena, documents->at, documents->end, reading->values_max, &list))
        TRY(tell_list(reader, documents, list, sink));
    else
        TRY(tell_whole(reader, documents, sink));
    arena_rewind(reading->arena, mark);
    return OK;
}

struct Scratch {
    Arena arena = {};

    ~Scratch() { arena_free(&arena); }
};

} // namespace

extern "C" ErrCode json_parse(Arena *arena, Slice file, Slice text, const ParseOptions *options, DocumentVec *documents,
                              WarningVec *warnings, Err *err) {
    Reading reading = reading_start(arena, file, options, warnings, err);
    JsonReader reader(&reading);
    Documents found;

    TRY(start(&reading, text, &found));
    while (found.next()) {
        Document document;

        TRY(read_next(reader, &found, &document));
        documents_add(arena, documents, document);
    }
    return OK;
}

extern "C" ErrCode json_read(Arena *notes, Slice file, Slice text, const ParseOptions *options, const JsonSink *sink,
                             WarningVec *warnings, Err *err) {
    Scratch scratch;
    Reading reading = reading_start(&scratch.arena, file, options, warnings, err);
    JsonReader reader(&reading);
    Documents found;

    reading.notes = notes;
    TRY(start(&reading, text, &found));
    while (found.next())
        TRY(tell_next(reader, &found, sink));
    return OK;
}
