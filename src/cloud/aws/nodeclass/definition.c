// Walks an object and the definition's schema together.
#include "cloud/aws/nodeclass/definition.h"

#include "base/buffer.h"
#include "cloud/aws/nodeclass/class_rules.h"
#include "kube/crds/crds.h"
#include "text/duration.h"
#include "text/value_edit.h"
#include "text/yaml.h"

#include <regex.h>
#include <stdarg.h>
#include <stdio.h>

const Value *class_definition(Arena *arena) {
    DocumentVec documents = {0};
    WarningVec warnings = {0};
    const Value *versions;
    Err err = {0};
    Crd crd;

    CHECK(crds_find(SLICE("EC2NodeClass"), &crd), "no definition of EC2NodeClass");
    CHECK(yaml_parse(arena, SLICE("ec2nodeclasses.yaml"), crd.text, &(ParseOptions){0}, &documents, &warnings, &err) ==
              OK,
          "%s", err.text);
    versions = value_at(&documents.items[0].root, "spec", "versions", NULL);
    return value_at(&versions->list.items[0], "schema", "openAPIV3Schema", NULL);
}

// --- defaults

void class_definition_default(Arena *arena, const Value *schema, Value *object) {
    const Value *properties = value_get_text(schema, "properties"), *items = value_get_text(schema, "items");

    if (object->kind == VALUE_LIST && items) {
        for (vec_each(Value, element, &object->list))
            class_definition_default(arena, items, element);
    }
    if (object->kind != VALUE_MAP || !properties)
        return;
    for (vec_each(const ValueMember, property, &properties->map)) {
        const Value *fallback = value_get_text(&property->value, "default");
        Value *member = value_find(object, property->key);

        if ((!member || member->kind == VALUE_NULL) && fallback)
            member = value_put(arena, object, property->key, value_copy(arena, fallback));
        if (member)
            class_definition_default(arena, &property->value, member);
    }
}

// --- validation

typedef struct Place {
    const struct Place *outer;
    Slice name; // empty: an element
    uint32_t index;
} Place;

typedef struct {
    Arena *arena;
    SliceVec complaints;
    bool rules; // whether CEL is asked, or the structure
} Check;

static void print_place(Buffer *out, const Place *place) {
    if (!place)
        return;
    print_place(out, place->outer);
    if (!place->name.len)
        buffer_printf(out, "[%u]", place->index);
    else
        buffer_printf(out, "%s%.*s", out->len ? "." : "", SLICE_ARG(place->name));
}

__attribute__((format(printf, 3, 4))) static void complain(Check *check, const Place *place, const char *format, ...) {
    char text[512];
    Buffer out = {0};
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    print_place(&out, place);
    vec_push(check->arena, &check->complaints,
             arena_printf(check->arena, "%.*s: %s", SLICE_ARG(buffer_slice(&out)), text));
    buffer_free(&out);
}

static Slice type_of(const Value *value) {
    switch (value->kind) {
    case VALUE_MAP:
        return SLICE("object");
    case VALUE_LIST:
        return SLICE("array");
    case VALUE_STRING:
        return SLICE("string");
    case VALUE_BOOL:
        return SLICE("boolean");
    default:
        return SLICE("number");
    }
}

static bool has_type(const Value *value, Slice type) {
    int64_t integer;

    if (slice_eq_text(type, "integer"))
        return value->kind == VALUE_NUMBER && value_to_int64(value, &integer);
    return slice_eq(type, type_of(value));
}

// A bound of the schema. False: it has none.
static bool bound(const Value *schema, const char *name, int64_t *ret_bound) {
    const Value *value = value_get(schema, slice_of(name));

    return value && value_to_int64(value, ret_bound);
}

static void check_count(Check *check, const Place *place, const Value *schema, int64_t count, const char *least,
                        const char *most, const char *unit) {
    int64_t limit;

    if (bound(schema, least, &limit) && count < limit)
        complain(check, place, "Invalid value: should have at least %lld %s", (long long)limit, unit);
    if (bound(schema, most, &limit) && count > limit)
        complain(check, place, "Too many: %lld: must have at most %lld %s", (long long)count, (long long)limit, unit);
}

// Whether the text matches the definition's pattern, an extended regular expression but for groups "(?:".
static bool matches(Arena *arena, Slice pattern, Slice text) {
    Buffer plain = {0};
    regex_t regex;
    bool found;

    for (size_t at = 0; at < pattern.len; at++) {
        buffer_append_char(&plain, pattern.ptr[at]);
        if (slice_starts_with(slice_from(pattern, at), SLICE("(?:")))
            at += 2;
    }
    CHECK(regcomp(&regex, arena_text(arena, buffer_slice(&plain)), REG_EXTENDED | REG_NOSUB) == 0, "pattern %.*s",
          SLICE_ARG(pattern));
    buffer_free(&plain);
    found = slice_find(text, '\0') < 0 && regexec(&regex, arena_text(arena, text), 0, NULL, 0) == 0;
    regfree(&regex);
    return found;
}

static void check_words(Check *check, const Place *place, const Value *words, Slice text) {
    Buffer list = {0};

    for (vec_each(const Value, word, &words->list)) {
        if (slice_eq(word->text, text)) {
            buffer_free(&list);
            return;
        }
        buffer_printf(&list, "%s\"%.*s\"", list.len ? ", " : "", SLICE_ARG(word->text));
    }
    complain(check, place, "Unsupported value: \"%.*s\": supported values: %.*s", SLICE_ARG(text),
             SLICE_ARG(buffer_slice(&list)));
    buffer_free(&list);
}

static void check_string(Check *check, const Place *place, const Value *schema, Slice text) {
    const Value *pattern = value_get_text(schema, "pattern"), *words = value_get_text(schema, "enum");
    const Value *format = value_get_text(schema, "format");
    int64_t limit;

    if (bound(schema, "maxLength", &limit) && (int64_t)text.len > limit)
        complain(check, place, "Too long: may not be more than %lld bytes", (long long)limit);
    if (bound(schema, "minLength", &limit) && (int64_t)text.len < limit)
        complain(check, place, "Invalid value: \"%.*s\": should be at least %lld chars long", SLICE_ARG(text),
                 (long long)limit);
    if (pattern && !matches(check->arena, pattern->text, text))
        complain(check, place, "Invalid value: \"%.*s\": should match '%.*s'", SLICE_ARG(slice_first(text, 100)),
                 SLICE_ARG(pattern->text));
    if (format && slice_eq_text(format->text, "date-time") && time_parse(text, &limit, NULL) != OK)
        complain(check, place, "Invalid value: \"%.*s\": must be of type date-time", SLICE_ARG(slice_first(text, 100)));
    if (words)
        check_words(check, place, words, text);
}

static void check_number(Check *check, const Place *place, const Value *schema, const Value *value) {
    const Value *format = value_get_text(schema, "format");
    int64_t number = 0, limit;

    if (!value_to_int64(value, &number))
        return;
    if (format && slice_eq_text(format->text, "int32") && (number > INT32_MAX || number < INT32_MIN))
        complain(check, place, "Invalid value: %lld: must be of type int32", (long long)number);
    if (bound(schema, "minimum", &limit) && number < limit)
        complain(check, place, "Invalid value: %lld: should be greater than or equal to %lld", (long long)number,
                 (long long)limit);
    if (bound(schema, "maximum", &limit) && number > limit)
        complain(check, place, "Invalid value: %lld: should be less than or equal to %lld", (long long)number,
                 (long long)limit);
}

static void check_required(Check *check, const Place *place, const Value *schema, const Value *object) {
    const Value *required = value_get_text(schema, "required");

    for (uint32_t i = 0; required && i < required->list.count; i++) {
        Slice name = required->list.items[i].text;
        const Value *member = value_get(object, name);

        if (!member || member->kind == VALUE_NULL)
            complain(check, &(Place){place, name, 0}, "Required value");
    }
}

static void check_structure(Check *check, const Place *place, const Value *schema, const Value *value) {
    switch (value->kind) {
    case VALUE_STRING:
        check_string(check, place, schema, value->text);
        return;
    case VALUE_NUMBER:
        check_number(check, place, schema, value);
        return;
    case VALUE_LIST:
        check_count(check, place, schema, value->list.count, "minItems", "maxItems", "items");
        return;
    case VALUE_MAP:
        check_count(check, place, schema, value->map.count, "minProperties", "maxProperties", "properties");
        check_required(check, place, schema, value);
        return;
    default:
        return;
    }
}

static void check_rules(Check *check, const Place *place, const Value *schema, const Value *value) {
    const Value *rules = value_get_text(schema, "x-kubernetes-validations");

    for (uint32_t i = 0; rules && i < rules->list.count; i++) {
        Slice message = value_get_text(&rules->list.items[i], "message")->text;
        ClassRule rule = class_rule_find(message);

        CHECK(rule, "no function for the rule \"%.*s\"", SLICE_ARG(message));
        if (!rule(value))
            complain(check, place, "Invalid value: \"%.*s\": %.*s", SLICE_ARG(type_of(value)), SLICE_ARG(message));
    }
}

// Recursive over the depth of the schema.
static void check_value(Check *check, const Place *place, const Value *schema, const Value *value) {
    const Value *properties = value_get_text(schema, "properties"), *items = value_get_text(schema, "items");
    const Value *additional = value_get_text(schema, "additionalProperties"), *type = value_get_text(schema, "type");

    if (type && !has_type(value, type->text)) {
        complain(check, place, "Invalid value: \"%.*s\": must be of type %.*s", SLICE_ARG(type_of(value)),
                 SLICE_ARG(type->text));
        return;
    }
    if (check->rules)
        check_rules(check, place, schema, value);
    else
        check_structure(check, place, schema, value);
    for (uint32_t i = 0; items && value->kind == VALUE_LIST && i < value->list.count; i++)
        check_value(check, &(Place){place, {0}, i}, items, &value->list.items[i]);
    for (uint32_t i = 0; properties && i < properties->map.count; i++) {
        const ValueMember *property = &properties->map.items[i];
        const Value *member = value_get(value, property->key);

        if (member && member->kind != VALUE_NULL)
            check_value(check, &(Place){place, property->key, 0}, &property->value, member);
    }
    for (uint32_t i = 0; additional && value->kind == VALUE_MAP && i < value->map.count; i++)
        check_value(check, &(Place){place, value->map.items[i].key, 0}, additional, &value->map.items[i].value);
}

SliceVec class_definition_check(Arena *arena, const Value *schema, const Value *object) {
    Check check = {.arena = arena};

    check_value(&check, NULL, schema, object);
    if (check.complaints.count)
        return check.complaints;
    check.rules = true;
    check_value(&check, NULL, schema, object);
    return check.complaints;
}
