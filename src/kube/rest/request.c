// Making one request: credentials, throttling, retries, and errors.
#include "kube/rest/request.h"

#include "kube/rest/answer.h"
#include "text/json.h"

#include <time.h>

enum { TRIES_MAX = 10, COMES_AGAIN_MAX_S = 5 };

typedef Vec(HttpHeader) Headers;

static void add_header(Arena *arena, Headers *headers, const char *name, Slice value) {
    if (value.len)
        vec_push(arena, headers, (HttpHeader){slice_of(name), value});
}

static Headers headers_of(const KubeRest *rest, Arena *arena, const RestCall *call, const Credential *credential) {
    Headers headers = {0};

    add_header(arena, &headers, "Accept", SLICE("application/json"));
    add_header(arena, &headers, "Authorization", credential->authorization);
    add_header(arena, &headers, "Content-Type", slice_of(call->content_type));
    add_header(arena, &headers, "Impersonate-User", rest->config.as_user);
    add_header(arena, &headers, "Impersonate-Uid", rest->config.as_uid);
    for (vec_each(const Slice, group, &rest->config.as_groups))
        add_header(arena, &headers, "Impersonate-Group", *group);
    return headers;
}

// A request under way, for the observer.
typedef struct {
    KubeRest *rest;
    const RestCall *call;
    Mono begun;
    bool told;
} Request;

static void tell_observer(Request *request, int code) {
    const KubeRestObserver *observer = &request->rest->options.observer;

    if (observer->done && !request->told)
        observer->done(observer->context, request->call->verb, request->call->kind, code,
                       mono_since(clock_system_mono(), request->begun));
    request->told = true;
}

// Wraps the sink of a stream: its first bytes mean that the request was answered.
static bool take_stream(void *context, Slice bytes) {
    Request *request = context;

    tell_observer(request, 200);
    return request->call->sink.take(request->call->sink.context, bytes);
}

// One attempt with one credential.
static ErrCode attempt(KubeRest *rest, const RestCall *call, const Credential *credential, Slice body,
                       int64_t timeout_ns, HttpReply *reply, Err *err) {
    Arena scratch = {0};
    Headers headers = headers_of(rest, &scratch, call, credential);
    Request request = {rest, call, clock_system_mono(), false};
    HttpRequest http = {.method = call->method,
                        .url = buffer_slice(&call->url),
                        .headers = headers.items,
                        .header_count = headers.count,
                        .identity = &credential->identity,
                        .has_body = call->content_type != NULL,
                        .body = body,
                        .gate = rest->options.gate,
                        .timeout_ns = timeout_ns,
                        .reply_bytes_max = call->answer_bytes_max,
                        .sink = call->sink,
                        .stop = call->stop,
                        .is_stream = call->is_stream,
                        .pace_ms = call->pace_ms};
    ErrCode code;

    if (call->is_stream)
        http.sink = (HttpSink){take_stream, &request};
    code = http_call(rest->http, &http, reply, err);
    tell_observer(&request, code == OK ? reply->status : 0);
    arena_free(&scratch);
    return code;
}

// The URL's path, for messages.
static Slice path_of(const KubeRest *rest, const RestCall *call) {
    Slice path = slice_from(buffer_slice(&call->url), rest->config.server.len);
    ptrdiff_t query = slice_find(path, '?');

    return query < 0 ? path : slice_first(path, (size_t)query);
}

// Turns an answer that is not 2xx into an error: a Status in JSON, or the text of a proxy in between.
static ErrCode refuse(const KubeRest *rest, const RestCall *call, const HttpReply *reply, KubeError *error) {
    Slice text = slice_trim(buffer_slice(&reply->body));
    Arena scratch = {0};
    Value status;
    ErrCode code;

    if (reply->is_json && rest_read(&scratch, text, &status, NULL) == OK && value_get_text(&status, "status")) {
        code = rest_status(&status, reply->status, error);
    } else {
        ptrdiff_t line = slice_find(text, '\n');

        code = kube_fail(error, kube_reason_find(SLICE(""), reply->status), "HTTP %d to %s %.*s: %.*s", reply->status,
                         call->method, SLICE_ARG(slice_first(path_of(rest, call), 200)),
                         SLICE_ARG(slice_first(text, line < 0 || line > 200 ? 200 : (size_t)line)));
    }
    if (error && !error->retry_after_ns)
        error->retry_after_ns = reply->retry_after_ns;
    arena_free(&scratch);
    return code;
}

// Makes the call with the current credential, and once more with a fresh one when that is refused.
static ErrCode ask(KubeRest *rest, const RestCall *call, Slice body, int64_t timeout_ns, HttpReply *reply, Err *err) {
    Arena scratch = {0};
    Credential credential;
    ErrCode code;

    for (int tries = 0;; tries++) {
        code = credentials_get(rest->credentials, &scratch, &credential, err);
        if (code == OK)
            code = attempt(rest, call, &credential, body, timeout_ns, reply, err);
        if (code != OK || reply->status != 401 || tries ||
            !credentials_refused(rest->credentials, credential.generation))
            break;
    }
    arena_free(&scratch);
    return code;
}

// Whether the server refused with a Retry-After that is short and within the call's timeout; if so, waits for it.
static bool comes_again(KubeRest *rest, const RestCall *call, const HttpReply *reply, Mono until) {
    if (call->impatient || (reply->status != 429 && reply->status != 503) || !reply->retry_after_ns ||
        reply->retry_after_ns > COMES_AGAIN_MAX_S * NS_PER_S ||
        reply->retry_after_ns >= mono_left(clock_system_mono(), until))
        return false;
    return http_client_rest(rest->http, reply->retry_after_ns);
}

ErrCode rest_do(KubeRest *rest, const RestCall *call, HttpReply *reply, KubeError *error) {
    Mono until = {0};
    int64_t left_ns;
    Buffer body = {0};
    ErrCode code;
    Err err = {0};

    if (call->body)
        json_print(&body, call->body, false);
    for (int tries = 1;; tries++) {
        if (!call->unlimited)
            http_client_rest(rest->http,
                             limiter_reserve(&rest->limiter, clock_system_mono())); // when ended: the call says so
        if (!mono_is_set(until))
            until = mono_after(clock_system_mono(), call->timeout_ns);
        left_ns = mono_left(clock_system_mono(), until);
        code = ask(rest, call, buffer_slice(&body), left_ns > 0 ? left_ns : 1, reply, &err);
        if (code != OK || tries == TRIES_MAX || !comes_again(rest, call, reply, until))
            break;
    }
    buffer_free(&body);
    if (code != OK)
        return rest_fail(error, code, "%s", err.text);
    return reply->status / 100 == 2 ? OK : refuse(rest, call, reply, error);
}
