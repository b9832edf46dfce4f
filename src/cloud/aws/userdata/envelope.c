// Messages of several parts for cloud-init.
#include "cloud/aws/userdata/envelope.h"

#include "text/yaml.h"

#include <stdlib.h>

#define BOUNDARY SLICE("//")

// Content-Type, whatever the case in which it was written.
static Slice canonical_name(Arena *arena, Slice name) {
    char *copy = arena_copy(arena, name.ptr, name.len);
    bool first = true;

    for (size_t i = 0; i < name.len; i++) {
        char c = copy[i];

        if (first && c >= 'a' && c <= 'z')
            copy[i] = (char)(c - 'a' + 'A');
        else if (!first && c >= 'A' && c <= 'Z')
            copy[i] = (char)(c - 'A' + 'a');
        first = c == '-';
    }
    return (Slice){copy, name.len};
}

static int by_name(const void *a, const void *b) {
    return slice_cmp(((const MimeHeader *)a)->name, ((const MimeHeader *)b)->name);
}

static ErrCode add_message(Arena *arena, Slice message, MimePartVec *parts, Err *err) {
    MimePartVec own = {0};

    TRY(mime_read(arena, message, &own, err));
    for (vec_each(MimePart, part, &own)) {
        for (vec_each(MimeHeader, header, &part->headers))
            header->name = canonical_name(arena, header->name);
        if (part->headers.count)
            qsort(part->headers.items, part->headers.count, sizeof *part->headers.items, by_name);
        vec_push(arena, parts, *part);
    }
    return OK;
}

static bool is_yaml_map(Arena *arena, Slice text) {
    ParseOptions options = {.depth_max = 64, .values_max = 100000};
    DocumentVec documents = {0};
    WarningVec warnings = {0};

    return yaml_parse(arena, SLICE("userData"), text, &options, &documents, &warnings, NULL) == OK &&
           documents.count > 0 && documents.items[0].root.kind == VALUE_MAP;
}

ErrCode envelope_add_custom(Arena *arena, Slice custom, bool node_configs, MimePartVec *parts, Err *err) {
    if (!custom.len)
        return OK;
    if (mime_is_message(custom)) {
        if (add_message(arena, custom, parts, err) == OK)
            return OK;
        err_prefix(err, "spec.userData");
        return ERR_INVALID;
    }
    envelope_add(arena, parts,
                 node_configs && is_yaml_map(arena, custom) ? SLICE(NODE_CONFIG_TYPE) : SLICE(SHELL_SCRIPT_TYPE),
                 custom);
    return OK;
}

void envelope_add(Arena *arena, MimePartVec *parts, Slice type, Slice body) {
    MimePart part = {.body = body};

    vec_push(arena, &part.headers, (MimeHeader){SLICE("Content-Type"), type});
    vec_push(arena, parts, part);
}

Slice envelope_write(Arena *arena, const MimePartVec *parts) {
    Buffer out = {0};
    Slice text;

    mime_write(&out, BOUNDARY, parts);
    text = arena_slice(arena, buffer_slice(&out));
    buffer_free(&out);
    return text;
}
