// Any text as TOML, within the bounds of toml.h. What is read is written and read again: the same tree, and the same
// text when it is written once more.
#include "support/fuzz.h"

#include "text/toml/toml.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    Slice text = {(const char *)bytes, size};
    Arena arena = {0};
    Buffer first = {0}, second = {0};
    Value value = {0}, again;
    Err err = {0};

    if (toml_parse(&arena, text, &value, &err) != OK) {
        CHECK(err.text[0], "an error without a text");
    } else {
        CHECK(value.kind == VALUE_MAP, "a document is a map");
        toml_print(&first, &value);
        CHECK(toml_parse(&arena, buffer_slice(&first), &again, &err) == OK, "%s", err.text);
        CHECK(value_eq(&value, &again), "another tree");
        toml_print(&second, &again);
        CHECK(first.len == second.len, "another text");
    }
    buffer_free(&first);
    buffer_free(&second);
    arena_free(&arena);
    return 0;
}
