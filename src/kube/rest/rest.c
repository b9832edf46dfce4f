// Opening and closing the client, and its URLs.
#include "base/alloc.h"
#include "base/check.h"
#include "kube/rest/request.h"
#include "text/json.h"

#include <stdlib.h>

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
    options.call_timeout_ns = options.call_timeout_ns ? options.call_timeout_ns : CALL_S * NS_PER_S;
    options.watch_timeout_ns = options.watch_timeout_ns ? options.watch_timeout_ns : WATCH_S * NS_PER_S;
    options.answer_bytes_max = options.answer_bytes_max ? options.answer_bytes_max : ANSWER_BYTES_MAX;
    options.event_bytes_max = options.event_bytes_max ? options.event_bytes_max : EVENT_BYTES_MAX;
    options.answers_bytes_max = options.answers_bytes_max ? options.answers_bytes_max : ANSWERS_BYTES_MAX;
    options.user_agent = options.user_agent.len ? own(arena, options.user_agent) : SLICE(default_agent);
    return options;
}

static void take_date(void *context, int64_t date_ns, Mono sent, Mono seen) {
    server_clock_tell(&((KubeRest *)context)->clock, date_ns, sent, seen);
}

bool rest_now(void *self, int64_t *ret_wall_ns) {
    return server_clock_read(&((KubeRest *)self)->clock, clock_system_awake(), ret_wall_ns);
}

static Mono now_of(void *context) {
    (void)context;
    return clock_system_awake();
}

// Wall time of the API server, once it is known.
static int64_t wall_of(void *context) {
    int64_t wall_ns;

    return rest_now(context, &wall_ns) ? wall_ns : clock_system_wall_ns();
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
                         .dates = {take_date, rest},
                         .no_gzip = rest->config.no_gzip,
                         .budget = &rest->budget};
    code = http_client_new(&http, &rest->http, err);
    if (code != OK) {
        arena_free(&rest->arena);
        free(rest);
        return code;
    }
    server_clock_init(&rest->clock, clock_system_wall_ns(), clock_system_awake());
    limiter_init(&rest->limiter, rest->options.qps, rest->options.burst);
    rest->credentials = credentials_new(&rest->config, rest->http, rest->options.call_timeout_ns,
                                        (CredentialsClock){now_of, wall_of, rest});
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
    server_clock_destroy(&rest->clock);
    arena_free(&rest->arena);
    free(rest);
}

static ErrCode get_path(KubeRest *rest, RestCall *call, Arena *arena, Slice path, Slice *ret_answer, KubeError *error) {
    HttpReply reply = {0};
    ErrCode code;

    call->verb = "get";
    call->method = "GET";
    buffer_append(&call->url, rest->config.server);
    buffer_append(&call->url, path);
    code = rest_do(rest, call, &reply, error);
    if (code == OK)
        *ret_answer = arena_slice(arena, buffer_slice(&reply.body));
    http_reply_free(&reply);
    buffer_free(&call->url);
    return code;
}

ErrCode kube_rest_probe(KubeRest *rest, Arena *arena, Slice path, Slice *ret_answer, KubeError *error) {
    RestCall call = {.timeout_ns = PROBE_S * NS_PER_S, .answer_bytes_max = PROBE_BYTES_MAX, .unlimited = true};

    return get_path(rest, &call, arena, path, ret_answer, error);
}

ErrCode kube_rest_read(KubeRest *rest, Arena *arena, Slice path, Slice *ret_answer, KubeError *error) {
    RestCall call = {.timeout_ns = rest->options.call_timeout_ns, .answer_bytes_max = rest->options.answer_bytes_max};

    return get_path(rest, &call, arena, path, ret_answer, error);
}
