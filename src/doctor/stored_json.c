#include "doctor/stored_json.h"

#include "text/json.h"

enum { BYTES_MAX = 64 << 10, DEPTH_MAX = 32, VALUES_MAX = 10000 };

bool stored_json_read(Arena *arena, Slice text, Value *ret_map) {
    const ParseOptions options = {.depth_max = DEPTH_MAX, .values_max = VALUES_MAX};
    DocumentVec documents = {0};
    WarningVec warnings = {0};

    *ret_map = value_map();
    if (text.len > BYTES_MAX || json_parse(arena, SLICE("text"), text, &options, &documents, &warnings, NULL) != OK ||
        documents.count != 1 || documents.items[0].root.kind != VALUE_MAP)
        return false;
    *ret_map = documents.items[0].root;
    return true;
}
