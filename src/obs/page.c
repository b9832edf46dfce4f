#include "obs/page.h"

#include "base/alloc.h"
#include "obs/exposition.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

struct Page {
    PageConfig config;
    atomic_bool wanted;
    pthread_mutex_t printing; // one page at a time
    PageCloud cloud;          // guarded by `printing`; print NULL: none
    pthread_mutex_t lock;     // guards the following members
    pthread_cond_t came;
    bool closed;
    Snapshot *snapshot;
};

Page *page_new(const PageConfig *config) {
    Page *page = NEW(Page);
    pthread_condattr_t attributes;

    page->config = *config;
    pthread_mutex_init(&page->printing, NULL);
    pthread_mutex_init(&page->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&page->came, &attributes);
    pthread_condattr_destroy(&attributes);
    return page;
}

void page_free(Page *page) {
    snapshot_free(page->snapshot);
    pthread_cond_destroy(&page->came);
    pthread_mutex_destroy(&page->lock);
    pthread_mutex_destroy(&page->printing);
    free(page);
}

// --- request for a snapshot

bool page_is_wanted(const Page *page) {
    return atomic_load_explicit(&page->wanted, memory_order_relaxed);
}

void page_turn(Page *page, State *state) {
    if (!page_is_wanted(page))
        return;
    pthread_mutex_lock(&page->lock);
    if (atomic_exchange(&page->wanted, false) && !page->closed) {
        page->snapshot = state_snapshot(state);
        pthread_cond_signal(&page->came);
    }
    pthread_mutex_unlock(&page->lock);
}

void page_close(Page *page) {
    pthread_mutex_lock(&page->lock);
    page->closed = true;
    pthread_cond_broadcast(&page->came);
    pthread_mutex_unlock(&page->lock);
    pthread_mutex_lock(&page->printing);
    pthread_mutex_unlock(&page->printing);
}

void page_open(Page *page) {
    pthread_mutex_lock(&page->lock);
    page->closed = false;
    pthread_mutex_unlock(&page->lock);
}

// Requests a snapshot and waits; NULL: none came in time.
static Snapshot *ask_for_snapshot(Page *page) {
    struct timespec end = timespec_of_ns(mono_after(clock_system_mono(), PAGE_PATIENCE_MS * NS_PER_MS).ns);
    Snapshot *snapshot;
    int late = 0;

    pthread_mutex_lock(&page->lock);
    atomic_store(&page->wanted, !page->closed);
    pthread_mutex_unlock(&page->lock);
    if (page->config.wake)
        page->config.wake(page->config.context);
    pthread_mutex_lock(&page->lock);
    while (!page->snapshot && !page->closed && !late)
        late = pthread_cond_timedwait(&page->came, &page->lock, &end);
    atomic_store(&page->wanted, false);
    snapshot = page->snapshot;
    page->snapshot = NULL;
    pthread_mutex_unlock(&page->lock);
    return snapshot;
}

// --- printing

static void print_all(const Page *page, const Collector *collector, Mono now, Buffer *text) {
    for (uint32_t i = 0; i < METRIC_COUNT; i++) {
        MetricId id = (MetricId)i;

        if (!collector_has(id))
            registry_print(page->config.registry, id, now, text);
        else if (collector)
            collector_print(collector, id, text);
    }
    if (page->cloud.print)
        page->cloud.print(page->cloud.context, text);
}

void page_ask(Page *page, const PageCloud *cloud) {
    pthread_mutex_lock(&page->printing);
    page->cloud = cloud ? *cloud : (PageCloud){0};
    pthread_mutex_unlock(&page->printing);
}

void page_print(Page *page, Buffer *ret_text) {
    Snapshot *snapshot = NULL;
    Collector collector;
    Cluster cluster;
    Arena arena = {0};
    Moment at;

    pthread_mutex_lock(&page->printing);
    if (page->config.pods)
        snapshot = ask_for_snapshot(page);
    at = page->config.now(page->config.clock);
    if (snapshot) {
        snapshot_cluster(snapshot, &arena, &cluster);
        collector_init(&collector, &arena, &cluster, page->config.pods, at);
    }
    print_all(page, snapshot ? &collector : NULL, at.now, ret_text);
    arena_free(&arena);
    snapshot_free(snapshot);
    pthread_mutex_unlock(&page->printing);
}

// --- health

void health_print(const HealthChecks *checks, bool verbose, ServerReply *reply) {
    Buffer lines = {0};
    bool healthy = true;

    for (uint32_t i = 0; i < checks->count; i++) {
        const HealthCheck *check = &checks->items[i];
        Buffer why = {0};
        bool passes = check->passes(check->self, &why);

        healthy &= passes;
        if (passes)
            buffer_printf(&lines, "[+]%s ok\n", check->name);
        else
            buffer_printf(&lines, "[-]%s failed: %.*s\n", check->name, SLICE_ARG(buffer_slice(&why)));
        buffer_free(&why);
    }
    reply->status = healthy ? 200 : 500;
    if (healthy && !verbose)
        buffer_append(&reply->body, SLICE("ok"));
    else
        buffer_printf(&reply->body, "%.*shealthz check %s\n", SLICE_ARG(buffer_slice(&lines)),
                      healthy ? "passed" : "failed");
    buffer_free(&lines);
}
