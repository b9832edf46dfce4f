// Watches of the REST client: what the sink is told, how they end, and a server that is too old to begin with a state.
#include "base/buffer.h"
#include "harness/test.h"
#include "kube/rest/rest.h"
#include "net/support/canned.h"

#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef struct {
    Canned server;
    KubeRest *rest;
    Kube kube;
    pthread_mutex_t lock;
    sem_t ended, any;
    Buffer told;     // "ADDED name revision;"; guarded by `lock`
    Buffer observed; // "watch 200;"; likewise
    KubeError error;
    const char *stream; // what a watch is answered with
    bool hold;          // then nothing more, the connection stays
    bool too_old;       // sendInitialEvents is refused
    unsigned enough;    // after so many events the sink has enough; 0: never
    unsigned events;
} World;

static void say_chunk(int fd, const char *text) {
    char head[32];

    snprintf(head, sizeof head, "%zx\r\n", strlen(text));
    canned_say(fd, head);
    canned_say(fd, text);
    canned_say(fd, "\r\n");
}

static bool answer(Canned *server, const CannedRequest *request, int fd) {
    World *w = server->context;

    if (!slice_contains(request->line, SLICE("watch=true"))) {
        canned_json(fd, 200,
                    slice_contains(request->line, SLICE("continue=two"))
                        ? "{\"metadata\":{\"resourceVersion\":\"9\"},\"items\":[{\"metadata\":{\"name\":\"b\","
                          "\"resourceVersion\":\"5\"}}]}"
                        : "{\"metadata\":{\"resourceVersion\":\"9\",\"continue\":\"two\"},\"items\":[{\"metadata\":{"
                          "\"name\":\"a\",\"resourceVersion\":\"7\"}}]}");
        return true;
    }
    if (w->too_old && slice_contains(request->line, SLICE("sendInitialEvents"))) {
        canned_json(fd, 422,
                    "{\"kind\":\"Status\",\"status\":\"Failure\",\"reason\":\"Invalid\",\"code\":422,\"message\":"
                    "\"ListOptions.meta.k8s.io is invalid: sendInitialEvents: Forbidden: sendInitialEvents is "
                    "forbidden for watch unless the WatchList feature gate is enabled\"}");
        return true;
    }
    canned_say(fd, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n");
    for (const char *at = w->stream; *at;) { // in pieces that do not heed lines
        char piece[30];
        size_t len = strnlen(at, 29);

        memcpy(piece, at, len);
        piece[len] = 0;
        say_chunk(fd, piece);
        at += len;
    }
    if (w->hold)
        return true;
    canned_say(fd, "0\r\n\r\n");
    return true;
}

static bool take(void *context, const KubeEvent *event) {
    static const char *const words[] = {"ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ENDED"};
    World *w = context;
    bool more;

    pthread_mutex_lock(&w->lock);
    buffer_printf(&w->told, "%s%s %.*s %llu;", words[event->type], event->initial_end ? " INITIAL" : "",
                  SLICE_ARG(kube_name(event->object)), (unsigned long long)event->revision);
    if (event->error)
        w->error = *event->error;
    more = !w->enough || ++w->events < w->enough;
    pthread_mutex_unlock(&w->lock);
    sem_post(&w->any);
    if (event->type == KUBE_ENDED)
        sem_post(&w->ended);
    return more;
}

static void observe(void *context, const char *verb, KubeKind kind, int code, int64_t duration_ns) {
    World *w = context;

    assert_true(kind == KUBE_NODE || kind == KUBE_POD);
    assert_true(duration_ns > 0);
    pthread_mutex_lock(&w->lock);
    buffer_printf(&w->observed, "%s %d;", verb, code);
    pthread_mutex_unlock(&w->lock);
}

static World *setup(void) {
    World *w = calloc(1, sizeof *w);
    KubeConfig config = {0};
    KubeRestOptions options = {.event_bytes_max = 2000, .observer = {observe, w}};

    w->server.answer = answer;
    w->server.context = w;
    w->stream = "";
    pthread_mutex_init(&w->lock, NULL);
    sem_init(&w->ended, 0, 0);
    sem_init(&w->any, 0, 0);
    canned_start(&w->server);
    config.server = slice_of(w->server.url);
    assert_int_equal(kube_rest_open(&config, &options, &w->rest, NULL), OK);
    w->kube = kube_rest_kube(w->rest);
    return w;
}

static void teardown(World *w) {
    kube_rest_close(w->rest);
    canned_stop(&w->server);
    buffer_free(&w->told);
    buffer_free(&w->observed);
    free(w);
}

FIXTURE(World, setup, teardown);

static KubeWatch *watch(World *w, KubeWatchRequest request) {
    KubeWatch *result;

    assert_int_equal(kube_watch(w->kube, &request, (KubeSink){take, w}, &result, NULL), OK);
    return result;
}

// Lets the watch run to its end.
static void watch_all(World *w, KubeWatchRequest request) {
    KubeWatch *own = watch(w, request);

    sem_wait(&w->ended);
    kube_unwatch(w->kube, own);
    canned_settle(&w->server);
}

static void assert_told(World *w, const char *expected) {
    pthread_mutex_lock(&w->lock);
    if (!slice_eq_text(buffer_slice(&w->told), expected))
        fail_msg("expected %s got %.*s", expected, SLICE_ARG(buffer_slice(&w->told)));
    pthread_mutex_unlock(&w->lock);
}

static void assert_observed(World *w, const char *expected) {
    pthread_mutex_lock(&w->lock);
    if (!slice_eq_text(buffer_slice(&w->observed), expected))
        fail_msg("expected %s got %.*s", expected, SLICE_ARG(buffer_slice(&w->observed)));
    pthread_mutex_unlock(&w->lock);
}

#define OBJECT(name, revision) "{\"metadata\":{\"name\":\"" name "\",\"resourceVersion\":\"" revision "\"}}"

TEST_F(World, w, events_are_delivered_in_order) {
    w->stream = "{\"type\":\"ADDED\",\"object\":" OBJECT("a", "3") "}\n{\"type\":\"MODIFIED\",\"object\":" OBJECT(
        "a", "4") "}\n"
                  "{\"type\":\"BOOKMARK\",\"object\":{\"metadata\":{\"resourceVersion\":\"8\"}}}\n"
                  "{\"type\":\"DELETED\",\"object\":" OBJECT("a", "9") "}\n";
    watch_all(w, (KubeWatchRequest){.kind = KUBE_NODE, .revision = 2, .bookmarks = true, .labels = SLICE("a=b")});
    assert_told(w, "ADDED a 3;MODIFIED a 4;BOOKMARK  8;DELETED a 9;ENDED  9;");
    assert_int_equal(w->error.err.code, ERR_IO);
    assert_true(slice_starts_with(slice_of(w->server.log),
                                  SLICE("GET /api/v1/nodes?watch=true&labelSelector=a%3Db&timeoutSeconds=")));
    assert_true(slice_ends_with(slice_of(w->server.log), SLICE("&resourceVersion=2&allowWatchBookmarks=true\n")));
}

TEST_F(World, w, bookmarks_are_dropped_unless_requested) {
    w->stream = "{\"type\":\"BOOKMARK\",\"object\":{\"metadata\":{\"resourceVersion\":\"8\"}}}\n";
    watch_all(w, (KubeWatchRequest){.kind = KUBE_NODE, .revision = 2});
    assert_told(w, "ENDED  2;");
    assert_null(strstr(w->server.log, "Bookmarks"));
}

TEST_F(World, w, initial_events_end_with_their_bookmark) {
    w->stream = "{\"type\":\"ADDED\",\"object\":" OBJECT(
        "a", "3") "}\n{\"type\":\"BOOKMARK\",\"object\":{\"metadata\":{"
                  "\"resourceVersion\":\"5\",\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}}}}\n";
    watch_all(w, (KubeWatchRequest){.kind = KUBE_NODE, .initial_events = true});
    assert_told(w, "ADDED a 3;BOOKMARK INITIAL  5;ENDED  5;");
    assert_non_null(
        strstr(w->server.log, "&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan\n"));
}

TEST_F(World, w, a_server_that_is_too_old_is_listed_first) {
    w->too_old = true;
    w->stream = "{\"type\":\"DELETED\",\"object\":" OBJECT("a", "12") "}\n";
    watch_all(w, (KubeWatchRequest){.kind = KUBE_POD, .ns = SLICE("x"), .initial_events = true, .bookmarks = true});
    assert_told(w, "ADDED a 7;ADDED b 5;BOOKMARK INITIAL  9;DELETED a 12;ENDED  12;");
    assert_non_null(strstr(w->server.log, "pods?limit=500\n"));
    assert_non_null(strstr(w->server.log, "&resourceVersion=9&allowWatchBookmarks=true\n"));
    assert_int_equal(canned_requests(&w->server), 4);
    assert_observed(w, "watch 422;list 200;list 200;watch 200;");
    watch_all(w, (KubeWatchRequest){.kind = KUBE_POD, .ns = SLICE("x"), .initial_events = true});
    assert_int_equal(canned_requests(&w->server), 7); // it is not asked again what it does not know
}

TEST_F(World, w, an_error_in_the_stream_ends_the_watch) {
    w->hold = true;
    w->stream =
        "{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"code\":410,\"reason\":\"Expired\",\"message\":\"too old "
        "resource version: 1 (7)\"}}\n{\"type\":\"ADDED\",\"object\":" OBJECT("a", "3") "}\n";
    watch_all(w, (KubeWatchRequest){.kind = KUBE_NODE, .revision = 1});
    assert_told(w, "ENDED  1;");
    assert_int_equal(w->error.err.code, ERR_GONE);
    assert_int_equal(w->error.reason, KUBE_REASON_EXPIRED);
    assert_string_equal(w->error.err.text, "too old resource version: 1 (7)");
}

TEST_F(World, w, nonsense_in_the_stream_ends_the_watch) {
    static const char *const streams[] = {"<html>", "[]", "{\"type\":\"NEW\",\"object\":{}}",
                                          "{\"type\":tru,\"object\":{}}"};

    w->hold = true;
    for (size_t i = 0; i < sizeof streams / sizeof *streams; i++) {
        w->stream = streams[i];
        watch_all(w, (KubeWatchRequest){.kind = KUBE_NODE, .revision = 1});
        assert_int_equal(w->error.err.code, ERR_IO);
    }
    assert_told(w, "ENDED  1;ENDED  1;ENDED  1;ENDED  1;");
}

TEST_F(World, w, events_have_a_bound_that_dropped_bytes_do_not_count_for) {
    char text[8192], fields[3000];

    memset(fields, 'x', sizeof fields - 1);
    fields[sizeof fields - 1] = 0;
    w->hold = true;
    snprintf(text, sizeof text,
             "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"managedFields\":\"%s\",\"name\":\"a\","
             "\"resourceVersion\":\"3\"}}}\n"
             "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"%s\",\"resourceVersion\":\"4\"}}}\n",
             fields, fields);
    w->stream = text;
    watch_all(w, (KubeWatchRequest){.kind = KUBE_NODE, .revision = 1});
    assert_told(w, "ADDED a 3;ENDED  3;");
    assert_int_equal(w->error.err.code, ERR_TOO_LARGE);
}

TEST_F(World, w, a_watch_that_waits_is_ended_at_once_and_in_silence) {
    int64_t took_ns;
    Mono begun;
    KubeWatch *own;

    w->hold = true;
    w->stream = "{\"type\":\"ADDED\",\"object\":" OBJECT("a", "3") "}\n";
    own = watch(w, (KubeWatchRequest){.kind = KUBE_NODE, .revision = 1});
    sem_wait(&w->any);
    assert_observed(w, "watch 200;"); // it has been answered, though it goes on
    begun = clock_system_mono();
    kube_unwatch(w->kube, own);
    took_ns = mono_since(clock_system_mono(), begun);
    assert_told(w, "ADDED a 3;");
    assert_observed(w, "watch 200;");
    assert_true(took_ns < 30 * NS_PER_S); // and not when its time is over, minutes later
}

TEST_F(World, w, a_sink_that_has_enough_hears_no_more) {
    KubeWatch *own;

    w->enough = 1;
    w->stream =
        "{\"type\":\"ADDED\",\"object\":" OBJECT("a", "3") "}\n{\"type\":\"ADDED\",\"object\":" OBJECT("b", "4") "}\n";
    own = watch(w, (KubeWatchRequest){.kind = KUBE_NODE, .revision = 1});
    sem_wait(&w->any);
    kube_unwatch(w->kube, own);
    assert_told(w, "ADDED a 3;");
}

TEST_F(World, w, a_refused_watch_says_why) {
    w->too_old = true;
    canned_stop(&w->server);
    watch_all(w, (KubeWatchRequest){.kind = KUBE_NODE, .revision = 5});
    assert_told(w, "ENDED  5;");
    assert_int_equal(w->error.reason, KUBE_REASON_NONE);
    assert_int_equal(w->error.err.code, ERR_IO);
    canned_start(&w->server);
}
