// The sink of a watch, its start, and how long to wait before the next one.
#include "engine/feed.h"

#include "engine/jitter.h"

#include <stdlib.h>

static const int64_t MILLISECOND_NS = 1000000;
enum { REST_FIRST_MS = 800, REST_MAX_MS = 30000, LIVED_MS = 1000 };

void feed_mail_free(EngineNews *mail) {
    if (mail->update)
        state_update_free(mail->update);
    free(mail->error);
    free(mail->unreadable);
    free(mail);
}

static void discard(Mail *mail) {
    feed_mail_free((EngineNews *)(void *)mail);
}

static void *allocate(size_t size) {
    void *memory = calloc(1, size);

    CHECK(memory, "no memory for news of a watch");
    return memory;
}

static EngineNews *mail_new(Feed *feed, FeedNews news) {
    EngineNews *mail = allocate(sizeof *mail);

    mail->mail = (Mail){.type = MAIL_FEED, .discard = discard};
    mail->feed = feed;
    mail->news = news;
    return mail;
}

static EngineNews *read_object(Feed *feed, const KubeEvent *event) {
    EngineNews *mail = mail_new(feed, FEED_OBJECT);
    Err err;

    mail->removed = event->type == KUBE_DELETED;
    if (state_decode(feed->commons->symbols, feed->kind, event->object, &mail->update, &err) == OK)
        return mail;
    mail->news = FEED_UNREADABLE;
    mail->update = NULL;
    err_prefix(&err, "%.*s/%.*s", SLICE_ARG(kube_namespace(event->object)), SLICE_ARG(kube_name(event->object)));
    mail->unreadable = allocate(sizeof err);
    *mail->unreadable = err;
    return mail;
}

static EngineNews *read_end(Feed *feed, const KubeError *error) {
    EngineNews *mail = mail_new(feed, FEED_ENDED);

    mail->error = allocate(sizeof *mail->error);
    if (error)
        *mail->error = *error;
    return mail;
}

KubeKind engine_news_kind(const EngineNews *news) {
    return news->feed->kind;
}

void engine_news_deliver(EngineNews *news) {
    commons_post(news->feed->commons, &news->mail, MAIL_MAY_WAIT);
}

void engine_news_drop(EngineNews *news) {
    feed_mail_free(news);
}

static bool take(void *context, const KubeEvent *event) {
    Feed *feed = context;
    EngineNews *mail;

    jitter();
    switch (event->type) {
    case KUBE_BOOKMARK:
        mail = mail_new(feed, FEED_BOOKMARK);
        mail->initial_end = event->initial_end;
        break;
    case KUBE_ENDED:
        mail = read_end(feed, event->error);
        break;
    default:
        mail = read_object(feed, event);
    }
    mail->revision = event->revision;
    if (feed->commons->relay.take) {
        feed->commons->relay.take(feed->commons->relay.self, mail);
        return true;
    }
    return commons_post(feed->commons, &mail->mail, MAIL_MAY_WAIT);
}

ErrCode feed_watch(Feed *feed, KubeRevision revision, Err *err) {
    KubeWatchRequest request = {
        .kind = feed->kind, .revision = revision, .initial_events = revision == 0, .bookmarks = true};
    KubeError error = {0};
    EngineNews *mail;
    ErrCode code;

    jitter();
    code = kube_watch(feed->commons->kube, &request, (KubeSink){take, feed}, &feed->watch, &error);
    if (code == OK)
        return OK;
    feed->watch = NULL;
    mail = read_end(feed, &error);
    mail->error->err.code = code;
    commons_post(feed->commons, &mail->mail, MAIL_AT_ONCE);
    return err_set(err, code, "watching %.*s: %s", SLICE_ARG(kube_kind(feed->kind)->resource), error.err.text);
}

void feed_unwatch(Feed *feed) {
    jitter();
    if (feed->watch)
        kube_unwatch(feed->commons->kube, feed->watch);
    feed->watch = NULL;
}

int64_t feed_rest_ns(Feed *feed, const KubeError *error, int64_t now_ns, Random *random) {
    int64_t rest_ms = feed->failures < 6 ? REST_FIRST_MS << feed->failures : REST_MAX_MS;
    bool lived = now_ns - feed->begun_ns >= LIVED_MS * MILLISECOND_NS, gone = error->err.code == ERR_GONE;
    bool told = feed->phase == FEED_WATCHING && feed->revision > feed->begun_at;
    int64_t rest_ns;

    feed->relist = gone || feed->phase == FEED_LISTING || error->err.code == ERR_NOT_FOUND;
    if (error->err.code == ERR_NOT_FOUND) // no such kind here, yet
        return REST_MAX_MS * MILLISECOND_NS;
    // A watch that has done its work for a while just ends, or has told something; so does one that finds its revision
    // forgotten.
    if (lived || told || (gone && feed->phase == FEED_WATCHING)) {
        feed->failures = 0;
        rest_ns = 0;
    } else {
        feed->failures++;
        if (rest_ms > REST_MAX_MS)
            rest_ms = REST_MAX_MS;
        rest_ns = (rest_ms + random_below(random, (uint32_t)rest_ms)) * MILLISECOND_NS;
    }
    return rest_ns > error->retry_after_ns ? rest_ns : error->retry_after_ns;
}
