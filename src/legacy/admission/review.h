// An AdmissionReview (admission.k8s.io/v1) as a struct, and the reply to it. Private to legacy/admission.
#pragma once

#include "base/buffer.h"
#include "text/decode.h"

typedef struct {
    Slice uid, operation, subresource; // "CREATE"; "" or "status"
    Slice group, version, kind;        // of the object
    const Value *object;               // as it is to become; NULL: absent
} Review;

// Reads a review. ERR_INVALID: not JSON, or no review of v1; ERR_TOO_LARGE: more than the maxima of admission.h.
ErrCode review_read(Arena *arena, Slice text, Review *ret_review, Err *err);

// What a webhook decides. `patch`: changes as JSON of RFC 6902; NULL: none.
typedef struct {
    bool allowed;
    Slice message; // why not
    const Value *patch;
} AdmissionVerdict;

AdmissionVerdict verdict_allowed(void);
// takes printf's format; a message beyond ADMISSION_MESSAGE_MAX is cut.
__attribute__((format(printf, 2, 3))) AdmissionVerdict verdict_denied(Arena *arena, const char *format, ...);

// Appends the reply: the same uid, and of a denial what an API server gives its client: BadRequest, code 400.
void review_reply(Arena *arena, const Review *review, const AdmissionVerdict *verdict, Buffer *reply);
