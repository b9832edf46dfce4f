// Any JSON as the metav1.Status of a refusal (64 KiB at most). The result always is a failure with a code, texts end
// within their bounds, and the time to wait is not negative.
#include "kube/rest/answer.h"
#include "support/fuzz.h"

#include "base/check.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    static const int codes[] = {400, 401, 403, 404, 409, 410, 418, 422, 429, 500, 503, 504, 599};
    Arena arena = {0};
    Value status;

    if (size && rest_read(&arena, (Slice){(const char *)bytes, size}, &status, NULL) == OK) {
        for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
            KubeError error = {0};
            ErrCode code = rest_status(&status, codes[i], &error);

            CHECK(code != OK && code == error.err.code, "a refusal that is none");
            CHECK(memchr(error.err.text, 0, sizeof error.err.text) && memchr(error.cause, 0, sizeof error.cause),
                  "a text without an end");
            CHECK(error.retry_after_ns >= 0, "a wait of %lld ns", (long long)error.retry_after_ns);
            CHECK(rest_status(&status, codes[i], NULL) == code, "the code depends on who asks");
        }
    }
    arena_free(&arena);
    return 0;
}
