// AdmissionReviews read and answered.
#include "legacy/admission/review.h"

#include "legacy/admission/admission.h"
#include "net/base64.h"
#include "text/json.h"

#include <stdarg.h>
#include <stdio.h>

static const Field kind_fields[] = {
    FIELD(Review, group, "group", FIELD_STRING, ),
    FIELD(Review, version, "version", FIELD_STRING, .required = true),
    FIELD(Review, kind, "kind", FIELD_STRING, .required = true),
};
static const FieldTable kind_table = FIELD_TABLE(Review, kind_fields);

static const Field request_fields[] = {
    FIELD(Review, uid, "uid", FIELD_STRING, .required = true),
    FIELD(Review, operation, "operation", FIELD_STRING, .required = true),
    FIELD(Review, subresource, "subResource", FIELD_STRING, ),
    FIELD_FLAT("kind", kind_table, .required = true),
    FIELD(Review, object, "object", FIELD_VALUE, ),
};
static const FieldTable request_table = FIELD_TABLE(Review, request_fields);

static const Field review_fields[] = {FIELD_FLAT("request", request_table, .required = true)};
static const FieldTable review_table = FIELD_TABLE(Review, review_fields);

static bool is_text(const Value *map, Slice key, Slice expected) {
    const Value *value = value_get(map, key);

    return value && value->kind == VALUE_STRING && slice_eq(value->text, expected);
}

static ErrCode parse(Arena *arena, Slice text, Value *ret_root, Err *err) {
    const ParseOptions options = {.depth_max = ADMISSION_DEPTH_MAX, .values_max = ADMISSION_VALUES_MAX};
    DocumentVec documents = {0};
    WarningVec warnings = {0};

    if (text.len > ADMISSION_BYTES_MAX)
        return err_set(err, ERR_TOO_LARGE, "a review of more than %d bytes", (int)ADMISSION_BYTES_MAX);
    TRY(json_parse(arena, ADMISSION_FILE, text, &options, &documents, &warnings, err));
    if (documents.count != 1)
        return err_set(err, ERR_INVALID, "expected one AdmissionReview, got %u documents", documents.count);
    *ret_root = documents.items[0].root;
    return OK;
}

ErrCode review_read(Arena *arena, Slice text, Review *ret_review, Err *err) {
    Decoder decoder = {.arena = arena, .file = ADMISSION_FILE};
    Review review = {0};
    Value *root = arena_new(arena, Value); // the object stays in it

    TRY(parse(arena, text, root, err));
    if (!is_text(root, SLICE("kind"), SLICE("AdmissionReview")) ||
        !is_text(root, SLICE("apiVersion"), SLICE("admission.k8s.io/v1")))
        return err_set(err, ERR_INVALID, "expected an AdmissionReview of admission.k8s.io/v1");
    TRY(decode_object(&decoder, root, &review_table, &review, err));
    *ret_review = review;
    return OK;
}

AdmissionVerdict verdict_allowed(void) {
    return (AdmissionVerdict){.allowed = true};
}

// Length of a text that is cut at the message's bound, before the character that does not fit.
static size_t cut(const char *text) {
    size_t length = ADMISSION_MESSAGE_MAX;

    while (length && ((unsigned char)text[length] & 0xc0) == 0x80)
        length--;
    return length;
}

AdmissionVerdict verdict_denied(Arena *arena, const char *format, ...) {
    char *text = arena_array(arena, char, ADMISSION_MESSAGE_MAX + 2); // one byte more says where a character ends
    va_list args;
    int length;

    va_start(args, format);
    length = vsnprintf(text, ADMISSION_MESSAGE_MAX + 2, format, args);
    va_end(args);
    return (AdmissionVerdict){.message = {text, length > ADMISSION_MESSAGE_MAX ? cut(text) : (size_t)length}};
}

static Value status_of(Arena *arena, Slice message) {
    Value status = value_map();

    value_put(arena, &status, SLICE("status"), value_string(SLICE("Failure")));
    value_put(arena, &status, SLICE("message"), value_string(message));
    value_put(arena, &status, SLICE("reason"), value_string(SLICE("BadRequest")));
    value_put(arena, &status, SLICE("code"), value_int(arena, 400));
    return status;
}

static void put_patch(Arena *arena, Value *response, const Value *patch) {
    Buffer text = {0};

    json_print(&text, patch, false);
    value_put(arena, response, SLICE("patchType"), value_string(SLICE("JSONPatch")));
    value_put(arena, response, SLICE("patch"), value_string(base64_encode(arena, buffer_slice(&text))));
    buffer_free(&text);
}

void review_reply(Arena *arena, const Review *review, const AdmissionVerdict *verdict, Buffer *reply) {
    Value response = value_map(), root = value_map();

    value_put(arena, &response, SLICE("uid"), value_string(review->uid));
    value_put(arena, &response, SLICE("allowed"), value_bool(verdict->allowed));
    if (!verdict->allowed)
        value_put(arena, &response, SLICE("status"), status_of(arena, verdict->message));
    else if (verdict->patch)
        put_patch(arena, &response, verdict->patch);
    value_put(arena, &root, SLICE("apiVersion"), value_string(SLICE("admission.k8s.io/v1")));
    value_put(arena, &root, SLICE("kind"), value_string(SLICE("AdmissionReview")));
    value_put(arena, &root, SLICE("response"), response);
    json_print(reply, &root, false);
}
