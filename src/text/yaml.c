// YAML texts to Values, from libyaml's events.
#include "text/yaml.h"

#include "text/document.h"
#include "text/yaml_scalar.h"

#include <yaml.h>

// A node with an anchor. Open: its end was not reached yet, so an alias to it would be a cycle.
typedef struct {
    Slice name;
    Value value;
    uint32_t values; // values in it, including itself
    uint32_t height; // levels below it
    bool open;
} Anchor;

typedef struct {
    Reading reading;
    yaml_parser_t parser;
    Slice text;
    Vec(Anchor) anchors;   // of this document
    IndexMap anchor_index; // the newest of each name
    uint32_t alias_values; // values added through aliases
    uint32_t deepest;      // deepest level below the node that is being read
} YamlReader;

static ErrCode read_node(YamlReader *reader, const yaml_event_t *event, uint32_t depth, Value *ret_value);

static uint32_t event_line(const yaml_event_t *event) {
    return (uint32_t)event->start_mark.line + 1;
}

// The line at which libyaml stopped; errors of its reader (control characters) have only an offset.
static uint32_t problem_line(const YamlReader *reader) {
    const yaml_parser_t *parser = &reader->parser;

    if (parser->error == YAML_READER_ERROR)
        return line_of(reader->text, parser->problem_offset);
    return (uint32_t)(parser->problem_mark.line ? parser->problem_mark.line : parser->context_mark.line) + 1;
}

static ErrCode next_event(YamlReader *reader, yaml_event_t *ret_event) {
    const yaml_parser_t *parser = &reader->parser;

    if (yaml_parser_parse(&reader->parser, ret_event))
        return OK;
    if (parser->error == YAML_MEMORY_ERROR)
        return reading_fail(&reader->reading, ERR_TOO_LARGE, 1, "nested too deep, or too large");
    return reading_fail(&reader->reading, ERR_INVALID, problem_line(reader), "not YAML: %s%s%s",
                        parser->problem ? parser->problem : "unexpected input", parser->context ? " " : "",
                        parser->context ? parser->context : "");
}

static Slice slice_of_yaml(const yaml_char_t *text, size_t len) {
    return (Slice){(const char *)text, len};
}

static bool is_plain(const yaml_event_t *event) {
    return event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE && event->data.scalar.plain_implicit;
}

static ErrCode read_scalar(YamlReader *reader, const yaml_event_t *event, Value *ret_value) {
    Arena *arena = reader->reading.arena;
    Slice text = arena_slice(arena, slice_of_yaml(event->data.scalar.value, event->data.scalar.length));
    const char *tag = (const char *)event->data.scalar.tag;
    Err why;

    if (!tag && !is_plain(event))
        *ret_value = value_string(text);
    else if (yaml_scalar_resolve(arena, tag, text, ret_value, &why) != OK)
        return reading_fail(&reader->reading, ERR_INVALID, event_line(event), "%s", why.text);
    ret_value->line = event_line(event);
    return OK;
}

static ErrCode read_sequence(YamlReader *reader, const yaml_event_t *start, uint32_t depth, Value *ret_value) {
    Value list = {.kind = VALUE_LIST, .line = event_line(start)};

    for (;;) {
        yaml_event_t event;
        Value element;
        ErrCode code;

        TRY(next_event(reader, &event));
        if (event.type == YAML_SEQUENCE_END_EVENT) {
            yaml_event_delete(&event);
            break;
        }
        code = read_node(reader, &event, depth + 1, &element);
        yaml_event_delete(&event);
        TRY(code);
        vec_push(reader->reading.arena, &list.list, element);
    }
    *ret_value = list;
    return OK;
}

// A key as text: as in sigs.k8s.io/yaml, numbers and booleans become strings.
static ErrCode key_text(YamlReader *reader, const Value *key, Slice *ret_text) {
    switch (key->kind) {
    case VALUE_STRING:
        *ret_text = key->text;
        return OK;
    case VALUE_NUMBER:
        *ret_text = yaml_number_key(reader->reading.arena, key->text);
        return OK;
    case VALUE_BOOL:
        *ret_text = key->boolean ? SLICE("true") : SLICE("false");
        return OK;
    default:
        return reading_fail(&reader->reading, ERR_INVALID, key->line, "expected a string as key, got %s",
                            value_kind_text(key->kind));
    }
}

static ErrCode merge_map(YamlReader *reader, MapBuilder *builder, const Value *source) {
    if (source->kind != VALUE_MAP)
        return reading_fail(&reader->reading, ERR_INVALID, source->line, "expected a map to merge, got %s",
                            value_kind_text(source->kind));
    for (vec_each(const ValueMember, member, &source->map))
        map_builder_merge(&reader->reading, builder, *member);
    return OK;
}

// Merges "<<: *base" or "<<: [*first, *second]", of which the first takes precedence. As in go-yaml v2, the merged
// members replace keys above and are replaced by keys below.
static ErrCode merge_into(YamlReader *reader, MapBuilder *builder, const Value *source) {
    if (source->kind != VALUE_LIST)
        return merge_map(reader, builder, source);
    for (uint32_t i = source->list.count; i-- > 0;)
        TRY(merge_map(reader, builder, &source->list.items[i]));
    return OK;
}

static bool is_merge_key(const yaml_event_t *event) {
    const char *tag = event->type == YAML_SCALAR_EVENT ? (const char *)event->data.scalar.tag : NULL;

    return event->type == YAML_SCALAR_EVENT &&
           slice_eq(slice_of_yaml(event->data.scalar.value, event->data.scalar.length), SLICE("<<")) &&
           (tag ? strcmp(tag, "tag:yaml.org,2002:merge") == 0 : is_plain(event));
}

static ErrCode read_member(YamlReader *reader, const yaml_event_t *key_event, uint32_t depth, MapBuilder *builder) {
    ValueMember member = {.line = event_line(key_event)};
    yaml_event_t event;
    Value key;
    ErrCode code;

    TRY(read_node(reader, key_event, depth + 1, &key));
    TRY(key_text(reader, &key, &member.key));
    TRY(next_event(reader, &event));
    code = read_node(reader, &event, depth + 1, &member.value);
    yaml_event_delete(&event);
    TRY(code);
    return is_merge_key(key_event) ? merge_into(reader, builder, &member.value)
                                   : map_builder_put(&reader->reading, builder, member);
}

static ErrCode read_mapping(YamlReader *reader, const yaml_event_t *start, uint32_t depth, Value *ret_value) {
    MapBuilder builder = {0};

    for (;;) {
        yaml_event_t event;
        ErrCode code;

        TRY(next_event(reader, &event));
        if (event.type == YAML_MAPPING_END_EVENT) {
            yaml_event_delete(&event);
            break;
        }
        code = read_member(reader, &event, depth, &builder);
        yaml_event_delete(&event);
        TRY(code);
    }
    *ret_value = (Value){.kind = VALUE_MAP, .line = event_line(start), .map = builder.members};
    return OK;
}

// The last anchor of that name, or NULL. O(1) unless names were chosen to collide.
static Anchor *find_anchor(YamlReader *reader, Slice name) {
    uint32_t newest = u64_map_get(&reader->anchor_index, slice_hash(name));

    if (newest == INDEX_NONE)
        return NULL;
    for (uint32_t i = newest + 1; i-- > 0;) {
        if (slice_eq(reader->anchors.items[i].name, name))
            return &reader->anchors.items[i];
    }
    return NULL;
}

static ErrCode read_alias(YamlReader *reader, const yaml_event_t *event, uint32_t depth, Value *ret_value) {
    Slice name = slice_of((const char *)event->data.alias.anchor), shown = excerpt(reader->reading.arena, name);
    const Anchor *anchor = find_anchor(reader, name);
    Reading *reading = &reader->reading;

    if (!anchor)
        return reading_fail(reading, ERR_INVALID, event_line(event), "alias *%.*s has no anchor", SLICE_ARG(shown));
    if (anchor->open)
        return reading_fail(reading, ERR_INVALID, event_line(event),
                            "alias *%.*s stands inside its own anchor: a cycle", SLICE_ARG(shown));
    reader->alias_values += anchor->values;
    if (reader->alias_values > ALIAS_VALUES_MAX)
        return reading_fail(reading, ERR_TOO_LARGE, event_line(event), "aliases expand to more than %d values",
                            ALIAS_VALUES_MAX);
    reading->values += anchor->values - 1;
    TRY(reading_count(reading, event_line(event), depth + anchor->height));
    if (reader->deepest < depth + anchor->height)
        reader->deepest = depth + anchor->height;
    *ret_value = anchor->value;
    return OK;
}

static const yaml_char_t *event_anchor(const yaml_event_t *event) {
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        return event->data.scalar.anchor;
    case YAML_SEQUENCE_START_EVENT:
        return event->data.sequence_start.anchor;
    case YAML_MAPPING_START_EVENT:
        return event->data.mapping_start.anchor;
    default:
        return NULL;
    }
}

static ErrCode read_content(YamlReader *reader, const yaml_event_t *event, uint32_t depth, Value *ret_value) {
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        return read_scalar(reader, event, ret_value);
    case YAML_SEQUENCE_START_EVENT:
        return read_sequence(reader, event, depth, ret_value);
    case YAML_MAPPING_START_EVENT:
        return read_mapping(reader, event, depth, ret_value);
    default:
        return reading_fail(&reader->reading, ERR_INVALID, event_line(event), "expected a value");
    }
}

// Reads the content of a node with an anchor.
static ErrCode read_anchored(YamlReader *reader, const yaml_event_t *event, Slice name, uint32_t depth,
                             Value *ret_value) {
    Arena *arena = reader->reading.arena;
    uint32_t number = reader->anchors.count, before = reader->reading.values, deepest = reader->deepest;
    Anchor *anchor;

    vec_push(arena, &reader->anchors, (Anchor){.name = arena_slice(arena, name), .open = true});
    u64_map_put(arena, &reader->anchor_index, slice_hash(name), number);
    reader->deepest = depth;
    TRY(read_content(reader, event, depth, ret_value));
    anchor = &reader->anchors.items[number];
    anchor->value = *ret_value;
    anchor->values = reader->reading.values - before + 1;
    anchor->height = reader->deepest - depth;
    anchor->open = false;
    if (reader->deepest < deepest)
        reader->deepest = deepest;
    return OK;
}

static ErrCode read_node(YamlReader *reader, const yaml_event_t *event, uint32_t depth, Value *ret_value) {
    const yaml_char_t *name = event_anchor(event);

    if (event->type == YAML_ALIAS_EVENT)
        return read_alias(reader, event, depth, ret_value);
    TRY(reading_count(&reader->reading, event_line(event), depth));
    if (reader->deepest < depth)
        reader->deepest = depth;
    return name ? read_anchored(reader, event, slice_of((const char *)name), depth, ret_value)
                : read_content(reader, event, depth, ret_value);
}

// Reads events up to the end of the stream.
static ErrCode read_stream(YamlReader *reader, DocumentVec *documents) {
    for (;;) {
        yaml_event_t event;
        yaml_event_type_t type;
        Document document = {.file = reader->reading.file};
        ErrCode code = OK;
        bool content = false;

        TRY(next_event(reader, &event));
        type = event.type;
        if (type == YAML_DOCUMENT_START_EVENT) {
            reader->reading.values = reader->alias_values = reader->deepest = 0;
            reader->anchors.count = 0;
            reader->anchor_index = (IndexMap){0};
        } else if (type != YAML_STREAM_START_EVENT && type != YAML_DOCUMENT_END_EVENT &&
                   type != YAML_STREAM_END_EVENT) {
            code = read_node(reader, &event, 0, &document.root);
            content = true;
        }
        yaml_event_delete(&event);
        TRY(code);
        if (type == YAML_STREAM_END_EVENT)
            return OK;
        if (content && document.root.kind != VALUE_NULL)
            vec_push(reader->reading.arena, documents, document);
    }
}

ErrCode yaml_parse(Arena *arena, Slice file, Slice text, const ParseOptions *options, DocumentVec *documents,
                   WarningVec *warnings, Err *err) {
    YamlReader reader = {.reading = reading_start(arena, file, options, warnings, err), .text = text};
    size_t at;
    ErrCode code;

    if (!utf8_valid(text, &at))
        return reading_fail(&reader.reading, ERR_INVALID, line_of(text, at), "not UTF-8");
    CHECK(yaml_parser_initialize(&reader.parser), "out of memory");
    yaml_parser_set_input_string(&reader.parser, (const unsigned char *)text.ptr, text.len);
    yaml_parser_set_encoding(&reader.parser, YAML_UTF8_ENCODING);
    code = read_stream(&reader, documents);
    yaml_parser_delete(&reader.parser);
    return code;
}
