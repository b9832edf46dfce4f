// YAML events to Values.
#include "text/yaml.h"

#include "text/document.h"
#include "text/yaml_scalar.h"

#include <yaml.h>

// A node that has a name. Open: its end has not been read, so an alias to it would be a cycle.
typedef struct {
    Slice name;
    Value value;
    uint32_t values; // in it, itself included
    bool open;
} Anchor;

typedef struct {
    Reading reading;
    yaml_parser_t parser;
    Vec(Anchor) anchors;
    uint32_t alias_values; // added through aliases
} YamlReader;

static ErrCode read_node(YamlReader *reader, const yaml_event_t *event, uint32_t depth, Value *ret_value);

static uint32_t event_line(const yaml_event_t *event) {
    return (uint32_t)event->start_mark.line + 1;
}

static ErrCode next_event(YamlReader *reader, yaml_event_t *ret_event) {
    const yaml_parser_t *parser = &reader->parser;
    size_t line;

    if (yaml_parser_parse(&reader->parser, ret_event))
        return OK;
    if (parser->error == YAML_MEMORY_ERROR)
        return reading_fail(&reader->reading, ERR_TOO_LARGE, 1, "nested too deep, or too large");
    line = parser->problem_mark.line ? parser->problem_mark.line : parser->context_mark.line;
    return reading_fail(&reader->reading, ERR_INVALID, (uint32_t)line + 1, "not YAML: %s%s%s",
                        parser->problem ? parser->problem : "unexpected input", parser->context ? " " : "",
                        parser->context ? parser->context : "");
}

static Slice slice_of_yaml(const yaml_char_t *text, size_t len) {
    return (Slice){(const char *)text, len};
}

static bool tag_is(const yaml_char_t *tag, const char *name) {
    return tag && strcmp((const char *)tag, name) == 0;
}

static ErrCode read_scalar(YamlReader *reader, const yaml_event_t *event, Value *ret_value) {
    Arena *arena = reader->reading.arena;
    Slice text = arena_slice(arena, slice_of_yaml(event->data.scalar.value, event->data.scalar.length));
    bool plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE && event->data.scalar.plain_implicit;
    const yaml_char_t *tag = event->data.scalar.tag;
    Err why;

    if (tag_is(tag, YAML_STR_TAG) || (!plain && !tag_is(tag, YAML_INT_TAG) && !tag_is(tag, YAML_FLOAT_TAG) &&
                                      !tag_is(tag, YAML_BOOL_TAG) && !tag_is(tag, YAML_NULL_TAG)))
        *ret_value = value_string(text);
    else if (yaml_scalar_resolve(arena, text, ret_value, &why) != OK)
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

// A key as text: sigs.k8s.io/yaml turns numbers and booleans into strings.
static ErrCode key_text(YamlReader *reader, const Value *key, Slice *ret_text) {
    switch (key->kind) {
    case VALUE_STRING:
    case VALUE_NUMBER:
        *ret_text = key->text;
        return OK;
    case VALUE_BOOL:
        *ret_text = key->boolean ? SLICE("true") : SLICE("false");
        return OK;
    case VALUE_NULL:
        *ret_text = SLICE("null");
        return OK;
    default:
        return reading_fail(&reader->reading, ERR_INVALID, key->line, "expected a scalar as key, got a %s",
                            value_kind_text(key->kind));
    }
}

// "<<: *base": members of the map (or of each map in the list) that are not given themselves. Applied at the end.
static ErrCode merge_into(YamlReader *reader, MapBuilder *builder, const Value *source) {
    if (source->kind == VALUE_LIST) {
        for (vec_each(Value, element, &source->list))
            TRY(merge_into(reader, builder, element));
        return OK;
    }
    if (source->kind != VALUE_MAP)
        return reading_fail(&reader->reading, ERR_INVALID, source->line, "expected a map to merge, got a %s",
                            value_kind_text(source->kind));
    for (vec_each(ValueMember, member, &source->map)) {
        bool known = false;

        for (vec_each(ValueMember, own, &builder->members))
            known |= slice_eq(own->key, member->key);
        if (!known)
            TRY(map_builder_put(&reader->reading, builder, *member));
    }
    return OK;
}

static ErrCode read_member(YamlReader *reader, const yaml_event_t *key_event, uint32_t depth, MapBuilder *builder,
                           Value *merge, bool *ret_is_merge) {
    bool plain = key_event->type == YAML_SCALAR_EVENT && key_event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
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
    *ret_is_merge = plain && slice_eq(member.key, SLICE("<<"));
    if (*ret_is_merge) {
        *merge = member.value;
        return OK;
    }
    return map_builder_put(&reader->reading, builder, member);
}

static ErrCode read_mapping(YamlReader *reader, const yaml_event_t *start, uint32_t depth, Value *ret_value) {
    MapBuilder builder = {0};
    Value merge;
    bool merging = false;

    for (;;) {
        yaml_event_t event;
        bool is_merge;
        ErrCode code;

        TRY(next_event(reader, &event));
        if (event.type == YAML_MAPPING_END_EVENT) {
            yaml_event_delete(&event);
            break;
        }
        code = read_member(reader, &event, depth, &builder, &merge, &is_merge);
        yaml_event_delete(&event);
        TRY(code);
        merging |= is_merge;
    }
    if (merging)
        TRY(merge_into(reader, &builder, &merge));
    *ret_value = (Value){.kind = VALUE_MAP, .line = event_line(start), .map = builder.members};
    return OK;
}

static ErrCode read_alias(YamlReader *reader, const yaml_event_t *event, Value *ret_value) {
    Slice name = slice_of((const char *)event->data.alias.anchor);
    Slice shown = excerpt(reader->reading.arena, name);

    for (uint32_t i = reader->anchors.count; i-- > 0;) {
        const Anchor *anchor = &reader->anchors.items[i];

        if (!slice_eq(anchor->name, name))
            continue;
        if (anchor->open)
            return reading_fail(&reader->reading, ERR_INVALID, event_line(event),
                                "alias *%.*s stands inside its own anchor: a cycle", SLICE_ARG(shown));
        reader->alias_values += anchor->values;
        reader->reading.values += anchor->values;
        if (reader->alias_values > ALIAS_VALUES_MAX)
            return reading_fail(&reader->reading, ERR_TOO_LARGE, event_line(event),
                                "aliases expand to more than %d values", ALIAS_VALUES_MAX);
        *ret_value = anchor->value;
        return OK;
    }
    return reading_fail(&reader->reading, ERR_INVALID, event_line(event), "alias *%.*s has no anchor",
                        SLICE_ARG(shown));
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

static ErrCode read_node(YamlReader *reader, const yaml_event_t *event, uint32_t depth, Value *ret_value) {
    const yaml_char_t *name = event_anchor(event);
    uint32_t number = reader->anchors.count, before;

    if (event->type == YAML_ALIAS_EVENT)
        return read_alias(reader, event, ret_value);
    TRY(reading_count(&reader->reading, event_line(event), depth));
    if (!name)
        return read_content(reader, event, depth, ret_value);
    before = reader->reading.values;
    vec_push(reader->reading.arena, &reader->anchors,
             (Anchor){.name = arena_slice(reader->reading.arena, slice_of((const char *)name)), .open = true});
    TRY(read_content(reader, event, depth, ret_value));
    reader->anchors.items[number].value = *ret_value;
    reader->anchors.items[number].values = reader->reading.values - before + 1;
    reader->anchors.items[number].open = false;
    return OK;
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
            reader->reading.values = 0;
            reader->anchors.count = 0;
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
    YamlReader reader = {.reading = reading_start(arena, file, options, warnings, err)};
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
