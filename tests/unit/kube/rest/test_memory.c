// Memory while a large cluster is listed and watched: that of a page and of an event.
#include "base/buffer.h"
#include "harness/test.h"
#include "kube/rest/rest.h"
#include "net/support/canned.h"

#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

enum {
    PODS = SANITIZED ? 10000 : 100000, // sanitizers are slow, and their memory use is not comparable
    PAGE = 500,
    MANAGED_BYTES = 2500, // of managedFields in each pod
    PAGE_ARENA_MAX = 8 << 20,
    RESIDENT_MAX = 24 << 20, // the answer that the server prepares among it
    EVENT_MAX = 3000,
};

typedef struct {
    Canned server;
    KubeRest *rest;
    Kube kube;
    sem_t ended;
    unsigned told, ends; // pods; initial ends
    KubeError error;
    Buffer stream; // what a watch is answered with
} World;

static void add_pod(Buffer *text, unsigned number) {
    static char managed[MANAGED_BYTES + 1];

    if (!managed[0])
        memset(managed, 'm', MANAGED_BYTES);
    buffer_printf(text,
                  "{\"metadata\":{\"name\":\"pod-%06u\",\"namespace\":\"default\",\"uid\":\"uid-%u\","
                  "\"resourceVersion\":\"%u\",\"labels\":{\"app\":\"web-%u\"},\"managedFields\":[{\"f:a\":\"%s\"}]},"
                  "\"spec\":{\"containers\":[{\"name\":\"main\",\"image\":\"registry/web:%u\",\"resources\":{"
                  "\"requests\":{\"cpu\":\"100m\",\"memory\":\"64Mi\"}},\"env\":[{\"name\":\"A\",\"value\":\"%u\"}]}],"
                  "\"nodeName\":\"node-%u\"},\"status\":{\"phase\":\"Running\",\"conditions\":[{\"type\":\"Ready\","
                  "\"status\":\"True\"}]}}",
                  number, number, number + 1, number % 100, managed, number, number, number % 1000);
}

static void answer_page(int fd, unsigned first) {
    Buffer text = {0};

    buffer_printf(&text, "{\"metadata\":{\"resourceVersion\":\"%d\"", PODS + 1);
    if (first + PAGE < PODS)
        buffer_printf(&text, ",\"continue\":\"%u\",\"remainingItemCount\":%u", first + PAGE, PODS - first - PAGE);
    buffer_append(&text, SLICE("},\"items\":["));
    for (unsigned i = first; i < first + PAGE && i < PODS; i++) {
        if (i > first)
            buffer_append_char(&text, ',');
        add_pod(&text, i);
    }
    buffer_append(&text, SLICE("]}"));
    buffer_append_char(&text, 0);
    canned_json(fd, 200, text.bytes);
    buffer_free(&text);
}

static bool answer(Canned *server, const CannedRequest *request, int fd) {
    World *w = server->context;
    const char *from = strstr(request->line.ptr, "continue=");

    if (slice_contains(request->line, SLICE("sendInitialEvents"))) {
        canned_json(fd, 422,
                    "{\"kind\":\"Status\",\"status\":\"Failure\",\"reason\":\"Invalid\",\"code\":422,\"message\":"
                    "\"sendInitialEvents: Forbidden\"}");
    } else if (slice_contains(request->line, SLICE("watch=true"))) {
        buffer_append_char(&w->stream, 0);
        canned_json(fd, 200, w->stream.bytes);
    } else {
        assert_true(slice_contains(request->line, SLICE("limit=500")));
        answer_page(fd, from ? (unsigned)atoi(from + strlen("continue=")) : 0);
    }
    return true;
}

static bool take(void *context, const KubeEvent *event) {
    World *w = context;

    w->told += event->type == KUBE_ADDED;
    w->ends += event->initial_end;
    if (event->type == KUBE_ENDED) {
        w->error = *event->error;
        sem_post(&w->ended);
    }
    return true;
}

static World *setup(void) {
    World *w = calloc(1, sizeof *w);
    KubeConfig config = {0};
    KubeRestOptions options = {.qps = -1, .event_bytes_max = EVENT_MAX};

    w->server.answer = answer;
    w->server.context = w;
    sem_init(&w->ended, 0, 0);
    canned_start(&w->server);
    config.server = slice_of(w->server.url);
    assert_int_equal(kube_rest_open(&config, &options, &w->rest, NULL), OK);
    w->kube = kube_rest_kube(w->rest);
    return w;
}

static void teardown(World *w) {
    kube_rest_close(w->rest);
    canned_stop(&w->server);
    buffer_free(&w->stream);
    free(w);
}

FIXTURE(World, setup, teardown);

// The most memory that the process ever had.
static int64_t resident_most(void) {
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return (int64_t)usage.ru_maxrss * 1024;
}

static void assert_small(const char *what, int64_t before) {
    int64_t more = resident_most() - before;

    printf("%s of %d pods: %.1f MiB above what was there\n", what, PODS, (double)more / (1 << 20));
    if (!SANITIZED)
        assert_true(more < RESIDENT_MAX);
}

TEST_F(World, w, a_list_takes_the_memory_of_a_page) {
    KubeListRequest request = {.kind = KUBE_POD, .limit = PAGE};
    int64_t before = resident_most();
    Arena page = {0}, next = {0};
    size_t most = 0, pods = 0;
    KubeList list;

    do {
        assert_int_equal(kube_list(w->kube, &page, &request, &list, &w->error), OK);
        pods += list.items.count;
        most = arena_used(&page) > most ? arena_used(&page) : most;
        next = (Arena){0};
        request.from = arena_slice(&next, list.next);
        arena_free(&page);
        page = next;
    } while (request.from.len);
    arena_free(&page);
    assert_int_equal(pods, PODS);
    assert_true(most < PAGE_ARENA_MAX);
    printf("a page of %d pods decodes to %.2f MiB\n", PAGE, (double)most / (1 << 20));
    assert_small("a list", before);
}

static void watch_to_the_end(World *w, KubeWatchRequest request) {
    KubeWatch *watch;

    w->told = 0;
    assert_int_equal(kube_watch(w->kube, &request, (KubeSink){take, w}, &watch, NULL), OK);
    sem_wait(&w->ended);
    kube_unwatch(w->kube, watch);
    canned_settle(&w->server);
}

TEST_F(World, w, a_watch_that_begins_with_lists_too) {
    int64_t before = resident_most();

    watch_to_the_end(w, (KubeWatchRequest){.kind = KUBE_POD, .initial_events = true});
    assert_int_equal(w->told, PODS);
    assert_int_equal(w->ends, 1);
    assert_small("a watch", before);
}

// An event that is `bytes` long once managedFields are dropped.
static void add_event(Buffer *stream, size_t bytes) {
    static const char head[] = "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"resourceVersion\":\"3\"",
                      name[] = ",\"name\":\"", tail[] = "\"}}}";

    buffer_printf(stream, "%s,\"managedFields\":[\"%0*d\"]%s", head, EVENT_MAX, 7, name);
    for (size_t i = strlen(head) + strlen(name) + strlen(tail); i < bytes; i++)
        buffer_append_char(stream, 'n');
    buffer_printf(stream, "%s\n", tail);
}

TEST_F(World, w, an_event_of_the_maximum_passes_and_one_above_ends_the_watch) {
    for (int i = 0; i < 3; i++)
        add_event(&w->stream, EVENT_MAX);
    watch_to_the_end(w, (KubeWatchRequest){.kind = KUBE_POD, .revision = 1});
    assert_int_equal(w->told, 3);
    assert_int_equal(w->error.err.code, ERR_IO); // the server ended it
    w->stream.len = 0;
    add_event(&w->stream, EVENT_MAX);
    add_event(&w->stream, EVENT_MAX + 1);
    add_event(&w->stream, EVENT_MAX);
    watch_to_the_end(w, (KubeWatchRequest){.kind = KUBE_POD, .revision = 1});
    assert_int_equal(w->told, 1);
    assert_int_equal(w->error.err.code, ERR_TOO_LARGE);
    assert_non_null(strstr(w->error.err.text, "3000 bytes"));
}
