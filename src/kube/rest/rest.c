// Opening and closing the client, its addresses, and what its answers say.
#include "kube/rest/rest_parts.h"

#include "base/alloc.h"
#include "base/check.h"
#include "text/json.h"

#include <stdarg.h>
#include <stdio.h>

static const int64_t SECOND_NS = 1000000000;
enum { QPS = 200, BURST = 300, CALL_S = 60, WATCH_S = 600, PROBE_S = 10, PROBE_BYTES_MAX = 64 << 10 };
static const size_t ANSWER_BYTES_MAX = (size_t)256 << 20, EVENT_BYTES_MAX = (size_t)16 << 20;
static const size_t ANSWERS_BYTES_MAX = (size_t)96 << 20;
static const char default_agent[] = "karpenter/" TENON_VERSION;

static Slice own(Arena *arena, Slice text) {
    return text.len ? arena_slice(arena, text) : (Slice){0};
}

static void own_list(Arena *arena, SliceVec *list, const SliceVec *from) {
    *list = (SliceVec){0};
    for (vec_each(const Slice, text, from))
        vec_push(arena, list, own(arena, *text));
}

static KubeConfig copy_config(Arena *arena, const KubeConfig *from) {
    KubeConfig config = *from;
    Slice *const texts[] = {
        &config.server,
        &config.source,
        &config.ns,
        &config.ca_pem,
        &config.tls_name,
        &config.proxy_url,
        &config.certificate_pem,
        &config.key_pem,
        &config.token,
        &config.token_file,
        &config.user,
        &config.password,
        &config.as_user,
        &config.as_uid,
        &config.exec.command,
        &config.exec.api_version,
        &config.exec.install_hint,
        &config.exec.cluster_json,
    };

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        *texts[i] = own(arena, *texts[i]);
    own_list(arena, &config.as_groups, &from->as_groups);
    own_list(arena, &config.exec.arguments, &from->exec.arguments);
    config.exec.environment.items = NULL;
    config.exec.environment.count = config.exec.environment.capacity = 0;
    for (vec_each(const KubeConfigVariable, variable, &from->exec.environment))
        vec_push(arena, &config.exec.environment,
                 (KubeConfigVariable){own(arena, variable->name), own(arena, variable->value)});
    return config;
}

static KubeRestOptions with_defaults(Arena *arena, const KubeRestOptions *from) {
    KubeRestOptions options = from ? *from : (KubeRestOptions){0};

    options.qps = options.qps != 0 ? options.qps : QPS;
    options.burst = options.burst ? options.burst : BURST;
    options.call_timeout_ns = options.call_timeout_ns ? options.call_timeout_ns : CALL_S * SECOND_NS;
    options.watch_timeout_ns = options.watch_timeout_ns ? options.watch_timeout_ns : WATCH_S * SECOND_NS;
    options.answer_bytes_max = options.answer_bytes_max ? options.answer_bytes_max : ANSWER_BYTES_MAX;
    options.event_bytes_max = options.event_bytes_max ? options.event_bytes_max : EVENT_BYTES_MAX;
    options.answers_bytes_max = options.answers_bytes_max ? options.answers_bytes_max : ANSWERS_BYTES_MAX;
    options.user_agent = options.user_agent.len ? own(arena, options.user_agent) : SLICE(default_agent);
    return options;
}

ErrCode kube_rest_open(const KubeConfig *config, const KubeRestOptions *options, KubeRest **ret_rest, Err *err) {
    KubeRest *rest = NEW(KubeRest);
    HttpOptions http;
    ErrCode code;

    rest->config = copy_config(&rest->arena, config);
    rest->options = with_defaults(&rest->arena, options);
    rest->budget.max = rest->options.answers_bytes_max;
    atomic_init(&rest->budget.used, 0);
    http = (HttpOptions){.ca_pem = rest->config.ca_pem,
                         .tls_name = rest->config.tls_name,
                         .insecure = rest->config.insecure,
                         .proxy_url = rest->config.proxy_url,
                         .user_agent = rest->options.user_agent,
                         .no_gzip = rest->config.no_gzip,
                         .budget = &rest->budget};
    code = http_client_new(&http, &rest->http, err);
    if (code != OK) {
        arena_free(&rest->arena);
        free(rest);
        return code;
    }
    limiter_init(&rest->limiter, rest->options.qps, rest->options.burst);
    rest->credentials = credentials_new(&rest->config, rest->http, rest->options.call_timeout_ns, NULL);
    *ret_rest = rest;
    return OK;
}

Kube kube_rest_kube(KubeRest *rest) {
    return (Kube){&rest_table, rest};
}

void kube_rest_end_within(KubeRest *rest, int64_t rest_ns) {
    http_client_end_within(rest->http, rest_ns);
}

void kube_rest_close(KubeRest *rest) {
    if (!rest)
        return;
    http_client_free(rest->http);
    limiter_destroy(&rest->limiter);
    credentials_free(rest->credentials);
    arena_free(&rest->arena);
    free(rest);
}

void rest_url(const KubeRest *rest, Buffer *url, KubeKind kind, Slice ns, Slice name, const char *subresource) {
    const KubeKindInfo *info = kube_kind(kind);

    buffer_append(url, rest->config.server);
    buffer_append(url, info->group.len ? SLICE("/apis") : SLICE("/api"));
    if (info->group.len)
        url_add_segment(url, info->group);
    url_add_segment(url, info->version);
    if (info->namespaced && ns.len) {
        buffer_append(url, SLICE("/namespaces"));
        url_add_segment(url, ns);
    }
    url_add_segment(url, info->plural);
    if (name.len)
        url_add_segment(url, name);
    if (subresource)
        url_add_segment(url, slice_of(subresource));
}

ErrCode rest_read(Arena *arena, Slice text, Value *ret_value, KubeError *error) {
    DocumentVec documents = {0};
    WarningVec warnings = {0};
    Err err = {0};

    if (json_parse(arena, SLICE("answer"), text, NULL, &documents, &warnings, &err) != OK)
        return rest_fail(error, ERR_IO, "the API server's answer cannot be read: %s", err.text);
    if (documents.count != 1 || documents.items[0].root.kind != VALUE_MAP)
        return rest_fail(error, ERR_IO, "the API server's answer cannot be read: expected one JSON map");
    *ret_value = documents.items[0].root;
    return OK;
}

// What the values of a text may take: each but the root follows one of these marks, and lists and maps double as they
// grow. Marks inside of strings count as well, which errs to the safe side.
static size_t weigh(Slice text) {
    size_t marks = 0;

    for (size_t i = 0; i < text.len; i++)
        marks += (text.ptr[i] == ',') + (text.ptr[i] == ':') + (text.ptr[i] == '[') + (text.ptr[i] == '{');
    return 2 * text.len + 2 * marks * sizeof(ValueMember);
}

ErrCode rest_read_within(KubeRest *rest, Arena *arena, Slice text, Value *ret_value, size_t *ret_charged,
                         KubeError *error) {
    size_t weight = weigh(text);
    ErrCode code;

    if (!memory_budget_take(&rest->budget, weight))
        return rest_fail_budget(rest, error);
    code = rest_read(arena, text, ret_value, error);
    if (code == OK)
        *ret_charged = weight;
    else
        memory_budget_give(&rest->budget, weight);
    return code;
}

ErrCode rest_fail_budget(const KubeRest *rest, KubeError *error) {
    return rest_fail(error, ERR_TOO_LARGE, "the API server's answers under way are together larger than %zu bytes",
                     rest->budget.max);
}

ErrCode rest_status(const Value *status, int http_code, KubeError *error) {
    const Value *causes = value_at(status, "details", "causes", NULL);
    Slice message = kube_text(status, "message", NULL), cause = {0};
    int64_t code, seconds;
    ErrCode result;

    if (value_to_int64(value_get_text(status, "code"), &code) && code >= 400 && code < 600)
        http_code = (int)code;
    result =
        kube_fail(error, kube_reason_find(kube_text(status, "reason", NULL), http_code), "%.*s", SLICE_ARG(message));
    if (!error)
        return result;
    if (causes && causes->kind == VALUE_LIST && causes->list.count)
        cause = kube_text(&causes->list.items[0], "message", NULL);
    snprintf(error->cause, sizeof error->cause, "%.*s", SLICE_ARG(slice_first(cause, KUBE_CAUSE_MAX - 1)));
    if (value_to_int64(value_at(status, "details", "retryAfterSeconds", NULL), &seconds) && seconds > 0 &&
        seconds < INT64_MAX / SECOND_NS)
        error->retry_after_ns = seconds * SECOND_NS;
    return result;
}

ErrCode rest_fail(KubeError *error, ErrCode code, const char *format, ...) {
    char text[ERR_TEXT_MAX];
    va_list args;

    if (!error)
        return code;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    error->reason = KUBE_REASON_NONE;
    error->retry_after_ns = 0;
    error->cause[0] = 0;
    return err_set(&error->err, code, "%s", text);
}

ErrCode kube_rest_probe(KubeRest *rest, Arena *arena, Slice path, Slice *ret_answer, KubeError *error) {
    RestCall call = {.verb = "get",
                     .method = "GET",
                     .timeout_ns = PROBE_S * SECOND_NS,
                     .answer_bytes_max = PROBE_BYTES_MAX,
                     .unlimited = true};
    HttpReply reply = {0};
    ErrCode code;

    buffer_append(&call.url, rest->config.server);
    buffer_append(&call.url, path);
    code = rest_do(rest, &call, &reply, error);
    if (code == OK)
        *ret_answer = arena_slice(arena, buffer_slice(&reply.body));
    http_reply_free(&reply);
    buffer_free(&call.url);
    return code;
}
