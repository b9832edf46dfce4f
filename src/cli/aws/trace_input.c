// Finding the two objects, in documents and in lists.
#include "cli/aws/trace_input.h"

#include "cloud/aws/nodeclass/definition.h"
#include "model/manifest/object.h"
#include "text/value_edit.h"
#include "text/yaml.h"

typedef Vec(const Value *) ValueRefVec;

// --- documents

static bool is_list(const Value *object) {
    const Value *kind = value_get_text(object, "kind");

    return kind && kind->kind == VALUE_STRING && slice_ends_with(kind->text, SLICE("List"));
}

static ErrCode read_objects(Arena *arena, const InputTextVec *texts, ValueRefVec *ret_objects, Err *err) {
    DocumentVec documents = {0};
    WarningVec warnings = {0};

    for (vec_each(const InputText, text, texts))
        TRY(yaml_parse(arena, text->file, text->text, &(ParseOptions){0}, &documents, &warnings, err));
    for (vec_each(const Document, document, &documents)) {
        const Value *items = value_get_text(&document->root, "items");

        if (!is_list(&document->root) || !items || items->kind != VALUE_LIST) {
            vec_push(arena, ret_objects, &document->root);
            continue;
        }
        for (vec_each(const Value, item, &items->list))
            vec_push(arena, ret_objects, item);
    }
    return OK;
}

static Slice text_at(const Value *object, const char *first, const char *second) {
    const Value *value = value_get(object, slice_of(first));

    if (second)
        value = value_get(value, slice_of(second));
    return value && value->kind == VALUE_STRING ? value->text : (Slice){0};
}

// Objects of a kind, in any of its versions.
static ValueRefVec of_kind(Arena *arena, const ValueRefVec *objects, Slice group, Slice kind) {
    ValueRefVec found = {0};

    for (vec_each(const Value *const, object, objects)) {
        Slice version = text_at(*object, "apiVersion", NULL);

        if (slice_eq(text_at(*object, "kind", NULL), kind) && slice_starts_with(version, group) &&
            version.len > group.len && version.ptr[group.len] == '/')
            vec_push(arena, &found, *object);
    }
    return found;
}

// "a, b, c" of the objects' names; "none".
static Slice names_of(Arena *arena, const ValueRefVec *objects) {
    enum { NAMES_MAX = 10 };
    Slice names = SLICE("");

    for (uint32_t i = 0; i < objects->count && i < NAMES_MAX; i++)
        names = arena_printf(arena, "%.*s%s%.*s", SLICE_ARG(names), i ? ", " : "",
                             SLICE_ARG(text_at(objects->items[i], "metadata", "name")));
    return objects->count ? names : SLICE("none");
}

static ErrCode find(Arena *arena, const ValueRefVec *objects, const char *kind, Slice name, const Value **ret_object,
                    Err *err) {
    *ret_object = NULL;
    for (vec_each(const Value *const, object, objects)) {
        if (slice_eq(text_at(*object, "metadata", "name"), name))
            *ret_object = *object;
    }
    if (*ret_object)
        return OK;
    return err_set(err, ERR_NOT_FOUND, "no %s %.*s in the manifests; there is %.*s", kind, SLICE_ARG(name),
                   SLICE_ARG(names_of(arena, objects)));
}

// --- the objects

static ErrCode decode(TraceInput *input, Slice group, Slice kind, const Value *object, size_t size, void *ret_struct,
                      Err *err) {
    size_t whole = object_decoded_size(group, kind); // begins with the struct
    void *decoded = arena_alloc(&input->arena, whole);

    memset(decoded, 0, whole);
    TRY(object_decode(&input->arena, &input->symbols, group, kind, object, decoded, err));
    memcpy(ret_struct, decoded, size);
    return OK;
}

static ErrCode read_claim(TraceInput *input, const ValueRefVec *objects, Slice name, Err *err) {
    const Slice group = SLICE("karpenter.sh"), kind = SLICE("NodeClaim");
    ValueRefVec claims = of_kind(&input->arena, objects, group, kind);
    const Value *object;

    if (!name.len && claims.count != 1)
        return err_set(err, ERR_INVALID, "which NodeClaim? Name one of those in the manifests: %.*s",
                       SLICE_ARG(names_of(&input->arena, &claims)));
    if (!name.len)
        name = text_at(claims.items[0], "metadata", "name");
    TRY(find(&input->arena, &claims, "NodeClaim", name, &object, err));
    return decode(input, group, kind, object, sizeof input->claim, &input->claim, err);
}

static ErrCode read_class(TraceInput *input, const ValueRefVec *objects, Err *err) {
    const Slice group = SLICE("karpenter.k8s.aws"), kind = SLICE("EC2NodeClass");
    ValueRefVec classes = of_kind(&input->arena, objects, group, kind);
    const NodeClassRef *ref = &input->claim.spec.node_class;
    const Value *object;
    Value copy;

    if (!slice_eq(symbol_text(&input->symbols, ref->kind), kind))
        return err_set(err, ERR_INVALID, "the NodeClaim's nodeClassRef is a %.*s, which is not launched in EC2",
                       SLICE_ARG(symbol_text(&input->symbols, ref->kind)));
    TRY(find(&input->arena, &classes, "EC2NodeClass", symbol_text(&input->symbols, ref->name), &object, err));
    copy = value_copy_tree(&input->arena, object);
    class_definition_default(&input->arena, class_definition(&input->arena), &copy);
    return decode(input, group, kind, &copy, sizeof input->class, &input->class, err);
}

ErrCode trace_input_read(const InputTextVec *texts, Slice name, TraceInput *ret_input, Err *err) {
    ValueRefVec objects = {0};

    *ret_input = (TraceInput){0};
    names_init(&ret_input->symbols);
    TRY(read_objects(&ret_input->arena, texts, &objects, err));
    TRY(read_claim(ret_input, &objects, name, err));
    return read_class(ret_input, &objects, err);
}

void trace_input_free(TraceInput *input) {
    symbols_free(&input->symbols);
    arena_free(&input->arena);
}
