// IMDSv2. Version 1, without tokens, is never tried: who refuses tokens is no metadata service.
#include "aws/credentials/metadata.h"

#include "aws/protocol/json_read.h"
#include "base/alloc.h"

#include <openssl/crypto.h>

enum { TOKEN_S = 300, TOKEN_MARGIN_S = 10, TOKEN_MAX = 1024, PATH_SHOWN_MAX = 128 };

struct AwsMetadata {
    const AwsMetadataSettings *settings;
    AwsTransport transport;
    char token[TOKEN_MAX];
    size_t token_len;
    Mono token_ends;
};

AwsMetadata *aws_metadata_new(const AwsMetadataSettings *settings, const AwsTransport *transport) {
    AwsMetadata *metadata = NEW(AwsMetadata);

    metadata->settings = settings;
    metadata->transport = *transport;
    return metadata;
}

void aws_metadata_free(AwsMetadata *metadata) {
    if (!metadata)
        return;
    OPENSSL_cleanse(metadata, sizeof *metadata);
    free(metadata);
}

static Mono now_of(const AwsMetadata *metadata) {
    return metadata->transport.now(metadata->transport.self).now;
}

// Sends, again after failures that pass; a second later each time. A timeout is not tried again: it is the hop limit.
static ErrCode send(const AwsMetadata *metadata, Arena *arena, const AwsRequest *request, AwsAnswer *ret_answer,
                    Err *err) {
    const AwsTransport *transport = &metadata->transport;
    ErrCode code = ERR_IO;

    for (uint32_t attempt = 1; attempt <= metadata->settings->attempts; attempt++) {
        code = transport->send(transport->self, arena, request, ret_answer, err);
        if (code != ERR_IO && !(code == OK && ret_answer->status >= 500))
            break;
        if (attempt < metadata->settings->attempts && !transport->rest(transport->self, NS_PER_S))
            break;
    }
    if (code != OK)
        err_prefix(err, "metadata of the instance");
    return code;
}

static AwsRequest request_of(const AwsMetadata *metadata, Arena *arena, const char *method, Slice path,
                             const HttpHeader *header) {
    Slice url = metadata->settings->url;

    return (AwsRequest){
        .method = method,
        .url = arena_printf(arena, "%.*s%.*s", SLICE_ARG(url), SLICE_ARG(path)),
        .headers = header,
        .header_count = 1,
        .timeout_ns = metadata->settings->timeout_ns,
    };
}

static ErrCode refuse_status(int status, Slice path, Err *err) {
    return err_set(err,
                   status == 404   ? ERR_NOT_FOUND
                   : status == 403 ? ERR_DENIED
                                   : ERR_IO,
                   "metadata of the instance: %.*s: status %d", SLICE_ARG(slice_first(path, PATH_SHOWN_MAX)), status);
}

static ErrCode ask_token(AwsMetadata *metadata, Arena *arena, Err *err) {
    HttpHeader header = {SLICE("X-aws-ec2-metadata-token-ttl-seconds"), arena_printf(arena, "%d", TOKEN_S)};
    AwsRequest request = request_of(metadata, arena, "PUT", SLICE("/latest/api/token"), &header);
    AwsAnswer answer;
    ErrCode code = send(metadata, arena, &request, &answer, err);
    Slice token;

    if (code == ERR_TIMEOUT)
        return err_set(
            err, code,
            "the metadata of the instance does not answer: in a pod this is what a hop limit of 1 looks like; "
            "raise it (HttpPutResponseHopLimit 2), give the pod a role of its own (IRSA, EKS pod identity), or "
            "set AWS_EC2_METADATA_DISABLED=true");
    TRY(code);
    if (answer.status != 200)
        return refuse_status(answer.status, SLICE("/latest/api/token"), err);
    token = slice_trim(answer.body);
    if (!token.len || token.len > TOKEN_MAX || slice_find(token, '\n') >= 0 || slice_find(token, '\r') >= 0)
        return err_set(err, ERR_INVALID, "metadata of the instance: its token is none");
    memcpy(metadata->token, token.ptr, token.len);
    metadata->token_len = token.len;
    metadata->token_ends = mono_after(now_of(metadata), (TOKEN_S - TOKEN_MARGIN_S) * NS_PER_S);
    return OK;
}

// Asks for the page with the token that there is, or a new one.
static ErrCode ask_page(AwsMetadata *metadata, Arena *arena, Slice path, AwsAnswer *ret_answer, Err *err) {
    HttpHeader header = {.name = SLICE("X-aws-ec2-metadata-token")};
    AwsRequest request;

    if (!metadata->token_len || mono_reached(now_of(metadata), metadata->token_ends))
        TRY(ask_token(metadata, arena, err));
    header.value = (Slice){metadata->token, metadata->token_len};
    request = request_of(metadata, arena, "GET", path, &header);
    return send(metadata, arena, &request, ret_answer, err);
}

ErrCode aws_metadata_get(AwsMetadata *metadata, Arena *arena, Slice path, Slice *ret_text, Err *err) {
    AwsAnswer answer;

    if (metadata->settings->is_disabled)
        return err_set(err, ERR_DENIED, "AWS_EC2_METADATA_DISABLED is true");
    TRY(ask_page(metadata, arena, path, &answer, err));
    if (answer.status == 401) { // the token ended before its time
        metadata->token_len = 0;
        TRY(ask_page(metadata, arena, path, &answer, err));
    }
    if (answer.status != 200)
        return refuse_status(answer.status, path, err);
    *ret_text = answer.body;
    return OK;
}

ErrCode aws_metadata_region(AwsMetadata *metadata, Arena *arena, Slice *ret_region, Err *err) {
    Value document;
    const Value *region = NULL;
    Slice text;

    TRY(aws_metadata_get(metadata, arena, SLICE("/latest/dynamic/instance-identity/document"), &text, err));
    if (aws_json_parse(arena, text, &document, NULL) == OK)
        region = value_get_text(&document, "region");
    if (!region || region->kind != VALUE_STRING || !region->text.len)
        return err_set(err, ERR_INVALID, "metadata of the instance: its identity document has no region");
    *ret_region = region->text;
    return OK;
}
