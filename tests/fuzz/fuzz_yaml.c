// Any text as YAML. A document that is read, printed and read again is the same, and each document is valid as JSON.
#include "support/fuzz.h"

#include "text/json.h"
#include "text/yaml.h"

typedef ErrCode (*Parse)(Arena *arena, Slice file, Slice text, const ParseOptions *options, DocumentVec *documents,
                         WarningVec *warnings, Err *err);

static void check_reads_as(Parse parse, Buffer *text, const Value *value) {
    ParseOptions strict = fuzz_options;
    Arena arena = {0};
    DocumentVec documents = {0};
    Err err = {0};

    strict.strict = true; // the printed text has no duplicate keys
    CHECK(parse(&arena, SLICE("printed"), buffer_slice(text), &strict, &documents, NULL, &err) == OK, "%s", err.text);
    CHECK(documents.count == 1);
    CHECK(value_eq(value, &documents.items[0].root));
    arena_free(&arena);
    buffer_free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    Arena arena = {0};
    DocumentVec documents = {0};
    WarningVec warnings = {0};
    Err err;

    yaml_parse(&arena, SLICE("fuzz.yaml"), (Slice){(const char *)bytes, size}, &fuzz_options, &documents, &warnings,
               &err);
    for (vec_each(const Document, document, &documents)) {
        Buffer text = {0};

        yaml_print(&text, &document->root);
        check_reads_as(yaml_parse, &text, &document->root);
        json_print(&text, &document->root, true);
        check_reads_as(json_parse, &text, &document->root);
    }
    arena_free(&arena);
    return 0;
}
