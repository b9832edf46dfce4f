// An engine with a cloud that takes several requests at once: when its calls are made, for whom, and what each is told.
//
// The controller "asker" does for every NodeClaim what its label `ask` says, once, and is told once. Claims whose name
// begins with x are refused by the cloud. Upstream: pkg/batcher (aws.md 2.2).
#include "engine/support/engine_env.h"

#include "model/names.h"
#include "state/table.h"

#include <stdio.h>
#include <stdlib.h>

// --- the cloud

typedef struct {
    EngineEnv *env;
    CloudWindows windows;
    bool gathers;    // else `windows` answers NULL
    bool is_silent;  // it answers nothing
    bool is_refused; // all of a call
    Buffer calls;    // a line for each: "@35 launch a b c"
    Buffer told;     // a line for each intent: "@35 launch a: env://a, 35"
    Buffer gathered; // a line for each call, as observers learn of it: "@35 launch 3 after 35"
    uint32_t call_count, one_count, most;
    Table launched; // by uid: how often
} Town;

// The one of the test that runs.
static Town *town;

static int64_t now_ms(void) {
    static const int64_t START_NS = INT64_C(1767571200000000000); // of EngineEnv

    return (town->env->now_ns - START_NS) / NS_PER_MS;
}

static Slice text_of(Symbol symbol) {
    return symbol_text(state_symbols(engine_state(town->env->engine)), symbol);
}

static ErrCode answer(Arena *arena, Symbol provider_id, Slice name, CloudInstance *ret_instance, CloudError *error) {
    *ret_instance = (CloudInstance){.provider_id = provider_id};
    if (arena)
        labels_set(arena, &ret_instance->labels, NAME_ZONE, provider_id);
    if (name.len && name.ptr[0] == 'x')
        return cloud_fail_for(error, ERR_CAPACITY, "NoRoom", "none for %.*s", SLICE_ARG(name));
    if (town->is_refused)
        return cloud_fail(error, ERR_THROTTLED, "slow down");
    return OK;
}

static Slice name_of(Symbol provider_id) {
    return slice_from(text_of(provider_id), strlen("env://"));
}

static ErrCode launch_now(Arena *arena, const CloudLaunch *launch, CloudInstance *ret_instance, CloudError *error) {
    Symbols *symbols = state_symbols(engine_state(town->env->engine));
    Slice name = text_of(launch->claim->meta.name), uid = text_of(launch->claim->meta.uid);
    Symbol id = symbol_intern(symbols, arena_printf(arena, "env://%.*s", SLICE_ARG(name)));
    uint64_t key = 0;
    ErrCode code = answer(arena, id, name, ret_instance, error);

    for (size_t i = 0; i < uid.len; i++)
        key = hash_combine(key, (uint8_t)uid.ptr[i]);
    if (code == OK)
        table_put(&town->launched, key, 1);
    buffer_printf(&town->calls, " %.*s", SLICE_ARG(name));
    return code;
}

static void begin_call(const char *what, uint32_t count) {
    town->call_count++;
    if (count > town->most)
        town->most = count;
    buffer_printf(&town->calls, "@%lld %s", (long long)now_ms(), what);
}

static ErrCode call_one(const char *what, Arena *arena, Symbol provider_id, CloudInstance *ret_instance,
                        CloudError *error) {
    begin_call(what, 1);
    town->one_count++;
    buffer_printf(&town->calls, " %.*s\n", SLICE_ARG(name_of(provider_id)));
    return answer(arena, provider_id, name_of(provider_id), ret_instance, error);
}

static ErrCode call_launch(void *self, Arena *arena, const CloudLaunch *launch, CloudInstance *ret_instance,
                           CloudError *error) {
    ErrCode code;

    (void)self;
    begin_call("one launch", 1);
    town->one_count++;
    code = launch_now(arena, launch, ret_instance, error);
    buffer_append_char(&town->calls, '\n');
    return code;
}

static ErrCode call_terminate(void *self, Symbol provider_id, CloudError *error) {
    CloudInstance instance;

    (void)self;
    return call_one("one terminate", NULL, provider_id, &instance, error);
}

static ErrCode call_get(void *self, Arena *arena, Symbol provider_id, CloudInstance *ret_instance, CloudError *error) {
    (void)self;
    return call_one("one get", arena, provider_id, ret_instance, error);
}

static void call_launch_many(void *self, Arena *arena, const CloudLaunch *const *launches, uint32_t count,
                             CloudResult *ret_results) {
    (void)self;
    begin_call("launch", count);
    for (uint32_t i = 0; i < count && !town->is_silent; i++)
        ret_results[i].code = launch_now(arena, launches[i], &ret_results[i].instance, &ret_results[i].error);
    buffer_append_char(&town->calls, '\n');
}

static void answer_many(const char *what, Arena *arena, const Symbol *provider_ids, uint32_t count,
                        CloudResult *ret_results) {
    begin_call(what, count);
    for (uint32_t i = 0; i < count; i++) {
        buffer_printf(&town->calls, " %.*s", SLICE_ARG(name_of(provider_ids[i])));
        ret_results[i].code =
            answer(arena, provider_ids[i], name_of(provider_ids[i]), &ret_results[i].instance, &ret_results[i].error);
    }
    buffer_append_char(&town->calls, '\n');
}

static void call_terminate_many(void *self, Arena *arena, const Symbol *provider_ids, uint32_t count,
                                CloudResult *ret_results) {
    (void)self;
    answer_many("terminate", arena, provider_ids, count, ret_results);
}

static void call_get_many(void *self, Arena *arena, const Symbol *provider_ids, uint32_t count,
                          CloudResult *ret_results) {
    (void)self;
    answer_many("get", arena, provider_ids, count, ret_results);
}

// Of two instances.
static ErrCode call_list(void *self, Arena *arena, CloudInstanceVec *ret_instances, CloudError *error) {
    static const char *const names[] = {"env://a", "env://b"};
    Symbols *symbols = state_symbols(engine_state(town->env->engine));

    (void)self;
    begin_call("list\n", 1);
    for (size_t i = 0; i < 2; i++) {
        CloudInstance instance;
        ErrCode code = answer(arena, symbol_intern(symbols, slice_of(names[i])), (Slice){0}, &instance, error);

        if (code != OK)
            return code;
        vec_push(arena, ret_instances, instance);
    }
    return OK;
}

static const CloudWindows *call_windows(void *self) {
    (void)self;
    return town->gathers ? &town->windows : NULL;
}

static const CloudTable cloud_table = {.launch = call_launch,
                                       .terminate = call_terminate,
                                       .get = call_get,
                                       .list = call_list,
                                       .launch_many = call_launch_many,
                                       .terminate_many = call_terminate_many,
                                       .get_many = call_get_many,
                                       .windows = call_windows};

// --- the controller

static const Controller asker;

static void asker_observe(void *self, Turn *turn, const StateChange *change) {
    (void)self;
    if (change->kind == KUBE_NODE_CLAIM && !change->before)
        turn_enqueue(turn, &asker, (Key){NAME_EMPTY, change->name}, 0);
}

static void ask(Turn *turn, IntentType type, Handle claim, Slice name, bool aside) {
    Intent *intent = turn_intend(turn, type);

    intent->claim = claim;
    intent->tag = symbol_intern(turn->symbols, name);
    intent->provider_id = symbol_intern(turn->symbols, arena_printf(turn->arena, "env://%.*s", SLICE_ARG(name)));
    intent->aside = aside;
}

static void asker_reconcile(void *self, Turn *turn, Key key) {
    Handle handle = state_find(turn->state, KUBE_NODE_CLAIM, NAME_EMPTY, key.name);
    const NodeClaim *claim = state_node_claim(turn->state, handle);
    Slice what, name = symbol_text(turn->symbols, key.name);

    (void)self;
    if (!claim)
        return;
    what = symbol_text(turn->symbols, labels_get(&claim->meta.labels, symbol_intern(turn->symbols, SLICE("ask"))));
    if (slice_eq_text(what, "launch") || slice_eq_text(what, "both"))
        ask(turn, INTENT_LAUNCH, handle, name, false);
    if (slice_eq_text(what, "gone"))
        ask(turn, INTENT_LAUNCH, HANDLE_NONE, name, false);
    if (slice_eq_text(what, "terminate"))
        ask(turn, INTENT_TERMINATE, HANDLE_NONE, name, false);
    if (slice_eq_text(what, "get") || slice_eq_text(what, "both"))
        ask(turn, INTENT_GET_INSTANCE, HANDLE_NONE, name, false);
    if (slice_eq_text(what, "list"))
        ask(turn, INTENT_LIST_INSTANCES, HANDLE_NONE, name, false);
    if (slice_eq_text(what, "aside")) {
        ask(turn, INTENT_GET_INSTANCE, HANDLE_NONE, name, true);
        ask(turn, INTENT_TERMINATE, HANDLE_NONE, name, true);
    }
}

static Slice tell(const CloudInstance *instance) {
    assert_int_equal(labels_get(&instance->labels, NAME_ZONE), instance->provider_id);
    return text_of(instance->provider_id);
}

// What an answer says of instances; they and their labels outlive the call and the other jobs.
static Slice instances_told(Turn *turn, const Completion *completion) {
    Slice said = completion->instance ? tell(completion->instance) : (Slice){0};

    for (uint32_t i = 0; completion->instances && i < completion->instances->count; i++)
        said = arena_printf(turn->arena, "%.*s%s%.*s", SLICE_ARG(said), i ? " " : "",
                            SLICE_ARG(tell(&completion->instances->items[i])));
    return said;
}

static void asker_complete(void *self, Turn *turn, Key key, const Completion *completions, uint32_t count) {
    (void)self;
    for (const Completion *completion = completions; completion < completions + count; completion++) {
        Slice said = completion->code != OK ? completion_text(completion) : instances_told(turn, completion);

        assert_int_equal(completion->tag, key.name);
        buffer_printf(&town->told, "@%lld %s %.*s: %.*s, %lld\n", (long long)now_ms(), intent_text(completion->type),
                      SLICE_ARG(symbol_text(turn->symbols, key.name)), SLICE_ARG(said.len ? said : SLICE("done")),
                      (long long)(completion->took_ns / NS_PER_MS));
    }
}

static const Controller asker = {
    .name = "asker", .observe = asker_observe, .reconcile = asker_reconcile, .complete = asker_complete};

// --- the fixture

static void note_gathered(void *self, IntentType type, uint32_t count, int64_t waited_ns, Moment at) {
    (void)self;
    assert_int_equal(at.now.ns, town->env->now_ns);
    buffer_printf(&town->gathered, "@%lld %s %u after %lld\n", (long long)now_ms(), intent_text(type), count,
                  (long long)(waited_ns / NS_PER_MS));
}

static Town *town_new(void) {
    static const EngineObserver observer = {.gathered = note_gathered};
    static const Controller *const controllers[] = {&asker};

    town = calloc(1, sizeof *town);
    assert_non_null(town);
    town->gathers = true;
    town->windows = (CloudWindows){.launch = {35 * NS_PER_MS, NS_PER_S, 1000, 0},
                                   .terminate = {100 * NS_PER_MS, NS_PER_S, 500, 0},
                                   .get = {100 * NS_PER_MS, NS_PER_S, 500, 0},
                                   .list = {NS_PER_S, NS_PER_S, 500, 0}};
    town->env = engine_env_new(controllers, 1);
    town->env->config.cloud = (Cloud){&cloud_table, town};
    town->env->config.observer = &observer;
    engine_env_start(town->env);
    engine_env_settle(town->env);
    return town;
}

static void town_free(Town *of) {
    engine_env_free(of->env);
    table_free(&of->launched);
    buffer_free(&of->calls);
    buffer_free(&of->told);
    buffer_free(&of->gathered);
    free(of);
    town = NULL;
}

FIXTURE(Town, town_new, town_free);

// Makes a claim of that name and wish now.
static void want_in(const char *name, const char *what, const char *zone) {
    engine_env_create(town->env, KUBE_NODE_CLAIM,
                      "{metadata: {name: %s, labels: {ask: %s}}, spec: {nodeClassRef: {group: g, kind: k, name: c}, "
                      "requirements: [{key: topology.kubernetes.io/zone, operator: In, values: [%s]}]}}",
                      name, what, zone);
    engine_env_settle(town->env);
}

static void want(const char *name, const char *what) {
    want_in(name, what, "a");
}

static void run_ms(int64_t ms) {
    engine_env_run(town->env, ms * NS_PER_MS);
}

static void assert_buffer(Buffer *buffer, const char *text) {
    buffer_append_char(buffer, '\0');
    assert_string_equal(buffer->bytes, text);
    buffer->len = 0;
}

static void assert_calls(const char *text) {
    assert_buffer(&town->calls, text);
}

static void assert_told(const char *text) {
    assert_buffer(&town->told, text);
}

static uint32_t jobs_running(void) {
    return engine_counts(town->env->engine).jobs_running;
}

// --- windows

TEST_F(Town, unused, a_lone_launch_is_called_when_its_window_ends) {
    (void)unused;
    want("a", "launch");
    assert_int_equal(jobs_running(), 1);
    assert_int_equal(town->env->job_count, 0); // the executor knows nothing of it yet
    run_ms(34);
    assert_calls("");
    run_ms(1);
    assert_calls("@35 launch a\n");
    assert_told("@35 launch a: env://a, 35\n");
    assert_int_equal(jobs_running(), 0);
    assert_true(engine_next(town->env->engine).ns > town->env->now_ns);
}

TEST_F(Town, unused, each_arrival_begins_the_window_anew) {
    (void)unused;
    want("a", "launch");
    run_ms(30);
    want("b", "launch");
    run_ms(30);
    want("c", "launch");
    run_ms(200);
    assert_calls("@95 launch a b c\n");
    assert_told("@95 launch a: env://a, 95\n@95 launch b: env://b, 65\n@95 launch c: env://c, 35\n");
}

// For the metrics of batches: reference aws.md 9.1.
TEST_F(Town, unused, observers_learn_how_many_waited_for_how_long) {
    (void)unused;
    town->windows.get.most = 2;
    want("a", "launch");
    want("b", "terminate");
    want("c", "get");
    run_ms(20);
    want("d", "launch");
    want("e", "get");
    run_ms(200);
    assert_buffer(&town->gathered, "@20 get-instance 2 after 20\n@55 launch 2 after 55\n@100 terminate 1 after 100\n");
}

// A burst that does not end: nobody waits for longer than longest_ns, and the last of it not longer than idle_ns.
TEST_F(Town, unused, a_long_burst_is_called_at_its_longest) {
    char name[16];

    (void)unused;
    for (int i = 0; i <= 1200; i += 30) {
        snprintf(name, sizeof name, "n%d", i);
        want(name, "launch");
        run_ms(30);
    }
    run_ms(200);
    assert_int_equal(town->call_count, 2);
    assert_int_equal(engine_env_count(&town->calls, "@1000 launch n0 n30 "), 1);
    assert_int_equal(engine_env_count(&town->calls, " n990\n@1235 launch n1020 "), 1);
    assert_int_equal(engine_env_count(&town->told, "launch"), 41);
}

TEST_F(Town, unused, a_full_group_is_called_at_once) {
    (void)unused;
    town->windows.launch.most = 2;
    want("a", "launch");
    run_ms(10);
    want("b", "launch");
    assert_calls("@10 launch a b\n");
    want("c", "launch");
    run_ms(40);
    assert_calls("@45 launch c\n");
}

TEST_F(Town, unused, groups_are_called_apart) {
    (void)unused;
    want_in("a1", "launch", "a");
    want_in("b1", "launch", "b");
    run_ms(20);
    want_in("a2", "launch", "a");
    run_ms(100);
    assert_calls("@35 launch b1\n@55 launch a1 a2\n");
}

TEST_F(Town, unused, terminations_and_lookups_have_their_own_windows) {
    (void)unused;
    want("t1", "terminate");
    want("g1", "get");
    want("l1", "launch");
    run_ms(60);
    want("t2", "terminate");
    want("s", "aside");
    run_ms(200);
    assert_calls("@35 launch l1\n@160 terminate t1 t2 s\n@160 get g1 s\n");
    assert_told("@35 launch l1: env://l1, 35\n@160 terminate t1: done, 160\n@160 terminate t2: done, 100\n"
                "@160 terminate s: done, 100\n@160 get-instance g1: env://g1, 160\n"
                "@160 get-instance s: env://s, 100\n");
}

TEST_F(Town, unused, one_list_is_for_all_who_ask_within_a_second) {
    (void)unused;
    want("l1", "list");
    run_ms(400);
    want("l2", "list");
    run_ms(700);
    assert_calls("@1000 list\n");
    assert_told("@1000 list-instances l1: env://a env://b, 1000\n@1000 list-instances l2: env://a env://b, 600\n");
    town->is_refused = true;
    want("l3", "list");
    run_ms(1000);
    assert_told("@2100 list-instances l3: slow down, 1000\n");
}

// The first hundreds are called at once, on so many workers; the rest when its window ends.
TEST_F(Town, unused, a_thousand_equal_claims_are_ten_calls) {
    char name[16];

    (void)unused;
    town->env->step_ns = NS_PER_S;
    for (int i = 0; i < 1000; i++) {
        snprintf(name, sizeof name, "n%d", i);
        engine_env_create(
            town->env, KUBE_NODE_CLAIM,
            "{metadata: {name: %s, labels: {ask: launch}}, spec: {nodeClassRef: {group: g, kind: k, name: "
            "c}, requirements: []}}",
            name);
    }
    engine_env_settle(town->env);
    assert_int_equal(town->env->job_count, 10); // all at once
    assert_int_equal(jobs_running(), 1000);
    assert_int_equal(engine_counts(town->env->engine).batches, 1000);
    run_ms(1100);
    assert_int_equal(town->call_count, 10);
    assert_int_equal(town->most, 100);
    assert_int_equal(town->launched.count, 1000);
    assert_int_equal(engine_env_count(&town->told, "@1000 launch n"), 1000);
    assert_int_equal(engine_counts(town->env->engine).failures, 0);
    assert_int_equal(jobs_running(), 0);
}

TEST_F(Town, unused, terminations_of_a_burst_are_calls_of_as_many_as_the_cloud_takes) {
    char name[16];

    (void)unused;
    for (int i = 0; i < 1203; i++) {
        snprintf(name, sizeof name, "n%d", i);
        want(name, i % 2 ? "terminate" : "get");
    }
    run_ms(200);
    assert_int_equal(engine_env_count(&town->calls, "@0 get"), 1);
    assert_int_equal(engine_env_count(&town->calls, "@0 terminate"), 1);
    assert_int_equal(engine_env_count(&town->calls, "@100 get"), 1);
    assert_int_equal(engine_env_count(&town->calls, "@100 terminate"), 1);
    assert_int_equal(town->call_count, 4);
    assert_int_equal(town->most, 500);
    assert_int_equal(engine_env_count(&town->told, ": env://n"), 602);
    assert_int_equal(engine_env_count(&town->told, ": done"), 601);
}

// --- what is not gathered

TEST_F(Town, unused, a_batch_of_several_intents_stays_as_it_is) {
    (void)unused;
    want("a", "both");
    assert_calls("@0 one launch a\n@0 one get a\n");
    want("b", "gone"); // without its claim nothing is called
    assert_calls("");
    assert_told("@0 launch a: env://a, 0\n@0 get-instance a: env://a, 0\n@0 launch b: the NodeClaim is gone, 0\n");
}

TEST_F(Town, unused, without_windows_calls_are_made_one_at_a_time) {
    (void)unused;
    town->gathers = false;
    want("a", "launch");
    want("b", "aside");
    assert_calls("@0 one launch a\n@0 one get b\n@0 one terminate b\n");
    assert_int_equal(jobs_running(), 0);
}

// --- results

// batcher: partial fulfilment. Each is told its own.
TEST_F(Town, unused, some_fail_and_some_succeed) {
    (void)unused;
    want("a", "launch");
    want("x1", "launch");
    want("b", "launch");
    want("x2", "launch");
    want("x3", "terminate");
    run_ms(100);
    assert_calls("@35 launch a x1 b x2\n@100 terminate x3\n");
    assert_told("@35 launch a: env://a, 35\n@35 launch x1: none for x1, 35\n@35 launch b: env://b, 35\n"
                "@35 launch x2: none for x2, 35\n@100 terminate x3: none for x3, 100\n");
    assert_int_equal(engine_counts(town->env->engine).failures, 3);
}

TEST_F(Town, unused, a_failure_of_all_is_a_failure_of_each) {
    (void)unused;
    town->is_refused = true;
    want("a", "launch");
    want("b", "launch");
    run_ms(100);
    assert_told("@35 launch a: slow down, 35\n@35 launch b: slow down, 35\n");
}

TEST_F(Town, unused, what_is_not_answered_has_failed) {
    (void)unused;
    town->is_silent = true;
    want("a", "launch");
    run_ms(100);
    assert_told("@35 launch a: the provider did not answer, 35\n");
}

// Also the time that the executor needs, before and after the call.
TEST_F(Town, unused, time_counts_from_each_intent) {
    (void)unused;
    town->env->step_ns = 7 * NS_PER_MS;
    want("a", "launch");
    run_ms(10);
    want("b", "launch");
    run_ms(100);
    assert_told("@52 launch a: env://a, 52\n@52 launch b: env://b, 42\n");
}

// --- as if each had been alone

static int compare_lines(const void *a, const void *b) {
    return slice_cmp(*(const Slice *)a, *(const Slice *)b);
}

// The lines of a journal without their times, sorted.
static Slice sorted_lines(Arena *arena, const Buffer *journal) {
    Slice rest = buffer_slice(journal), text = {0};
    SliceVec lines = {0};
    Buffer all = {0};

    while (rest.len) {
        size_t end = (size_t)slice_find(rest, '\n'), from = (size_t)slice_find(rest, ' ');

        vec_push(arena, &lines, slice_first(slice_from(rest, from), end - from));
        rest = slice_from(rest, end + 1);
    }
    if (lines.count)
        qsort(lines.items, lines.count, sizeof *lines.items, compare_lines);
    for (vec_each(const Slice, line, &lines))
        buffer_printf(&all, "%.*s\n", SLICE_ARG(*line));
    text = arena_slice(arena, buffer_slice(&all));
    buffer_free(&all);
    return text;
}

typedef struct {
    uint32_t told, singles;
} Shown;

static void show_told(void *self, const State *state, const char *controller, Key key, const Intent *intents,
                      const Completion *completions, uint32_t count, Moment at) {
    Shown *shown = self;

    (void)state, (void)controller, (void)at;
    shown->told++;
    shown->singles += count == 1 && intents->tag == key.name && completions->tag == key.name;
}

static Slice live_once(Arena *arena, bool gathers, Shown *shown, EngineCounts *ret_counts) {
    static const char *const wishes[] = {"launch", "terminate", "get", "aside", "both", "gone"};
    EngineObserver observer = {.told = show_told, .self = shown};
    Town *of = town_new();
    Slice lines;

    engine_env_kill(of->env);
    of->env->config.observer = &observer;
    of->env->journal.len = 0;
    of->gathers = gathers;
    engine_env_start(of->env);
    engine_env_settle(of->env);
    for (int i = 0; i < 60; i++) {
        char name[16];

        snprintf(name, sizeof name, "%c%d", i % 7 == 0 ? 'x' : 'n', i);
        want(name, wishes[i % 6]);
        run_ms(i % 5 * 20);
    }
    run_ms(2000);
    *ret_counts = engine_counts(of->env->engine);
    lines = sorted_lines(arena, &of->env->journal);
    town_free(of);
    return lines;
}

TEST(journal_observer_and_counts_show_what_they_would_show_of_each_alone) {
    Arena arena = {0};
    Shown alone = {0}, gathered = {0};
    EngineCounts counts[2];
    Slice expected = live_once(&arena, false, &alone, &counts[0]);
    Slice lines = live_once(&arena, true, &gathered, &counts[1]);

    assert_true(expected.len > 5000);
    assert_true(slice_eq(expected, lines));
    assert_int_equal(gathered.told, 70); // twenty of "aside"
    assert_int_equal(gathered.told, alone.told);
    assert_int_equal(gathered.singles, 61); // all but "both", of which one ends with its first intent
    assert_int_equal(gathered.singles, alone.singles);
    assert_int_equal(counts[1].batches, counts[0].batches);
    assert_int_equal(counts[1].failures, counts[0].failures);
    assert_memory_equal(counts[1].intents, counts[0].intents, sizeof counts[0].intents);
    arena_free(&arena);
}

TEST(equal_input_gives_an_equal_journal) {
    Arena arena = {0};
    Slice journals[2];

    for (int run = 0; run < 2; run++) {
        Town *of = town_new();

        for (int i = 0; i < 100; i++) {
            char name[16];

            if (run) // other numbers for the same words
                symbol_intern(state_symbols(engine_state(of->env->engine)), arena_printf(&arena, "word-%d", i));
            snprintf(name, sizeof name, "n%d", i);
            want_in(name, i % 3 ? "launch" : "terminate", (const char *[]){"a", "b", "c"}[i % 7 % 3]);
            run_ms(i % 11);
        }
        run_ms(1000);
        journals[run] = arena_slice(&arena, buffer_slice(&of->env->journal));
        town_free(of);
    }
    assert_true(journals[0].len > 5000);
    assert_true(slice_eq(journals[0], journals[1]));
    arena_free(&arena);
}

// --- deaths

TEST_F(Town, unused, a_death_while_gathering_calls_nothing) {
    (void)unused;
    want("a", "launch");
    want("b", "terminate");
    run_ms(20);
    engine_env_kill(town->env);
    run_ms(1000);
    assert_calls("");
    engine_env_start(town->env);
    run_ms(200);
    assert_calls("@1055 launch a\n@1120 terminate b\n");
}

TEST_F(Town, unused, a_death_between_call_and_answer_tells_nobody) {
    (void)unused;
    town->env->step_ns = 10 * NS_PER_MS;
    town->env->dies_at_step = 1;
    town->env->dies_after_call = true;
    want("a", "launch");
    want("b", "launch");
    run_ms(1000);
    assert_true(town->env->died);
    assert_calls("@45 launch a b\n");
    assert_told("");
    engine_env_start(town->env);
    run_ms(1000);
    assert_calls("@1045 launch a b\n"); // of the same uids
    assert_int_equal(town->launched.count, 2);
    assert_int_equal(engine_env_count(&town->told, "launch"), 2);
}

// Five claims come while the process dies at one step after the other, before or after its call.
static bool live_with_a_death(uint64_t at_step, bool after_call) {
    Town *of = town_new();
    bool died;

    of->env->step_ns = 10 * NS_PER_MS;
    of->env->dies_at_step = at_step;
    of->env->dies_after_call = after_call;
    for (const char *name = "abcde"; *name; name++) {
        if (!of->env->engine)
            engine_env_start(of->env);
        want((char[]){*name, 0}, "launch");
        run_ms(25 * (*name - 'a'));
    }
    run_ms(500);
    if (!of->env->engine)
        engine_env_start(of->env);
    run_ms(500);
    died = of->env->died;
    assert_int_equal(of->launched.count, 5);
    assert_int_equal(jobs_running(), 0);
    for (const char *name = "abcde"; *name; name++)
        assert_true(engine_env_count(&of->told, (char[]){' ', *name, ':', 0}) >= 1);
    town_free(of);
    return died;
}

TEST(a_death_at_any_step_loses_nothing) {
    uint64_t step = 1;

    for (; live_with_a_death(step, false); step++)
        assert_true(live_with_a_death(step, true));
    assert_in_range(step, 3, 6); // as many calls as there are groups, and one that does not come
}

// --- jobs as an executor sees them

static EngineJob *first_job(void) {
    EngineJob *job = town->env->jobs[0].job;

    assert_int_equal(town->env->job_count, 1);
    town->env->job_count = 0;
    return job;
}

static EngineJob *gather_three(void) {
    town->env->step_ns = NS_PER_S;
    want("a", "get");
    want("x", "get");
    want("c", "get");
    run_ms(100);
    return first_job();
}

TEST_F(Town, unused, a_gathered_job_has_all_intents_and_one_step) {
    EngineJob *job = gather_three();
    const Intent *intents;
    uint32_t count;

    (void)unused;
    assert_int_equal(engine_job_type(job), JOB_CALLS);
    assert_int_equal(engine_job_pods(job), 0);
    intents = engine_job_intents(job, &count);
    assert_int_equal(count, 3);
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(intents[i].type, INTENT_GET_INSTANCE);
    assert_int_equal(jobs_running(), 3);
    assert_false(engine_job_step(job, 0));
    engine_job_run(job); // there is nothing left
    assert_calls("@100 get a x c\n");
    assert_told("");
    assert_int_equal(engine_counts(town->env->engine).mailbox_depth, 0);
    run_ms(5); // the answer is late
    engine_job_done(job);
    assert_int_equal(engine_counts(town->env->engine).mailbox_depth, 3);
    engine_turn(town->env->engine);
    assert_told("@105 get-instance a: env://a, 105\n@105 get-instance x: none for x, 105\n"
                "@105 get-instance c: env://c, 105\n");
    assert_int_equal(jobs_running(), 0);
}

TEST_F(Town, unused, a_dropped_job_takes_all_with_it) {
    EngineJob *job = gather_three();

    (void)unused;
    engine_job_run(job);
    engine_job_drop(job);
    assert_int_equal(jobs_running(), 0);
    run_ms(5000);
    assert_told("");
}

TEST_F(Town, unused, jobs_of_a_dead_engine_are_harmless) {
    EngineJob *job = gather_three(), *other;

    (void)unused;
    want("d", "launch");
    run_ms(35);
    other = first_job();
    engine_env_kill(town->env);
    assert_false(engine_job_step(job, 0));
    engine_job_done(job);
    engine_job_drop(other);
    assert_calls("");
}

// Its call is under way when the engine ends.
TEST_F(Town, unused, an_answer_for_a_dead_engine_is_for_nobody) {
    EngineJob *job = gather_three();

    (void)unused;
    engine_job_run(job);
    assert_calls("@100 get a x c\n");
    engine_env_kill(town->env);
    engine_job_done(job);
    assert_told("");
}
