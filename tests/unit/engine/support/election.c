// Election: candidates, their clocks and calls, and the campaign.
#include "engine/support/election.h"
#include "base/time.h"

#include <stdio.h>
#include <stdlib.h>

static const int64_t START_NS = INT64_C(1767571200000000000); // 2026-01-05T00:00:00Z

// --- time

static int64_t wall_now(void *self) {
    const Candidate *candidate = self;

    return candidate->election->now_ns + candidate->wall_offset_ns;
}

static Mono mono_now(void *self) {
    const Candidate *candidate = self;

    return (Mono){candidate->election->now_ns - START_NS + candidate->monotonic_offset_ns};
}

static void observe(Election *election) {
    uint32_t leaders = election_leaders(election);

    if (leaders > election->most_leaders)
        election->most_leaders = leaders;
    if (leaders && election->leaderless_ns >= 0) {
        int64_t took_ns = election->now_ns - election->leaderless_ns;

        if (took_ns > election->longest_leaderless_ns)
            election->longest_leaderless_ns = took_ns;
        election->leaderless_ns = -1;
        election->successions++;
    } else if (!leaders && election->leaderless_ns < 0) {
        election->leaderless_ns = election->now_ns;
    }
}

// Time advances in steps, so that the end of every lease is noticed.
static void move_time(Election *election, int64_t to_ns) {
    while (election->now_ns < to_ns) {
        int64_t step_ns = to_ns - election->now_ns;

        election->now_ns += step_ns < MILLISECONDS(250) ? step_ns : MILLISECONDS(250);
        observe(election);
    }
}

static void pass_turn(Election *election) {
    uint32_t next = 0;
    int64_t next_ns = INT64_MAX;

    for (uint32_t i = 0; i < election->count; i++) {
        const Candidate *candidate = &election->candidates[i];

        if (!candidate->over && candidate->wakes_ns < next_ns) {
            next = i;
            next_ns = candidate->wakes_ns;
        }
    }
    if (next_ns == INT64_MAX)
        return;
    move_time(election, next_ns);
    election->running = next;
    pthread_cond_broadcast(&election->turned);
}

static void sleep_until(Candidate *candidate, int64_t until_ns) {
    Election *election = candidate->election;

    if (!election->threaded) {
        move_time(election, until_ns);
        return;
    }
    candidate->wakes_ns = until_ns;
    pass_turn(election);
    while (election->running != candidate->number)
        pthread_cond_wait(&election->turned, &election->lock);
}

// --- calls

static ErrCode lose(KubeError *error, const char *what) {
    if (error)
        *error = (KubeError){0};
    return err_set(error ? &error->err : NULL, ERR_TIMEOUT, "%s", what);
}

// Draws faults: calls that are slow or do not arrive, and a suspended process.
static void draw_fate(Candidate *candidate) {
    const Election *election = candidate->election;
    Random *random = &candidate->random;

    candidate->fate = CALL_ARRIVES;
    candidate->there_ns = random_below(random, 20000000);
    candidate->back_ns = random_below(random, 20000000);
    if (!election->harsh || election->now_ns >= election->calms_ns)
        return;
    if (random_chance(random, 20))
        candidate->fate = random_chance(random, 50) ? CALL_IS_NOT_SENT : CALL_LOSES_ANSWER;
    if (random_chance(random, 10))
        candidate->there_ns = SECONDS(random_below(random, 20));
    if (random_chance(random, 10))
        candidate->back_ns = SECONDS(random_below(random, 20));
}

static bool goes_there(Candidate *candidate) {
    if (candidate->election->threaded)
        draw_fate(candidate);
    sleep_until(candidate, candidate->election->now_ns + candidate->there_ns);
    candidate->calls += candidate->fate != CALL_IS_NOT_SENT;
    return candidate->fate != CALL_IS_NOT_SENT;
}

static ErrCode comes_back(Candidate *candidate, ErrCode code, KubeError *error) {
    CallFate fate = candidate->fate;

    sleep_until(candidate, candidate->election->now_ns + candidate->back_ns);
    return fate == CALL_ARRIVES ? code : lose(error, "the answer was lost");
}

static ErrCode call_get(void *self, Arena *arena, KubeRef ref, Value *ret_object, KubeError *error) {
    Candidate *candidate = self;
    ErrCode code;

    if (!goes_there(candidate))
        return lose(error, "not sent");
    code = kube_get(api_kube(candidate->election->server), arena, ref, ret_object, error);
    return comes_back(candidate, code, error);
}

static ErrCode call_create(void *self, Arena *arena, Slice manager, KubeKind kind, const Value *object,
                           Value *ret_object, KubeError *error) {
    Candidate *candidate = self;
    ErrCode code;

    if (!goes_there(candidate))
        return lose(error, "not sent");
    code = kube_create(api_kube(candidate->election->server), arena, manager, kind, object, ret_object, error);
    return comes_back(candidate, code, error);
}

static ErrCode call_update(void *self, Arena *arena, Slice manager, KubeKind kind, KubePart part, const Value *object,
                           Value *ret_object, KubeError *error) {
    Candidate *candidate = self;
    ErrCode code;

    if (!goes_there(candidate))
        return lose(error, "not sent");
    code = kube_update(api_kube(candidate->election->server), arena, manager, kind, part, object, ret_object, error);
    return comes_back(candidate, code, error);
}

// --- the election

static int64_t server_now(void *context) {
    return ((Election *)context)->now_ns;
}

static uint64_t server_random(void *context) {
    return random_u64(&((Election *)context)->random);
}

Election *election_new(uint64_t seed) {
    Election *election = calloc(1, sizeof *election);

    assert_non_null(election);
    random_seed(&election->random, seed);
    election->now_ns = election->leaderless_ns = START_NS;
    pthread_mutex_init(&election->lock, NULL);
    pthread_cond_init(&election->turned, NULL);
    election->server = api_new(&(ApiConfig){.sources = {server_now, server_random, election}});
    return election;
}

Election *election_setup(void) {
    return election_new(1);
}

void election_free(Election *election) {
    for (uint32_t i = 0; i < election->count; i++)
        lease_free(election->candidates[i].lease);
    api_free(election->server);
    pthread_cond_destroy(&election->turned);
    pthread_mutex_destroy(&election->lock);
    free(election);
}

// A new process with a name of its own.
static void be_born(Candidate *candidate) {
    lease_free(candidate->lease);
    snprintf(candidate->identity, sizeof candidate->identity, "process-%u", candidate->election->born++);
    candidate->lease = lease_new(&(LeaseConfig){.kube = {&candidate->table, candidate},
                                                .clock = {wall_now, mono_now, candidate},
                                                .ns = SLICE("kube-system"),
                                                .name = SLICE(LEASE_NAME),
                                                .identity = slice_of(candidate->identity),
                                                .seed = random_u64(&candidate->random)});
}

Candidate *election_join(Election *election, int64_t wall_offset_ns, int64_t monotonic_offset_ns) {
    Candidate *candidate = &election->candidates[election->count];

    assert_true(election->count < CANDIDATES_MAX);
    *candidate = (Candidate){.election = election,
                             .number = election->count++,
                             .table = {.get = call_get, .create = call_create, .update = call_update},
                             .wall_offset_ns = wall_offset_ns,
                             .monotonic_offset_ns = monotonic_offset_ns,
                             .wakes_ns = election->now_ns};
    random_seed(&candidate->random, random_u64(&election->random));
    be_born(candidate);
    return candidate;
}

uint32_t election_leaders(const Election *election) {
    uint32_t leaders = 0;

    for (uint32_t i = 0; i < election->count; i++) {
        if (election->candidates[i].lease && !election->candidates[i].gone)
            leaders += lease_is_held(election->candidates[i].lease);
    }
    return leaders;
}

// One lease_try. Returns when the candidate tries again, in the election's time.
static int64_t try_now(Candidate *candidate, LeaseTry *ret_result) {
    KubeError error = {0};

    *ret_result = lease_try(candidate->lease, &error);
    assert_int_equal(ret_result->code, error.err.code);
    return ret_result->next.ns == MONO_END.ns ? INT64_MAX
                                              : ret_result->next.ns - candidate->monotonic_offset_ns + START_NS;
}

LeaseTry election_try(Candidate *candidate) {
    LeaseTry result;

    candidate->wakes_ns = try_now(candidate, &result);
    observe(candidate->election);
    return result;
}

void election_run(Election *election, int64_t for_ns, uint32_t who) {
    int64_t until_ns = election->now_ns + for_ns;

    for (;;) {
        Candidate *next = NULL;

        for (uint32_t i = 0; i < election->count; i++) {
            Candidate *candidate = &election->candidates[i];

            if ((who >> i & 1) && (!next || candidate->wakes_ns < next->wakes_ns))
                next = candidate;
        }
        if (!next || next->wakes_ns > until_ns)
            break;
        move_time(election, next->wakes_ns);
        election_try(next);
    }
    move_time(election, until_ns);
}

const char *election_spec(Election *election, const char *field) {
    static char text[128];
    Arena arena = {0};
    Value object;
    const Value *value = NULL;

    if (kube_get(api_kube(election->server), &arena, (KubeRef){KUBE_LEASE, SLICE("kube-system"), SLICE(LEASE_NAME)},
                 &object, NULL) == OK)
        value = value_at(&object, "spec", field, NULL);
    snprintf(text, sizeof text, "%.*s", value ? (int)value->text.len : 6, value ? value->text.ptr : "(none)");
    arena_free(&arena);
    return text;
}

// --- a campaign

// Suspends a process, sometimes for longer than any lease.
static void stand_still(Candidate *candidate) {
    Election *election = candidate->election;

    if (election->harsh && election->now_ns < election->calms_ns && random_chance(&candidate->random, 3))
        sleep_until(candidate, election->now_ns + SECONDS(random_below(&candidate->random, 40)));
}

static int64_t draw_death(Candidate *candidate) {
    const Election *election = candidate->election;
    int64_t dies_ns = election->now_ns + SECONDS(30 + random_below(&candidate->random, 300));

    return dies_ns < election->calms_ns ? dies_ns : INT64_MAX;
}

// A candidate's thread: one process after the other, each of which tries until it dies or loses the Lease.
static void live(Candidate *candidate) {
    Election *election = candidate->election;
    int64_t dies_ns = draw_death(candidate);

    while (election->now_ns < election->ends_ns) {
        LeaseTry result;
        int64_t next_ns = try_now(candidate, &result);

        observe(election);
        if (result.state == LEASE_LOST || election->now_ns >= dies_ns) {
            candidate->gone = true;
            sleep_until(candidate, election->now_ns + SECONDS(random_below(&candidate->random, 6)));
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
    Election *election = candidate->election;

    pthread_mutex_lock(&election->lock);
    while (election->running != candidate->number)
        pthread_cond_wait(&election->turned, &election->lock);
    live(candidate);
    candidate->over = true;
    pass_turn(election);
    pthread_mutex_unlock(&election->lock);
    return NULL;
}

void election_campaign(Election *election, uint32_t count, int64_t calms_ns, int64_t ends_ns) {
    election->threaded = election->harsh = true;
    election->calms_ns = election->now_ns + calms_ns;
    election->ends_ns = election->now_ns + ends_ns;
    for (uint32_t i = 0; i < count; i++)
        election_join(election, SECONDS(random_below(&election->random, 7200)) - SECONDS(3600),
                      SECONDS(random_below(&election->random, 100000)));
    pthread_mutex_lock(&election->lock);
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(pthread_create(&election->candidates[i].thread, NULL, run_candidate, &election->candidates[i]),
                         0);
    election->running = CANDIDATES_MAX;
    pass_turn(election);
    pthread_mutex_unlock(&election->lock);
    for (uint32_t i = 0; i < count; i++)
        pthread_join(election->candidates[i].thread, NULL);
}
