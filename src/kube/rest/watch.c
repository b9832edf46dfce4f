// Watches: a thread and a connection each, delivered event by event.
//
// A watch that begins with the present state asks the server to send it (sendInitialEvents, by default since Kubernetes
// 1.32). For a server that cannot, the state is listed in pages first, which looks the same to the sink.
#include "kube/rest/watch.h"

#include "base/alloc.h"
#include "base/check.h"
#include "base/random.h"
#include "base/thread.h"
#include "kube/rest/answer.h"
#include "kube/rest/list.h"
#include "kube/rest/request.h"
#include "kube/rest/unread.h"
#include "kube/rest/url.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

enum { STACK_BYTES = 1 << 20, LATE_S = 30, PAGE = 500, EVENT_ARENA_BYTES = 16 << 10, PACE_MS = 20 };

struct KubeWatch {
    KubeRest *rest;
    KubeWatchRequest request; // its texts are in `own`
    KubeSink sink;
    Arena own, event; // event: freed with each event
    ArenaMark event_start;
    HttpStop *stop;
    pthread_t thread;
    JsonFilter json_filter;
    KubeRevision told; // revision of the last event delivered
    bool enough;       // the sink returned false
    bool failed;       // `error` says why
    KubeError error;
};

// Delivers an event. False: the watch is over.
static bool tell(KubeWatch *watch, KubeEvent event) {
    if (http_stopped(watch->stop))
        watch->enough = true;
    if (watch->enough)
        return false;
    event.kind = watch->request.kind;
    if (event.revision > watch->told)
        watch->told = event.revision;
    watch->enough = !watch->sink.take(watch->sink.context, &event);
    return !watch->enough;
}

static bool stop_with(KubeWatch *watch) {
    watch->failed = true;
    return false;
}

static bool is_true(Slice text) {
    return slice_eq_text(text, "true");
}

static bool take_value(KubeWatch *watch, const Value *root) {
    static const struct {
        const char *name;
        KubeEventType type;
    } types[] = {{"ADDED", KUBE_ADDED}, {"MODIFIED", KUBE_MODIFIED}, {"DELETED", KUBE_DELETED}};
    Slice name = kube_text(root, "type", NULL);
    const Value *object = value_get_text(root, "object");
    KubeEvent event = {.revision = kube_revision(object)};

    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (slice_eq_text(name, types[i].name)) {
            event.type = types[i].type;
            event.object = object;
            return tell(watch, event);
        }
    }
    if (slice_eq_text(name, "BOOKMARK")) {
        event.type = KUBE_BOOKMARK;
        event.initial_end = is_true(kube_text(object, "metadata", "annotations", "k8s.io/initial-events-end", NULL));
        if (!watch->request.bookmarks && !event.initial_end)
            return true;
        return tell(watch, event);
    }
    if (slice_eq_text(name, "ERROR") && object)
        rest_status(object, 500, &watch->error);
    else
        rest_fail(&watch->error, ERR_IO, "a watch told an event of unknown type \"%.*s\"",
                  SLICE_ARG(slice_first(name, 40)));
    return stop_with(watch);
}

static bool take_event(void *context, Slice text) {
    KubeWatch *watch = context;
    size_t charged = 0;
    Value root;
    bool more;

    if (rest_read_within(watch->rest, &watch->event, text, &root, &charged, &watch->error) == OK)
        more = take_value(watch, &root);
    else
        more = stop_with(watch);
    arena_rewind(&watch->event, watch->event_start);
    memory_budget_give(&watch->rest->budget, charged);
    return more;
}

static bool feed_watch(void *context, Slice bytes) {
    return json_filter_feed(&((KubeWatch *)context)->json_filter, bytes);
}

// Random life of a watch, from half of the maximum to all of it, so that watches that began together do not end
// together.
static int64_t life_s(const KubeWatch *watch) {
    int64_t longest_s = watch->rest->options.watch_timeout_ns / NS_PER_S;
    Random random;

    random_seed(&random, (uint64_t)clock_system_mono().ns ^ (uint64_t)(uintptr_t)watch);
    longest_s = longest_s < 2 ? 2 : longest_s > INT32_MAX ? INT32_MAX : longest_s;
    return longest_s / 2 + random_below(&random, (uint32_t)(longest_s / 2 + 1));
}

static void add_queries(KubeWatch *watch, Buffer *url, KubeRevision revision, bool initial_events, int64_t timeout_s) {
    const KubeWatchRequest *request = &watch->request;
    Arena scratch = {0};

    url_add_query(url, "watch", SLICE("true"));
    url_add_query(url, "labelSelector", request->labels);
    url_add_query(url, "fieldSelector", request->fields);
    url_add_query(url, "timeoutSeconds", arena_printf(&scratch, "%" PRId64, timeout_s));
    if (revision)
        url_add_query(url, "resourceVersion", arena_printf(&scratch, "%" PRIu64, revision));
    if (request->bookmarks || initial_events)
        url_add_query(url, "allowWatchBookmarks", SLICE("true"));
    if (initial_events) {
        url_add_query(url, "sendInitialEvents", SLICE("true"));
        url_add_query(url, "resourceVersionMatch", SLICE("NotOlderThan"));
    }
    arena_free(&scratch);
}

// Streams until the watch is over. OK: the server or the sink ended it.
static ErrCode stream(KubeWatch *watch, KubeRevision revision, bool initial_events) {
    int64_t timeout_s = life_s(watch);
    RestCall call = {.verb = "watch",
                     .method = "GET",
                     .kind = watch->request.kind,
                     .sink = {feed_watch, watch},
                     .timeout_ns = (timeout_s + LATE_S) * NS_PER_S,
                     .stop = watch->stop,
                     .unlimited = true,
                     .is_stream = true,
                     .pace_ms = PACE_MS,
                     .impatient = true};
    HttpReply reply = {0};
    ErrCode code;

    rest_url(watch->rest, &call.url, watch->request.kind, watch->request.ns, SLICE(""), NULL);
    add_queries(watch, &call.url, revision, initial_events, timeout_s);
    json_filter_reset(&watch->json_filter);
    code = rest_do(watch->rest, &call, &reply, &watch->error);
    http_reply_free(&reply);
    json_filter_free(&watch->json_filter);
    buffer_free(&call.url);
    return code;
}

// Delivers the present state by pages, as sendInitialEvents would. `ret_revision`: where the watch goes on.
static ErrCode tell_by_lists(KubeWatch *watch, KubeRevision *ret_revision) {
    KubeListRequest request = {.kind = watch->request.kind,
                               .ns = watch->request.ns,
                               .labels = watch->request.labels,
                               .fields = watch->request.fields,
                               .limit = PAGE,
                               .at = watch->request.revision};
    Arena page = {0};
    KubeList list;

    do {
        ErrCode code = rest_list_until(watch->rest, watch->stop, &page, &request, &list, &watch->error);
        Arena next = {0};

        if (code != OK) {
            arena_free(&page);
            return code;
        }
        for (vec_each(const Value, item, &list.items)) {
            if (!tell(watch, (KubeEvent){.type = KUBE_ADDED, .object = item, .revision = kube_revision(item)}))
                break;
        }
        request.from = arena_slice(&next, list.next);
        arena_free(&page);
        page = next;
    } while (request.from.len && !watch->enough);
    arena_free(&page);
    *ret_revision = list.revision;
    tell(watch, (KubeEvent){.type = KUBE_BOOKMARK, .revision = list.revision, .initial_end = true});
    return OK;
}

// Whether the error says that the server does not know sendInitialEvents.
static bool is_too_old(const KubeError *error) {
    return (error->reason == KUBE_REASON_INVALID || error->reason == KUBE_REASON_BAD_REQUEST) &&
           slice_contains(slice_of(error->err.text), SLICE("sendInitialEvents"));
}

static ErrCode run(KubeWatch *watch) {
    KubeRevision revision = watch->request.revision;
    ErrCode code;

    if (!watch->request.initial_events)
        return stream(watch, revision, false);
    if (!atomic_load(&watch->rest->no_initial_events)) {
        code = stream(watch, revision, true);
        if (code == OK || !is_too_old(&watch->error))
            return code;
        atomic_store(&watch->rest->no_initial_events, true);
    }
    code = tell_by_lists(watch, &revision);
    return code == OK && !watch->enough ? stream(watch, revision, false) : code;
}

static void *watch_main(void *context) {
    KubeWatch *watch = context;
    ErrCode code;

    code = run(watch);
    if (code == OK && !watch->failed) {
        if (watch->json_filter.over_budget)
            rest_fail_budget(watch->rest, &watch->error);
        else if (watch->json_filter.failed == ERR_TOO_LARGE)
            rest_fail(&watch->error, ERR_TOO_LARGE, "an event of a watch is larger than %zu bytes",
                      watch->json_filter.bytes_max);
        else if (watch->json_filter.failed != OK)
            rest_fail(&watch->error, ERR_IO, "what a watch told cannot be read: no JSON");
        else
            rest_fail(&watch->error, ERR_IO, "the API server ended the watch");
    }
    tell(watch, (KubeEvent){.type = KUBE_ENDED, .revision = watch->told, .error = &watch->error});
    return NULL;
}

static void watch_free(KubeWatch *watch) {
    http_stop_free(watch->stop);
    json_filter_free(&watch->json_filter);
    arena_free(&watch->event);
    arena_free(&watch->own);
    free(watch);
}

static KubeWatch *watch_new(KubeRest *rest, const KubeWatchRequest *request, KubeSink sink) {
    KubeWatch *watch = NEW(KubeWatch);

    watch->rest = rest;
    watch->sink = sink;
    watch->request = *request;
    watch->request.ns = arena_slice(&watch->own, request->ns);
    watch->request.labels = arena_slice(&watch->own, request->labels);
    watch->request.fields = arena_slice(&watch->own, request->fields);
    watch->told = request->revision;
    watch->stop = http_stop_new();
    arena_reserve(&watch->event, EVENT_ARENA_BYTES);
    watch->event_start = arena_mark(&watch->event);
    watch->json_filter.bytes_max = rest->options.event_bytes_max;
    watch->json_filter.budget = &rest->budget;
    watch->json_filter.take = take_event;
    watch->json_filter.context = watch;
    if (!rest->options.whole_objects)
        rest_drop_unread(&watch->json_filter, request->kind, "object");
    return watch;
}

ErrCode rest_watch(void *self, const KubeWatchRequest *request, KubeSink sink, KubeWatch **ret_watch,
                   KubeError *error) {
    KubeWatch *watch = watch_new(self, request, sink);
    char name[32];
    Err err = {0};

    snprintf(name, sizeof name, "w:%.*s", SLICE_ARG(slice_first(kube_kind(request->kind)->resource, 20)));
    if (thread_start(&watch->thread, name, STACK_BYTES, watch_main, watch, &err) != OK) {
        watch_free(watch);
        return rest_fail(error, ERR_IO, "%s", err.text);
    }
    *ret_watch = watch;
    return OK;
}

void rest_unwatch(void *self, KubeWatch *watch) {
    (void)self;
    http_stop(watch->stop);
    pthread_join(watch->thread, NULL);
    watch_free(watch);
}
