// Lives and faults of a simulated tenon.
#include "sim/controller/process.h"

#include "base/alloc.h"
#include "ctl/controllers.h"
#include "sim/controller/process_cloud.h"
#include "sim/controller/process_executor.h"
#include "sim/controller/process_kube.h"
#include "sim/controller/process_watch.h"
#include "sim/controller/process_wire.h"

enum {
    TURNS_MAX = 1000 * 1000, // at one moment: a controller that enqueues itself again and again
    KILL_EVERY_MOST = 1000 * 1000,
};

// --- time

// Wall time of this process's clock, which may be wrong.
static int64_t wall_of(void *self) {
    const SimProcess *process = self;

    return world_now_ns(process->world) + process->skew_ns;
}

static Mono now_of(void *self) {
    return (Mono){world_now_ns(((const SimProcess *)self)->world)};
}

// --- a life

static void wake(void *context) {
    ((SimProcess *)context)->life.woken = true;
}

static EngineConfig engine_config(SimProcess *process) {
    return (EngineConfig){
        .controllers = controllers,
        .controller_count = controller_count,
        .kube = process_kube(process),
        .cloud = process->life.wire ? process->real_cloud : process_cloud(process),
        .clock = {wall_of, now_of, process},
        .state = process->life.state,
        .executor = process_executor(process),
        .relay = process_relay(process),
        .journal = process->config.journal,
        .settings = &process->settings,
        .seed = hash_combine(process->seed, process->counts.lives),
        .log = process->config.log,
        .log_context = process->config.log_context,
        .wake = wake,
        .wake_context = process,
    };
}

// Draws the number of intents until the next kill.
static void draw_kill(SimProcess *process) {
    uint32_t every = process->config.kill_every;

    process->kill_in = every ? 1 + random_below(&process->moments, 2 * every - 1) : 0;
}

static void start(SimProcess *process) {
    Err err = {0};

    process->life.is_started = process->life.woken = true;
    CHECK(engine_start(process->life.engine, &err) == OK, "tenon cannot start: %s", err.text);
    if (process->config.audit)
        audit_excuse(process->config.audit);
}

static Cloud open_cloud(SimProcess *process) {
    if (process->config.aws)
        return process_wire_begin(process);
    process->life.view = sim_view_new(process->cloud, process->symbols);
    return sim_view_cloud(process->life.view);
}

static void be_born(void *context) {
    SimProcess *process = context;
    Life *life = &process->life;
    EngineConfig config;

    *life = (Life){.state = state_new()};
    process->restart = 0;
    process->counts.lives++;
    process->symbols = state_symbols(life->state);
    process->real_cloud = open_cloud(process);
    if (process->config.audit)
        process->real_cloud = audit_cloud(process->config.audit, process->real_cloud, &process->symbols);
    config = engine_config(process);
    life->engine = engine_new(&config);
    draw_kill(process);
    if (life->wire)
        process_wire_probe(process, start);
    else
        start(process);
}

static void add_counts(EngineCounts *sum, const EngineCounts *life) {
    sum->events += life->events;
    sum->reconciles += life->reconciles;
    sum->batches += life->batches;
    for (uint32_t i = 0; i < INTENT_TYPE_COUNT; i++)
        sum->intents[i] += life->intents[i];
    sum->failures += life->failures;
    sum->solves += life->solves;
    sum->relists += life->relists;
    sum->turns += life->turns;
    sum->events_written += life->events_written;
    sum->events_dropped += life->events_dropped;
    sum->solve_ns_total += life->solve_ns_total;
    sum->mailbox_depth = life->mailbox_depth;
    sum->keys_waiting = life->keys_waiting;
    sum->jobs_running = life->jobs_running;
}

static void die(SimProcess *process) {
    Life *life = &process->life;
    EngineCounts counts;

    process_drop_jobs(process);
    process_drop_events(process);
    world_cancel(process->world, life->turn);
    counts = engine_counts(life->engine);
    counts.mailbox_depth = counts.keys_waiting = counts.jobs_running = 0;
    add_counts(&process->counts.engine, &counts);
    engine_free(life->engine);
    if (life->wire)
        process_wire_end(process);
    else
        sim_view_free(life->view);
    *life = (Life){0};
}

// Kills the process. With each kill the mean grows by 5 %: a tenon that always died after the same few calls would
// begin the same work forever.
void process_die(SimProcess *process) {
    if (process->config.kill_every < KILL_EVERY_MOST)
        process->config.kill_every += (process->config.kill_every + 19) / 20;
    sim_process_kill(process, random_below(&process->moments, 10000) * NS_PER_MS);
}

// --- a component of the world

static void time_has_come(void *context) {
    SimProcess *process = context;

    process->life.turn = 0;
    process->life.woken = true;
}

static void set_alarm(SimProcess *process) {
    Life *life = &process->life;
    Mono next = engine_next(life->engine);

    world_cancel(process->world, life->turn);
    life->turn = next.ns == MONO_END.ns ? 0 : world_alarm(process->world, next.ns, time_has_come, process);
}

static bool react(void *self) {
    SimProcess *process = self;
    Life *life = &process->life;
    uint32_t turns = 0;
    bool any = false;

    if (!life->is_started || !life->woken)
        return false;
    life->woken = false;
    while (engine_turn(life->engine)) {
        any = true;
        CHECK(turns++ < TURNS_MAX, "tenon does not come to rest at %lld ns", (long long)world_now_ns(process->world));
    }
    life->woken = false;
    set_alarm(process);
    return any;
}

// Measures the memory of its State, once a minute.
static void look(void *context) {
    SimProcess *process = context;

    process->minute = world_alarm(process->world, world_now_ns(process->world) + NS_PER_MIN, look, process);
    if (!process->life.engine)
        return;
    process->counts.state_bytes = state_memory(process->life.state).bytes;
    process->counts.view_bytes = process->life.view ? sim_view_memory(process->life.view) : 0;
    if (process->counts.state_bytes > process->counts.state_bytes_most)
        process->counts.state_bytes_most = process->counts.state_bytes;
}

static void process_free(void *self) {
    SimProcess *process = self;

    world_cancel(process->world, process->restart);
    world_cancel(process->world, process->minute);
    if (process->life.engine)
        die(process);
    strands_free(process->strands);
    free(process);
}

SimProcess *sim_process_add(World *world, SimCloud *cloud, const SimProcessConfig *config) {
    static const ComponentTable table = {.name = "tenon", .react = react, .free = process_free};
    SimProcess *process = NEW(SimProcess);
    Random seeds = world_random(world, "tenon");

    process->world = world;
    process->cloud = cloud;
    process->config = *config;
    process->settings = config->settings ? *config->settings : settings_default();
    process->seed = random_u64(&seeds);
    process->latency = world_random(world, "tenon's calls");
    process->faults = world_random(world, "tenon's faults");
    process->moments = world_random(world, "tenon's deaths");
    process->delays = world_random(world, "tenon's watches");
    process->real_kube = world_kube(world);
    if (config->audit)
        process->real_kube = audit_kube(config->audit, process->real_kube);
    if (config->aws)
        process->strands = strands_new(world);
    world_add(world, &table, process);
    be_born(process);
    look(process);
    return process;
}

// --- faults

void sim_process_kill(SimProcess *process, int64_t restart_after_ns) {
    if (process->life.engine) {
        die(process);
        process->counts.kills++;
    }
    world_cancel(process->world, process->restart);
    process->restart = world_alarm(process->world, world_now_ns(process->world) + restart_after_ns, be_born, process);
}

void sim_process_kill_every(SimProcess *process, uint32_t intents) {
    process->config.kill_every = intents;
    draw_kill(process);
}

void sim_process_partition(SimProcess *process, bool on) {
    if (process->partitioned == on)
        return;
    process->partitioned = on;
    process_rearm_events(process);
    if (!on && process->config.audit)
        audit_excuse(process->config.audit);
}

void sim_process_skew(SimProcess *process, int64_t ns) {
    process->skew_ns = ns;
    process->life.woken = true;
}

void sim_process_watch_delay(SimProcess *process, int64_t ns) {
    process->watch_delay_ns = ns;
}

void sim_process_watch_drop(SimProcess *process, bool expired) {
    if (expired)
        process->forgotten = api_usage(world_api(process->world)).revision + 1;
    process_end_watches(process);
}

void sim_process_api_errors(SimProcess *process, double percent) {
    CHECK(percent >= 0 && percent <= 100, "%g %% of calls", percent);
    process->error_millionths = (uint32_t)(percent * 10000);
}

// --- reading

SimProcessCounts sim_process_counts(const SimProcess *process) {
    SimProcessCounts counts = process->counts;
    EngineCounts present;

    if (!process->life.engine)
        return counts;
    present = engine_counts(process->life.engine);
    add_counts(&counts.engine, &present);
    return counts;
}

bool sim_process_is_alive(const SimProcess *process) {
    return process->life.engine != NULL;
}

bool sim_process_is_idle(const SimProcess *process) {
    const Life *life = &process->life;

    return life->is_started && engine_is_synced(life->engine) && !life->woken && !process_has_events(process) &&
           !engine_counts(life->engine).jobs_running && engine_next(life->engine).ns > world_now_ns(process->world);
}

const State *sim_process_state(const SimProcess *process) {
    return process->life.engine ? process->life.state : NULL;
}
