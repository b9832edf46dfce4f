// Any bytes as a review, to each webhook of 2023: what is answered is JSON with a verdict, and a review that is no
// review gets no answer. Nothing may crash, leak or hang.
#include "legacy/admission/admission.h"

#include "base/check.h"
#include "support/fuzz.h"
#include "text/json.h"

static void check_reply(Arena *arena, Slice text) {
    DocumentVec documents = {0};
    WarningVec warnings = {0};
    const Value *allowed;

    CHECK(json_parse(arena, SLICE("reply"), text, &(ParseOptions){0}, &documents, &warnings, NULL) == OK);
    CHECK(documents.count == 1);
    allowed = value_at(&documents.items[0].root, "response", "allowed", NULL);
    CHECK(allowed && allowed->kind == VALUE_BOOL);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    for (int hook = 0; hook < ADMISSION_HOOKS; hook++) {
        Arena arena = {0};
        Buffer reply = {0};

        if (admission_answer(&arena, (AdmissionHook)hook, (Slice){(const char *)bytes, size}, &reply, NULL) == OK)
            check_reply(&arena, buffer_slice(&reply));
        else
            CHECK(!reply.len);
        buffer_free(&reply);
        arena_free(&arena);
    }
    return 0;
}
