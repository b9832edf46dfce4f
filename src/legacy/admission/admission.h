// The webhooks of 2023 as pure functions: an AdmissionReview in, the reply out.
//
// They answer what Karpenter 0.31 answered, in its words. Not as there: a change of a status, and any change of an
// object that is being deleted, is let through without a look, so that what an older rule let in can be counted and can
// go. Behaviour: reference legacy.md 2.2, 2.5, 3 and 5.5.
#pragma once

#include "base/arena.h"
#include "base/buffer.h"
#include "base/err.h"

typedef enum {
    ADMISSION_DEFAULT,         // requirements that AWS needs, added to Provisioners
    ADMISSION_VALIDATE_AWS,    // AWSNodeTemplates, and inline providers of Provisioners
    ADMISSION_VALIDATE_CORE,   // all else of Provisioners
    ADMISSION_VALIDATE_CONFIG, // the ConfigMap config-logging
    ADMISSION_HOOKS,
} AdmissionHook;

enum {
    ADMISSION_BYTES_MAX = 3 << 20,   // of a review
    ADMISSION_VALUES_MAX = 50000,    // in it
    ADMISSION_DEPTH_MAX = 100,       // of its nesting
    ADMISSION_LIST_MAX = 1000,       // elements of a list of an object
    ADMISSION_MESSAGE_MAX = 32 << 10 // bytes of a reply's message; more is cut
};
#define ADMISSION_FILE SLICE("request") // what messages call a review

// "/validate/karpenter.sh", and the name of the configuration and of its webhook, "validation.webhook.karpenter.sh".
const char *admission_path(AdmissionHook hook);
const char *admission_name(AdmissionHook hook);

// Appends the reply to a review. O(size), and O(n²) of taints. ERR_INVALID: not a review; ERR_TOO_LARGE: more than the
// maxima above. In both cases nothing is appended, and the caller answers with an HTTP status.
ErrCode admission_answer(Arena *arena, AdmissionHook hook, Slice review, Buffer *reply, Err *err);
