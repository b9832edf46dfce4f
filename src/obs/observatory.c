#include "obs/observatory.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#if defined(__aarch64__)
#define ARCHITECTURE "arm64"
#else
#define ARCHITECTURE "amd64"
#endif

struct Observatory {
    Registry *registry;
    Onlooker *onlooker;
    Page *page;
    Clock clock;
    Witness witness;
    atomic_bool synced;
    pthread_mutex_t lock; // of `engine`
    Engine *engine;
};

static void see_change(void *self, const State *state, const StateChange *change, bool listing, int64_t now_ns) {
    onlooker_changed(((Observatory *)self)->onlooker, state, change, listing, now_ns);
}

static void see_call(void *self, const State *state, const char *controller, Key key, const Intent *intents,
                     uint32_t count, int64_t took_ns, int64_t now_ns) {
    onlooker_called(((Observatory *)self)->onlooker, state, controller, key, intents, count, took_ns, now_ns);
}

static void see_answers(void *self, const State *state, const char *controller, Key key, const Intent *intents,
                        const Completion *completions, uint32_t count, int64_t now_ns) {
    onlooker_told(((Observatory *)self)->onlooker, state, controller, key, intents, completions, count, now_ns);
}

static void see_turn(void *self, Engine *engine, State *state, int64_t now_ns) {
    Observatory *observatory = self;
    EngineCounts counts;

    atomic_store_explicit(&observatory->synced, engine_is_synced(engine), memory_order_relaxed);
    if (!page_is_wanted(observatory->page))
        return;
    counts = engine_counts(engine);
    onlooker_counts(observatory->onlooker, &counts, engine_is_synced(engine), now_ns);
    page_turn(observatory->page, state);
}

// The engine may end between two pages: its pointer has a lock.
static void wake_engine(void *context) {
    Observatory *observatory = context;

    pthread_mutex_lock(&observatory->lock);
    if (observatory->engine)
        engine_wake(observatory->engine);
    pthread_mutex_unlock(&observatory->lock);
}

static int64_t now_of(void *context) {
    return clock_now_ns(((Observatory *)context)->clock);
}

Observatory *observatory_new(Slice provider, Slice commit, Clock clock, bool cluster_series) {
    Observatory *observatory = calloc(1, sizeof *observatory);
    PageConfig config;

    CHECK(observatory, "out of memory");
    observatory->clock = clock;
    observatory->registry = registry_new();
    observatory->onlooker = onlooker_new(observatory->registry, provider);
    observatory->witness = (Witness){see_change, see_call, see_answers, see_turn, observatory};
    pthread_mutex_init(&observatory->lock, NULL);
    config = (PageConfig){.registry = observatory->registry,
                          .pods = cluster_series ? onlooker_pods(observatory->onlooker) : NULL,
                          .wake = wake_engine,
                          .now_ns = now_of,
                          .context = observatory,
                          .clock = observatory};
    observatory->page = page_new(&config);
    page_close(observatory->page); // until there is an engine
    registry_set(observatory->registry, METRIC_BUILD_INFO, 1,
                 WITH(SLICE(TENON_VERSION), SLICE(""), SLICE(ARCHITECTURE), commit));
    return observatory;
}

void observatory_free(Observatory *observatory) {
    if (!observatory)
        return;
    page_free(observatory->page);
    onlooker_free(observatory->onlooker);
    registry_free(observatory->registry);
    pthread_mutex_destroy(&observatory->lock);
    free(observatory);
}

Registry *observatory_registry(Observatory *observatory) {
    return observatory->registry;
}

Page *observatory_page(Observatory *observatory) {
    return observatory->page;
}

const Witness *observatory_witness(Observatory *observatory) {
    return &observatory->witness;
}

static void set_engine(Observatory *observatory, Engine *engine) {
    pthread_mutex_lock(&observatory->lock);
    observatory->engine = engine;
    pthread_mutex_unlock(&observatory->lock);
}

void observatory_follow(Observatory *observatory, Engine *engine) {
    set_engine(observatory, NULL);
    page_close(observatory->page);
    if (!engine)
        return;
    atomic_store(&observatory->synced, false);
    onlooker_begin(observatory->onlooker, state_symbols(engine_state(engine)));
    set_engine(observatory, engine);
    page_open(observatory->page);
}

// An engine that is not followed any more may have turns left.
bool observatory_is_synced(Observatory *observatory) {
    bool followed;

    pthread_mutex_lock(&observatory->lock);
    followed = observatory->engine != NULL;
    pthread_mutex_unlock(&observatory->lock);
    return followed && atomic_load_explicit(&observatory->synced, memory_order_relaxed);
}
