// Any text as JSON. A value that is read, printed (indented or not) and read again is the same; read element by element
// it is the same too, with the same errors and warnings.
#include "support/fuzz.h"

#include "text/json.h"
#include "text/support/gather.h"

static void check_prints(const Value *value, bool indented) {
    Arena arena = {0};
    Buffer text = {0};
    DocumentVec documents = {0};

    json_print(&text, value, indented);
    CHECK(json_parse(&arena, SLICE("printed"), buffer_slice(&text), &fuzz_options, &documents, NULL, NULL) == OK);
    CHECK(documents.count == 1);
    CHECK(value_eq(value, &documents.items[0].root));
    buffer_free(&text);
    arena_free(&arena);
}

typedef struct {
    DocumentVec documents;
    WarningVec warnings;
    ErrCode code;
    Err err;
} Outcome;

static void check_same(const Outcome *parsed, const Outcome *gathered) {
    CHECK(parsed->code == gathered->code);
    CHECK(parsed->code == OK || strcmp(parsed->err.text, gathered->err.text) == 0);
    CHECK(parsed->warnings.count == gathered->warnings.count);
    for (uint32_t i = 0; i < parsed->warnings.count; i++)
        CHECK(slice_eq(parsed->warnings.items[i].text, gathered->warnings.items[i].text));
    if (parsed->code != OK)
        return;
    CHECK(parsed->documents.count == gathered->documents.count);
    for (uint32_t i = 0; i < parsed->documents.count; i++)
        CHECK(value_is_same(&parsed->documents.items[i].root, &gathered->documents.items[i].root));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    Slice text = {(const char *)bytes, size};
    Outcome parsed = {0}, gathered = {0};
    Arena arena = {0};

    parsed.code =
        json_parse(&arena, SLICE("fuzz.json"), text, &fuzz_options, &parsed.documents, &parsed.warnings, &parsed.err);
    gathered.code = json_gather(&arena, SLICE("fuzz.json"), text, &fuzz_options, &gathered.documents,
                                &gathered.warnings, &gathered.err);
    check_same(&parsed, &gathered);
    for (vec_each(const Document, document, &parsed.documents)) {
        check_prints(&document->root, false);
        check_prints(&document->root, true);
    }
    arena_free(&arena);
    return 0;
}
