// Documents of credentials.
#include "aws/credentials/key_document.h"

#include "aws/protocol/json_read.h"
#include "aws/protocol/time.h"

enum { CODE_SHOWN_MAX = 64 };

static Slice text_of(const Value *document, const char *member) {
    const Value *value = value_get(document, slice_of(member));

    return value && value->kind == VALUE_STRING ? value->text : (Slice){0};
}

static ErrCode read_end(const Value *document, int64_t *ret_expires_ns, Err *err) {
    Slice text = text_of(document, "Expiration");
    AwsTime time = {0};

    *ret_expires_ns = INT64_MAX;
    if (!text.len)
        return OK;
    if (aws_time_read(text, &time, NULL) != OK || !time.has)
        return err_set(err, ERR_INVALID, "the document of credentials: Expiration is no time");
    *ret_expires_ns = time.ns;
    return OK;
}

ErrCode aws_key_document_read(Arena *arena, Slice text, AwsFetched *ret_fetched, Err *err) {
    AwsFetched fetched;
    Value document;
    Slice code;

    if (text.len > AWS_KEY_DOCUMENT_MAX)
        return err_set(err, ERR_TOO_LARGE, "the document of credentials has more than %d bytes", AWS_KEY_DOCUMENT_MAX);
    if (aws_json_parse(arena, text, &document, NULL) != OK || document.kind != VALUE_MAP)
        return err_set(err, ERR_INVALID, "the document of credentials is no JSON object");
    code = text_of(&document, "Code");
    if (code.len && !slice_eq_text(code, "Success"))
        return err_set(err, ERR_DENIED, "credentials are refused: %.*s", SLICE_ARG(slice_first(code, CODE_SHOWN_MAX)));
    fetched.keys = (AwsKeys){text_of(&document, "AccessKeyId"), text_of(&document, "SecretAccessKey"),
                             text_of(&document, "Token")};
    if (!aws_keys_are_sound(&fetched.keys))
        return err_set(
            err, ERR_INVALID,
            "the document of credentials lacks AccessKeyId or SecretAccessKey, or has letters that no key has");
    TRY(read_end(&document, &fetched.expires_ns, err));
    *ret_fetched = fetched;
    return OK;
}
