// The pool of lanes: whose turn it is, which connections are kept, and for how long.
#include "net/http_parts.h"

#include "base/check.h"

#include <errno.h>
#include <stdlib.h>

void lanes_free(HttpLane *lane) {
    while (lane) {
        HttpLane *next = lane->next;

        curl_easy_cleanup(lane->easy);
        curl_multi_cleanup(lane->multi);
        free(lane);
        lane = next;
    }
}

static HttpLane *lane_new(void) {
    HttpLane *lane = calloc(1, sizeof *lane);

    CHECK(lane, "no memory for a connection");
    lane->multi = curl_multi_init();
    lane->easy = curl_easy_init();
    CHECK(lane->multi && lane->easy, "no memory for a connection");
    curl_multi_setopt(lane->multi, CURLMOPT_MAXCONNECTS, 1L);
    return lane;
}

// Waits until fewer than calls_max run and counts this one. False: not in time. Under the lock.
static bool await_turn(HttpClient *client, int64_t timeout_ns) {
    struct timespec until = timespec_of_ns(mono_after(clock_system_mono(), timeout_ns).ns);
    int failed = 0;

    while (client->calls >= client->options.calls_max && failed != ETIMEDOUT) {
        if (timeout_ns)
            failed = pthread_cond_timedwait(&client->call_ended, &client->lock, &until);
        else
            pthread_cond_wait(&client->call_ended, &client->lock);
    }
    if (client->calls >= client->options.calls_max)
        return false;
    client->calls++;
    return true;
}

ErrCode lane_take(HttpClient *client, const HttpRequest *request, HttpLane **ret_lane, Err *err) {
    HttpLane *lane = NULL;
    bool mine;

    pthread_mutex_lock(&client->lock);
    mine = request->is_stream || await_turn(client, request->timeout_ns);
    client->streams += request->is_stream;
    if (mine && client->idle) {
        lane = client->idle;
        client->idle = lane->next;
    }
    pthread_mutex_unlock(&client->lock);
    if (!mine) {
        Arena scratch = {0};
        Slice what = http_describe(&scratch, request);

        err_set(err, ERR_TIMEOUT, "%.*s: %u other calls left no turn for this one in time", SLICE_ARG(what),
                client->options.calls_max);
        arena_free(&scratch);
        return ERR_TIMEOUT;
    }
    *ret_lane = lane ? lane : lane_new();
    (*ret_lane)->next = NULL;
    return OK;
}

// Takes the lanes out of the pool that are too many or too old: the newest stand first, so it is all behind one place.
// Under the lock.
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
    HttpLane *surplus;

    curl_easy_reset(lane->easy); // forgets the call; the connection stays with the multi handle
    pthread_mutex_lock(&client->lock);
    lane->idle_since = clock_system_mono();
    lane->next = client->idle;
    client->idle = lane;
    surplus = take_surplus(client, lane->idle_since);
    client->streams -= request->is_stream;
    if (!request->is_stream) {
        client->calls--;
        pthread_cond_signal(&client->call_ended);
    }
    pthread_mutex_unlock(&client->lock);
    lanes_free(surplus);
}
