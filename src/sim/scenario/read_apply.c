// Reading `apply`.
#include "sim/scenario/read_apply.h"

#include "text/value_edit.h"
#include "text/yaml.h"

static ErrCode add_object(Decoder *decoder, const Value *object, ValueList *objects, Err *err) {
    const Value *version = value_get_text(object, "apiVersion"), *kind = value_get_text(object, "kind");
    const Value *items = value_get_text(object, "items");

    TRY(decode_expect(decoder, object, VALUE_MAP, err));
    if (kind && slice_ends_with(kind->text, SLICE("List")) && items && items->kind == VALUE_LIST) {
        for (uint32_t i = 0; i < items->list.count; i++)
            TRY(add_object(decoder, &items->list.items[i], objects, err));
        return OK;
    }
    if (!version || !kind || kube_kind_find(version->text, kind->text) == KUBE_KIND_COUNT)
        return decode_fail(decoder, object, err,
                           "expected an object whose apiVersion and kind the embedded cluster knows");
    vec_push(decoder->arena, objects, value_copy(decoder->arena, object));
    return OK;
}

// Adds the documents of a text: of a file, or of a block of YAML.
static ErrCode add_documents(Reader *reader, Slice file, Slice text, ValueList *objects, Err *err) {
    DocumentVec documents = {0};
    WarningVec warnings = {0};
    ParseOptions options = {.strict = true};
    Slice outer = reader->decoder.file;

    TRY(yaml_parse(reader->decoder.arena, file, text, &options, &documents, &warnings, err));
    reader->decoder.file = file;
    for (vec_each(const Document, document, &documents))
        TRY(add_object(&reader->decoder, &document->root, objects, err));
    reader->decoder.file = outer;
    return OK;
}

// File names are relative to the scenario's folder.
static Slice path_beside(Arena *arena, Slice file, Slice path) {
    Slice folder = slice_first(file, (size_t)(slice_find_last(file, '/') + 1));

    if (slice_starts_with(path, SLICE("/")))
        return arena_slice(arena, path);
    return arena_printf(arena, "%.*s%.*s", SLICE_ARG(folder), SLICE_ARG(path));
}

static ErrCode add_file(Reader *reader, const Value *name, ValueList *objects, Err *err) {
    Decoder *decoder = &reader->decoder;
    Slice path = path_beside(decoder->arena, decoder->file, name->text), text;
    ErrCode code;

    if (!reader->files)
        return decode_fail(decoder, name, err, "expected objects, got the name of a file");
    code = reader->files->load(reader->files->context, decoder->arena, path, &text, err);
    if (code != OK) {
        err_prefix(err, "%.*s:%u: apply", SLICE_ARG(decoder->file), name->line);
        return code;
    }
    return add_documents(reader, path, text, objects, err);
}

ErrCode decode_apply(Reader *reader, const Value *value, ValueList *objects, Err *err) {
    Decoder *decoder = &reader->decoder;

    if (value->kind == VALUE_MAP)
        return add_object(decoder, value, objects, err);
    if (value->kind == VALUE_STRING) {
        if (slice_contains(value->text, SLICE("\n")))
            return add_documents(reader, decoder->file, value->text, objects, err);
        return add_file(reader, value, objects, err);
    }
    TRY(decode_expect(decoder, value, VALUE_LIST, err));
    for (uint32_t i = 0; i < value->list.count; i++) {
        decode_enter_index(decoder, i);
        TRY(decode_apply(reader, &value->list.items[i], objects, err));
        decode_leave(decoder);
    }
    return OK;
}
