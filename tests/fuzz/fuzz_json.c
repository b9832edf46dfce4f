// Any text as JSON. A value that is read, printed (indented or not) and read again is the same.
#include "support/fuzz.h"

#include "text/json.h"

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

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    Arena arena = {0};
    DocumentVec documents = {0};
    WarningVec warnings = {0};
    Err err;

    json_parse(&arena, SLICE("fuzz.json"), (Slice){(const char *)bytes, size}, &fuzz_options, &documents, &warnings,
               &err);
    for (vec_each(const Document, document, &documents)) {
        check_prints(&document->root, false);
        check_prints(&document->root, true);
    }
    arena_free(&arena);
    return 0;
}
