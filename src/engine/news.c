// What the watches tell, and keeping them alive.
#include "engine/engine_parts.h"

#include <stdlib.h>

// Of the NodeClasses only the provider's own: Karpenter's rights do not include those of the others.
static bool is_wanted(const Engine *engine, KubeKind kind) {
    const KubeKindInfo *info = kube_kind(kind);

    return (kind != KUBE_EC2_NODE_CLASS && kind != KUBE_KWOK_NODE_CLASS) ||
           slice_eq(info->kind, engine->commons->settings.node_class_kind);
}

// What Karpenter's chart gives no right to read. Without it plans know a little less: Services stand behind default
// spreading, the others behind what pods of a DaemonSet ask for that is not there yet.
static bool is_dispensable(KubeKind kind) {
    return kind == KUBE_SERVICE || kind == KUBE_PRIORITY_CLASS || kind == KUBE_RUNTIME_CLASS;
}

void feeds_init(Engine *engine) {
#define X(kind_name, ...)                                                                                              \
    if (is_wanted(engine, KUBE_##kind_name))                                                                           \
        engine->feeds[engine->feed_count++] =                                                                          \
            (Feed){.commons = engine->commons, .kind = KUBE_##kind_name, .phase = FEED_RESTING, .relist = true};
    STATE_KINDS(X)
#undef X
}

// Starts a feed's watch, from the beginning or from what was told. In real life the feeder's thread makes the calls.
static ErrCode begin(Engine *engine, Feed *feed, Err *err) {
    KubeRevision revision = feed->relist ? 0 : feed->revision;

    feed->phase = feed->relist ? FEED_LISTING : FEED_WATCHING;
    feed->begun_ns = engine->monotonic_ns;
    feed->begun_at = revision;
    if (feed->relist) {
        engine->counts.relists += feed->listed;
        state_relist_begin(engine->state, feed->kind);
    }
    if (engine->feeder) {
        feeder_restart(engine->feeder, feed, revision);
        return OK;
    }
    feed_unwatch(feed);
    return feed_watch(feed, revision, err);
}

// Refusals that no waiting helps against; anything else is tried again.
static bool is_for_good(ErrCode code, KubeKind kind) {
    return (code == ERR_DENIED && !is_dispensable(kind)) || code == ERR_INVALID;
}

ErrCode feeds_start(Engine *engine, Err *err) {
    for (uint32_t i = 0; i < engine->feed_count; i++) {
        ErrCode code = begin(engine, &engine->feeds[i], err);

        if (is_for_good(code, engine->feeds[i].kind))
            return code;
    }
    return OK;
}

// The mailbox is closed: whoever waits in a sink comes out.
void feeds_free(Engine *engine) {
    for (uint32_t i = 0; i < engine->feed_count; i++)
        feed_unwatch(&engine->feeds[i]);
}

bool feeds_turn(Engine *engine) {
    bool any = false;

    for (uint32_t i = 0; i < engine->feed_count; i++) {
        Feed *feed = &engine->feeds[i];

        if (feed->phase != FEED_RESTING || feed->rests_until_ns > engine->monotonic_ns)
            continue;
        begin(engine, feed, NULL); // a refusal comes as news
        any = true;
    }
    return any;
}

int64_t feeds_next_ns(const Engine *engine) {
    int64_t next_ns = INT64_MAX;

    for (uint32_t i = 0; i < engine->feed_count; i++) {
        const Feed *feed = &engine->feeds[i];

        if (feed->phase == FEED_RESTING && feed->rests_until_ns < next_ns)
            next_ns = feed->rests_until_ns;
    }
    return next_ns;
}

bool feeds_are_listed(const Engine *engine) {
    for (uint32_t i = 0; i < engine->feed_count; i++) {
        if (!engine->feeds[i].listed)
            return false;
    }
    return true;
}

// Until everything is listed nobody is told; then everybody is told of everything (feeds_observe_all).
static void tell(void *context, const StateChange *change) {
    Engine *engine = context;

    if (engine->synced)
        call_observe(engine, change);
}

static void take_object(Engine *engine, EngineNews *mail) {
    StateUpdate *update = mail->update;
    StateChange change;

    engine->counts.events++;
    mail->update = NULL;
    if (mail->feed->phase == FEED_WATCHING && mail->revision > mail->feed->revision)
        mail->feed->revision = mail->revision;
    if (state_apply(engine->state, update, mail->removed, &change))
        tell(engine, &change);
}

static void log_kind(Engine *engine, const Feed *feed, LogLevel level, const char *message, Slice error) {
    engine_log(engine, level, message, NULL, NULL,
               (Slice[]){SLICE("kind"), kube_kind(feed->kind)->kind, SLICE("error"), error}, error.len ? 4 : 2);
}

static void take_bookmark(Engine *engine, const EngineNews *mail) {
    Feed *feed = mail->feed;

    if (mail->revision > feed->revision)
        feed->revision = mail->revision;
    if (!mail->initial_end)
        return;
    feed->phase = FEED_WATCHING;
    feed->listed = true;
    if (feed->gone)
        log_kind(engine, feed, LOG_INFO, "kind is there again", SLICE(""));
    feed->known = true;
    feed->gone = false;
    state_relist_end(engine->state, feed->kind, mail->revision, tell, engine);
}

static void log_end(Engine *engine, Feed *feed, int64_t rest_ns, bool goes_without, const KubeError *error) {
    ErrCode code = error->err.code;
    Slice text = slice_of(error->err.text);

    if (goes_without && feed->failures == 1)
        log_kind(engine, feed, LOG_WARN, "may not watch, going on without", text);
    else if (rest_ns && code != ERR_NOT_FOUND && !goes_without)
        log_kind(engine, feed, LOG_WARN, "watch ended", text);
    else if (code == ERR_NOT_FOUND && feed->known && !feed->gone)
        log_kind(engine, feed, LOG_ERROR,
                 "the API server does not know this kind any more: was its definition removed?", text);
    feed->gone |= code == ERR_NOT_FOUND && feed->known;
}

static void take_end(Engine *engine, const EngineNews *mail) {
    Feed *feed = mail->feed;
    ErrCode code = mail->error->err.code;
    bool goes_without = code == ERR_DENIED && is_dispensable(feed->kind);
    int64_t rest_ns = feed_rest_ns(feed, mail->error, engine->monotonic_ns, &engine->random);

    feed->listed |= code == ERR_NOT_FOUND || goes_without; // no such kind, or none for us: nothing of it
    feed->phase = FEED_RESTING;
    feed->rests_until_ns = engine->monotonic_ns + rest_ns;
    log_end(engine, feed, rest_ns, goes_without, mail->error);
}

void news_take(Engine *engine, EngineNews *mail) {
    switch (mail->news) {
    case FEED_OBJECT:
        take_object(engine, mail);
        break;
    case FEED_BOOKMARK:
        take_bookmark(engine, mail);
        break;
    case FEED_ENDED:
        take_end(engine, mail);
        break;
    case FEED_UNREADABLE:
        engine_log(engine, LOG_ERROR, "object cannot be read", NULL, NULL,
                   (Slice[]){SLICE("kind"), kube_kind(mail->feed->kind)->kind, SLICE("error"),
                             slice_of(mail->unreadable->text)},
                   4);
    }
    feed_mail_free(mail);
}

// --- everything that is there, as changes

static const void *object_at(const State *state, KubeKind kind, Handle handle) {
    switch (kind) {
#define X(kind_name, type, word)                                                                                       \
    case KUBE_##kind_name:                                                                                             \
        return state_##word(state, handle);
        STATE_KINDS(X)
#undef X
    default:
        return NULL;
    }
}

static StateChange change_of(const State *state, KubeKind kind, Handle handle) {
    StateChange change = {.kind = kind, .handle = handle, .after = object_at(state, kind, handle)};

    CHECK(change.after, "a handle of nothing");
    if (kind == KUBE_POD) {
        const Pod *pod = change.after;

        change.revision = pod->revision;
        change.ns = pod->ns;
        change.name = pod->name;
    } else {
        const ObjectMeta *meta = change.after; // the first member of all other kinds

        change.revision = meta->revision;
        change.ns = meta->ns;
        change.name = meta->name;
    }
    return change;
}

void feeds_observe_all(Engine *engine) {
    for (uint32_t i = 0; i < engine->feed_count; i++) {
        KubeKind kind = engine->feeds[i].kind;

        for (Handle handle = state_next(engine->state, kind, HANDLE_NONE); handle.generation;
             handle = state_next(engine->state, kind, handle)) {
            StateChange change = change_of(engine->state, kind, handle);

            call_observe(engine, &change);
        }
    }
}
