// Life of a process: waiting for the lease, leading, stopping.
#include "cli/run/manager.h"

#include "base/alloc.h"
#include "base/descriptors.h"
#include "base/thread.h"
#include "cli/run/stop_guard.h"
#include "ctl/controllers.h"
#include "engine/engine.h"
#include "engine/lease/elector.h"
#include "engine/lease/fence.h"
#include "sched/input/default_spread_read.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { WORKERS_PER_CPU = 16, WORKERS_MAX = 64, REFUSED_REST_S = 10, FAILURE_REPEAT_S = 60, STARVED_S = 10 };
// How long running calls may take: when everything is made anew, for the lease's renewal when the process stops, and
// for its release.
enum { REFUSED_DRAIN_MS = 1000, RENEWAL_DRAIN_MS = 300, RELEASE_MS = 1500 };

typedef enum { ENGINE_OFF, ENGINE_RUNS, ENGINE_REFUSED } EnginePhase;

struct Manager {
    ManagerConfig config;
    Clock clock;
    Display *display;
    KubeMeter meter, lease_meter;
    Fence fence;
    int news_fd; // eventfd: the other threads wake manager_live
    // The lease; NULL: no leader election.
    Lease *lease;
    LeaderElector *elector;
    char failure[ERR_TEXT_MAX]; // used by the elector: last error
    Mono failure_said;
    Mono starved; // used by the elector: since when no descriptor is free; {0}: one is
    atomic_bool starves;
    char leader[LEASE_IDENTITY_MAX + 1]; // used by the elector: the leader it last waited for
    // Parts for leading; made anew when the API server refused to be watched.
    Arena arena;
    DefaultSpread spread;
    State *state;     // until an engine takes it over
    Snapshot *before; // of the empty State: keeps the symbols until the cloud is closed
    bool cloud_open;
    ThreadExecutor *executor;
    Engine *engine;
    pthread_t thread;
    bool has_thread;
    atomic_int phase;
    atomic_bool leads;
    Err refusal; // of ENGINE_REFUSED
    Mono rests_until;
};

static void say(Manager *manager, LogLevel level, const char *message, Slice error) {
    int64_t wall_ns = clock_wall_ns(manager->clock);

    if (error.len)
        json_log_say(manager->config.log, wall_ns, level, message, "error", error, NULL);
    else
        json_log_say(manager->config.log, wall_ns, level, message, NULL);
}

static void tell(Manager *manager) {
    uint64_t one = 1;

    while (write(manager->news_fd, &one, sizeof one) < 0 && errno == EINTR) {
    }
}

// --- the parts

static ErrCode read_spread(Manager *manager, Err *err) {
    Slice text = manager->config.options->scheduler_config;

    if (!text.len)
        return OK;
    return default_spread_read(&manager->arena, state_symbols(manager->state), SLICE("--scheduler-config"), text,
                               &manager->spread, err);
}

static void end_calls(const ManagerCalls *calls, int64_t rest_ns) {
    if (calls->end_within)
        calls->end_within(calls->self, rest_ns);
}

static ErrCode parts_open(Manager *manager, Err *err) {
    ManagerCloud *cloud = &manager->config.cloud;

    manager->state = state_new();
    manager->before = state_snapshot(manager->state);
    TRY(read_spread(manager, err));
    TRY(cloud->open(cloud->context, fence_kube(&manager->fence), state_symbols(manager->state), &manager->fence.cloud,
                    err));
    manager->cloud_open = true;
    return OK;
}

// Closes the parts, and waits that long for running calls.
static void parts_close(Manager *manager, int64_t drain_ns) {
    end_calls(&manager->config.calls, drain_ns);
    if (manager->has_thread) {
        engine_stop(manager->engine);
        pthread_join(manager->thread, NULL);
    }
    manager->has_thread = false;
    display_follow(manager->display, NULL);
    engine_free(manager->engine);
    thread_executor_free(manager->executor);
    if (manager->cloud_open)
        manager->config.cloud.close(manager->config.cloud.context);
    snapshot_free(manager->before);
    state_free(manager->state);
    arena_free(&manager->arena);
    manager->engine = NULL;
    manager->executor = NULL;
    manager->state = NULL;
    manager->before = NULL;
    manager->cloud_open = false;
    manager->spread = (DefaultSpread){0};
    atomic_store(&manager->phase, ENGINE_OFF);
}

// --- leading

static void *run_engine(void *context) {
    Manager *manager = context;

    if (engine_start(manager->engine, &manager->refusal) == OK && engine_run(manager->engine, &manager->refusal) == OK)
        return NULL;
    atomic_store(&manager->phase, ENGINE_REFUSED);
    tell(manager);
    return NULL;
}

uint32_t manager_workers(const ManagerOptions *options) {
    int64_t cpu_milli = options->cpu_requests > 0 ? options->cpu_requests : 1000;
    int64_t workers = cpu_milli >= WORKERS_MAX * 1000 ? WORKERS_MAX : cpu_milli * WORKERS_PER_CPU / 1000;

    return (uint32_t)(workers < WORKERS_PER_CPU ? WORKERS_PER_CPU : workers > WORKERS_MAX ? WORKERS_MAX : workers);
}

static ErrCode engine_begin(Manager *manager, Err *err) {
    const ManagerOptions *options = manager->config.options;
    Settings settings = options->settings;
    ErrCode code;

    settings.default_spread = options->scheduler_config.len ? &manager->spread : NULL;
    if (manager->config.cloud.lead)
        TRY(manager->config.cloud.lead(manager->config.cloud.context, err));
    TRY(thread_executor_new(manager_workers(options), &manager->executor, err));
    manager->engine = engine_new(&(EngineConfig){.controllers = controllers,
                                                 .controller_count = controller_count,
                                                 .kube = fence_kube(&manager->fence),
                                                 .cloud = fence_cloud(&manager->fence),
                                                 .clock = manager->clock,
                                                 .state = manager->state,
                                                 .executor = thread_executor(manager->executor),
                                                 .settings = &settings,
                                                 .seed = manager->config.seed,
                                                 .observer = display_observer(manager->display),
                                                 .log = json_log_write,
                                                 .log_context = manager->config.log});
    manager->state = NULL;
    display_follow(manager->display, manager->engine);
    atomic_store(&manager->phase, ENGINE_RUNS);
    code = thread_start(&manager->thread, "engine", 0, run_engine, manager, err);
    manager->has_thread = code == OK;
    return code;
}

// Handles an API server that refuses a watch (RBAC, for example), which an administrator has to change: logged every
// ten seconds, and tried again with all parts made anew.
static ErrCode engine_was_refused(Manager *manager, Err *err) {
    say(manager, LOG_ERROR, "cannot watch the cluster, trying again", slice_of(manager->refusal.text));
    parts_close(manager, REFUSED_DRAIN_MS * NS_PER_MS);
    end_calls(&manager->config.calls, INT64_MAX);
    manager->rests_until = mono_after(clock_now(manager->clock), REFUSED_REST_S * NS_PER_S);
    return parts_open(manager, err);
}

// --- the lease

// Logs the leader that the process waits for, once per leader.
static void say_leader(Manager *manager, Slice leader) {
    if (!leader.len || slice_eq_text(leader, manager->leader))
        return;
    snprintf(manager->leader, sizeof manager->leader, "%.*s", SLICE_ARG(leader));
    json_log_say(manager->config.log, clock_wall_ns(manager->clock), LOG_INFO, "waiting for the leader lease", "holder",
                 leader, NULL);
}

// Checks for free descriptors, on the elector's thread, every two seconds. A process without any for long can open no
// connection and do no work, but would go on renewing the Lease over an open one.
static void look_for_descriptors(Manager *manager) {
    Mono now = clock_now(manager->clock);

    if (descriptors_are_left()) {
        manager->starved = (Mono){0};
    } else if (!mono_is_set(manager->starved)) {
        manager->starved = now;
        say(manager, LOG_ERROR, "no file descriptor is left (EMFILE): calls fail until one is", (Slice){0});
    } else if (mono_since(now, manager->starved) >= STARVED_S * NS_PER_S) {
        atomic_store(&manager->starves, true);
        tell(manager);
    }
}

// Handles a try of the elector, on its thread. The same error is logged once a minute.
static void lease_told(void *context, const LeaseTry *result, const KubeError *error) {
    Manager *manager = context;
    const char *text = result->code == OK ? "" : error->err.text;
    Mono now = clock_now(manager->clock);
    bool is_new = strcmp(text, manager->failure) != 0;

    if (*text && (is_new || mono_since(now, manager->failure_said) >= FAILURE_REPEAT_S * NS_PER_S)) {
        say(manager, LOG_ERROR,
            result->state == LEASE_WAITING ? "failed to acquire leader lease" : "failed to renew leader lease",
            slice_of(text));
        manager->failure_said = now;
    }
    snprintf(manager->failure, sizeof manager->failure, "%s", text);
    if (result->state == LEASE_WAITING)
        say_leader(manager, result->holder);
    display_slow_renewals(manager->display, lease_slow_paths(manager->lease));
    look_for_descriptors(manager);
    if (result->changed)
        tell(manager);
}

bool manager_leads(const Manager *manager) {
    return atomic_load(&manager->leads);
}

void manager_serves_webhooks(Manager *manager) {
    display_serves_webhooks(manager->display);
}

const Display *manager_display(const Manager *manager) {
    return manager->display;
}

bool manager_may_write(const Manager *manager) {
    return !manager->lease || lease_is_held(manager->lease);
}

static ErrCode lead(Manager *manager, Err *err) {
    display_lead(manager->display, manager->lease, true);
    if (!atomic_exchange(&manager->leads, true))
        say(manager, LOG_INFO, manager->lease ? "successfully acquired leader lease" : "leader election is disabled",
            (Slice){0});
    return mono_reached(clock_now(manager->clock), manager->rests_until) ? engine_begin(manager, err) : OK;
}

// --- waiting and leading

// When something is due without a wake-up.
static Mono wakes_at(const Manager *manager) {
    Mono wakes = MONO_END;

    if (manager->lease && manager_leads(manager))
        wakes = lease_held_until(manager->lease);
    if (atomic_load(&manager->phase) == ENGINE_OFF && manager_leads(manager))
        wakes = mono_first(wakes, manager->rests_until);
    return wakes;
}

// Waits for a wake-up. Returns whether the process is to stop.
static bool wait_for_news(Manager *manager) {
    struct pollfd fds[] = {{.fd = manager->config.stop_fd, .events = POLLIN},
                           {.fd = manager->news_fd, .events = POLLIN}};
    int64_t wait_ns = mono_left(clock_now(manager->clock), wakes_at(manager));
    struct timespec wait = timespec_of_ns(wait_ns);
    uint64_t count;

    ppoll(fds, 2, wait_ns == INT64_MAX ? NULL : &wait, NULL);
    if ((fds[1].revents & POLLIN) && read(manager->news_fd, &count, sizeof count) < 0)
        CHECK(errno == EAGAIN, "an eventfd that cannot be read");
    return fds[0].revents & POLLIN;
}

static ErrCode start_elector(Manager *manager, Err *err) {
    if (!manager->lease)
        return OK;
    say(manager, LOG_INFO, "attempting to acquire leader lease", (Slice){0});
    return leader_elector_new(manager->lease, manager->clock, lease_told, manager, &manager->elector, err);
}

// Does what is due now.
static ErrCode proceed(Manager *manager, Err *err) {
    EnginePhase phase = (EnginePhase)atomic_load(&manager->phase);

    if (atomic_load(&manager->starves))
        return err_set(err, ERR_IO, "for %d s no file descriptor was left (%llu are allowed: ulimit -n)", STARVED_S,
                       (unsigned long long)descriptors_allowed());
    if (phase == ENGINE_REFUSED)
        return engine_was_refused(manager, err);
    if (phase == ENGINE_OFF && manager_may_write(manager))
        return lead(manager, err);
    return OK;
}

ManagerEnd manager_live(Manager *manager) {
    Err err = {0};
    ErrCode code = start_elector(manager, &err);

    while (code == OK) {
        if (manager_leads(manager) && !manager_may_write(manager))
            return MANAGER_LOST;
        code = proceed(manager, &err);
        if (code == OK && wait_for_news(manager))
            return MANAGER_STOPPED;
    }
    if (stop_is_asked(manager->config.stop_fd)) // which ends calls of the cloud
        return MANAGER_STOPPED;
    say(manager, LOG_ERROR, "cannot do any work, ending", slice_of(err.text));
    return MANAGER_FAILED;
}

// --- making

// Makes the fenced clients. Calls are counted next to the client: a call that the fence refused was never made.
static void fence_open(Manager *manager) {
    const ManagerConfig *config = &manager->config;
    Kube lease_kube = display_meter(manager->display, &manager->lease_meter, config->lease_kube);

    if (config->identity.len)
        manager->lease = lease_new(&(LeaseConfig){.kube = lease_kube,
                                                  .clock = manager->clock,
                                                  .ns = config->lease_namespace,
                                                  .name = config->options->leader_election_name,
                                                  .identity = config->identity,
                                                  .seed = config->seed});
    manager->fence =
        (Fence){.kube = display_meter(manager->display, &manager->meter, config->kube), .lease = manager->lease};
    display_lead(manager->display, manager->lease, false);
}

ErrCode manager_new(const ManagerConfig *config, Manager **ret_manager, Err *err) {
    Manager *manager = NEW(Manager);
    ErrCode code;

    manager->config = *config;
    manager->clock = clock_real();
    manager->news_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    CHECK(manager->news_fd >= 0, "the system gives no eventfd");
    atomic_init(&manager->phase, ENGINE_OFF);
    atomic_init(&manager->leads, false);
    atomic_init(&manager->starves, false);
    manager->display = display_new(config->options, manager->clock);
    fence_open(manager);
    if (config->cloud.count)
        config->cloud.count(config->cloud.context, display_registry(manager->display), display_page(manager->display),
                            manager->clock);
    code = parts_open(manager, err);
    if (code == OK)
        code = display_serve(manager->display, config->ports, kube_metered(&manager->lease_meter), err);
    if (code != OK)
        manager_free(manager);
    else
        *ret_manager = manager;
    return code;
}

static void give_lease_up(Manager *manager) {
    KubeError error = {0};

    end_calls(&manager->config.lease_calls, RELEASE_MS * NS_PER_MS);
    if (manager->lease && lease_release(manager->lease, &error) != OK)
        say(manager, LOG_ERROR, "failed to release leader lease", slice_of(error.err.text));
}

void manager_free(Manager *manager) {
    if (!manager)
        return;
    parts_close(manager, MANAGER_DRAIN_S * NS_PER_S); // the lease is renewed meanwhile
    end_calls(&manager->config.lease_calls, RENEWAL_DRAIN_MS * NS_PER_MS);
    leader_elector_free(manager->elector);
    display_lead(manager->display, manager->lease, false);
    give_lease_up(manager);
    end_calls(&manager->config.lease_calls, 0);
    display_free(manager->display); // serves until the end
    lease_free(manager->lease);
    close(manager->news_fd);
    free(manager);
}
