// KWOK's provider under many threads at once, with its own thread and the system's clock. Run it under TSan.
#include "engine/kwok_bed.h"

#include "engine/clock.h"

#include <unistd.h>

enum { THREADS = 6, ROUNDS = 40, PATIENCE_S = 120 };

typedef struct {
    Bed *bed;
    uint32_t number;
    pthread_t thread;
    uint32_t launched, ended;
} Worker;

static int64_t real_now(void *context) {
    (void)context;
    return clock_system_wall_ns();
}

static uint64_t counted(void *context) {
    static uint64_t count;

    (void)context;
    return hash_u64(++count); // under the server's lock
}

// A bed that calls the server directly, from any thread; the bed's own table counts without a lock.
static Bed *threaded_bed(void) {
    Bed *bed = calloc(1, sizeof *bed);
    KwokConfig config;
    Err err;

    assert_non_null(bed);
    bed->server = api_new(&(ApiConfig){.sources = {real_now, counted, NULL}});
    bed->kube = api_kube(bed->server);
    bed->state = state_new();
    config = (KwokConfig){.kube = bed->kube, .symbols = state_symbols(bed->state)};
    assert_int_equal(kwok_provider_new(&config, &bed->provider, &err), OK);
    bed->cloud = kwok_provider_cloud(bed->provider);
    bed_create_object(bed, "{apiVersion: karpenter.kwok.sh/v1alpha1, kind: KWOKNodeClass, metadata: {name: now}}");
    bed_create_object(bed, "{apiVersion: karpenter.kwok.sh/v1alpha1, kind: KWOKNodeClass, metadata: {name: later}, "
                           "spec: {nodeRegistrationDelay: 5ms}}");
    return bed;
}

// Each thread has an arena of its own, so it has a bed of its own that shares everything else.
static CloudInstance launch_one(Bed *bed, Worker *worker, uint32_t round, ErrCode *ret_code) {
    const KubeKindInfo *kind = kube_kind(KUBE_NODE_CLAIM);
    NodeClaim *claim = arena_alloc(&bed->arena, object_decoded_size(kind->group, kind->kind));
    CloudInstance instance = {0};
    CloudLaunch launch = {.claim = claim};
    CloudError error = {0};
    Value object = bed_create_object(bed,
                                     "{apiVersion: karpenter.sh/v1, kind: NodeClaim, metadata: {name: claim-%u-%u}, "
                                     "spec: {nodeClassRef: {group: karpenter.kwok.sh, kind: KWOKNodeClass, name: %s}, "
                                     "requirements: []}}",
                                     worker->number, round, round % 2 ? "now" : "later");

    assert_int_equal(object_decode(&bed->arena, bed_symbols(bed), kind->group, kind->kind, &object, claim, NULL), OK);
    *ret_code = cloud_launch(bed->cloud, &bed->arena, &launch, &instance, &error);
    if (*ret_code == OK && round % 4 < 2) // and once more, as after an answer that was lost
        *ret_code = cloud_launch(bed->cloud, &bed->arena, &launch, &instance, &error);
    return instance;
}

// Launches claims, terminates every third at once in whatever state it is, and lists from time to time.
static void *work(void *context) {
    Worker *worker = context;
    Bed own = *worker->bed;

    own.arena = (Arena){0};
    for (uint32_t round = 0; round < ROUNDS; round++) {
        ErrCode code;
        CloudInstance instance = launch_one(&own, worker, round, &code);
        CloudInstanceVec list;
        CloudError error;

        worker->launched += code == OK;
        if (round % 3 == 0)
            worker->ended += cloud_terminate(own.cloud, instance.provider_id, &error) == ERR_NOT_FOUND;
        if (round % 8 == 0)
            cloud_list(own.cloud, &own.arena, &list, &error);
    }
    arena_free(&own.arena);
    return NULL;
}

TEST(each_claim_has_one_node_whatever_the_threads_do) {
    Bed *bed = threaded_bed();
    Worker workers[THREADS] = {0};
    uint32_t wanted = 0;
    int64_t until_ns = clock_system_mono().ns + SECONDS(PATIENCE_S);

    assert_int_equal(kwok_provider_start(bed->provider, NULL), OK);
    for (uint32_t i = 0; i < THREADS; i++) {
        workers[i] = (Worker){.bed = bed, .number = i};
        assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    }
    for (uint32_t i = 0; i < THREADS; i++) {
        pthread_join(workers[i].thread, NULL);
        assert_int_equal(workers[i].launched, ROUNDS);
        assert_int_equal(workers[i].ended, (ROUNDS + 2) / 3);
        wanted += workers[i].launched - workers[i].ended;
    }
    while (bed_count(bed, KUBE_NODE) != wanted && clock_system_mono().ns < until_ns)
        usleep(1000);
    assert_int_equal(bed_count(bed, KUBE_NODE), wanted); // terminated ones did not join after that
    bed_free(bed);
}

TEST(a_provider_may_go_while_nodes_wait) {
    for (uint32_t i = 0; i < 20; i++) {
        Bed *bed = threaded_bed();
        Worker worker = {.bed = bed, .number = i};
        ErrCode code;

        assert_int_equal(kwok_provider_start(bed->provider, NULL), OK);
        launch_one(bed, &worker, 0, &code);
        assert_int_equal(code, OK);
        usleep(500 * i);
        bed_crash(bed);
        assert_in_range(bed_count(bed, KUBE_NODE), 0, 1);
        bed_free(bed);
    }
}
