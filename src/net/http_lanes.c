// The pool of lanes: order of waiting calls, and which connections are kept for how long.
#include "net/http_lanes.h"

#include "base/alloc.h"
#include "base/check.h"
#include "base/descriptors.h"
#include "net/http_prepare.h"

Slice http_no_descriptor(Arena *arena) {
    return arena_printf(arena, "this process has no file descriptor left (%llu are allowed: ulimit -n)",
                        (unsigned long long)descriptors_allowed());
}

// --- lanes

void lanes_free(HttpLane *lane) {
    while (lane) {
        HttpLane *next = lane->next;

        curl_easy_cleanup(lane->easy);
        curl_multi_cleanup(lane->multi);
        free(lane);
        lane = next;
    }
}

// Makes a lane. NULL: no file descriptor is left. libcurl does without a descriptor for wake-ups, but then nothing
// could stop the call.
static HttpLane *lane_new(void) {
    HttpLane *lane = NEW(HttpLane);

    lane->multi = curl_multi_init();
    lane->easy = curl_easy_init();
    CHECK(lane->multi && lane->easy, "no memory for a connection");
    curl_multi_setopt(lane->multi, CURLMOPT_MAXCONNECTS, 1L);
    if (curl_multi_wakeup(lane->multi) == CURLM_OK)
        return lane;
    lanes_free(lane);
    return NULL;
}

// --- waiting for a turn

// Sleeps until `wakeup` is signalled, or until that time. Called under the lock.
static void await_news(HttpClient *client, int64_t until_ns) {
    int64_t ends_ns = atomic_load(&client->ends_ns), at_ns = until_ns < ends_ns ? until_ns : ends_ns;
    struct timespec at = timespec_of_ns(at_ns);

    if (at_ns == INT64_MAX)
        pthread_cond_wait(&client->wakeup, &client->lock);
    else
        pthread_cond_timedwait(&client->wakeup, &client->lock, &at);
}

bool http_client_rest(HttpClient *client, int64_t rest_ns) {
    int64_t until_ns = clock_system_mono().ns + rest_ns;

    if (rest_ns <= 0)
        return !http_client_is_over(client);
    pthread_mutex_lock(&client->lock);
    while (!http_client_is_over(client) && clock_system_mono().ns < until_ns)
        await_news(client, until_ns);
    pthread_mutex_unlock(&client->lock);
    return !http_client_is_over(client);
}

// Waits until fewer than calls_max calls run, and counts this one. False: timeout. Called under the lock.
static bool await_turn(HttpClient *client, int64_t timeout_ns) {
    int64_t until_ns = timeout_ns ? clock_system_mono().ns + timeout_ns : INT64_MAX;

    while (client->calls >= client->options.calls_max && !http_client_is_over(client) &&
           clock_system_mono().ns < until_ns)
        await_news(client, until_ns);
    if (client->calls >= client->options.calls_max)
        return false;
    client->calls++;
    return true;
}

static ErrCode fail(const HttpClient *client, const HttpRequest *request, bool has_turn, bool is_over, Err *err) {
    Arena scratch = {0};
    Slice what = http_describe(&scratch, request);
    ErrCode code = has_turn || is_over ? ERR_IO : ERR_TIMEOUT;

    if (is_over)
        err_set(err, code, "%.*s: stopped", SLICE_ARG(what));
    else if (has_turn)
        err_set(err, code, "%.*s: %.*s", SLICE_ARG(what), SLICE_ARG(http_no_descriptor(&scratch)));
    else
        err_set(err, code, "%.*s: %u other calls left no turn for this one in time", SLICE_ARG(what),
                client->options.calls_max);
    arena_free(&scratch);
    return code;
}

// Ends the call's count. Called under the lock.
static void leave(HttpClient *client, const HttpRequest *request) {
    client->streams -= request->is_stream;
    client->calls -= !request->is_stream;
    if (!request->is_stream)
        pthread_cond_broadcast(&client->wakeup);
}

ErrCode lane_take(HttpClient *client, const HttpRequest *request, HttpLane **ret_lane, Err *err) {
    HttpLane *lane = NULL;
    bool has_turn, is_over;

    pthread_mutex_lock(&client->lock);
    has_turn = request->is_stream || await_turn(client, request->timeout_ns);
    client->streams += request->is_stream;
    is_over = http_client_is_over(client);
    if (has_turn && !is_over) {
        lane = client->idle;
        if (lane)
            client->idle = lane->next;
        else
            lane = lane_new();
    }
    if (lane) {
        lane->next = client->running;
        client->running = lane;
    } else if (has_turn) {
        leave(client, request);
    }
    pthread_mutex_unlock(&client->lock);
    if (!lane)
        return fail(client, request, has_turn, is_over, err);
    *ret_lane = lane;
    return OK;
}

// Takes the lanes out of the pool that are too many or too old; newest first in the list, so these are its tail. Called
// under the lock.
static HttpLane *take_surplus(HttpClient *client, Mono now) {
    HttpLane **place = &client->idle, *surplus;
    uint32_t kept = 0;

    while (*place && kept < client->options.idle_max && mono_since(now, (*place)->idle_since) < KEPT_MAX_S * NS_PER_S) {
        place = &(*place)->next;
        kept++;
    }
    surplus = *place;
    *place = NULL;
    return surplus;
}

void lane_give_back(HttpClient *client, const HttpRequest *request, HttpLane *lane) {
    HttpLane **place = &client->running, *surplus;

    curl_easy_reset(lane->easy); // resets the call's options; the multi handle keeps the connection
    pthread_mutex_lock(&client->lock);
    while (*place != lane)
        place = &(*place)->next;
    *place = lane->next;
    lane->idle_since = clock_system_mono();
    lane->next = client->idle;
    client->idle = lane;
    surplus = take_surplus(client, lane->idle_since);
    leave(client, request);
    pthread_mutex_unlock(&client->lock);
    lanes_free(surplus);
}

// --- ending all calls

void http_client_end_within(HttpClient *client, int64_t rest_ns) {
    int64_t at_ns;

    if (__builtin_add_overflow(clock_system_mono().ns, rest_ns, &at_ns))
        at_ns = INT64_MAX;
    pthread_mutex_lock(&client->lock);
    atomic_store(&client->ends_ns, at_ns);
    for (HttpLane *lane = client->running; lane; lane = lane->next)
        curl_multi_wakeup(lane->multi);
    pthread_cond_broadcast(&client->wakeup);
    pthread_mutex_unlock(&client->lock);
}

bool http_client_is_over(HttpClient *client) {
    int64_t ends_ns = atomic_load(&client->ends_ns);

    return ends_ns != INT64_MAX && clock_system_mono().ns >= ends_ns;
}
