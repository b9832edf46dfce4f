// The engine in virtual life, on the embedded API server: what a cluster would notice.
#include "base/time.h"
#include "engine/support/house.h"

#include "ctl/settings_flags.h"
#include "model/names.h"

#include <stdlib.h>

static const Controller *const twins[] = {&twin_controller};

static House *twin_house(void) {
    return house_new(twins, 1);
}

static void want(House *house, const char *name) {
    house_create(house, KUBE_NAMESPACE, "{metadata: {name: %s, labels: {twin: wanted}}}", name);
}

TEST(wishes_come_true) {
    House *house = twin_house();
    EngineCounts counts;

    want(house, "a"); // there before the engine
    house_start(house);
    assert_false(engine_is_synced(house->engine));
    house_settle(house);
    assert_true(engine_is_synced(house->engine));
    want(house, "b"); // comes later
    house_settle(house);
    assert_string_equal(house_names(house, KUBE_STORAGE_CLASS), "a b");
    assert_string_equal(house_twins(house), "a=done b=done");
    house_delete(house, KUBE_NAMESPACE, "a");
    house_run(house, NS_PER_S);
    assert_string_equal(house_names(house, KUBE_STORAGE_CLASS), "b");
    counts = engine_counts(house->engine);
    assert_int_equal(counts.intents[INTENT_REMOVE], 1);
    assert_int_equal(counts.intents[INTENT_EVENT], 2);
    assert_int_equal(counts.events_written, 2);
    assert_int_equal(counts.failures, 0);
    assert_int_equal(counts.jobs_running, 0);
    assert_int_equal(counts.keys_waiting, 0);
    assert_int_equal(counts.relists, 0);
    assert_int_equal(house->log.len, 0);
    house_free(house);
}

// Controllers are called when every kind was listed, and are told of each object that was there exactly once.
static uint32_t observed, observed_namespaces, started, reconciled;

static void note_observe(void *self, Turn *turn, const StateChange *change) {
    (void)self;
    (void)turn;
    assert_int_equal(started, 0);
    observed++;
    observed_namespaces += change->kind == KUBE_NAMESPACE;
    assert_null(change->before);
    assert_non_null(change->after);
    assert_int_equal(state_count(turn->state, KUBE_STORAGE_CLASS), 3); // the whole picture, from the first call on
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
    House *house = house_new(controllers, 1);

    for (char name = 'a'; name < 'd'; name++)
        house_create(house, KUBE_STORAGE_CLASS, "{metadata: {name: %c}, provisioner: x.example/y}", name);
    house->watch_fault = (HouseFault){2, KUBE_REASON_SERVICE_UNAVAILABLE}; // namespaces come late
    house_start(house);
    house_settle(house);
    assert_false(engine_is_synced(house->engine));
    assert_int_equal(observed + started + reconciled, 0);
    house_run(house, 10 * NS_PER_S);
    assert_true(engine_is_synced(house->engine));
    assert_int_equal(observed, 3 + 4 + state_count(engine_state(house->engine), KUBE_PRIORITY_CLASS));
    assert_int_equal(observed_namespaces, 4);
    assert_int_equal(started, 1);
    assert_int_equal(reconciled, 1);
    house_free(house);
}

// A batch is decided; until it is carried out, somebody else writes: the patch conflicts, the key is tried again, and
// nobody is bothered with a line in the log.
TEST(a_conflict_is_tried_again_quickly) {
    House *house = twin_house();

    house->step_ns = NS_PER_S;
    house_start(house);
    want(house, "a");
    house_settle(house);
    house_patch(house, KUBE_NAMESPACE, KUBE_OBJECT, "a", "{metadata: {labels: {other: x}}}");
    house_run(house, 2 * NS_PER_S + NS_PER_S / 2);
    assert_string_equal(house_twins(house), "a=wanted");
    assert_int_equal(engine_counts(house->engine).failures, 1);
    house_run(house, 2 * NS_PER_S);
    assert_string_equal(house_twins(house), "a=done");
    assert_string_equal(house_names(house, KUBE_STORAGE_CLASS), "a");
    assert_int_equal(house->creates, 1);
    assert_int_equal(house->log.len, 0);
    house_free(house);
}

TEST(not_found_is_forgotten) {
    House *house = twin_house();

    house_start(house);
    want(house, "a");
    house_settle(house);
    house->step_ns = NS_PER_S;
    house_delete(house, KUBE_NAMESPACE, "a");
    house_run(house, NS_PER_S / 2);
    house_delete(house, KUBE_STORAGE_CLASS, "a"); // before the engine gets there
    house_run(house, 1000 * NS_PER_S);
    assert_int_equal(engine_counts(house->engine).failures, 1);
    assert_int_equal(house->log.len, 0);
    assert_int_equal(engine_counts(house->engine).keys_waiting, 0);
    house_free(house);
}

// 5 ms, doubled to 1000 s at most, from the failure on; each failure is logged once. lifecycle.md 0.4.
TEST(failures_back_off_exponentially) {
    enum { TRIES = 22 };
    House *house = twin_house();
    int64_t delay_ns = 5 * NS_PER_MS;

    house_start(house);
    house_settle(house);
    house->create_fault = (HouseFault){TRIES - 1, KUBE_REASON_INTERNAL_ERROR};
    want(house, "a");
    house_run(house, 7000 * NS_PER_S);
    assert_int_equal(house->create_tries, TRIES);
    for (uint32_t i = 1; i < TRIES; i++) {
        assert_int_equal(house->create_times_ns[i] - house->create_times_ns[i - 1], delay_ns);
        delay_ns = delay_ns * 2 > 1000 * NS_PER_S ? 1000 * NS_PER_S : delay_ns * 2;
    }
    assert_string_equal(house_twins(house), "a=done");
    assert_int_equal(
        house_count(&house->log, "Reconciler error controller=twin name=a error=the server has a bad day\n"),
        TRIES - 1);
    assert_int_equal(house_count(&house->log, "\n"), TRIES - 1);
    want(house, "b"); // success has forgotten the backoff of a, and b has its own
    house->create_fault.times = 1;
    house_run(house, 5 * NS_PER_MS);
    assert_string_equal(house_twins(house), "a=done b=done");
    house_free(house);
}

// While the batch of a key is under way the key is busy: whatever happens, it is looked at once afterwards.
TEST(a_busy_key_is_called_once_afterwards) {
    House *house = twin_house();
    uint64_t reconciles;

    house_start(house);
    house_settle(house);
    house->step_ns = NS_PER_S;
    want(house, "a");
    house_settle(house);
    reconciles = engine_counts(house->engine).reconciles;
    for (int i = 0; i < 5; i++) {
        house_patch(house, KUBE_NAMESPACE, KUBE_OBJECT, "a",
                    i % 2 ? "{metadata: {labels: {x: b}}}" : "{metadata: {labels: {x: a}}}");
        house_run(house, NS_PER_S / 10);
    }
    assert_int_equal(engine_counts(house->engine).reconciles, reconciles);
    assert_int_equal(engine_counts(house->engine).batches, 1);
    house_run(house, NS_PER_S / 2);
    assert_string_equal(house_names(house, KUBE_STORAGE_CLASS), "a"); // the first step is made
    assert_int_equal(engine_counts(house->engine).reconciles, reconciles);
    house_run(house, NS_PER_S); // the second fails by conflict, then the key is looked at again
    assert_int_equal(engine_counts(house->engine).reconciles, reconciles + 1);
    house_run(house, 2 * NS_PER_S);
    assert_string_equal(house_twins(house), "a=done");
    house_free(house);
}

// The object that a write gave back is in the State before the watch tells of it.
TEST(own_writes_are_seen_at_once) {
    House *house = twin_house();

    house_start(house);
    house_settle(house);
    want(house, "a");
    while (api_step(house->server)) {
    }
    engine_turn(house->engine);            // decides; the batch lies with the executor
    assert_int_equal(house->job_count, 2); // and the event
    engine_job_run(house->jobs[0].job);
    engine_job_done(house->jobs[0].job);
    house->jobs[0] = house->jobs[--house->job_count];
    assert_string_equal(house_state_names(house, KUBE_STORAGE_CLASS), "");
    engine_turn(house->engine); // nothing was told by the watches since
    assert_string_equal(house_state_names(house, KUBE_STORAGE_CLASS), "a");
    house_settle(house);
    assert_int_equal(engine_counts(house->engine).batches, 1);
    house_free(house);
}

static void assert_same_picture(House *house) {
    assert_string_equal(house_state_names(house, KUBE_NAMESPACE), house_names(house, KUBE_NAMESPACE));
    assert_string_equal(house_state_names(house, KUBE_STORAGE_CLASS), house_names(house, KUBE_STORAGE_CLASS));
}

TEST(a_dropped_watch_goes_on_where_it_was) {
    House *house = twin_house();
    uint64_t events;

    for (char name = 'a'; name <= 'z'; name++)
        want(house, (char[]){name, '1', 0});
    house_start(house);
    house_run(house, 60 * NS_PER_S);
    events = engine_counts(house->engine).events;
    api_drop_watches(house->server);
    want(house, "late");
    house_delete(house, KUBE_NAMESPACE, "b1");
    house_run(house, 10 * NS_PER_S);
    assert_int_equal(engine_counts(house->engine).relists, 0);
    assert_true(engine_counts(house->engine).events - events < 15); // not everything again
    assert_same_picture(house);
    house_free(house);
}

// The revision is forgotten: everything is listed anew, and what went meanwhile is taken out and told.
TEST(too_old_lists_anew) {
    House *house = twin_house();

    for (char name = 'a'; name <= 'z'; name++)
        want(house, (char[]){name, '1', 0});
    house_start(house);
    house_run(house, 60 * NS_PER_S);
    api_drop_watches(house->server);
    want(house, "late");
    house_delete(house, KUBE_NAMESPACE, "b1");
    while (api_collect(house->server)) { // the namespace goes before anybody is told
    }
    api_forget_history(house->server);
    house_run(house, 10 * NS_PER_S);
    assert_true(engine_counts(house->engine).relists > 0);
    assert_same_picture(house);
    assert_null(strstr(house_names(house, KUBE_STORAGE_CLASS), "b1")); // the controller has heard of the removal
    assert_non_null(strstr(house_twins(house), "late=done"));
    assert_int_equal(house->creates, 27);
    house_free(house);
}

// A server that drops every watch at once is asked less and less often: 0.8 s, doubled to 30 s, times 1 to 2.
TEST(short_lived_watches_are_not_restarted_in_a_loop) {
    House *house = twin_house();

    house_start(house);
    house_run(house, 60 * NS_PER_S);
    house->watch_fault = (HouseFault){1000000, KUBE_REASON_SERVICE_UNAVAILABLE};
    api_drop_watches(house->server);
    house_run(house, NS_PER_HOUR);
    assert_in_range(1000000 - house->watch_fault.times, 3600 / 60, 3600 / 30 + 10);
    house->watch_fault.times = 0;
    want(house, "a");
    house_run(house, 61 * NS_PER_S);
    assert_string_equal(house_twins(house), "a=done");
    house_free(house);
}

// In a burst an API server ends the watch of whoever is behind, again and again. What such a watch told was progress.
TEST(watches_that_told_something_go_on_at_once) {
    House *house = twin_house();

    house_start(house);
    house_run(house, 60 * NS_PER_S);
    for (char name = 'a'; name <= 'z'; name++) {
        want(house, (char[]){name, '1', 0});
        house_run(house, NS_PER_S / 10);
        api_drop_watches(house->server);
    }
    house_run(house, NS_PER_S / 10);
    assert_non_null(strstr(house_twins(house), "a1=done"));
    assert_null(strstr(house_twins(house), "=wanted"));
    house_free(house);
}

TEST(a_kind_that_is_not_there_counts_as_empty) {
    House *house = twin_house();

    house->watch_fault = (HouseFault){3, KUBE_REASON_NOT_FOUND};
    house_start(house);
    house_settle(house);
    assert_true(engine_is_synced(house->engine));
    want(house, "a");
    house_run(house, 59 * NS_PER_S);
    assert_string_equal(house_twins(house), "a=wanted");
    house_run(house, 32 * NS_PER_S); // it has come
    assert_string_equal(house_twins(house), "a=done");
    house_free(house);
}

TEST(a_watch_that_is_refused_stops_the_start) {
    House *house = twin_house();
    Err err = {0};

    house->watch_fault = (HouseFault){1, KUBE_REASON_FORBIDDEN};
    house->engine = engine_new(&house->config);
    assert_int_equal(engine_start(house->engine, &err), ERR_DENIED);
    assert_string_equal(err.text, "watching namespaces: no watch for you");
    house_free(house);
}

// Karpenter's chart gives no right to read RuntimeClasses; with nothing more than its rights everything works.
TEST(a_kind_that_can_be_done_without_is_asked_for_now_and_then) {
    House *house = twin_house();

    house->watch_fault_kind = KUBE_RUNTIME_CLASS;
    house->watch_fault = (HouseFault){20, KUBE_REASON_FORBIDDEN};
    house_create(house, KUBE_RUNTIME_CLASS, "{metadata: {name: gvisor}, handler: runsc}");
    want(house, "a");
    house_start(house);
    house_settle(house);
    assert_string_equal(house_twins(house), "a=done");
    house_run(house, 300 * NS_PER_S);
    assert_in_range(20 - house->watch_fault.times, 7, 16); // 0.8 s, doubled to 30 s, times 1 to 2
    assert_int_equal(house_count(&house->log, "may not watch, going on without kind=RuntimeClass"), 1);
    assert_int_equal(house_count(&house->log, "\n"), 1);
    house->watch_fault.times = 0;
    house_run(house, 61 * NS_PER_S); // the right is there now
    assert_int_equal(state_count(engine_state(house->engine), KUBE_RUNTIME_CLASS), 1);
    house_free(house);
}

TEST(the_other_providers_classes_are_not_watched) {
    House *house = twin_house();
    Settings settings = settings_default();

    settings_serve_kwok(&settings);
    house->config.settings = &settings;
    house_create(house, KUBE_EC2_NODE_CLASS, "{metadata: {name: ec2}, spec: {}}");
    house_create(house, KUBE_KWOK_NODE_CLASS, "{metadata: {name: kwok}, spec: {}}");
    house_start(house);
    house_settle(house);
    assert_int_equal(state_count(engine_state(house->engine), KUBE_KWOK_NODE_CLASS), 1);
    assert_int_equal(state_count(engine_state(house->engine), KUBE_EC2_NODE_CLASS), 0);
    house_free(house);
}

// Kills the process before or after each call in turn, and starts another.
static void live_with_a_death(uint64_t at_step, bool after_call, bool *ret_died) {
    House *house = twin_house();

    house->step_ns = 10 * NS_PER_MS;
    house->dies_at_step = at_step;
    house->dies_after_call = after_call;
    house_start(house);
    for (char name = 'a'; name <= 'e'; name++) {
        want(house, (char[]){name, 0});
        house_run(house, 15 * NS_PER_MS);
        if (!house->engine)
            house_start(house);
    }
    house_run(house, NS_PER_S);
    if (!house->engine)
        house_start(house);
    house_run(house, 10 * NS_PER_S);
    *ret_died = house->died;
    assert_string_equal(house_twins(house), "a=done b=done c=done d=done e=done");
    assert_string_equal(house_names(house, KUBE_STORAGE_CLASS), "a b c d e");
    assert_int_equal(house->creates, 5); // nothing twice
    assert_int_equal(engine_counts(house->engine).jobs_running, 0);
    house_free(house);
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

// engine_free while jobs are out: they may still be stepped and given back, and nothing is written.
TEST(jobs_of_a_dead_engine_are_harmless) {
    House *house = twin_house();
    EngineJob *jobs[4];

    house_start(house);
    house_settle(house);
    house->step_ns = NS_PER_S;
    want(house, "a");
    want(house, "b");
    want(house, "c");
    house_settle(house);
    assert_int_equal(house->job_count, 4); // and the first event
    for (int i = 0; i < 4; i++)
        jobs[i] = house->jobs[i].job;
    house->job_count = 0;
    assert_true(engine_job_step(jobs[0], 0)); // half done
    house_kill(house);
    assert_false(engine_job_step(jobs[0], 1));
    engine_job_run(jobs[1]);
    engine_job_done(jobs[0]);
    engine_job_done(jobs[1]);
    engine_job_drop(jobs[2]);
    engine_job_done(jobs[3]); // not begun
    assert_string_equal(house_names(house, KUBE_STORAGE_CLASS), "a");
    assert_string_equal(house_twins(house), "a=wanted b=wanted c=wanted");
    house_free(house);
}

// Equal input, equal journal; and it says what was decided and what came of it.
TEST(the_journal_is_the_same_every_time) {
    Slice first = {0};
    House *houses[2];

    for (int i = 0; i < 2; i++) {
        House *house = houses[i] = twin_house();

        house->step_ns = 7 * NS_PER_MS;
        house_start(house);
        for (char name = 'a'; name <= 'm'; name++) {
            want(house, (char[]){name, 0});
            house_run(house, 3 * NS_PER_MS);
            if (name == 'g')
                api_drop_watches(house->server);
            if (name == 'k')
                house->create_fault = (HouseFault){2, KUBE_REASON_INTERNAL_ERROR};
        }
        house_run(house, 100 * NS_PER_S);
        if (i == 0)
            first = buffer_slice(&house->journal);
    }
    assert_true(first.len > 5000);
    assert_true(slice_eq(first, buffer_slice(&houses[1]->journal)));
    assert_int_equal(house_count(&houses[0]->journal,
                                 "{\"decided\":1,\"controller\":\"twin\",\"name\":\"a\",\"intents\":"
                                 "[{\"intent\":\"create\",\"kind\":\"StorageClass\",\"object\":"),
                     1);
    assert_int_equal(
        house_count(&houses[0]->journal,
                    "{\"told\":1,\"controller\":\"twin\",\"name\":\"a\",\"results\":[{\"intent\":\"create\","
                    "\"name\":\"a\",\"revision\":"),
        1);
    assert_int_equal(house_count(&houses[0]->journal, "\"failed\":\"input/output failed\",\"error\":\"the server has a "
                                                      "bad day\""),
                     2);
    house_free(houses[0]);
    house_free(houses[1]);
}

// 20,000 events in one step of the server: one turn takes them all.
TEST(a_burst_is_taken_in_one_turn) {
    House *house = twin_house();
    uint64_t turns;

    house_start(house);
    house_settle(house);
    for (int i = 0; i < 4000; i++) // the history of a kind
        house_create(house, KUBE_STORAGE_CLASS, "{metadata: {name: class-%d}, provisioner: x.example/y}", i);
    while (api_step(house->server)) {
    }
    assert_int_equal(engine_counts(house->engine).mailbox_depth, 4000);
    assert_true(engine_next(house->engine).ns <= house->now_ns);
    turns = engine_counts(house->engine).turns;
    assert_true(engine_turn(house->engine));
    assert_int_equal(engine_counts(house->engine).mailbox_depth, 0);
    assert_int_equal(state_count(engine_state(house->engine), KUBE_STORAGE_CLASS), 4000);
    while (engine_turn(house->engine)) {
    }
    assert_true(engine_counts(house->engine).turns - turns < 20);
    house_settle(house);
    assert_int_equal(state_count(engine_state(house->engine), KUBE_STORAGE_CLASS), 0); // no namespaces of that name
    house_free(house);
}

// What the controller is told the time is.
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

static void assert_warnings(House *house, uint32_t wrong, uint32_t right) {
    assert_int_equal(house_count(&house->log, "this machine's clock is not the API server's"), wrong);
    assert_int_equal(house_count(&house->log, "this machine's clock is the API server's again"), right);
}

TEST(a_wrong_clock_is_said_once_and_nobody_goes_by_it) {
    static const Controller *const controllers[] = {&clock_controller};
    House *house = house_new(controllers, 1);

    house_start(house);
    house_run(house, NS_PER_MIN);
    assert_warnings(house, 0, 0);
    house->offset_ns = 16 * NS_PER_MIN;
    house_run(house, NS_PER_HOUR);
    assert_warnings(house, 1, 0);
    assert_int_equal(house_count(&house->log, "16m0s"), 1);
    assert_int_equal(seen.wall_ns, house->now_ns); // the server's
    assert_int_equal(seen.now.ns, house->now_ns);
    assert_int_equal(engine_counts(house->engine).clock_ahead_ns, 16 * NS_PER_MIN);
    house->offset_ns = -NS_PER_HOUR;
    house_run(house, NS_PER_MIN);
    assert_warnings(house, 2, 0);
    assert_int_equal(seen.now.ns, house->now_ns); // it was called every ten seconds all the same
    house->offset_ns = 20 * NS_PER_S;             // neither wrong enough to say, nor right enough
    house_run(house, NS_PER_MIN);
    house->offset_ns = NS_PER_S;
    house_run(house, NS_PER_MIN);
    assert_warnings(house, 2, 1);
    house_free(house);
}
