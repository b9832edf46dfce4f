// Texts to documents, documents to converted objects, these to text.
#include "cli/legacy/convert.h"

#include "cli/load_manifests.h"

#include "text/json.h"
#include "text/quote.h"
#include "text/yaml.h"

// The parser's warnings are about keys given twice: "<file>:<line>: W01 key …".
static Slice coded(Arena *arena, Slice file, Slice text) {
    ptrdiff_t line = slice_find(slice_from(text, file.len + 1), ':');
    size_t at = file.len + 1 + (line < 0 ? 0 : (size_t)line + 1);

    return arena_printf(arena, "%.*s W01%.*s", SLICE_ARG(slice_first(text, at)), SLICE_ARG(slice_from(text, at)));
}

static ErrCode parse(Arena *arena, const InputTextVec *inputs, DocumentVec *documents, WarningVec *warnings, Err *err) {
    ParseOptions lenient = {0};

    for (vec_each(const InputText, input, inputs)) {
        uint32_t before = warnings->count;

        TRY(manifest_parse(arena, input, &lenient, documents, warnings, err));
        for (uint32_t i = before; i < warnings->count; i++)
            warnings->items[i].text = coded(arena, input->file, warnings->items[i].text);
    }
    return OK;
}

static ErrCode refuse_warnings(const WarningVec *warnings, Err *err) {
    return warnings->count ? err_set(err, ERR_INVALID, "%.*s", SLICE_ARG(warnings->items[0].text)) : OK;
}

static ErrCode convert(Arena *arena, const ConvertOptions *options, ValueList *ret_objects, WarningVec *warnings,
                       Err *err) {
    ConvertRequest request = {.target = options->target, .ignores_defaults = options->ignores_defaults};
    Converted converted;

    TRY(parse(arena, &options->inputs, &request.documents, warnings, err));
    TRY(parse(arena, &options->settings, &request.settings, warnings, err));
    if (!request.documents.count)
        return err_set(err, ERR_INVALID, "no objects passed to convert");
    TRY(legacy_convert(arena, &request, &converted, err));
    for (vec_each(const Warning, warning, &converted.warnings))
        vec_push(arena, warnings, *warning);
    if (options->strict)
        TRY(refuse_warnings(warnings, err));
    *ret_objects = converted.objects;
    return OK;
}

static void print_yaml(Buffer *out, const ValueList *objects) {
    for (vec_each(const Value, object, objects)) {
        if (object > objects->items)
            buffer_append(out, SLICE("---\n"));
        yaml_print(out, object);
    }
}

// One object as it is, several as a List.
static void print_json(Arena *arena, Buffer *out, const ValueList *objects) {
    Value list = value_map(), items = {.kind = VALUE_LIST, .list = *objects};

    value_put(arena, &list, SLICE("apiVersion"), value_string(SLICE("v1")));
    value_put(arena, &list, SLICE("kind"), value_string(SLICE("List")));
    value_put(arena, &list, SLICE("items"), items);
    json_print(out, objects->count == 1 ? objects->items : &list, true);
    buffer_append_char(out, '\n');
}

int convert_run(const ConvertOptions *options, Buffer *out, Buffer *messages) {
    Arena arena = {0};
    WarningVec warnings = {0};
    ValueList objects = {0};
    Err err;
    ErrCode code = convert(&arena, options, &objects, &warnings, &err);

    for (uint32_t i = 0; i < warnings.count && code == OK; i++)
        buffer_printf(messages, "warning: %.*s\n", SLICE_ARG(printable(&arena, warnings.items[i].text)));
    if (code != OK)
        buffer_printf(messages, "error: %s\n", err.text);
    else if (options->json)
        print_json(&arena, out, &objects);
    else
        print_yaml(out, &objects);
    arena_free(&arena);
    return code == OK ? 0 : EXIT_BAD_INPUT;
}
