#include "obs/telemetry.h"

#include "base/alloc.h"

#include <pthread.h>
#include <stdatomic.h>

#if defined(__aarch64__)
#define ARCHITECTURE "arm64"
#else
#define ARCHITECTURE "amd64"
#endif

struct Telemetry {
    Registry *registry;
    MetricsObserver *metrics_observer;
    Page *page;
    Clock clock;
    EngineObserver observer;
    atomic_bool synced;
    _Atomic int64_t solving_ns;     // since when a plan is being made, on the clock; 0: none is
    _Atomic int64_t wall_offset_ns; // API server's time minus monotonic time
    pthread_mutex_t lock;           // guards `engine`
    Engine *engine;
};

static void see_change(void *self, const State *state, const StateChange *change, bool listing, Moment at) {
    metrics_observer_changed(((Telemetry *)self)->metrics_observer, state, change, listing, at);
}

static void see_call(void *self, const State *state, const char *controller, Key key, const Intent *intents,
                     uint32_t count, int64_t took_ns, Moment at) {
    Telemetry *telemetry = self;

    if (count && intents[0].type == INTENT_SOLVE) // alone in its batch
        atomic_store_explicit(&telemetry->solving_ns, at.now.ns, memory_order_relaxed);
    metrics_observer_called(telemetry->metrics_observer, state, controller, key, intents, count, took_ns, at);
}

static void see_answers(void *self, const State *state, const char *controller, Key key, const Intent *intents,
                        const Completion *completions, uint32_t count, Moment at) {
    Telemetry *telemetry = self;

    if (count && intents[0].type == INTENT_SOLVE)
        atomic_store_explicit(&telemetry->solving_ns, 0, memory_order_relaxed);
    metrics_observer_told(telemetry->metrics_observer, state, controller, key, intents, completions, count, at);
}

static void see_gathered(void *self, IntentType type, uint32_t count, int64_t waited_ns, Moment at) {
    metrics_observer_gathered(((Telemetry *)self)->metrics_observer, type, count, waited_ns, at);
}

static void see_turn(void *self, Engine *engine, State *state, Moment at) {
    Telemetry *telemetry = self;
    EngineCounts counts;

    atomic_store_explicit(&telemetry->synced, engine_is_synced(engine), memory_order_relaxed);
    atomic_store_explicit(&telemetry->wall_offset_ns, at.wall_ns - at.now.ns, memory_order_relaxed);
    if (!page_is_wanted(telemetry->page))
        return;
    counts = engine_counts(engine);
    metrics_observer_counts(telemetry->metrics_observer, &counts, engine_is_synced(engine), at);
    page_turn(telemetry->page, state);
}

// Wakes the engine. Called by page threads, so the pointer, which may change, is read under the lock.
static void wake_engine(void *context) {
    Telemetry *telemetry = context;

    pthread_mutex_lock(&telemetry->lock);
    if (telemetry->engine)
        engine_wake(telemetry->engine);
    pthread_mutex_unlock(&telemetry->lock);
}

static Moment moment_of(void *context) {
    Telemetry *telemetry = context;
    Mono now = clock_now(telemetry->clock);

    return (Moment){now, now.ns + atomic_load_explicit(&telemetry->wall_offset_ns, memory_order_relaxed)};
}

Telemetry *telemetry_new(Slice provider, Slice commit, Clock clock, bool cluster_series) {
    Telemetry *telemetry = NEW(Telemetry);
    PageConfig config;

    telemetry->clock = clock;
    atomic_init(&telemetry->solving_ns, 0);
    atomic_init(&telemetry->wall_offset_ns, clock_wall_ns(clock) - clock_now(clock).ns);
    telemetry->registry = registry_new();
    telemetry->metrics_observer = metrics_observer_new(telemetry->registry, provider);
    telemetry->observer = (EngineObserver){see_change, see_call, see_answers, see_gathered, see_turn, telemetry};
    pthread_mutex_init(&telemetry->lock, NULL);
    config = (PageConfig){.registry = telemetry->registry,
                          .pods = cluster_series ? metrics_observer_pods(telemetry->metrics_observer) : NULL,
                          .wake = wake_engine,
                          .now = moment_of,
                          .context = telemetry,
                          .clock = telemetry};
    telemetry->page = page_new(&config);
    page_close(telemetry->page); // until there is an engine
    registry_set(telemetry->registry, METRIC_BUILD_INFO, 1,
                 WITH(SLICE(TENON_VERSION), SLICE(""), SLICE(ARCHITECTURE), commit));
    return telemetry;
}

void telemetry_free(Telemetry *telemetry) {
    if (!telemetry)
        return;
    page_free(telemetry->page);
    metrics_observer_free(telemetry->metrics_observer);
    registry_free(telemetry->registry);
    pthread_mutex_destroy(&telemetry->lock);
    free(telemetry);
}

Registry *telemetry_registry(Telemetry *telemetry) {
    return telemetry->registry;
}

Page *telemetry_page(Telemetry *telemetry) {
    return telemetry->page;
}

const EngineObserver *telemetry_observer(Telemetry *telemetry) {
    return &telemetry->observer;
}

static void set_engine(Telemetry *telemetry, Engine *engine) {
    pthread_mutex_lock(&telemetry->lock);
    telemetry->engine = engine;
    pthread_mutex_unlock(&telemetry->lock);
}

void telemetry_follow(Telemetry *telemetry, Engine *engine) {
    set_engine(telemetry, NULL);
    page_close(telemetry->page);
    atomic_store(&telemetry->solving_ns, 0);
    if (!engine)
        return;
    atomic_store(&telemetry->synced, false);
    metrics_observer_begin(telemetry->metrics_observer, state_symbols(engine_state(engine)));
    set_engine(telemetry, engine);
    page_open(telemetry->page);
}

// An engine that is no longer followed may still run turns.
bool telemetry_is_synced(Telemetry *telemetry) {
    bool followed;

    pthread_mutex_lock(&telemetry->lock);
    followed = telemetry->engine != NULL;
    pthread_mutex_unlock(&telemetry->lock);
    return followed && atomic_load_explicit(&telemetry->synced, memory_order_relaxed);
}

int64_t telemetry_solving_ns(Telemetry *telemetry) {
    int64_t since_ns = atomic_load_explicit(&telemetry->solving_ns, memory_order_relaxed);

    return since_ns ? clock_now(telemetry->clock).ns - since_ns : 0;
}
