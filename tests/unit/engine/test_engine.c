// The engine in virtual mode on the embedded API server: its effects on a cluster.
#include "base/time.h"
#include "engine/journal.h"
#include "engine/support/engine_env.h"

#include "ctl/settings_flags.h"
#include "model/names.h"

#include <stdlib.h>

static const Controller *const twins[] = {&twin_controller};

static EngineEnv *twin_env(void) {
    return engine_env_new(twins, 1);
}

static void want(EngineEnv *env, const char *name) {
    engine_env_create(env, KUBE_NAMESPACE, "{metadata: {name: %s, labels: {twin: wanted}}}", name);
}

TEST(controllers_reach_the_wanted_state) {
    EngineEnv *env = twin_env();
    EngineCounts counts;

    want(env, "a"); // exists before the engine
    engine_env_start(env);
    assert_false(engine_is_synced(env->engine));
    engine_env_settle(env);
    assert_true(engine_is_synced(env->engine));
    want(env, "b"); // is created later
    engine_env_settle(env);
    assert_string_equal(engine_env_names(env, KUBE_STORAGE_CLASS), "a b");
    assert_string_equal(engine_env_twins(env), "a=done b=done");
    engine_env_delete(env, KUBE_NAMESPACE, "a");
    engine_env_run(env, NS_PER_S);
    assert_string_equal(engine_env_names(env, KUBE_STORAGE_CLASS), "b");
    counts = engine_counts(env->engine);
    assert_int_equal(counts.intents[INTENT_REMOVE], 1);
    assert_int_equal(counts.intents[INTENT_EVENT], 2);
    assert_int_equal(counts.events_written, 2);
    assert_int_equal(counts.failures, 0);
    assert_int_equal(counts.jobs_running, 0);
    assert_int_equal(counts.keys_waiting, 0);
    assert_int_equal(counts.relists, 0);
    assert_int_equal(env->log.len, 0);
    engine_env_free(env);
}

// Controllers are called after every kind was listed, and observe each existing object exactly once.
static uint32_t observed, observed_namespaces, started, reconciled;

static void note_observe(void *self, Turn *turn, const StateChange *change) {
    (void)self;
    (void)turn;
    assert_int_equal(started, 0);
    observed++;
    observed_namespaces += change->kind == KUBE_NAMESPACE;
    assert_null(change->before);
    assert_non_null(change->after);
    assert_int_equal(state_count(turn->state, KUBE_STORAGE_CLASS), 3); // complete from the first call on
}

static const Controller note_controller;

static void note_start(void *self, Turn *turn) {
    (void)self;
    started++;
    turn_enqueue(turn, &note_controller, (Key){0}, 0);
}

static void note_reconcile(void *self, Turn *turn, Key key) {
    (void)self;
    (void)turn;
    assert_int_equal(key.name, NAME_EMPTY);
    reconciled++;
}

static const Controller note_controller = {
    .name = "note", .observe = note_observe, .start = note_start, .reconcile = note_reconcile};

TEST(controllers_wait_until_everything_is_listed) {
    const Controller *const controllers[] = {&note_controller};
    EngineEnv *env = engine_env_new(controllers, 1);

    for (char name = 'a'; name < 'd'; name++)
        engine_env_create(env, KUBE_STORAGE_CLASS, "{metadata: {name: %c}, provisioner: x.example/y}", name);
    env->watch_fault = (EngineEnvFault){2, KUBE_REASON_SERVICE_UNAVAILABLE}; // namespaces are listed late
    engine_env_start(env);
    engine_env_settle(env);
    assert_false(engine_is_synced(env->engine));
    assert_int_equal(observed + started + reconciled, 0);
    engine_env_run(env, 10 * NS_PER_S);
    assert_true(engine_is_synced(env->engine));
    assert_int_equal(observed, 3 + 4 + state_count(engine_state(env->engine), KUBE_PRIORITY_CLASS));
    assert_int_equal(observed_namespaces, 4);
    assert_int_equal(started, 1);
    assert_int_equal(reconciled, 1);
    engine_env_free(env);
}

// What a controller reads is for it alone: the State keeps no Deployments.
static const Controller reader_controller;
static int64_t read_replicas;
static ErrCode read_code;

static void reader_start(void *self, Turn *turn) {
    (void)self;
    turn_enqueue(turn, &reader_controller, (Key){.name = symbol_intern(turn->symbols, SLICE("web"))}, 0);
    turn_enqueue(turn, &reader_controller, (Key){.name = symbol_intern(turn->symbols, SLICE("gone"))}, 0);
}

static void reader_reconcile(void *self, Turn *turn, Key key) {
    (void)self;
    turn_intend(turn, INTENT_GET)->ref =
        (KubeRef){KUBE_DEPLOYMENT, SLICE("default"), symbol_text(turn->symbols, key.name)};
}

static void reader_complete(void *self, Turn *turn, Key key, const Completion *completions, uint32_t count) {
    const Value *replicas = value_at(completions->object, "spec", "replicas", NULL);

    (void)self, (void)turn, (void)key;
    assert_int_equal(count, 1);
    if (completions->code == OK)
        assert_true(value_to_int64(replicas, &read_replicas));
    else
        read_code = completions->code;
}

static const Controller reader_controller = {
    .name = "reader", .start = reader_start, .reconcile = reader_reconcile, .complete = reader_complete};

TEST(an_object_is_read_for_the_completion) {
    const Controller *const controllers[] = {&reader_controller};
    EngineEnv *env = engine_env_new(controllers, 1);

    engine_env_create(
        env, KUBE_DEPLOYMENT,
        "{metadata: {name: web, namespace: default}, spec: {replicas: 7, selector: {matchLabels: {a: b}}, "
        "template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: i}]}}}}");
    engine_env_start(env);
    engine_env_settle(env);
    assert_int_equal(read_replicas, 7);
    assert_int_equal(read_code, ERR_NOT_FOUND);
    assert_int_equal(engine_counts(env->engine).intents[INTENT_GET], 2);
    assert_int_equal(engine_env_count(&env->journal, "{\"intent\":\"get\",\"kind\":\"Deployment\","), 2);
    engine_env_free(env);
}

// Another client writes before a batch is carried out: the patch conflicts, and the key is tried again without a log
// line.
TEST(a_conflict_is_tried_again_quickly) {
    EngineEnv *env = twin_env();

    env->step_ns = NS_PER_S;
    engine_env_start(env);
    want(env, "a");
    engine_env_settle(env);
    engine_env_patch(env, KUBE_NAMESPACE, KUBE_OBJECT, "a", "{metadata: {labels: {other: x}}}");
    engine_env_run(env, 2 * NS_PER_S + NS_PER_S / 2);
    assert_string_equal(engine_env_twins(env), "a=wanted");
    assert_int_equal(engine_counts(env->engine).failures, 1);
    engine_env_run(env, 2 * NS_PER_S);
    assert_string_equal(engine_env_twins(env), "a=done");
    assert_string_equal(engine_env_names(env, KUBE_STORAGE_CLASS), "a");
    assert_int_equal(env->creates, 1);
    assert_int_equal(env->log.len, 0);
    engine_env_free(env);
}

TEST(not_found_is_forgotten) {
    EngineEnv *env = twin_env();

    engine_env_start(env);
    want(env, "a");
    engine_env_settle(env);
    env->step_ns = NS_PER_S;
    engine_env_delete(env, KUBE_NAMESPACE, "a");
    engine_env_run(env, NS_PER_S / 2);
    engine_env_delete(env, KUBE_STORAGE_CLASS, "a"); // before the engine gets there
    engine_env_run(env, 1000 * NS_PER_S);
    assert_int_equal(engine_counts(env->engine).failures, 1);
    assert_int_equal(env->log.len, 0);
    assert_int_equal(engine_counts(env->engine).keys_waiting, 0);
    engine_env_free(env);
}

// 5 ms, doubled to 1000 s at most, from the failure on; each failure is logged once. lifecycle.md 0.4.
TEST(failures_back_off_exponentially) {
    enum { TRIES = 22 };
    EngineEnv *env = twin_env();
    int64_t delay_ns = 5 * NS_PER_MS;

    engine_env_start(env);
    engine_env_settle(env);
    env->create_fault = (EngineEnvFault){TRIES - 1, KUBE_REASON_INTERNAL_ERROR};
    want(env, "a");
    engine_env_run(env, 7000 * NS_PER_S);
    assert_int_equal(env->create_tries, TRIES);
    for (uint32_t i = 1; i < TRIES; i++) {
        assert_int_equal(env->create_times_ns[i] - env->create_times_ns[i - 1], delay_ns);
        delay_ns = delay_ns * 2 > 1000 * NS_PER_S ? 1000 * NS_PER_S : delay_ns * 2;
    }
    assert_string_equal(engine_env_twins(env), "a=done");
    assert_int_equal(
        engine_env_count(&env->log, "Reconciler error controller=twin name=a error=the server has a bad day\n"),
        TRIES - 1);
    assert_int_equal(engine_env_count(&env->log, "\n"), TRIES - 1);
    want(env, "b"); // the success has reset the backoff of a, and b has its own
    env->create_fault.times = 1;
    engine_env_run(env, 5 * NS_PER_MS);
    assert_string_equal(engine_env_twins(env), "a=done b=done");
    engine_env_free(env);
}

// While the batch of a key is running the key is busy: it is reconciled once after that, whatever happens meanwhile.
TEST(a_busy_key_is_called_once_afterwards) {
    EngineEnv *env = twin_env();
    uint64_t reconciles;

    engine_env_start(env);
    engine_env_settle(env);
    env->step_ns = NS_PER_S;
    want(env, "a");
    engine_env_settle(env);
    reconciles = engine_counts(env->engine).reconciles;
    for (int i = 0; i < 5; i++) {
        engine_env_patch(env, KUBE_NAMESPACE, KUBE_OBJECT, "a",
                         i % 2 ? "{metadata: {labels: {x: b}}}" : "{metadata: {labels: {x: a}}}");
        engine_env_run(env, NS_PER_S / 10);
    }
    assert_int_equal(engine_counts(env->engine).reconciles, reconciles);
    assert_int_equal(engine_counts(env->engine).batches, 1);
    engine_env_run(env, NS_PER_S / 2);
    assert_string_equal(engine_env_names(env, KUBE_STORAGE_CLASS), "a"); // the first step is made
    assert_int_equal(engine_counts(env->engine).reconciles, reconciles);
    engine_env_run(env, NS_PER_S); // the second fails by conflict, then the key is reconciled again
    assert_int_equal(engine_counts(env->engine).reconciles, reconciles + 1);
    engine_env_run(env, 2 * NS_PER_S);
    assert_string_equal(engine_env_twins(env), "a=done");
    engine_env_free(env);
}

// The object that a write returned is in the State before the watch reports it.
TEST(own_writes_are_seen_at_once) {
    EngineEnv *env = twin_env();

    engine_env_start(env);
    engine_env_settle(env);
    want(env, "a");
    while (api_step(env->server)) {
    }
    engine_turn(env->engine);            // decides; the batch is queued at the executor
    assert_int_equal(env->job_count, 2); // and the event
    engine_job_run(env->jobs[0].job);
    engine_job_done(env->jobs[0].job);
    env->jobs[0] = env->jobs[--env->job_count];
    assert_string_equal(engine_env_state_names(env, KUBE_STORAGE_CLASS), "");
    engine_turn(env->engine); // without events of watches since
    assert_string_equal(engine_env_state_names(env, KUBE_STORAGE_CLASS), "a");
    engine_env_settle(env);
    assert_int_equal(engine_counts(env->engine).batches, 1);
    engine_env_free(env);
}

static void assert_same_picture(EngineEnv *env) {
    assert_string_equal(engine_env_state_names(env, KUBE_NAMESPACE), engine_env_names(env, KUBE_NAMESPACE));
    assert_string_equal(engine_env_state_names(env, KUBE_STORAGE_CLASS), engine_env_names(env, KUBE_STORAGE_CLASS));
}

TEST(a_dropped_watch_goes_on_where_it_was) {
    EngineEnv *env = twin_env();
    uint64_t events;

    for (char name = 'a'; name <= 'z'; name++)
        want(env, (char[]){name, '1', 0});
    engine_env_start(env);
    engine_env_run(env, 60 * NS_PER_S);
    events = engine_counts(env->engine).events;
    api_drop_watches(env->server);
    want(env, "late");
    engine_env_delete(env, KUBE_NAMESPACE, "b1");
    engine_env_run(env, 10 * NS_PER_S);
    assert_int_equal(engine_counts(env->engine).relists, 0);
    assert_true(engine_counts(env->engine).events - events < 15); // not everything again
    assert_same_picture(env);
    engine_env_free(env);
}

// The resourceVersion is too old: everything is listed again, and objects that were deleted meanwhile are removed and
// reported.
TEST(too_old_lists_anew) {
    EngineEnv *env = twin_env();

    for (char name = 'a'; name <= 'z'; name++)
        want(env, (char[]){name, '1', 0});
    engine_env_start(env);
    engine_env_run(env, 60 * NS_PER_S);
    api_drop_watches(env->server);
    want(env, "late");
    engine_env_delete(env, KUBE_NAMESPACE, "b1");
    while (api_collect(env->server)) { // the namespace is removed before any event
    }
    api_forget_history(env->server);
    engine_env_run(env, 10 * NS_PER_S);
    assert_true(engine_counts(env->engine).relists > 0);
    assert_same_picture(env);
    assert_null(strstr(engine_env_names(env, KUBE_STORAGE_CLASS), "b1")); // the controller has observed the removal
    assert_non_null(strstr(engine_env_twins(env), "late=done"));
    assert_int_equal(env->creates, 27);
    engine_env_free(env);
}

// Watches of a server that drops each at once are started with backoff: 0.8 s, doubled to 30 s, times 1 to 2.
TEST(short_lived_watches_are_not_restarted_in_a_loop) {
    EngineEnv *env = twin_env();

    engine_env_start(env);
    engine_env_run(env, 60 * NS_PER_S);
    env->watch_fault = (EngineEnvFault){1000000, KUBE_REASON_SERVICE_UNAVAILABLE};
    api_drop_watches(env->server);
    engine_env_run(env, NS_PER_HOUR);
    assert_in_range(1000000 - env->watch_fault.times, 3600 / 60, 3600 / 30 + 10);
    env->watch_fault.times = 0;
    want(env, "a");
    engine_env_run(env, 61 * NS_PER_S);
    assert_string_equal(engine_env_twins(env), "a=done");
    engine_env_free(env);
}

// In a burst an API server repeatedly ends watches that lag. A watch that delivered events has no backoff.
TEST(watches_that_told_something_go_on_at_once) {
    EngineEnv *env = twin_env();

    engine_env_start(env);
    engine_env_run(env, 60 * NS_PER_S);
    for (char name = 'a'; name <= 'z'; name++) {
        want(env, (char[]){name, '1', 0});
        engine_env_run(env, NS_PER_S / 10);
        api_drop_watches(env->server);
    }
    engine_env_run(env, NS_PER_S / 10);
    assert_non_null(strstr(engine_env_twins(env), "a1=done"));
    assert_null(strstr(engine_env_twins(env), "=wanted"));
    engine_env_free(env);
}

TEST(a_kind_that_is_not_there_counts_as_empty) {
    EngineEnv *env = twin_env();

    env->watch_fault = (EngineEnvFault){3, KUBE_REASON_NOT_FOUND};
    engine_env_start(env);
    engine_env_settle(env);
    assert_true(engine_is_synced(env->engine));
    want(env, "a");
    engine_env_run(env, 59 * NS_PER_S);
    assert_string_equal(engine_env_twins(env), "a=wanted");
    engine_env_run(env, 32 * NS_PER_S); // the backoff is over
    assert_string_equal(engine_env_twins(env), "a=done");
    engine_env_free(env);
}

TEST(a_watch_that_is_refused_stops_the_start) {
    EngineEnv *env = twin_env();
    Err err = {0};

    env->watch_fault = (EngineEnvFault){1, KUBE_REASON_FORBIDDEN};
    env->engine = engine_new(&env->config);
    assert_int_equal(engine_start(env->engine, &err), ERR_DENIED);
    assert_string_equal(err.text, "watching namespaces: no watch for you");
    engine_env_free(env);
}

// Karpenter's chart does not grant reading RuntimeClasses; everything works with its permissions alone.
TEST(a_missing_optional_kind_is_requested_periodically) {
    EngineEnv *env = twin_env();

    env->watch_fault_kind = KUBE_RUNTIME_CLASS;
    env->watch_fault = (EngineEnvFault){20, KUBE_REASON_FORBIDDEN};
    engine_env_create(env, KUBE_RUNTIME_CLASS, "{metadata: {name: gvisor}, handler: runsc}");
    want(env, "a");
    engine_env_start(env);
    engine_env_settle(env);
    assert_string_equal(engine_env_twins(env), "a=done");
    engine_env_run(env, 300 * NS_PER_S);
    assert_in_range(20 - env->watch_fault.times, 7, 16); // 0.8 s, doubled to 30 s, times 1 to 2
    assert_int_equal(engine_env_count(&env->log, "may not watch, going on without kind=RuntimeClass"), 1);
    assert_int_equal(engine_env_count(&env->log, "\n"), 1);
    env->watch_fault.times = 0;
    engine_env_run(env, 61 * NS_PER_S); // the permission is granted now
    assert_int_equal(state_count(engine_state(env->engine), KUBE_RUNTIME_CLASS), 1);
    engine_env_free(env);
}

TEST(the_other_providers_classes_are_not_watched) {
    EngineEnv *env = twin_env();
    Settings settings = settings_default();

    settings_serve_kwok(&settings);
    env->config.settings = &settings;
    engine_env_create(env, KUBE_EC2_NODE_CLASS, "{metadata: {name: ec2}, spec: {}}");
    engine_env_create(env, KUBE_KWOK_NODE_CLASS, "{metadata: {name: kwok}, spec: {}}");
    engine_env_start(env);
    engine_env_settle(env);
    assert_int_equal(state_count(engine_state(env->engine), KUBE_KWOK_NODE_CLASS), 1);
    assert_int_equal(state_count(engine_state(env->engine), KUBE_EC2_NODE_CLASS), 0);
    engine_env_free(env);
}

// Kills the process before or after each call in turn, and starts another.
static void live_with_a_death(uint64_t at_step, bool after_call, bool *ret_died) {
    EngineEnv *env = twin_env();

    env->step_ns = 10 * NS_PER_MS;
    env->dies_at_step = at_step;
    env->dies_after_call = after_call;
    engine_env_start(env);
    for (char name = 'a'; name <= 'e'; name++) {
        want(env, (char[]){name, 0});
        engine_env_run(env, 15 * NS_PER_MS);
        if (!env->engine)
            engine_env_start(env);
    }
    engine_env_run(env, NS_PER_S);
    if (!env->engine)
        engine_env_start(env);
    engine_env_run(env, 10 * NS_PER_S);
    *ret_died = env->died;
    assert_string_equal(engine_env_twins(env), "a=done b=done c=done d=done e=done");
    assert_string_equal(engine_env_names(env, KUBE_STORAGE_CLASS), "a b c d e");
    assert_int_equal(env->creates, 5); // nothing twice
    assert_int_equal(engine_counts(env->engine).jobs_running, 0);
    engine_env_free(env);
}

TEST(a_death_at_any_step_costs_time_only) {
    uint64_t deaths = 0;
    bool died = true;

    for (uint64_t step = 1; died; step++) {
        live_with_a_death(step, false, &died);
        if (died)
            live_with_a_death(step, true, &died);
        deaths += died;
    }
    assert_in_range(deaths, 12, 30); // five times create and patch, and the events
}

// engine_free while jobs are running: they may still be stepped and ended, and nothing is written.
TEST(jobs_of_a_dead_engine_are_harmless) {
    EngineEnv *env = twin_env();
    EngineJob *jobs[4];

    engine_env_start(env);
    engine_env_settle(env);
    env->step_ns = NS_PER_S;
    want(env, "a");
    want(env, "b");
    want(env, "c");
    engine_env_settle(env);
    assert_int_equal(env->job_count, 4); // and the first event
    for (int i = 0; i < 4; i++)
        jobs[i] = env->jobs[i].job;
    env->job_count = 0;
    assert_true(engine_job_step(jobs[0], 0)); // half done
    engine_env_kill(env);
    assert_false(engine_job_step(jobs[0], 1));
    engine_job_run(jobs[1]);
    engine_job_done(jobs[0]);
    engine_job_done(jobs[1]);
    engine_job_drop(jobs[2]);
    engine_job_done(jobs[3]); // not begun
    assert_string_equal(engine_env_names(env, KUBE_STORAGE_CLASS), "a");
    assert_string_equal(engine_env_twins(env), "a=wanted b=wanted c=wanted");
    engine_env_free(env);
}

// The keys of most controllers are objects in namespaces; those of disruption are commands.
TEST(a_key_is_told_as_what_it_is) {
    const Controller twin = {.name = "twin"}, commands = {.name = "disruption", .ns_label = "uuid"};

    assert_string_equal(journal_ns_label(&twin), "namespace");
    assert_string_equal(journal_ns_label(&commands), "uuid");
}

// Equal input gives an equal journal, which has each decision and its result.
TEST(the_journal_is_the_same_every_time) {
    Slice first = {0};
    EngineEnv *envs[2];

    for (int i = 0; i < 2; i++) {
        EngineEnv *env = envs[i] = twin_env();

        env->step_ns = 7 * NS_PER_MS;
        engine_env_start(env);
        for (char name = 'a'; name <= 'm'; name++) {
            want(env, (char[]){name, 0});
            engine_env_run(env, 3 * NS_PER_MS);
            if (name == 'g')
                api_drop_watches(env->server);
            if (name == 'k')
                env->create_fault = (EngineEnvFault){2, KUBE_REASON_INTERNAL_ERROR};
        }
        engine_env_run(env, 100 * NS_PER_S);
        if (i == 0)
            first = buffer_slice(&env->journal);
    }
    assert_true(first.len > 5000);
    assert_true(slice_eq(first, buffer_slice(&envs[1]->journal)));
    assert_int_equal(engine_env_count(&envs[0]->journal,
                                      "{\"decided\":1,\"controller\":\"twin\",\"name\":\"a\",\"intents\":"
                                      "[{\"intent\":\"create\",\"kind\":\"StorageClass\",\"object\":"),
                     1);
    assert_int_equal(
        engine_env_count(&envs[0]->journal,
                         "{\"told\":1,\"controller\":\"twin\",\"name\":\"a\",\"results\":[{\"intent\":\"create\","
                         "\"name\":\"a\",\"revision\":"),
        1);
    assert_int_equal(engine_env_count(&envs[0]->journal,
                                      "\"failed\":\"input/output failed\",\"error\":\"the server has a "
                                      "bad day\""),
                     2);
    engine_env_free(envs[0]);
    engine_env_free(envs[1]);
}

// 20,000 events in one step of the server: one turn takes them all.
TEST(a_burst_is_taken_in_one_turn) {
    EngineEnv *env = twin_env();
    uint64_t turns;

    engine_env_start(env);
    engine_env_settle(env);
    for (int i = 0; i < 4000; i++) // the history of a kind
        engine_env_create(env, KUBE_STORAGE_CLASS, "{metadata: {name: class-%d}, provisioner: x.example/y}", i);
    while (api_step(env->server)) {
    }
    assert_int_equal(engine_counts(env->engine).mailbox_depth, 4000);
    assert_true(engine_next(env->engine).ns <= env->now_ns);
    turns = engine_counts(env->engine).turns;
    assert_true(engine_turn(env->engine));
    assert_int_equal(engine_counts(env->engine).mailbox_depth, 0);
    assert_int_equal(state_count(engine_state(env->engine), KUBE_STORAGE_CLASS), 4000);
    while (engine_turn(env->engine)) {
    }
    assert_true(engine_counts(env->engine).turns - turns < 40); // 128 keys in each
    engine_env_settle(env);
    assert_int_equal(state_count(engine_state(env->engine), KUBE_STORAGE_CLASS), 0); // no namespaces of that name
    engine_env_free(env);
}

// The Turn of the last call, for its times.
static Turn seen;

static void clock_reconcile(void *self, Turn *turn, Key key) {
    (void)self;
    seen = *turn;
    turn_again(turn, key, 10 * NS_PER_S);
}

static void clock_start(void *self, Turn *turn);

static const Controller clock_controller = {.name = "clock", .start = clock_start, .reconcile = clock_reconcile};

static void clock_start(void *self, Turn *turn) {
    (void)self;
    turn_enqueue(turn, &clock_controller, (Key){0}, 0);
}

static void assert_warnings(EngineEnv *env, uint32_t wrong, uint32_t right) {
    assert_int_equal(engine_env_count(&env->log, "this machine's clock is not the API server's"), wrong);
    assert_int_equal(engine_env_count(&env->log, "this machine's clock is the API server's again"), right);
}

TEST(a_wrong_clock_is_reported_once_and_not_used) {
    static const Controller *const controllers[] = {&clock_controller};
    EngineEnv *env = engine_env_new(controllers, 1);

    engine_env_start(env);
    engine_env_run(env, NS_PER_MIN);
    assert_warnings(env, 0, 0);
    env->offset_ns = 16 * NS_PER_MIN;
    engine_env_run(env, NS_PER_HOUR);
    assert_warnings(env, 1, 0);
    assert_int_equal(engine_env_count(&env->log, "16m0s"), 1);
    assert_int_equal(seen.wall_ns, env->now_ns); // the server's
    assert_int_equal(seen.now.ns, env->now_ns);
    assert_int_equal(engine_counts(env->engine).clock_ahead_ns, 16 * NS_PER_MIN);
    env->offset_ns = -NS_PER_HOUR;
    engine_env_run(env, NS_PER_MIN);
    assert_warnings(env, 2, 0);
    assert_int_equal(seen.now.ns, env->now_ns); // it was called every ten seconds all the same
    env->offset_ns = 20 * NS_PER_S;             // between the thresholds of the log line, so nothing is logged
    engine_env_run(env, NS_PER_MIN);
    env->offset_ns = NS_PER_S;
    engine_env_run(env, NS_PER_MIN);
    assert_warnings(env, 2, 1);
    engine_env_free(env);
}
