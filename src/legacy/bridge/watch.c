// Watches: several behind one.
#include "legacy/bridge/parts.h"

#include "base/alloc.h"
#include "legacy/present/names.h"
#include "text/value_edit.h"

// The watch of one kind behind it.
typedef struct {
    BridgeWatch *watch;
    KubeKind kind;
    KubeWatch *inner;
    bool listed; // its initial events are complete
    KubeRevision revision;
} Stream;

// A Provisioner or an AWSNodeTemplate, kept by watches of classes, which are made of both.
typedef struct Source Source;
struct Source {
    KubeKind kind;
    Arena arena;
    Value object;
    Source *next;
};

struct BridgeWatch {
    Bridge *bridge;
    BridgeWatch *next; // guarded by the bridge's lock
    KubeSink sink;
    KubeKind kind;
    pthread_mutex_t lock; // streams come on threads of their own; guards all below and the sink
    Stream streams[1 + BRIDGE_OLD_KINDS];
    uint32_t count;
    bool wants_end, over; // a bookmark ends the initial events; nothing more is delivered
    Source *sources;
};

// --- sources

static Source **find_source(BridgeWatch *watch, KubeKind kind, Slice name) {
    Source **at = &watch->sources;

    while (*at && !((*at)->kind == kind && slice_eq(kube_name(&(*at)->object), name)))
        at = &(*at)->next;
    return at;
}

static void forget(Source **at) {
    Source *source = *at;

    if (!source)
        return;
    *at = source->next;
    arena_free(&source->arena);
    free(source);
}

static void keep_source(BridgeWatch *watch, KubeKind kind, const Value *object) {
    Source *source = NEW(Source);

    forget(find_source(watch, kind, kube_name(object)));
    *source = (Source){.kind = kind, .next = watch->sources};
    source->object = value_copy(&source->arena, object);
    watch->sources = source;
}

static const Value *source_object(BridgeWatch *watch, KubeKind kind, Slice name) {
    Source *source = name.len ? *find_source(watch, kind, name) : NULL;

    return source ? &source->object : NULL;
}

// --- delivery

static bool deliver(BridgeWatch *watch, const KubeEvent *event) {
    watch->over |= !watch->sink.take(watch->sink.context, event);
    return !watch->over;
}

static bool tell(BridgeWatch *watch, KubeEventType type, KubeRevision revision, const Value *object) {
    return deliver(watch, &(KubeEvent){.type = type, .kind = watch->kind, .revision = revision, .object = object});
}

// Tells of an object of a kind behind, if there is something to show.
static bool tell_shown(BridgeWatch *watch, KubeEventType type, KubeRevision revision, KubeKind from,
                       const Value *object, const Value *template) {
    Arena arena = {0};
    Value shown;
    bool goes_on = true;

    if (bridge_present(watch->bridge, &arena, watch->kind, from, object, template, &shown))
        goes_on = tell(watch, type, revision, &shown);
    arena_free(&arena);
    return goes_on;
}

// A Provisioner's own class, which ends when it needs none any more, and depends on its template.
static bool take_provisioner(BridgeWatch *watch, const KubeEvent *event) {
    Slice name = kube_name(event->object);
    const Value *before = source_object(watch, KUBE_PROVISIONER, name);
    const Value *template = source_object(watch, KUBE_AWS_NODE_TEMPLATE, provisioner_template(event->object));
    bool goes_on = true, gone = event->type == KUBE_DELETED;

    if (before && provisioner_owns_class(before) && !gone && !provisioner_owns_class(event->object))
        goes_on = tell_shown(watch, KUBE_DELETED, event->revision, KUBE_PROVISIONER, before,
                             source_object(watch, KUBE_AWS_NODE_TEMPLATE, provisioner_template(before)));
    if (goes_on)
        goes_on = tell_shown(watch, event->type, event->revision, KUBE_PROVISIONER, event->object, template);
    if (gone)
        forget(find_source(watch, KUBE_PROVISIONER, name));
    else
        keep_source(watch, KUBE_PROVISIONER, event->object);
    return goes_on;
}

static bool depends_on(const Source *source, Slice template) {
    return source->kind == KUBE_PROVISIONER && provisioner_owns_class(&source->object) &&
           slice_eq(provisioner_template(&source->object), template);
}

static bool take_template(BridgeWatch *watch, const KubeEvent *event) {
    bool gone = event->type == KUBE_DELETED;
    Slice name = kube_name(event->object);
    bool goes_on = tell_shown(watch, event->type, event->revision, KUBE_AWS_NODE_TEMPLATE, event->object, NULL);

    for (Source *source = watch->sources; source && goes_on; source = source->next) {
        if (depends_on(source, name))
            goes_on = tell_shown(watch, gone ? KUBE_DELETED : KUBE_MODIFIED, event->revision, KUBE_PROVISIONER,
                                 &source->object, event->object);
    }
    if (gone)
        forget(find_source(watch, KUBE_AWS_NODE_TEMPLATE, name));
    else
        keep_source(watch, KUBE_AWS_NODE_TEMPLATE, event->object);
    return goes_on;
}

// --- one watch of all streams

static bool all_listed(const BridgeWatch *watch, KubeRevision *ret_revision) {
    KubeRevision least = 0;

    for (uint32_t i = 0; i < watch->count; i++) {
        const Stream *stream = &watch->streams[i];

        if (!stream->listed)
            return false;
        if (stream->revision && (!least || stream->revision < least))
            least = stream->revision;
    }
    *ret_revision = least;
    return true;
}

static bool end_initial(BridgeWatch *watch) {
    KubeEvent end = {.type = KUBE_BOOKMARK, .kind = watch->kind, .initial_end = true};

    if (!watch->wants_end || !all_listed(watch, &end.revision))
        return true;
    watch->wants_end = false;
    return deliver(watch, &end);
}

static bool take_bookmark(Stream *stream, const KubeEvent *event) {
    bool first = stream == stream->watch->streams;

    if (!event->initial_end)
        return first && !stream->watch->wants_end ? deliver(stream->watch, event) : true;
    stream->listed = true;
    stream->revision = event->revision;
    return end_initial(stream->watch);
}

// Whether an end says more than that the state is to be listed again: today's kind has no definition any more (of an
// old one the next list shows it), or nobody allows the watch.
static bool is_of_its_own(const Stream *stream, ErrCode code) {
    return code == ERR_DENIED || (code == ERR_NOT_FOUND && stream == stream->watch->streams);
}

// A kind that has no definition has no objects.
static bool take_end(Stream *stream, const KubeEvent *event) {
    BridgeWatch *watch = stream->watch;
    KubeError error = event->error ? *event->error : (KubeError){0};
    KubeEvent end = *event;

    if (stream != watch->streams && error.err.code == ERR_NOT_FOUND && !stream->listed) {
        stream->listed = true;
        return end_initial(watch);
    }
    if (watch->count > 1 && !is_of_its_own(stream, error.err.code))
        kube_fail(&error, KUBE_REASON_EXPIRED, "one of the watches behind ended: %.200s", error.err.text);
    end.kind = watch->kind;
    end.error = &error;
    deliver(watch, &end);
    watch->over = true;
    return false;
}

static bool take_object(Stream *stream, const KubeEvent *event) {
    BridgeWatch *watch = stream->watch;

    if (stream == watch->streams)
        return watch->kind == KUBE_NODE
                   ? tell_shown(watch, event->type, event->revision, KUBE_NODE, event->object, NULL)
                   : deliver(watch, event);
    if (watch->kind == KUBE_EC2_NODE_CLASS)
        return stream->kind == KUBE_PROVISIONER ? take_provisioner(watch, event) : take_template(watch, event);
    return tell_shown(watch, event->type, event->revision, stream->kind, event->object, NULL);
}

static bool take_event(Stream *stream, const KubeEvent *event) {
    switch (event->type) {
    case KUBE_BOOKMARK:
        return take_bookmark(stream, event);
    case KUBE_ENDED:
        return take_end(stream, event);
    default:
        return take_object(stream, event);
    }
}

static bool take(void *context, const KubeEvent *event) {
    Stream *stream = context;
    bool goes_on;

    pthread_mutex_lock(&stream->watch->lock);
    goes_on = !stream->watch->over && take_event(stream, event);
    pthread_mutex_unlock(&stream->watch->lock);
    return goes_on;
}

// --- start and end

static bool depends_on_definitions(KubeKind kind) {
    return kind == KUBE_NODE_POOL || kind == KUBE_NODE_CLAIM || kind == KUBE_EC2_NODE_CLASS || kind == KUBE_NODE;
}

static void enlist(BridgeWatch *watch) {
    Bridge *bridge = watch->bridge;

    pthread_mutex_lock(&bridge->lock);
    watch->next = bridge->watches;
    bridge->watches = watch;
    pthread_mutex_unlock(&bridge->lock);
}

static void strike(BridgeWatch *watch) {
    Bridge *bridge = watch->bridge;
    BridgeWatch **at = &bridge->watches;

    pthread_mutex_lock(&bridge->lock);
    while (*at && *at != watch)
        at = &(*at)->next;
    if (*at)
        *at = watch->next;
    pthread_mutex_unlock(&bridge->lock);
}

static void free_watch(BridgeWatch *watch) {
    strike(watch);
    for (uint32_t i = 0; i < watch->count; i++) {
        if (watch->streams[i].inner)
            kube_unwatch(watch->bridge->inner, watch->streams[i].inner);
    }
    while (watch->sources)
        forget(&watch->sources);
    pthread_mutex_destroy(&watch->lock);
    free(watch);
}

// Ends a watch as too old, so that who watches lists again.
static void renew(BridgeWatch *watch) {
    KubeError error = {0};
    KubeEvent end = {.type = KUBE_ENDED, .kind = watch->kind, .error = &error, .anew = true};

    kube_fail(&error, KUBE_REASON_EXPIRED, "the definitions of Provisioner, AWSNodeTemplate and Machine have changed");
    pthread_mutex_lock(&watch->lock);
    if (!watch->over)
        deliver(watch, &end);
    watch->over = true;
    pthread_mutex_unlock(&watch->lock);
}

void bridge_know(Bridge *bridge, uint32_t known) {
    if (atomic_exchange(&bridge->known, known) == known)
        return;
    pthread_mutex_lock(&bridge->lock);
    for (BridgeWatch *watch = bridge->watches; watch; watch = watch->next)
        renew(watch);
    pthread_mutex_unlock(&bridge->lock);
}

// In the bridge's list before its kinds are looked up, so that a change of these is not missed.
static BridgeWatch *new_watch(Bridge *bridge, const KubeWatchRequest *request, KubeSink sink) {
    BridgeWatch *watch = NEW(BridgeWatch);
    uint32_t old_count;
    const KubeKind *old;

    *watch = (BridgeWatch){.bridge = bridge, .sink = sink, .kind = request->kind, .wants_end = request->initial_events};
    pthread_mutex_init(&watch->lock, NULL);
    if (depends_on_definitions(request->kind))
        enlist(watch);
    old = bridge_old_kinds(bridge, request->kind, &old_count);
    watch->count = 1 + old_count;
    for (uint32_t i = 0; i < watch->count; i++)
        watch->streams[i] = (Stream){.watch = watch, .kind = i ? old[i - 1] : request->kind};
    return watch;
}

// Starts a stream; a kind without a definition is one without objects.
static ErrCode start(Stream *stream, const KubeWatchRequest *request, KubeError *error) {
    BridgeWatch *watch = stream->watch;
    KubeWatchRequest inner = *request;
    ErrCode code;

    inner.kind = stream->kind;
    code = kube_watch(watch->bridge->inner, &inner, (KubeSink){take, stream}, &stream->inner, error);
    if (code == OK)
        return OK;
    stream->inner = NULL;
    if (code != ERR_NOT_FOUND || stream == watch->streams)
        return code;
    pthread_mutex_lock(&watch->lock);
    stream->listed = true;
    end_initial(watch);
    pthread_mutex_unlock(&watch->lock);
    return OK;
}

ErrCode bridge_watch(void *self, const KubeWatchRequest *request, KubeSink sink, KubeWatch **ret_watch,
                     KubeError *error) {
    BridgeWatch *watch = new_watch(self, request, sink);
    ErrCode code = OK;

    for (uint32_t i = 0; i < watch->count && code == OK; i++)
        code = start(&watch->streams[i], request, error);
    if (code != OK)
        free_watch(watch);
    else
        *ret_watch = (KubeWatch *)(void *)watch;
    return code;
}

void bridge_unwatch(void *self, KubeWatch *handle) {
    (void)self;
    free_watch((BridgeWatch *)(void *)handle);
}
