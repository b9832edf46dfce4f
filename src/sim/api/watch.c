// Watches: start, delivery, end.
//
// A watch is a position in the history of its kind. api_tell_watches goes through the events of all kinds in the order
// of revisions and opens each once for all watches; a watch whose position was dropped from the ring is ended as "too
// old". An object that begins or ceases to match a selector is delivered as added or deleted.
#include "sim/api/watch.h"

#include "base/alloc.h"
#include "sim/api/match.h"
#include "sim/api/request.h"

#include <inttypes.h>

static Match match_of(const KubeWatch *watch) {
    return (Match){watch->ns, watch->labels, watch->fields};
}

static void append(ApiServer *server, KubeWatch *watch) {
    KubeWatch **last = &server->watches;

    while (*last)
        last = &(*last)->next;
    *last = watch;
}

// Checks the revision. With initial events an old one only means "not older than", which the present state always
// satisfies.
static ErrCode check_revision(const Request *request, KubeRevision revision, bool initial_events) {
    const History *history = &request->store->kinds[request->kind].history;

    if (revision && !initial_events && revision < history->forgotten)
        return kube_fail(request->error, KUBE_REASON_EXPIRED, "too old resource version: %" PRIu64 " (%" PRIu64 ")",
                         revision, history->forgotten);
    if (revision > request->store->revision)
        return kube_fail(request->error, KUBE_REASON_TIMEOUT,
                         "Too large resource version: %" PRIu64 ", current: %" PRIu64, revision,
                         request->store->revision);
    return OK;
}

ErrCode do_watch(Request *request, const KubeWatchRequest *wanted, KubeSink sink, KubeWatch **ret_watch) {
    const History *history = &request->store->kinds[request->kind].history;
    KubeWatch *watch;
    Match match;

    TRY(check_revision(request, wanted->revision, wanted->initial_events));
    TRY(match_read(request, request->arena, wanted->ns, wanted->labels, wanted->fields, &match));
    watch = NEW(KubeWatch);
    CHECK(match_read(request, &watch->arena, wanted->ns, wanted->labels, wanted->fields, &match) == OK);
    watch->kind = request->kind;
    watch->ns = match.ns;
    watch->labels = match.labels;
    watch->fields = match.fields;
    watch->sink = sink;
    watch->initial = wanted->revision == 0 || wanted->initial_events;
    watch->initial_end = wanted->initial_events;
    watch->bookmarks = wanted->bookmarks;
    watch->told = wanted->revision;
    watch->position = history_seek(history, wanted->revision);
    append(request->server, watch);
    request->server->watches_stirred = true;
    *ret_watch = watch;
    return OK;
}

void do_unwatch(Request *request, KubeWatch *watch) {
    KubeWatch **link = &request->server->watches;

    while (*link && *link != watch)
        link = &(*link)->next;
    CHECK(*link, "a watch that this server does not know, or that was given back before");
    *link = watch->next;
    arena_free(&watch->arena);
    free(watch);
}

// Delivery.

static void tell(KubeWatch *watch, KubeEvent event) {
    event.kind = watch->kind;
    if (event.revision > watch->told)
        watch->told = event.revision;
    watch->ended |= !watch->sink.take(watch->sink.context, &event) || event.type == KUBE_ENDED;
}

static void end(KubeWatch *watch, KubeReason reason, const char *text) {
    KubeError error;

    kube_fail(&error, reason, "%s", text);
    tell(watch, (KubeEvent){.type = KUBE_ENDED, .revision = watch->told, .error = &error});
}

// Delivers the present state of the kind, object by object.
static void tell_initial(const Request *request, KubeWatch *watch) {
    const KindStore *kind = &request->store->kinds[watch->kind];
    Match match = match_of(watch);

    for (OrderPlace place = {0}; order_get(&kind->order, place) && !watch->ended;
         place = order_next(&kind->order, place)) {
        const Entry *entry = order_get(&kind->order, place);
        ArenaMark mark = arena_mark(request->arena);

        if (match_packed(request, &match, entry->packed)) {
            Value object = request_open(request, entry);

            tell(watch, (KubeEvent){.type = KUBE_ADDED, .revision = entry->packed->revision, .object = &object});
        }
        arena_rewind(request->arena, mark);
    }
    watch->initial = false;
    watch->told = request->store->revision;
    watch->position = kind->history.end;
    if (watch->initial_end && !watch->ended)
        tell(watch, (KubeEvent){.type = KUBE_BOOKMARK, .revision = watch->told, .initial_end = true});
}

// The event's type for a watch with this selector. False: not for this watch.
static bool event_for(const Request *request, const Match *match, const HistoryEvent *event, KubeEventType *ret_type) {
    bool before = event->previous && match_packed(request, match, event->previous);
    bool after = event->type != KUBE_DELETED && match_packed(request, match, event->object);

    if (after)
        *ret_type = before ? KUBE_MODIFIED : KUBE_ADDED;
    else
        *ret_type = KUBE_DELETED;
    return before || after;
}

// The object of an event: its new version, or the last one before its deletion or before it ceased to match.
static Value open_event(const Request *request, const HistoryEvent *event, bool left) {
    const Packed *packed = left ? event->previous : event->object;

    return packed_open(request->arena, &request->store->names, packed, event->revision, true);
}

// Delivers one event to the watches that have not had it.
static void tell_event(const Request *request, KubeKind kind, uint64_t number) {
    const HistoryEvent *event = history_get(&request->store->kinds[kind].history, number);
    Value now, before;
    bool opened[2] = {false, false}; // new version, previous version

    for (KubeWatch *watch = request->server->watches; watch; watch = watch->next) {
        KubeEventType type;
        Match match;
        bool left;

        if (watch->kind != kind || watch->ended || watch->initial || watch->position != number)
            continue;
        watch->position++;
        match = match_of(watch);
        if (!event_for(request, &match, event, &type))
            continue;
        left = type == KUBE_DELETED && event->type != KUBE_DELETED;
        if (!opened[left])
            *(left ? &before : &now) = open_event(request, event, left);
        opened[left] = true;
        tell(watch, (KubeEvent){.type = type, .revision = event->revision, .object = left ? &before : &now});
    }
}

// The least position of the watches of each kind. UINT64_MAX: no watch.
static void least_positions(const ApiServer *server, uint64_t *positions) {
    for (unsigned kind = 0; kind < KUBE_KIND_COUNT; kind++)
        positions[kind] = UINT64_MAX;
    for (const KubeWatch *watch = server->watches; watch; watch = watch->next) {
        if (!watch->ended && !watch->initial && watch->position < positions[watch->kind])
            positions[watch->kind] = watch->position;
    }
}

// The kind whose next event has the lowest revision. KUBE_KIND_COUNT: everything was delivered.
static KubeKind next_kind(const ApiServer *server, const uint64_t *positions) {
    KubeRevision least = UINT64_MAX;
    KubeKind first = KUBE_KIND_COUNT;

    for (unsigned kind = 0; kind < KUBE_KIND_COUNT; kind++) {
        const History *history = &server->store.kinds[kind].history;

        if (positions[kind] >= history->end || history_get(history, positions[kind])->revision >= least)
            continue;
        least = history_get(history, positions[kind])->revision;
        first = (KubeKind)kind;
    }
    return first;
}

// Handles watches that begin, and those whose position was dropped.
static bool settle_watches(const Request *request) {
    bool any = false;

    for (KubeWatch *watch = request->server->watches; watch; watch = watch->next) {
        const History *history = &request->store->kinds[watch->kind].history;

        if (watch->ended)
            continue;
        if (watch->initial) {
            tell_initial(request, watch);
            any = true;
        } else if (watch->position < history->first) {
            end(watch, KUBE_REASON_EXPIRED, "too old resource version: the watch fell behind the history that is kept");
            any = true;
        }
    }
    return any;
}

static bool tell_all(Request *request) {
    ApiServer *server = request->server;
    bool any = settle_watches(request);
    uint64_t positions[KUBE_KIND_COUNT];
    KubeKind kind;

    least_positions(server, positions);
    while ((kind = next_kind(server, positions)) != KUBE_KIND_COUNT) {
        ArenaMark mark = arena_mark(request->arena);

        tell_event(request, kind, positions[kind]++);
        arena_rewind(request->arena, mark);
        any = true;
    }
    return any;
}

// Called at every turn of the simulation; usually there is nothing to deliver.
bool api_tell_watches(ApiServer *server) {
    Request request = request_start(server, KUBE_POD, NULL);
    bool any = false;

    if (server->watches_stirred || server->told != server->store.revision) {
        server->watches_stirred = false;
        any = tell_all(&request);
        server->told = server->store.revision;
    }
    request_end(&request);
    return any;
}

void api_send_bookmarks(ApiServer *server) {
    Request request = request_start(server, KUBE_POD, NULL);

    for (KubeWatch *watch = server->watches; watch; watch = watch->next) {
        const History *history = &server->store.kinds[watch->kind].history;

        if (watch->bookmarks && !watch->ended && !watch->initial && watch->position == history->end)
            tell(watch, (KubeEvent){.type = KUBE_BOOKMARK, .revision = server->store.revision});
    }
    request_end(&request);
}

void api_drop_watches(ApiServer *server) {
    Request request = request_start(server, KUBE_POD, NULL);

    for (KubeWatch *watch = server->watches; watch; watch = watch->next) {
        if (!watch->ended)
            end(watch, KUBE_REASON_SERVICE_UNAVAILABLE, "the server closed the watch");
    }
    request_end(&request);
}

void api_forget_history(ApiServer *server) {
    Request request = request_start(server, KUBE_POD, NULL);

    store_forget(&server->store, server->store.revision);
    server->watches_stirred = true;
    request_end(&request);
}
