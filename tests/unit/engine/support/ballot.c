// The ballot: candidates, their clocks and calls, and the campaign.
#include "engine/support/ballot.h"
#include "base/time.h"

#include <stdio.h>
#include <stdlib.h>

static const int64_t START_NS = INT64_C(1767571200000000000); // 2026-01-05T00:00:00Z

// --- time

static int64_t wall_now(void *self) {
    const Candidate *candidate = self;

    return candidate->ballot->now_ns + candidate->wall_offset_ns;
}

static Mono mono_now(void *self) {
    const Candidate *candidate = self;

    return (Mono){candidate->ballot->now_ns - START_NS + candidate->monotonic_offset_ns};
}

static void observe(Ballot *ballot) {
    uint32_t leaders = ballot_leaders(ballot);

    if (leaders > ballot->most_leaders)
        ballot->most_leaders = leaders;
    if (leaders && ballot->leaderless_ns >= 0) {
        int64_t took_ns = ballot->now_ns - ballot->leaderless_ns;

        if (took_ns > ballot->longest_leaderless_ns)
            ballot->longest_leaderless_ns = took_ns;
        ballot->leaderless_ns = -1;
        ballot->successions++;
    } else if (!leaders && ballot->leaderless_ns < 0) {
        ballot->leaderless_ns = ballot->now_ns;
    }
}

// Time passes in steps, so that nobody's end is overlooked.
static void move_time(Ballot *ballot, int64_t to_ns) {
    while (ballot->now_ns < to_ns) {
        int64_t step_ns = to_ns - ballot->now_ns;

        ballot->now_ns += step_ns < MILLISECONDS(250) ? step_ns : MILLISECONDS(250);
        observe(ballot);
    }
}

static void pass_turn(Ballot *ballot) {
    uint32_t next = 0;
    int64_t next_ns = INT64_MAX;

    for (uint32_t i = 0; i < ballot->count; i++) {
        const Candidate *candidate = &ballot->candidates[i];

        if (!candidate->over && candidate->wakes_ns < next_ns) {
            next = i;
            next_ns = candidate->wakes_ns;
        }
    }
    if (next_ns == INT64_MAX)
        return;
    move_time(ballot, next_ns);
    ballot->running = next;
    pthread_cond_broadcast(&ballot->turned);
}

static void sleep_until(Candidate *candidate, int64_t until_ns) {
    Ballot *ballot = candidate->ballot;

    if (!ballot->threaded) {
        move_time(ballot, until_ns);
        return;
    }
    candidate->wakes_ns = until_ns;
    pass_turn(ballot);
    while (ballot->running != candidate->number)
        pthread_cond_wait(&ballot->turned, &ballot->lock);
}

// --- calls

static ErrCode lose(KubeError *error, const char *what) {
    if (error)
        *error = (KubeError){0};
    return err_set(error ? &error->err : NULL, ERR_TIMEOUT, "%s", what);
}

// Now and then things go wrong: calls are slow, or do not arrive; the process stands still.
static void draw_fate(Candidate *candidate) {
    const Ballot *ballot = candidate->ballot;
    Random *random = &candidate->random;

    candidate->fate = CALL_ARRIVES;
    candidate->there_ns = random_below(random, 20000000);
    candidate->back_ns = random_below(random, 20000000);
    if (!ballot->harsh || ballot->now_ns >= ballot->calms_ns)
        return;
    if (random_chance(random, 20))
        candidate->fate = random_chance(random, 50) ? CALL_IS_NOT_SENT : CALL_LOSES_ANSWER;
    if (random_chance(random, 10))
        candidate->there_ns = SECONDS(random_below(random, 20));
    if (random_chance(random, 10))
        candidate->back_ns = SECONDS(random_below(random, 20));
}

static bool goes_there(Candidate *candidate) {
    if (candidate->ballot->threaded)
        draw_fate(candidate);
    sleep_until(candidate, candidate->ballot->now_ns + candidate->there_ns);
    candidate->calls += candidate->fate != CALL_IS_NOT_SENT;
    return candidate->fate != CALL_IS_NOT_SENT;
}

static ErrCode comes_back(Candidate *candidate, ErrCode code, KubeError *error) {
    CallFate fate = candidate->fate;

    sleep_until(candidate, candidate->ballot->now_ns + candidate->back_ns);
    return fate == CALL_ARRIVES ? code : lose(error, "the answer was lost");
}

static ErrCode call_get(void *self, Arena *arena, KubeRef ref, Value *ret_object, KubeError *error) {
    Candidate *candidate = self;
    ErrCode code;

    if (!goes_there(candidate))
        return lose(error, "not sent");
    code = kube_get(api_kube(candidate->ballot->server), arena, ref, ret_object, error);
    return comes_back(candidate, code, error);
}

static ErrCode call_create(void *self, Arena *arena, Slice manager, KubeKind kind, const Value *object,
                           Value *ret_object, KubeError *error) {
    Candidate *candidate = self;
    ErrCode code;

    if (!goes_there(candidate))
        return lose(error, "not sent");
    code = kube_create(api_kube(candidate->ballot->server), arena, manager, kind, object, ret_object, error);
    return comes_back(candidate, code, error);
}

static ErrCode call_update(void *self, Arena *arena, Slice manager, KubeKind kind, KubePart part, const Value *object,
                           Value *ret_object, KubeError *error) {
    Candidate *candidate = self;
    ErrCode code;

    if (!goes_there(candidate))
        return lose(error, "not sent");
    code = kube_update(api_kube(candidate->ballot->server), arena, manager, kind, part, object, ret_object, error);
    return comes_back(candidate, code, error);
}

// --- the ballot

static int64_t server_now(void *context) {
    return ((Ballot *)context)->now_ns;
}

static uint64_t server_random(void *context) {
    return random_u64(&((Ballot *)context)->random);
}

Ballot *ballot_new(uint64_t seed) {
    Ballot *ballot = calloc(1, sizeof *ballot);

    assert_non_null(ballot);
    random_seed(&ballot->random, seed);
    ballot->now_ns = ballot->leaderless_ns = START_NS;
    pthread_mutex_init(&ballot->lock, NULL);
    pthread_cond_init(&ballot->turned, NULL);
    ballot->server = api_new(&(ApiConfig){.sources = {server_now, server_random, ballot}});
    return ballot;
}

Ballot *ballot_setup(void) {
    return ballot_new(1);
}

void ballot_free(Ballot *ballot) {
    for (uint32_t i = 0; i < ballot->count; i++)
        lease_free(ballot->candidates[i].lease);
    api_free(ballot->server);
    pthread_cond_destroy(&ballot->turned);
    pthread_mutex_destroy(&ballot->lock);
    free(ballot);
}

// A new process with a name of its own.
static void be_born(Candidate *candidate) {
    lease_free(candidate->lease);
    snprintf(candidate->identity, sizeof candidate->identity, "process-%u", candidate->ballot->born++);
    candidate->lease = lease_new(&(LeaseConfig){.kube = {&candidate->table, candidate},
                                                .clock = {wall_now, mono_now, candidate},
                                                .ns = SLICE("kube-system"),
                                                .name = SLICE(LEASE_NAME),
                                                .identity = slice_of(candidate->identity),
                                                .seed = random_u64(&candidate->random)});
}

Candidate *ballot_join(Ballot *ballot, int64_t wall_offset_ns, int64_t monotonic_offset_ns) {
    Candidate *candidate = &ballot->candidates[ballot->count];

    assert_true(ballot->count < CANDIDATES_MAX);
    *candidate = (Candidate){.ballot = ballot,
                             .number = ballot->count++,
                             .table = {.get = call_get, .create = call_create, .update = call_update},
                             .wall_offset_ns = wall_offset_ns,
                             .monotonic_offset_ns = monotonic_offset_ns,
                             .wakes_ns = ballot->now_ns};
    random_seed(&candidate->random, random_u64(&ballot->random));
    be_born(candidate);
    return candidate;
}

uint32_t ballot_leaders(const Ballot *ballot) {
    uint32_t leaders = 0;

    for (uint32_t i = 0; i < ballot->count; i++) {
        if (ballot->candidates[i].lease && !ballot->candidates[i].gone)
            leaders += lease_is_held(ballot->candidates[i].lease);
    }
    return leaders;
}

// Answers in the ballot's time.
static int64_t try_now(Candidate *candidate, LeaseTry *ret_result) {
    KubeError error = {0};

    *ret_result = lease_try(candidate->lease, &error);
    assert_int_equal(ret_result->code, error.err.code);
    return ret_result->next.ns == MONO_END.ns ? INT64_MAX
                                              : ret_result->next.ns - candidate->monotonic_offset_ns + START_NS;
}

LeaseTry ballot_try(Candidate *candidate) {
    LeaseTry result;

    candidate->wakes_ns = try_now(candidate, &result);
    observe(candidate->ballot);
    return result;
}

void ballot_run(Ballot *ballot, int64_t for_ns, uint32_t who) {
    int64_t until_ns = ballot->now_ns + for_ns;

    for (;;) {
        Candidate *next = NULL;

        for (uint32_t i = 0; i < ballot->count; i++) {
            Candidate *candidate = &ballot->candidates[i];

            if ((who >> i & 1) && (!next || candidate->wakes_ns < next->wakes_ns))
                next = candidate;
        }
        if (!next || next->wakes_ns > until_ns)
            break;
        move_time(ballot, next->wakes_ns);
        ballot_try(next);
    }
    move_time(ballot, until_ns);
}

const char *ballot_spec(Ballot *ballot, const char *field) {
    static char text[128];
    Arena arena = {0};
    Value object;
    const Value *value = NULL;

    if (kube_get(api_kube(ballot->server), &arena, (KubeRef){KUBE_LEASE, SLICE("kube-system"), SLICE(LEASE_NAME)},
                 &object, NULL) == OK)
        value = value_at(&object, "spec", field, NULL);
    snprintf(text, sizeof text, "%.*s", value ? (int)value->text.len : 6, value ? value->text.ptr : "(none)");
    arena_free(&arena);
    return text;
}

// --- a campaign

// A process of which the machine stands still, now and then for longer than any lease.
static void stand_still(Candidate *candidate) {
    Ballot *ballot = candidate->ballot;

    if (ballot->harsh && ballot->now_ns < ballot->calms_ns && random_chance(&candidate->random, 3))
        sleep_until(candidate, ballot->now_ns + SECONDS(random_below(&candidate->random, 40)));
}

static int64_t draw_death(Candidate *candidate) {
    const Ballot *ballot = candidate->ballot;
    int64_t dies_ns = ballot->now_ns + SECONDS(30 + random_below(&candidate->random, 300));

    return dies_ns < ballot->calms_ns ? dies_ns : INT64_MAX;
}

// One process after the other: each tries until it dies or has lost the Lease.
static void live(Candidate *candidate) {
    Ballot *ballot = candidate->ballot;
    int64_t dies_ns = draw_death(candidate);

    while (ballot->now_ns < ballot->ends_ns) {
        LeaseTry result;
        int64_t next_ns = try_now(candidate, &result);

        observe(ballot);
        if (result.state == LEASE_LOST || ballot->now_ns >= dies_ns) {
            candidate->gone = true;
            sleep_until(candidate, ballot->now_ns + SECONDS(random_below(&candidate->random, 6)));
            be_born(candidate);
            candidate->gone = false;
            dies_ns = draw_death(candidate);
        } else {
            sleep_until(candidate, next_ns);
            stand_still(candidate);
        }
    }
}

static void *run_candidate(void *context) {
    Candidate *candidate = context;
    Ballot *ballot = candidate->ballot;

    pthread_mutex_lock(&ballot->lock);
    while (ballot->running != candidate->number)
        pthread_cond_wait(&ballot->turned, &ballot->lock);
    live(candidate);
    candidate->over = true;
    pass_turn(ballot);
    pthread_mutex_unlock(&ballot->lock);
    return NULL;
}

void ballot_campaign(Ballot *ballot, uint32_t count, int64_t calms_ns, int64_t ends_ns) {
    ballot->threaded = ballot->harsh = true;
    ballot->calms_ns = ballot->now_ns + calms_ns;
    ballot->ends_ns = ballot->now_ns + ends_ns;
    for (uint32_t i = 0; i < count; i++)
        ballot_join(ballot, SECONDS(random_below(&ballot->random, 7200)) - SECONDS(3600),
                    SECONDS(random_below(&ballot->random, 100000)));
    pthread_mutex_lock(&ballot->lock);
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(pthread_create(&ballot->candidates[i].thread, NULL, run_candidate, &ballot->candidates[i]), 0);
    ballot->running = CANDIDATES_MAX;
    pass_turn(ballot);
    pthread_mutex_unlock(&ballot->lock);
    for (uint32_t i = 0; i < count; i++)
        pthread_join(ballot->candidates[i].thread, NULL);
}
