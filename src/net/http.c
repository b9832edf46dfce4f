// HTTP client: carrying out a call, and stopping it.
#include "base/alloc.h"
#include "base/check.h"
#include "base/descriptors.h"
#include "net/http_lanes.h"
#include "net/http_prepare.h"

#include <strings.h>

enum { CONNECT_TIMEOUT_S = 10, IDLE_MAX = 32, CALLS_MAX = 64, POLL_MS = 600000 };
static pthread_once_t started = PTHREAD_ONCE_INIT;

static void start_curl(void) {
    CHECK(curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK, "libcurl does not start");
}

static void init_monotonic(pthread_cond_t *condition) {
    pthread_condattr_t attributes;

    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(condition, &attributes);
    pthread_condattr_destroy(&attributes);
}

ErrCode http_client_new(const HttpOptions *options, HttpClient **ret_client, Err *err) {
    HttpClient *client = NEW(HttpClient);
    HttpOptions *own;

    (void)err;
    pthread_once(&started, start_curl);
    pthread_mutex_init(&client->lock, NULL);
    init_monotonic(&client->wakeup);
    atomic_init(&client->ends_ns, INT64_MAX);
    own = &client->options;
    *own = *options;
    own->ca_pem = arena_slice(&client->arena, options->ca_pem);
    own->tls_name = arena_slice(&client->arena, options->tls_name);
    own->proxy_url = arena_slice(&client->arena, options->proxy_url);
    own->user_agent = arena_slice(&client->arena, options->user_agent);
    own->connect_timeout_ns = own->connect_timeout_ns ? own->connect_timeout_ns : CONNECT_TIMEOUT_S * NS_PER_S;
    own->idle_max = own->idle_max ? own->idle_max : IDLE_MAX;
    own->calls_max = own->calls_max ? own->calls_max : CALLS_MAX;
    *ret_client = client;
    return OK;
}

void http_client_free(HttpClient *client) {
    if (!client)
        return;
    CHECK(!client->calls && !client->streams, "an HTTP client is freed while %u calls and %u streams run",
          client->calls, client->streams);
    lanes_free(client->idle);
    pthread_cond_destroy(&client->wakeup);
    pthread_mutex_destroy(&client->lock);
    arena_free(&client->arena);
    free(client);
}

HttpStop *http_stop_new(void) {
    HttpStop *stop = NEW(HttpStop);

    pthread_mutex_init(&stop->lock, NULL);
    return stop;
}

void http_stop_free(HttpStop *stop) {
    if (!stop)
        return;
    pthread_mutex_destroy(&stop->lock);
    free(stop);
}

void http_stop(HttpStop *stop) {
    pthread_mutex_lock(&stop->lock);
    atomic_store(&stop->stopped, true);
    if (stop->waiting)
        curl_multi_wakeup(stop->waiting);
    pthread_mutex_unlock(&stop->lock);
}

bool http_stopped(const HttpStop *stop) {
    return stop && atomic_load(&stop->stopped);
}

static void stop_attach(HttpStop *stop, CURLM *multi) {
    if (!stop)
        return;
    pthread_mutex_lock(&stop->lock);
    stop->waiting = multi;
    pthread_mutex_unlock(&stop->lock);
}

bool http_is_stopped(const HttpCall *call) {
    return http_stopped(call->request->stop) || http_client_is_over(call->client);
}

// Milliseconds until a time limit has to be checked although no bytes came.
static int poll_ms(const HttpClient *client) {
    int64_t ends_ns = atomic_load(&client->ends_ns), left_ms;

    if (ends_ns == INT64_MAX)
        return POLL_MS;
    left_ms = (ends_ns - clock_system_mono().ns) / NS_PER_MS + 1;
    return left_ms < 0 ? 0 : left_ms < POLL_MS ? (int)left_ms : POLL_MS;
}

// Sleeps until bytes arrive, until a timeout of libcurl's (the call's among them) is due, or until http_stop or
// http_client_end_within. An idle watch sleeps for long.
//
// A wake-up costs more than reading what caused it, so data that trickles in is gathered: the first after a silence is
// read at once, the following at the call's pace. Nothing is delayed before the answer has begun. The first poll may
// consume a wake-up, so whether the call is stopped is checked once more before the long sleep.
static void wait_for_bytes(CURLM *multi, const HttpCall *call) {
    uint32_t pace_ms = call->reply->status ? call->request->pace_ms : 0;
    const struct timespec pace = timespec_of_ns(pace_ms * NS_PER_MS);
    int ready = 0;

    if (pace_ms) {
        curl_multi_poll(multi, NULL, 0, 0, &ready);
        if (ready || http_is_stopped(call))
            return;
        nanosleep(&pace, NULL);
    }
    curl_multi_poll(multi, NULL, 0, poll_ms(call->client), NULL);
}

// Runs the transfer until it ends or is stopped.
static CURLcode transfer(HttpLane *lane, const HttpCall *call) {
    HttpStop *stop = call->request->stop;
    CURLcode result = CURLE_ABORTED_BY_CALLBACK;
    int running = 1, left;
    CURLMsg *message;

    CHECK(curl_multi_add_handle(lane->multi, lane->easy) == CURLM_OK, "libcurl refuses a handle");
    stop_attach(stop, lane->multi);
    while (running && !http_is_stopped(call)) {
        if (curl_multi_perform(lane->multi, &running) != CURLM_OK)
            break;
        if (running)
            wait_for_bytes(lane->multi, call);
    }
    stop_attach(stop, NULL);
    while ((message = curl_multi_info_read(lane->multi, &left))) {
        if (message->msg == CURLMSG_DONE)
            result = message->data.result;
    }
    curl_multi_remove_handle(lane->multi, lane->easy);
    return result;
}

// What the user should check after a failure; "": no advice.
static const char *hint_for(CURLcode result, const char *detail) {
    switch (result) {
    case CURLE_PEER_FAILED_VERIFICATION:
        return "; the server's certificate does not convince: is its authority the one that is configured, and its "
               "name that of the URL?";
    case CURLE_SSL_CACERT_BADFILE:
        return "; the authorities that are configured cannot be read as certificates";
    case CURLE_SSL_CERTPROBLEM:
        return "; the client's certificate and key cannot be used: do they belong together?";
    default:
        if (strstr(detail, "alert") && (strstr(detail, "certificate") || strstr(detail, "unknown ca")))
            return "; the server wants a client certificate that it can verify: none is configured, or of another "
                   "authority";
        return "";
    }
}

// Turns a failed transfer into an error. `detail` is libcurl's own text, which names hosts but no secrets.
static ErrCode explain(const HttpCall *call, CURLcode result, const char *detail, Err *err) {
    Arena scratch = {0};
    Slice what = http_describe(&scratch, call->request);
    const char *text = detail[0] ? detail : curl_easy_strerror(result), *hint = hint_for(result, detail);
    ErrCode code = ERR_IO;

    if (http_is_stopped(call)) {
        text = "stopped";
    } else if (call->no_descriptor || (result == CURLE_COULDNT_RESOLVE_HOST && !descriptors_are_left())) {
        text = http_no_descriptor(&scratch).ptr;
    } else if (call->held_back) {
        text = "not sent: held back";
    } else if (call->too_large) {
        code = ERR_TOO_LARGE;
        text = "the answer is larger than is allowed for";
    } else if (call->over_budget) {
        code = ERR_TOO_LARGE;
        text = "the answers under way are together larger than is allowed for";
    } else if (result == CURLE_OPERATION_TIMEDOUT) {
        code = ERR_TIMEOUT;
    } else if (result == CURLE_SEND_FAIL_REWIND) {
        text = "the connection broke while the request was sent; whether it was carried out is not known";
    }
    err_set(err, code, "%.*s: %s%s", SLICE_ARG(what), text, hint);
    arena_free(&scratch);
    return code;
}

ErrCode http_call(HttpClient *client, const HttpRequest *request, HttpReply *reply, Err *err) {
    struct curl_slist *headers = NULL, *connect_to = NULL;
    char detail[CURL_ERROR_SIZE] = "";
    HttpCall call = {.client = client, .request = request, .reply = reply, .begun = clock_system_awake()};
    HttpLane *lane;
    CURLcode result;
    long status = 0;
    ErrCode code;

    reply->status = 0;
    reply->retry_after_ns = 0;
    reply->is_json = reply->ended_early = false;
    reply->body.len = reply->head.len = 0;
    reply->budget = client->options.budget;
    TRY(lane_take(client, request, &lane, err));
    call.easy = lane->easy;
    code = http_prepare(&call, &headers, &connect_to, err);
    if (code == OK) {
        curl_easy_setopt(lane->easy, CURLOPT_ERRORBUFFER, detail);
        result = transfer(lane, &call);
        curl_easy_getinfo(lane->easy, CURLINFO_RESPONSE_CODE, &status);
        reply->status = (int)status;
        if (result != CURLE_OK && !reply->ended_early)
            code = explain(&call, result, detail, err);
    }
    lane_give_back(client, request, lane);
    curl_slist_free_all(headers);
    curl_slist_free_all(connect_to);
    return code;
}

void http_reply_free(HttpReply *reply) {
    buffer_free(&reply->body);
    buffer_free(&reply->head);
    memory_budget_give(reply->budget, reply->charged);
    reply->charged = 0;
}
