// Any text as XML, with elements left out here and there. What is opened is closed, in its order; within small bounds
// the same is told until one is reached.
#include "support/fuzz.h"

#include "text/xml.h"

enum { DEPTH = 8 };

typedef struct {
    uint32_t depth, deepest, opened, closed;
    uint64_t hash; // of all that was told
} Heard;

static bool on_open(void *context, Slice name) {
    Heard *heard = context;

    CHECK(name.len, "a name");
    heard->hash = heard->hash * 31 + slice_hash(name);
    if (name.ptr[0] == 's')
        return false;
    heard->opened++;
    if (++heard->depth > heard->deepest)
        heard->deepest = heard->depth;
    return true;
}

static ErrCode on_close(void *context, Slice name, Slice text, Err *err) {
    Heard *heard = context;

    (void)err;
    CHECK(heard->depth, "an end without a beginning");
    heard->depth--;
    heard->closed++;
    heard->hash = heard->hash * 31 + slice_hash(name) + slice_hash(text);
    return OK;
}

static ErrCode hear(Slice text, const XmlLimits *limits, Heard *heard, Err *err) {
    XmlSink sink = {heard, on_open, on_close};

    return xml_read(text, limits, &sink, err);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    Slice text = {(const char *)bytes, size};
    Heard free = {0}, bounded = {0};
    Err err = {0};
    ErrCode code = hear(text, NULL, &free, &err), code_bounded;

    CHECK(code == OK || err.text[0], "an error without a text");
    CHECK(code != OK || (free.depth == 0 && free.opened == free.closed), "%u not closed", free.depth);
    code_bounded = hear(text, &(XmlLimits){.depth_max = DEPTH}, &bounded, &err);
    CHECK(bounded.deepest <= DEPTH, "%u deep", bounded.deepest);
    CHECK(code_bounded == ERR_TOO_LARGE || (code_bounded == code && bounded.hash == free.hash), "%d, %d", code_bounded,
          code);
    return 0;
}
