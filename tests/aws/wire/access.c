// Signatures and endpoints for a program that compares them.
#include "access.h"

#include "aws/endpoint/endpoint.h"
#include "aws/service/operations.h"
#include "aws/sign/sign.h"

static Slice text_of(const Value *value, const char *member) {
    const Value *text = value_get(value, slice_of(member));

    return text && text->kind == VALUE_STRING ? text->text : (Slice){0};
}

static bool is_true(const Value *value, const char *member) {
    const Value *found = value_get(value, slice_of(member));

    return found && found->kind == VALUE_BOOL && found->boolean;
}

Value do_sign(Arena *arena, const Value *line) {
    const Value *headers = value_get_text(line, "headers");
    uint32_t count = headers ? headers->list.count : 0;
    HttpHeader *copies = arena_array(arena, HttpHeader, count);
    const AwsKeys keys = {text_of(line, "access_key"), text_of(line, "secret"), text_of(line, "session_token")};
    AwsSigner *signer = aws_signer_new();
    AwsSignature signature;
    Value reply = value_map();
    int64_t wall_s = 0;
    AwsSignable signable = {
        .method = arena_text(arena, text_of(line, "method")),
        .host = text_of(line, "host"),
        .path = text_of(line, "path"),
        .query = text_of(line, "query"),
        .headers = copies,
        .header_count = count,
        .body = text_of(line, "body"),
        .region = text_of(line, "region"),
        .service = text_of(line, "service"),
    };

    CHECK(value_to_int64(value_get_text(line, "wall_s"), &wall_s), "a time");
    signable.wall_ns = wall_s * INT64_C(1000000000);
    for (uint32_t i = 0; i < count; i++) {
        const ValueList *pair = &headers->list.items[i].list;

        copies[i] = (HttpHeader){pair->items[0].text, pair->items[1].text};
    }
    for (int turn = 0; turn < 2; turn++) // the second time with a derived key that was kept
        aws_sign(signer, arena, &keys, &signable, &signature);
    for (uint32_t i = 0; i < signature.header_count; i++)
        value_put(arena, &reply, signature.headers[i].name, value_string(signature.headers[i].value));
    aws_signer_free(signer);
    return reply;
}

static const AwsService *find_service(Slice id) {
    for (uint32_t i = 0; i < aws_operation_count; i++) {
        if (slice_eq_text(id, aws_operations[i]->service->id))
            return aws_operations[i]->service;
    }
    CHECK(false, "no service %.*s", SLICE_ARG(id));
}

Value do_endpoint(Arena *arena, const Value *line) {
    const AwsEndpointOptions options = {
        .region = text_of(line, "region"),
        .use_fips = is_true(line, "use_fips"),
        .use_dual_stack = is_true(line, "use_dual_stack"),
        .url = text_of(line, "url"),
    };
    Value reply = value_map();
    AwsEndpoint endpoint;
    Err err;

    if (aws_endpoint_find(arena, find_service(text_of(line, "service")), &options, &endpoint, &err) != OK) {
        value_put(arena, &reply, SLICE("error"), value_string(arena_slice(arena, slice_of(err.text))));
        return reply;
    }
    value_put(arena, &reply, SLICE("url"), value_string(endpoint.url));
    value_put(arena, &reply, SLICE("host"), value_string(endpoint.host));
    value_put(arena, &reply, SLICE("path"), value_string(endpoint.path));
    value_put(arena, &reply, SLICE("signing_region"), value_string(endpoint.signing_region));
    return reply;
}
