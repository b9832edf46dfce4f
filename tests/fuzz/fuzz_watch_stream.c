// Any bytes as the stream of a watch or a list (the limit of an event after dropping is 16 MiB; here it is 2,000
// bytes). However the stream is divided into chunks, the JSON filter gives the same documents, none of them above the
// limit or with dropped members.
#include "kube/rest/answer.h"
#include "kube/rest/unread.h"
#include "support/fuzz.h"

#include "base/check.h"

#include <stdlib.h>

enum { BYTES_MAX = 2000 };

typedef struct {
    JsonFilter *json_filter;
    Buffer told; // the documents, one per line
} Stream;

static void look_at(Slice text) {
    Arena arena = {0};
    Value root;
    KubeError error = {0};

    CHECK(text.len <= BYTES_MAX, "a document of %zu bytes", text.len);
    if (rest_read(&arena, text, &root, &error) == OK) {
        const Value *object = value_get_text(&root, "object");

        CHECK(!value_at(object, "metadata", "managedFields", NULL), "managedFields came through");
        if (object)
            rest_status(object, 500, &error);
    } else {
        CHECK(error.err.text[0], "refused without a word");
    }
    arena_free(&arena);
}

static bool take(void *context, Slice text) {
    Stream *stream = context;

    look_at(text);
    buffer_append(&stream->told, text);
    buffer_append_char(&stream->told, '\n');
    return true;
}

static ErrCode run(Stream *stream, KubeKind kind, Slice bytes, size_t piece) {
    ErrCode failed;

    stream->json_filter = calloc(1, sizeof *stream->json_filter);
    CHECK(stream->json_filter, "no memory");
    stream->json_filter->bytes_max = BYTES_MAX;
    stream->json_filter->take = take;
    stream->json_filter->context = stream;
    rest_drop_unread(stream->json_filter, kind, "object");
    while (bytes.len && json_filter_feed(stream->json_filter, slice_first(bytes, piece)))
        bytes = slice_from(bytes, piece);
    failed = stream->json_filter->failed;
    json_filter_free(stream->json_filter);
    free(stream->json_filter);
    return failed;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    Stream whole = {0}, cut = {0};
    Slice text = {(const char *)bytes, size};
    KubeKind kind;
    size_t piece;

    if (size < 2)
        return 0;
    kind = (KubeKind)(bytes[0] % KUBE_KIND_COUNT);
    piece = 1 + bytes[1] % 64;
    text = slice_from(text, 2);
    CHECK(run(&whole, kind, text, text.len ? text.len : 1) == run(&cut, kind, text, piece), "failed one way only");
    CHECK(slice_eq(buffer_slice(&whole.told), buffer_slice(&cut.told)), "cutting changes documents");
    buffer_free(&whole.told);
    buffer_free(&cut.told);
    return 0;
}
