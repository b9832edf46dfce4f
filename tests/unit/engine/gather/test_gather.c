// Gather by itself: windows, groups, their order, and what it costs. Upstream: pkg/batcher (aws.md 2.2).
#include "engine/gather/gather.h"
#include "engine/gather/launch_hash.h"
#include "harness/test.h"

#include "model/names.h"

#include <stdlib.h>

typedef struct {
    EngineShared *shared;
    Gather *gather;
    Arena arena;
    int64_t now_ns;
    CloudWindows windows;
    uint64_t tags; // of the jobs that were made
} Yard;

static int64_t wall_now(void *self) {
    return ((Yard *)self)->now_ns;
}

static Mono mono_now(void *self) {
    return (Mono){((Yard *)self)->now_ns};
}

static Yard *yard_new(void) {
    Yard *yard = calloc(1, sizeof *yard);

    assert_non_null(yard);
    yard->now_ns = NS_PER_S;
    yard->shared = engine_shared_new(&(EngineConfig){.clock = {wall_now, mono_now, yard}});
    yard->gather = gather_new();
    yard->windows = (CloudWindows){.launch = {35 * NS_PER_MS, NS_PER_S, 1000, 0},
                                   .terminate = {100 * NS_PER_MS, NS_PER_S, 500, 0},
                                   .get = {100 * NS_PER_MS, NS_PER_S, 500, 0}};
    return yard;
}

static void yard_free(Yard *yard) {
    gather_free(yard->gather);
    assert_int_equal(atomic_load(&yard->shared->jobs), 0); // nothing is left over
    engine_shared_release(yard->shared);
    arena_free(&yard->arena);
    free(yard);
}

FIXTURE(Yard, yard_new, yard_free);

static Symbol word(Yard *yard, const char *text) {
    return symbol_intern(yard->shared->symbols, slice_of(text));
}

static EngineJob *job_of(Yard *yard, IntentType type) {
    return job_new(yard->shared, yard->shared->state, &(Intent){.type = type, .tag = ++yard->tags}, 1);
}

static EngineJob *launch_of(Yard *yard, Symbol pool) {
    EngineJob *job = job_of(yard, INTENT_LAUNCH);
    NodeClaim *claim = arena_new(&yard->arena, NodeClaim);

    labels_set(&yard->arena, &claim->meta.labels, NAME_NODEPOOL, pool);
    job->steps->launch.claim = claim;
    return job;
}

// Adds the job now; the job that makes the call if that completes its group.
static EngineJob *add(Yard *yard, EngineJob *job) {
    const CloudWindow *window = gather_window(&yard->windows, job);

    assert_non_null(window);
    return gather_add(yard->gather, window, job);
}

static EngineJob *take(Yard *yard) {
    return gather_take(yard->gather, (Mono){yard->now_ns});
}

// The tags of a gathered job in order, after which it is dropped: "1 2 3".
static const char *tags_of(Yard *yard, EngineJob *job) {
    Slice text = {0};
    uint32_t count;
    const Intent *intents;

    assert_non_null(job);
    intents = engine_job_intents(job, &count);
    for (uint32_t i = 0; i < count; i++)
        text =
            arena_printf(&yard->arena, "%.*s%s%llu", SLICE_ARG(text), i ? " " : "", (unsigned long long)intents[i].tag);
    engine_job_drop(job);
    return arena_text(&yard->arena, text);
}

// The number of jobs of the group that is taken now, which is dropped.
static uint32_t drop_next(Yard *yard) {
    EngineJob *job = take(yard);
    uint32_t count = 0;

    if (job) {
        engine_job_intents(job, &count);
        engine_job_drop(job);
    }
    return count;
}

static int64_t next_ms(const Yard *yard) {
    return (gather_next(yard->gather).ns - NS_PER_S) / NS_PER_MS;
}

static void at_ms(Yard *yard, int64_t ms) {
    yard->now_ns = NS_PER_S + ms * NS_PER_MS;
}

// batcher.go: waitForIdle.
TEST_F(Yard, yard, a_window_ends_when_no_further_one_came) {
    assert_true(gather_next(yard->gather).ns == MONO_END.ns);
    assert_null(take(yard));
    assert_null(add(yard, launch_of(yard, 1)));
    assert_int_equal(next_ms(yard), 35);
    at_ms(yard, 20);
    assert_null(add(yard, launch_of(yard, 1)));
    assert_int_equal(next_ms(yard), 55);
    at_ms(yard, 54);
    assert_null(take(yard));
    at_ms(yard, 55);
    assert_string_equal(tags_of(yard, take(yard)), "1 2");
    assert_null(take(yard));
    assert_true(gather_next(yard->gather).ns == MONO_END.ns);
    assert_null(add(yard, launch_of(yard, 1))); // the next one begins another
    assert_int_equal(next_ms(yard), 90);
}

TEST_F(Yard, yard, a_window_ends_at_the_latest_at_its_longest) {
    for (int64_t ms = 0; ms < 1000; ms += 30) {
        at_ms(yard, ms);
        assert_null(take(yard));
        assert_null(add(yard, launch_of(yard, 1)));
        assert_int_equal(next_ms(yard), ms + 35 < 1000 ? ms + 35 : 1000);
    }
    at_ms(yard, 1000);
    assert_int_equal(drop_next(yard), 34);
}

TEST_F(Yard, yard, a_group_with_the_most_is_complete_at_once) {
    yard->windows.launch.most = 3;
    yard->windows.get.most = 1;
    assert_null(add(yard, launch_of(yard, 1)));
    assert_null(add(yard, launch_of(yard, 1)));
    assert_string_equal(tags_of(yard, add(yard, launch_of(yard, 1))), "1 2 3");
    assert_true(gather_next(yard->gather).ns == MONO_END.ns);
    assert_null(add(yard, launch_of(yard, 1)));
    assert_string_equal(tags_of(yard, add(yard, job_of(yard, INTENT_GET_INSTANCE))), "5");
    yard->windows.get.most = 0; // as one: it cannot be fewer
    assert_string_equal(tags_of(yard, add(yard, job_of(yard, INTENT_GET_INSTANCE))), "6");
}

TEST_F(Yard, yard, a_call_launches_a_hundred_whatever_the_cloud_takes) {
    for (uint32_t i = 1; i <= 250; i++) {
        EngineJob *job = add(yard, launch_of(yard, 1));

        assert_int_equal(job != NULL, i % GATHERED_LAUNCHES_MAX == 0);
        if (job)
            engine_job_drop(job);
    }
    at_ms(yard, 35);
    assert_int_equal(drop_next(yard), 50);
    for (uint32_t i = 1; i < 500; i++)
        assert_null(add(yard, job_of(yard, INTENT_TERMINATE)));
    engine_job_drop(add(yard, job_of(yard, INTENT_TERMINATE)));
}

// No window at all, and one without an end.
TEST_F(Yard, yard, windows_of_any_size_are_kept_to) {
    yard->windows.launch = (CloudWindow){-NS_PER_S, 0, 10, 0};
    yard->windows.get = (CloudWindow){INT64_MAX, INT64_MAX, 10, INT64_MAX};
    assert_null(add(yard, launch_of(yard, 1)));
    assert_string_equal(tags_of(yard, take(yard)), "1");
    assert_null(add(yard, job_of(yard, INTENT_GET_INSTANCE)));
    at_ms(yard, 1000000);
    assert_null(take(yard)); // it is dropped with the rest
}

// tenon (issue 15, burst): launches that come one by one are not a fleet each.
TEST_F(Yard, yard, like_calls_are_apart) {
    uint32_t calls = 0, jobs = 0;

    yard->windows.launch.apart_ns = NS_PER_S;
    assert_null(add(yard, launch_of(yard, 1)));
    at_ms(yard, 35);
    assert_int_equal(drop_next(yard), 1); // the first one does not wait
    for (int64_t ms = 40; ms < 10040; ms += 40) {
        uint32_t count;

        at_ms(yard, ms);
        if ((count = drop_next(yard)))
            calls++;
        jobs += count;
        assert_null(add(yard, launch_of(yard, 1)));
    }
    assert_in_range(calls, 9, 10);
    assert_in_range(jobs, 225, 250);
}

TEST_F(Yard, yard, a_call_that_was_long_ago_holds_nobody_back) {
    yard->windows.launch.apart_ns = NS_PER_S;
    assert_null(add(yard, launch_of(yard, 1)));
    at_ms(yard, 35);
    assert_int_equal(drop_next(yard), 1);
    at_ms(yard, 40);
    assert_null(add(yard, launch_of(yard, 2))); // unlike
    assert_int_equal(next_ms(yard), 75);
    at_ms(yard, 75);
    assert_int_equal(drop_next(yard), 1);
    at_ms(yard, 1034);
    assert_null(add(yard, launch_of(yard, 1)));
    at_ms(yard, 1069);
    assert_int_equal(drop_next(yard), 1);
    at_ms(yard, 3000);
    assert_null(take(yard));
    assert_true(gather_next(yard->gather).ns == MONO_END.ns); // all is forgotten
    assert_null(add(yard, launch_of(yard, 1)));
    assert_int_equal(next_ms(yard), 3035);
}

// What is full is called for at once, and what is left after it is not held back by it.
TEST_F(Yard, yard, full_calls_are_not_apart) {
    yard->windows.launch = (CloudWindow){35 * NS_PER_MS, NS_PER_S, 3, NS_PER_S};
    assert_null(add(yard, launch_of(yard, 1)));
    assert_null(add(yard, launch_of(yard, 1)));
    engine_job_drop(add(yard, launch_of(yard, 1)));
    assert_null(add(yard, launch_of(yard, 1)));
    assert_int_equal(next_ms(yard), 35);
    at_ms(yard, 35);
    assert_int_equal(drop_next(yard), 1);
    assert_null(add(yard, launch_of(yard, 1)));
    assert_null(add(yard, launch_of(yard, 1)));
    engine_job_drop(add(yard, launch_of(yard, 1)));
    assert_null(add(yard, launch_of(yard, 1))); // the one of 35 ms holds this back still
    assert_int_equal(next_ms(yard), 1035);
}

TEST_F(Yard, yard, kinds_and_groups_have_windows_of_their_own) {
    assert_null(add(yard, launch_of(yard, 1)));                // 1: ends at 35, then at 65
    assert_null(add(yard, job_of(yard, INTENT_TERMINATE)));    // 2: at 100
    assert_null(add(yard, job_of(yard, INTENT_GET_INSTANCE))); // 3: at 100
    at_ms(yard, 10);
    assert_null(add(yard, launch_of(yard, 2))); // 4: at 45
    at_ms(yard, 30);
    assert_null(add(yard, launch_of(yard, 1))); // 5
    assert_int_equal(next_ms(yard), 45);
    at_ms(yard, 200);
    assert_string_equal(tags_of(yard, take(yard)), "4"); // in the order of their ends
    assert_string_equal(tags_of(yard, take(yard)), "1 5");
    assert_string_equal(tags_of(yard, take(yard)), "2"); // of one end: in that of their beginnings
    assert_string_equal(tags_of(yard, take(yard)), "3");
    assert_null(take(yard));
}

TEST_F(Yard, yard, only_single_calls_of_their_kinds_are_gathered) {
    static const Intent two[] = {{.type = INTENT_TERMINATE}, {.type = INTENT_TERMINATE}};
    EngineJob *jobs[] = {
        job_of(yard, INTENT_LAUNCH), // its claim is gone
        job_new(yard->shared, yard->shared->state, two, 2),
        job_of(yard, INTENT_REBOOT),
        job_of(yard, INTENT_RECEIVE),
    };
    EngineJob *get = job_of(yard, INTENT_GET_INSTANCE);

    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++) {
        assert_null(gather_window(&yard->windows, jobs[i]));
        engine_job_drop(jobs[i]);
    }
    assert_ptr_equal(gather_window(&yard->windows, get), &yard->windows.get);
    assert_null(gather_window(NULL, get));
    engine_job_drop(get);
}

// --- what is alike

typedef struct {
    Arena *arena;
    Symbols *symbols;
    NodeClaim claim;
    CloudLaunch launch;
} Wish;

static void require(Wish *wish, Operator op, const char *key, const char *a, const char *b) {
    Expression expression = {.key = symbol_intern(wish->symbols, slice_of(key)), .op = op};
    Requirement requirement;

    vec_push(wish->arena, &expression.values, symbol_intern(wish->symbols, slice_of(a)));
    if (b)
        vec_push(wish->arena, &expression.values, symbol_intern(wish->symbols, slice_of(b)));
    requirement = requirement_make(wish->arena, wish->symbols, &expression);
    requirements_add(wish->arena, wish->symbols, &wish->launch.requirements, &requirement);
}

// Changes one thing; 0 changes what makes no difference.
static uint64_t hash_of(Yard *yard, uint32_t change) {
    Wish wish = {.arena = &yard->arena, .symbols = yard->shared->symbols};
    NodeClaim *claim = &wish.claim;
    Taint taint = {word(yard, "team"), word(yard, change == 1 ? "b" : "a"),
                   change == 2 ? EFFECT_NO_EXECUTE : EFFECT_NO_SCHEDULE};
    Operator op = change == 4 ? OP_NOT_IN : OP_IN;

    claim->meta.name = word(yard, change ? "x" : "y");
    claim->meta.uid = word(yard, change ? "x" : "y");
    claim->spec.expire_after_ns = change ? 0 : 1;
    claim->spec.has_termination_grace_period = !change;
    claim->spec.node_class.name = word(yard, change == 3 ? "other" : "default");
    labels_set(wish.arena, &claim->meta.labels, NAME_NODEPOOL, word(yard, change == 5 ? "q" : "p"));
    labels_set(wish.arena, &claim->meta.labels, NAME_HOSTNAME, word(yard, change ? "x" : "y"));
    if (change != 0)
        labels_set(wish.arena, &claim->meta.annotations, word(yard, "note"), word(yard, "x"));
    if (change == 6)
        vec_push(wish.arena, &claim->spec.startup_taints, taint);
    else
        vec_push(wish.arena, &claim->spec.taints, taint);
    if (change == 7)
        require(&wish, op, "zone", "a", NULL);
    else if (change == 0)
        require(&wish, op, "zone", "b", "a"); // sets have no order
    else
        require(&wish, op, "zone", "a", "b");
    if (change == 8)
        require(&wish, OP_GT, "cpu", "3", NULL);
    if (change == 9)
        require(&wish, OP_LT, "cpu", "3", NULL);
    if (change == 10)
        wish.launch.requirements.items->min_values = 2;
    if (change == 11)
        claim->spec.node_class.kind = word(yard, "OtherClass");
    wish.launch.claim = claim;
    return launch_hash(&wish.launch);
}

TEST_F(Yard, yard, launches_are_alike_by_what_is_asked_for) {
    enum { CHANGES = 12, SAME = 99 };
    uint64_t hashes[CHANGES];

    for (uint32_t i = 0; i < CHANGES; i++) {
        hashes[i] = hash_of(yard, i);
        for (uint32_t j = 0; j < i; j++)
            assert_true(hashes[i] != hashes[j]);
    }
    assert_true(hash_of(yard, SAME) == hashes[0]);
}

// --- cost

static uint64_t looks_of(uint32_t launches, uint32_t groups) {
    Yard *yard = yard_new();
    uint32_t calls = 0;
    uint64_t looks;

    for (uint32_t i = 0; i < launches; i++) {
        EngineJob *job = add(yard, launch_of(yard, 1 + i % groups));

        yard->now_ns++;
        calls += job != NULL;
        if (job)
            engine_job_drop(job);
    }
    yard->now_ns += NS_PER_S;
    while (drop_next(yard))
        calls++;
    assert_int_equal(calls, groups == 1 ? launches / GATHERED_LAUNCHES_MAX : groups);
    looks = gather_looks(yard->gather);
    yard_free(yard);
    return looks;
}

// A few looks for each launch, however many there are: the order of so many ends has a depth of 14.
TEST(ten_thousand_launches_are_gathered_in_linear_time) {
    assert_in_range(looks_of(10000, 1), 10000, 10000 * 5);
    assert_in_range(looks_of(10000, 1000), 10000, 10000 * 24);
    assert_in_range(looks_of(10000, 10000), 10000, 10000 * 24);
    assert_in_range(looks_of(100000, 100000), 100000, 100000 * 28);
}

// What was used for a burst is used again: the groups of a month do not pile up.
TEST_F(Yard, yard, groups_are_used_again) {
    for (uint32_t i = 0; i < 100000; i++) {
        assert_null(add(yard, launch_of(yard, 1 + i)));
        yard->now_ns += NS_PER_S;
        assert_int_equal(drop_next(yard), 1);
        if (i % 1000 == 0) { // the memory of the yard itself
            arena_free(&yard->arena);
            yard->arena = (Arena){0};
        }
    }
    assert_in_range(gather_looks(yard->gather), 100000, 100000 * 4);
    assert_in_range(gather_bytes(yard->gather), 1, 4096);
}
