// Answers of the API server as trees.
#include "cli/doctor/live_reading.h"

#include "text/json.h"

// An answer of a server has one line, which says nothing.
static void forget_lines(Value *value) {
    value->line = 0;
    if (value->kind == VALUE_LIST) {
        for (uint32_t i = 0; i < value->list.count; i++)
            forget_lines(&value->list.items[i]);
    }
    if (value->kind == VALUE_MAP) {
        for (uint32_t i = 0; i < value->map.count; i++)
            forget_lines(&value->map.items[i].value);
    }
}

void live_note_read(const LiveReading *reading, FactRead read, const KubeError *error) {
    if (read.code != OK)
        read.text = arena_slice(reading->arena, slice_of(error->err.text));
    vec_push(reading->arena, &reading->facts->live.reads, read);
}

ErrCode live_get(const LiveReading *reading, const char *path, Value *ret_value, KubeError *error) {
    DocumentVec documents = {0};
    WarningVec warnings = {0};
    Slice text;

    TRY(kube_rest_read(reading->rest, reading->arena, slice_of(path), &text, error));
    TRY(json_parse(reading->arena, slice_of(path), text, &(ParseOptions){0}, &documents, &warnings, &error->err));
    if (documents.count != 1)
        return err_set(&error->err, ERR_INVALID, "%s: the answer is no document", path);
    forget_lines(&documents.items[0].root);
    *ret_value = documents.items[0].root;
    return OK;
}
