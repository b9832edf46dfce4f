// Renewal of credentials under many threads: one asks, and who has old ones does not wait. And the calls of a burst in
// whose middle they end.
#include "aws/credentials/credentials.h"

#include "aws/service/ec2_network.h"
#include "aws/support/memory.h"
#include "base/alloc.h"
#include "base/thread.h"

#include <stdatomic.h>
#include <unistd.h>

enum { THREADS = 8, TURNS = 2000 };

typedef struct {
    AwsSource source;
    MemoryTransport *memory;
    AwsCredentials *credentials;
    atomic_int asking; // threads in the source
    atomic_uint asked, taken;
    atomic_uint sent, refused; // requests of a burst
    AwsClient *client;
    atomic_bool is_held; // the source does not come back
} World;

static ErrCode fetch(AwsSource *self, Arena *arena, int64_t wall_ns, AwsFetched *ret_fetched, Err *err) {
    World *w = (World *)self;

    (void)err;
    assert_int_equal(atomic_fetch_add(&w->asking, 1), 0);
    atomic_fetch_add(&w->asked, 1);
    while (atomic_load(&w->is_held))
        usleep(100);
    *ret_fetched = (AwsFetched){{arena_printf(arena, "AKID%u", w->asked), arena_slice(arena, SLICE("secret")), {0}},
                                wall_ns + NS_PER_MIN};
    atomic_fetch_sub(&w->asking, 1);
    return OK;
}

static void free_nothing(AwsSource *self) {
    (void)self;
}

static World *setup(void) {
    World *w = NEW(World);

    w->memory = memory_new();
    w->source = (AwsSource){"test", fetch, free_nothing};
    w->credentials = aws_credentials_new(&w->source, &w->memory->transport, 1);
    return w;
}

static void teardown(World *w) {
    aws_credentials_free(w->credentials);
    memory_free(w->memory);
    free(w);
}

FIXTURE(World, setup, teardown);

static void take_one(World *w, const AwsGrant *refused) {
    AwsIdentity identity = aws_credentials_identity(w->credentials);
    int64_t wall_ns = w->memory->transport.now(w->memory).wall_ns;
    AwsGrant *grant = NULL;

    assert_int_equal(identity.take(identity.self, wall_ns, refused, &grant, NULL), OK);
    assert_int_equal(aws_grant_keys(grant)->secret.len, 6);
    atomic_fetch_add(&w->taken, 1);
    aws_grant_drop(grant);
}

static void *take_many(void *context) {
    World *w = context;

    for (int i = 0; i < TURNS; i++) {
        take_one(w, NULL);
        memory_pass(w->memory, NS_PER_S / 10);
    }
    return NULL;
}

TEST_F(World, w, one_thread_asks_at_a_time) {
    pthread_t threads[THREADS];

    for (int i = 0; i < THREADS; i++)
        assert_int_equal(thread_start(&threads[i], "taker", 0, take_many, w, NULL), OK);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(w->taken, THREADS * TURNS);
    // 1,600 s pass in all, and each lot is renewed after 30 s.
    assert_in_range(w->asked, 1600 / 60, 1600 / 15);
}

static void *take_and_end(void *context) {
    take_one(context, NULL);
    return NULL;
}

static void await_asking(World *w) {
    for (int i = 0; i < 50000 && !atomic_load(&w->asking); i++)
        usleep(100);
    assert_int_equal(atomic_load(&w->asking), 1);
}

TEST_F(World, w, old_ones_that_hold_are_given_while_another_thread_asks) {
    pthread_t asker;

    take_one(w, NULL);
    memory_pass(w->memory, 31 * NS_PER_S);
    atomic_store(&w->is_held, true);
    assert_int_equal(thread_start(&asker, "asker", 0, take_and_end, w, NULL), OK);
    await_asking(w);
    for (int i = 0; i < 100; i++)
        take_one(w, NULL); // would hang, were it to wait
    assert_int_equal(w->taken, 101);
    atomic_store(&w->is_held, false);
    pthread_join(asker, NULL);
    assert_int_equal(w->taken, 102);
    assert_int_equal(w->asked, 2);
}

TEST_F(World, w, who_has_none_waits_for_the_thread_that_asks) {
    pthread_t threads[THREADS];

    atomic_store(&w->is_held, true);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(thread_start(&threads[i], "taker", 0, take_and_end, w, NULL), OK);
    await_asking(w);
    assert_int_equal(w->taken, 0);
    atomic_store(&w->is_held, false);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(w->taken, THREADS);
    assert_int_equal(w->asked, 1);
}

// --- a burst

enum { BURST_CALLS = 50, ENDS_AFTER = THREADS * BURST_CALLS / 2 };

// Takes any credentials at first, then none but the second ones.
static MemoryReply answer(void *context, const MemorySent *sent) {
    World *w = context;
    uint32_t number = atomic_fetch_add(&w->sent, 1);

    if (number < ENDS_AFTER || strstr(sent->headers, "Credential=AKID2/"))
        return (MemoryReply){.body = "<DescribeSubnetsResponse/>"};
    atomic_fetch_add(&w->refused, 1);
    return (MemoryReply){.status = 403,
                         .body = "<Response><Errors><Error><Code>ExpiredToken</Code><Message>m</Message></Error>"
                                 "</Errors></Response>"};
}

static void *call_many(void *context) {
    World *w = context;

    for (int i = 0; i < BURST_CALLS; i++) {
        Ec2DescribeSubnetsInput input = {0};
        Ec2DescribeSubnetsOutput output;
        Arena arena = {0};

        assert_int_equal(aws_call(w->client, &arena, &ec2_describe_subnets, &input, NULL, &output, NULL, NULL), OK);
        arena_free(&arena);
    }
    return NULL;
}

TEST_F(World, w, a_burst_in_whose_middle_credentials_end_renews_them_once) {
    const AwsClientOptions options = {
        .transport = w->memory->transport,
        .identity = aws_credentials_identity(w->credentials),
        .region = SLICE("eu-west-1"),
    };
    pthread_t threads[THREADS];

    w->memory->answer = answer;
    w->memory->context = w;
    w->client = aws_client_new(&options);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(thread_start(&threads[i], "caller", 0, call_many, w, NULL), OK);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    aws_client_free(w->client);
    assert_int_equal(w->asked, 2);
    assert_in_range(w->refused, 1, THREADS);
    assert_int_equal(w->sent, THREADS * BURST_CALLS + w->refused);
}
