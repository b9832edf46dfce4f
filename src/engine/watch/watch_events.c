// Handling of watch events, and the watches' restarts.
#include "engine/watch/watch_events.h"

#include "engine/call.h"

#include <stdlib.h>

// Whether to watch the kind: of NodeClasses only the provider's own, because Karpenter's RBAC rules do not include
// those of other providers.
static bool is_wanted(const Engine *engine, KubeKind kind) {
    const KubeKindInfo *info = kube_kind(kind);

    return (kind != KUBE_EC2_NODE_CLASS && kind != KUBE_KWOK_NODE_CLASS) ||
           slice_eq(info->kind, engine->shared->settings.node_class_kind);
}

// Whether tenon can do without the kind: Karpenter's chart gives no right to read it. Without it plans are a little
// less informed: Services decide default spreading, the other kinds what future pods of DaemonSets request.
static bool is_dispensable(KubeKind kind) {
    return kind == KUBE_SERVICE || kind == KUBE_PRIORITY_CLASS || kind == KUBE_RUNTIME_CLASS;
}

void reflectors_init(Engine *engine) {
#define X(kind_name, ...)                                                                                              \
    if (is_wanted(engine, KUBE_##kind_name))                                                                           \
        engine->reflectors[engine->reflector_count++] = (Reflector){                                                   \
            .shared = engine->shared, .kind = KUBE_##kind_name, .phase = REFLECTOR_RESTING, .relist = true};
    STATE_KINDS(X)
#undef X
}

// Starts a reflector's watch, from the beginning or from the last revision. In real mode the reflector thread makes the
// call.
static ErrCode begin(Engine *engine, Reflector *reflector, Err *err) {
    KubeRevision revision = reflector->relist ? 0 : reflector->revision;

    reflector->phase = reflector->relist ? REFLECTOR_LISTING : REFLECTOR_WATCHING;
    reflector->begun = engine->now;
    reflector->begun_at = revision;
    if (reflector->relist) {
        engine->counts.relists += reflector->listed;
        state_relist_begin(engine->state, reflector->kind, reflector->anew);
    }
    if (engine->reflector_thread) {
        reflector_thread_restart(engine->reflector_thread, reflector, revision);
        return OK;
    }
    reflector_unwatch(reflector);
    return reflector_watch(reflector, revision, err);
}

// Whether a refusal is permanent; all other errors are retried.
static bool is_for_good(ErrCode code, KubeKind kind) {
    return (code == ERR_DENIED && !is_dispensable(kind)) || code == ERR_INVALID;
}

ErrCode reflectors_start(Engine *engine, Err *err) {
    for (uint32_t i = 0; i < engine->reflector_count; i++) {
        ErrCode code = begin(engine, &engine->reflectors[i], err);

        if (is_for_good(code, engine->reflectors[i].kind))
            return code;
    }
    return OK;
}

// Ends the watches. The mailbox is closed, so a sink that waits for room returns.
void reflectors_free(Engine *engine) {
    for (uint32_t i = 0; i < engine->reflector_count; i++)
        reflector_unwatch(&engine->reflectors[i]);
}

bool reflectors_turn(Engine *engine) {
    bool any = false;

    for (uint32_t i = 0; i < engine->reflector_count; i++) {
        Reflector *reflector = &engine->reflectors[i];

        if (reflector->phase != REFLECTOR_RESTING || !mono_reached(engine->now, reflector->rests_until))
            continue;
        begin(engine, reflector, NULL); // a refusal comes as an event
        any = true;
    }
    return any;
}

Mono reflectors_next(const Engine *engine) {
    Mono next = MONO_END;

    for (uint32_t i = 0; i < engine->reflector_count; i++) {
        const Reflector *reflector = &engine->reflectors[i];

        if (reflector->phase == REFLECTOR_RESTING)
            next = mono_first(next, reflector->rests_until);
    }
    return next;
}

bool reflectors_are_listed(const Engine *engine) {
    for (uint32_t i = 0; i < engine->reflector_count; i++) {
        if (!engine->reflectors[i].listed)
            return false;
    }
    return true;
}

// Reports a change to the controllers: none until everything is listed; then reflectors_observe_all reports every
// object.
static void tell(void *context, const StateChange *change) {
    Engine *engine = context;

    if (engine->synced)
        call_observe(engine, change);
}

static void take_object(Engine *engine, WatchEvent *mail) {
    StateUpdate *update = mail->update;
    StateChange change;

    engine->counts.events++;
    mail->update = NULL;
    if (mail->reflector->phase == REFLECTOR_WATCHING && mail->revision > mail->reflector->revision)
        mail->reflector->revision = mail->revision;
    if (state_apply(engine->state, update, mail->removed, &change))
        tell(engine, &change);
}

static void log_kind(Engine *engine, const Reflector *reflector, LogLevel level, const char *message, Slice error) {
    engine_log(engine, level, message, NULL, NULL,
               (Slice[]){SLICE("kind"), kube_kind(reflector->kind)->kind, SLICE("error"), error}, error.len ? 4 : 2);
}

static void take_bookmark(Engine *engine, const WatchEvent *mail) {
    Reflector *reflector = mail->reflector;

    if (mail->revision > reflector->revision)
        reflector->revision = mail->revision;
    if (!mail->initial_end) {
        removals_forget(engine);
        return;
    }
    reflector->phase = REFLECTOR_WATCHING;
    reflector->listed = true;
    if (reflector->gone)
        log_kind(engine, reflector, LOG_INFO, "kind is there again", SLICE(""));
    reflector->known = true;
    reflector->gone = reflector->anew = false;
    state_relist_end(engine->state, reflector->kind, mail->revision, tell, engine);
}

static void log_end(Engine *engine, Reflector *reflector, int64_t rest_ns, bool goes_without, const KubeError *error) {
    ErrCode code = error->err.code;
    Slice text = slice_of(error->err.text);

    if (goes_without && reflector->failures == 1)
        log_kind(engine, reflector, LOG_WARN, "may not watch, going on without", text);
    else if (rest_ns && code != ERR_NOT_FOUND && !goes_without)
        log_kind(engine, reflector, LOG_WARN, "watch ended", text);
    else if (code == ERR_NOT_FOUND && reflector->known && !reflector->gone)
        log_kind(engine, reflector, LOG_ERROR,
                 "the API server does not know this kind any more: was its definition removed?", text);
    reflector->gone |= code == ERR_NOT_FOUND && reflector->known;
}

static void take_end(Engine *engine, const WatchEvent *mail) {
    Reflector *reflector = mail->reflector;
    ErrCode code = mail->error->err.code;
    bool goes_without = code == ERR_DENIED && is_dispensable(reflector->kind);
    int64_t rest_ns = reflector_rest_ns(reflector, mail->error, engine->now, &engine->random);

    reflector->listed |= code == ERR_NOT_FOUND || goes_without; // no such kind, or no right to read it: no objects
    reflector->anew |= mail->anew;
    reflector->phase = REFLECTOR_RESTING;
    reflector->rests_until = mono_after(engine->now, rest_ns);
    log_end(engine, reflector, rest_ns, goes_without, mail->error);
}

void watch_event_take(Engine *engine, WatchEvent *mail) {
    switch (mail->type) {
    case WATCH_EVENT_OBJECT:
        take_object(engine, mail);
        break;
    case WATCH_EVENT_BOOKMARK:
        take_bookmark(engine, mail);
        break;
    case WATCH_EVENT_ENDED:
        take_end(engine, mail);
        break;
    case WATCH_EVENT_UNREADABLE:
        engine_log(engine, LOG_ERROR, "object cannot be read", NULL, NULL,
                   (Slice[]){SLICE("kind"), kube_kind(mail->reflector->kind)->kind, SLICE("error"),
                             slice_of(mail->unreadable->text)},
                   4);
    }
    watch_event_free(mail);
}

// --- all objects as changes

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

void reflectors_observe_all(Engine *engine) {
    for (uint32_t i = 0; i < engine->reflector_count; i++) {
        KubeKind kind = engine->reflectors[i].kind;

        for (Handle handle = state_next(engine->state, kind, HANDLE_NONE); handle.generation;
             handle = state_next(engine->state, kind, handle)) {
            StateChange change = change_of(engine->state, kind, handle);

            call_observe(engine, &change);
        }
    }
}
