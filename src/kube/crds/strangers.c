// Comparison of objects with the schemas of their definitions.
#include "kube/crds/strangers.h"

#include "base/check.h"
#include "model/choice.h"
#include "text/nearest.h"
#include "text/yaml.h"

enum { CRDS_MAX = 16, DEPTH_MAX = 32 };

struct CrdSchemas {
    Arena *arena;
    const Value *definitions[CRDS_MAX]; // by number of crds_at; NULL: not parsed yet
};

CrdSchemas *crd_schemas_new(Arena *arena) {
    CrdSchemas *schemas = arena_new(arena, CrdSchemas);

    CHECK(crds_count() <= CRDS_MAX);
    schemas->arena = arena;
    return schemas;
}

static const Value *definition(CrdSchemas *schemas, size_t index) {
    ParseOptions options = {0};
    DocumentVec documents = {0};
    WarningVec warnings = {0};
    Err err = {0};
    Value *root;

    if (schemas->definitions[index])
        return schemas->definitions[index];
    if (yaml_parse(schemas->arena, SLICE("crd"), crds_at(index).text, &options, &documents, &warnings, &err) != OK)
        CHECK(false, "%s", err.text);
    root = arena_new(schemas->arena, Value);
    *root = documents.items[0].root;
    schemas->definitions[index] = root;
    return root;
}

static Slice text_at(const Value *map, Slice name) {
    const Value *value = value_get(map, name);

    return value && value->kind == VALUE_STRING ? value->text : SLICE("");
}

// The schema of the version that an object names ("karpenter.sh/v1"), or NULL.
static const Value *schema_of(CrdSchemas *schemas, Slice api_version, Slice kind) {
    ptrdiff_t slash = slice_find(api_version, '/');

    for (size_t i = 0; slash > 0 && i < crds_count(); i++) {
        const Value *spec, *versions;

        if (!slice_eq(crds_at(i).kind->kind, kind))
            continue;
        spec = value_get_text(definition(schemas, i), "spec");
        versions = value_get_text(spec, "versions");
        if (!slice_eq(text_at(spec, SLICE("group")), slice_first(api_version, (size_t)slash)))
            continue;
        for (vec_each(const Value, version, &versions->list)) {
            if (slice_eq(text_at(version, SLICE("name")), slice_from(api_version, (size_t)slash + 1)))
                return value_at(version, "schema", "openAPIV3Schema", NULL);
        }
    }
    return NULL;
}

// --- walking

typedef struct Step Step;
struct Step {
    const Step *up;
    Slice name; // empty: a list element, see `index`
    uint32_t index;
};

typedef struct {
    CrdSchemas *schemas;
    Arena *arena;
    const Value *schema; // of the whole object
    StrangerVec *strangers;
} Walk;

static Slice print_path(Arena *arena, const Step *step) {
    Slice before;

    if (!step)
        return SLICE("");
    before = print_path(arena, step->up);
    if (!step->name.ptr)
        return arena_printf(arena, "%.*s[%u]", SLICE_ARG(before), step->index);
    return arena_printf(arena, "%.*s%s%.*s", SLICE_ARG(before), before.len ? "." : "", SLICE_ARG(step->name));
}

// Least length of a name that is searched elsewhere: shorter words occur in too many places.
enum { TELLING_LETTERS = 5 };

// Path at which the schema knows that very name; empty: none.
static Slice find_name(Arena *arena, const Value *schema, const Step *up, Slice name, uint32_t depth) {
    const Value *properties = value_get_text(schema, "properties"), *items = value_get_text(schema, "items");

    if (depth == DEPTH_MAX)
        return SLICE("");
    if (items)
        return find_name(arena, items, up, name, depth + 1);
    if (!properties || properties->kind != VALUE_MAP)
        return SLICE("");
    for (vec_each(const ValueMember, member, &properties->map)) {
        Step step = {.up = up, .name = member->key};
        Slice found;

        if (slice_eq(member->key, name))
            return up ? print_path(arena, &step) : SLICE("");
        if (!up && slice_eq_text(member->key, "status"))
            continue; // a member that users do not write
        found = find_name(arena, &member->value, &step, name, depth + 1);
        if (found.len)
            return found;
    }
    return SLICE("");
}

// Searches the schema of the object's kind, then those of other kinds: in older versions some fields were elsewhere.
static Slice find_elsewhere(const Walk *walk, Slice name) {
    Slice path = find_name(walk->arena, walk->schema, NULL, name, 0);

    for (size_t i = 0; !path.len && i < crds_count(); i++) {
        const Value *versions = value_at(definition(walk->schemas, i), "spec", "versions", NULL);

        path = find_name(walk->arena, value_at(&versions->list.items[0], "schema", "openAPIV3Schema", NULL), NULL, name,
                         0);
        if (path.len)
            path = arena_printf(walk->arena, "%.*s of %.*s", SLICE_ARG(path), SLICE_ARG(crds_at(i).kind->kind));
    }
    return path;
}

static void add_stranger(const Walk *walk, const Value *properties, const Step *step, const ValueMember *member) {
    Nearest nearest = {.text = member->key};

    for (vec_each(const ValueMember, known, &properties->map))
        nearest_offer(&nearest, known->key);
    if (!nearest.word.len && member->key.len >= TELLING_LETTERS)
        nearest.word = find_elsewhere(walk, member->key);
    vec_push(walk->arena, walk->strangers,
             (Stranger){.path = print_path(walk->arena, step), .line = member->line, .meant = nearest.word});
}

static void check_enumeration(const Walk *walk, const Value *schema, const Value *value, const Step *step) {
    const Value *words = value_get_text(schema, "enum");
    Slice *texts;

    if (!words || words->kind != VALUE_LIST || value->kind != VALUE_STRING)
        return;
    texts = arena_array(walk->arena, Slice, words->list.count);
    for (uint32_t i = 0; i < words->list.count; i++) {
        texts[i] = words->list.items[i].text;
        if (slice_eq(texts[i], value->text))
            return;
    }
    vec_push(walk->arena, walk->strangers,
             (Stranger){.path = print_path(walk->arena, step),
                        .line = value->line,
                        .wrong = choice_complaint(walk->arena, texts, words->list.count, value->text)});
}

static void walk_value(const Walk *walk, const Value *schema, const Value *value, const Step *up, uint32_t depth);

static void walk_map(const Walk *walk, const Value *schema, const Value *map, const Step *up, uint32_t depth) {
    const Value *properties = value_get_text(schema, "properties");
    const Value *others = value_get_text(schema, "additionalProperties");

    if (!properties || properties->kind != VALUE_MAP)
        properties = NULL;
    for (vec_each(const ValueMember, member, &map->map)) {
        const Value *known = properties ? value_get(properties, member->key) : NULL;
        Step step = {.up = up, .name = member->key};

        if (known)
            walk_value(walk, known, &member->value, &step, depth + 1);
        else if (others && others->kind == VALUE_MAP)
            walk_value(walk, others, &member->value, &step, depth + 1);
        else if (properties && !others && !value_get_text(schema, "x-kubernetes-preserve-unknown-fields"))
            add_stranger(walk, properties, &step, member);
    }
}

static void walk_value(const Walk *walk, const Value *schema, const Value *value, const Step *up, uint32_t depth) {
    const Value *items = value_get_text(schema, "items");

    if (depth == DEPTH_MAX)
        return;
    check_enumeration(walk, schema, value, up);
    if (value->kind == VALUE_MAP)
        walk_map(walk, schema, value, up, depth);
    for (uint32_t i = 0; items && value->kind == VALUE_LIST && i < value->list.count; i++) {
        Step step = {.up = up, .index = i};

        walk_value(walk, items, &value->list.items[i], &step, depth + 1);
    }
}

// Checks metadata, which the definitions do not describe.
static void walk_metadata(const Walk *walk, const Value *metadata) {
    static const char *const names[] = {"name",
                                        "generateName",
                                        "namespace",
                                        "labels",
                                        "annotations",
                                        "uid",
                                        "resourceVersion",
                                        "generation",
                                        "creationTimestamp",
                                        "deletionTimestamp",
                                        "deletionGracePeriodSeconds",
                                        "finalizers",
                                        "ownerReferences",
                                        "managedFields",
                                        "selfLink"};
    const Step up = {.name = SLICE("metadata")};
    Value known = value_map(), schema = value_map();

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        value_put(walk->arena, &known, slice_of(names[i]), value_map());
    value_put(walk->arena, &schema, SLICE("properties"), known);
    if (metadata && metadata->kind == VALUE_MAP)
        walk_map(walk, &schema, metadata, &up, 1);
}

void crd_strangers(CrdSchemas *schemas, Arena *arena, const Value *object, StrangerVec *strangers) {
    const Value *schema = schema_of(schemas, text_at(object, SLICE("apiVersion")), text_at(object, SLICE("kind")));
    const Walk walk = {.schemas = schemas, .arena = arena, .schema = schema, .strangers = strangers};

    if (!schema)
        return;
    walk_value(&walk, schema, object, NULL, 0);
    walk_metadata(&walk, value_get_text(object, "metadata"));
}
