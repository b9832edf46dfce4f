// The transport over net/http.
#include "aws/transport/transport.h"

static ErrCode send_http(void *self, Arena *arena, const AwsRequest *request, AwsAnswer *ret_answer, Err *err) {
    const AwsHttp *over = self;
    HttpRequest http = {
        .method = request->method,
        .url = request->url,
        .headers = request->headers,
        .header_count = request->header_count,
        .has_body = request->has_body,
        .body = request->body,
        .gate = request->is_change ? over->gate : (HttpGate){0},
        .timeout_ns = request->timeout_ns,
        .reply_bytes_max = AWS_BODY_MAX,
        .keeps_headers = true,
    };
    HttpReply reply = {0};
    HttpHeader *headers;
    ErrCode code = http_call(over->client, &http, &reply, err);

    if (code == OK) {
        AwsAnswer answer = {.status = reply.status, .body = arena_slice(arena, buffer_slice(&reply.body))};

        answer.header_count = http_reply_headers(arena, &reply, &headers);
        for (uint32_t i = 0; i < answer.header_count; i++) {
            headers[i].name = arena_slice(arena, headers[i].name);
            headers[i].value = arena_slice(arena, headers[i].value);
        }
        answer.headers = headers;
        *ret_answer = answer;
    }
    http_reply_free(&reply);
    return code;
}

static Moment now_of_system(void *self) {
    (void)self;
    return (Moment){clock_system_mono(), clock_system_wall_ns()};
}

static bool rest_http(void *self, int64_t ns) {
    return http_client_rest(((const AwsHttp *)self)->client, ns);
}

AwsTransport aws_transport_http(const AwsHttp *http) {
    return (AwsTransport){send_http, now_of_system, rest_http, (void *)(uintptr_t)http};
}
