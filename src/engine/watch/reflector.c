// The sink of a watch, its start, and how long to wait before the next one.
#include "engine/watch/reflector.h"

#include "base/alloc.h"
#include "engine/jitter.h"

enum { REST_FIRST_MS = 800, REST_MAX_MS = 30000, LIVED_MS = 1000 };

void watch_event_free(WatchEvent *mail) {
    if (mail->update)
        state_update_free(mail->update);
    free(mail->error);
    free(mail->unreadable);
    free(mail);
}

static void discard(Mail *mail) {
    watch_event_free((WatchEvent *)(void *)mail);
}

static WatchEvent *mail_new(Reflector *reflector, WatchEventType type) {
    WatchEvent *mail = NEW(WatchEvent);

    mail->mail = (Mail){.type = MAIL_WATCH_EVENT, .discard = discard};
    mail->reflector = reflector;
    mail->type = type;
    return mail;
}

static WatchEvent *read_object(Reflector *reflector, const KubeEvent *event) {
    WatchEvent *mail = mail_new(reflector, WATCH_EVENT_OBJECT);
    Err err;

    mail->removed = event->type == KUBE_DELETED;
    if (state_decode(reflector->shared->symbols, reflector->kind, event->object, &mail->update, &err) == OK)
        return mail;
    mail->type = WATCH_EVENT_UNREADABLE;
    mail->update = NULL;
    err_prefix(&err, "%.*s/%.*s", SLICE_ARG(kube_namespace(event->object)), SLICE_ARG(kube_name(event->object)));
    mail->unreadable = NEW(Err);
    *mail->unreadable = err;
    return mail;
}

static WatchEvent *read_end(Reflector *reflector, const KubeError *error) {
    WatchEvent *mail = mail_new(reflector, WATCH_EVENT_ENDED);

    mail->error = NEW(KubeError);
    if (error)
        *mail->error = *error;
    return mail;
}

KubeKind watch_event_kind(const WatchEvent *event) {
    return event->reflector->kind;
}

void watch_event_deliver(WatchEvent *event) {
    engine_shared_post(event->reflector->shared, &event->mail, MAIL_MAY_WAIT);
}

void watch_event_drop(WatchEvent *event) {
    watch_event_free(event);
}

static bool take(void *context, const KubeEvent *event) {
    Reflector *reflector = context;
    WatchEvent *mail;

    jitter();
    switch (event->type) {
    case KUBE_BOOKMARK:
        mail = mail_new(reflector, WATCH_EVENT_BOOKMARK);
        mail->initial_end = event->initial_end;
        break;
    case KUBE_ENDED:
        mail = read_end(reflector, event->error);
        mail->anew = event->anew;
        break;
    default:
        mail = read_object(reflector, event);
    }
    mail->revision = event->revision;
    if (reflector->shared->relay.take) {
        reflector->shared->relay.take(reflector->shared->relay.self, mail);
        return true;
    }
    return engine_shared_post(reflector->shared, &mail->mail, MAIL_MAY_WAIT);
}

ErrCode reflector_watch(Reflector *reflector, KubeRevision revision, Err *err) {
    KubeWatchRequest request = {
        .kind = reflector->kind, .revision = revision, .initial_events = revision == 0, .bookmarks = true};
    KubeError error = {0};
    WatchEvent *mail;
    ErrCode code;

    jitter();
    code = kube_watch(reflector->shared->kube, &request, (KubeSink){take, reflector}, &reflector->watch, &error);
    if (code == OK)
        return OK;
    reflector->watch = NULL;
    mail = read_end(reflector, &error);
    mail->error->err.code = code;
    engine_shared_post(reflector->shared, &mail->mail, MAIL_AT_ONCE);
    return err_set(err, code, "watching %.*s: %s", SLICE_ARG(kube_kind(reflector->kind)->resource), error.err.text);
}

void reflector_unwatch(Reflector *reflector) {
    jitter();
    if (reflector->watch)
        kube_unwatch(reflector->shared->kube, reflector->watch);
    reflector->watch = NULL;
}

int64_t reflector_rest_ns(Reflector *reflector, const KubeError *error, Mono now, Random *random) {
    int64_t rest_ms = reflector->failures < 6 ? REST_FIRST_MS << reflector->failures : REST_MAX_MS;
    bool lived = mono_since(now, reflector->begun) >= LIVED_MS * NS_PER_MS, gone = error->err.code == ERR_GONE;
    bool told = reflector->phase == REFLECTOR_WATCHING && reflector->revision > reflector->begun_at;
    int64_t rest_ns;

    reflector->relist = gone || reflector->phase == REFLECTOR_LISTING || error->err.code == ERR_NOT_FOUND;
    if (error->err.code == ERR_NOT_FOUND) // the API server does not know the kind (yet)
        return REST_MAX_MS * NS_PER_MS;
    // No failure: a watch that lived for a while or delivered something, and one that ends because its revision is too
    // old.
    if (lived || told || (gone && reflector->phase == REFLECTOR_WATCHING)) {
        reflector->failures = 0;
        rest_ns = 0;
    } else {
        reflector->failures++;
        if (rest_ms > REST_MAX_MS)
            rest_ms = REST_MAX_MS;
        rest_ns = (rest_ms + random_below(random, (uint32_t)rest_ms)) * NS_PER_MS;
    }
    return rest_ns > error->retry_after_ns ? rest_ns : error->retry_after_ns;
}
