// Renewal of credentials, by a source of the test's.
#include "aws/credentials/credentials.h"

#include "aws/support/memory.h"
#include "aws/support/wire.h"
#include "base/alloc.h"

#include <stdio.h>

typedef struct World World;

typedef struct {
    AwsSource source;
    World *world;
} TestSource;

struct World {
    MemoryTransport *memory;
    TestSource source;
    AwsCredentials *credentials;
    AwsIdentity identity;
    Err err;
    int64_t life_ns;   // of what the source gives; INT64_MAX: for ever
    uint32_t asked;    // how often the source was
    bool gives_same;   // the source goes on giving what it gave
    int64_t given_end; // of that
    bool fails;
    char key[32];
};

static ErrCode fetch(AwsSource *self, Arena *arena, int64_t wall_ns, AwsFetched *ret_fetched, Err *err) {
    World *w = ((TestSource *)self)->world;

    w->asked++;
    if (w->fails)
        return err_set(err, ERR_TIMEOUT, "nobody answers (%u)", w->asked);
    if (!w->gives_same || w->asked == 1)
        w->given_end = w->life_ns == INT64_MAX ? INT64_MAX : wall_ns + w->life_ns;
    *ret_fetched =
        (AwsFetched){{arena_printf(arena, "AKID%u", w->asked), SLICE("secret"), SLICE("token")}, w->given_end};
    return OK;
}

static void free_nothing(AwsSource *self) {
    (void)self;
}

static World *setup(void) {
    World *w = NEW(World);

    w->memory = memory_new();
    w->source = (TestSource){{"test", fetch, free_nothing}, w};
    w->life_ns = NS_PER_HOUR;
    w->credentials = aws_credentials_new(&w->source.source, &w->memory->transport, 1);
    w->identity = aws_credentials_identity(w->credentials);
    return w;
}

static void teardown(World *w) {
    aws_credentials_free(w->credentials);
    memory_free(w->memory);
    free(w);
}

FIXTURE(World, setup, teardown);

static ErrCode take(World *w, const AwsGrant *refused, AwsGrant **ret_grant) {
    return w->identity.take(w->identity.self, w->memory->moment.wall_ns, refused, ret_grant, &w->err);
}

// The access key that is given now.
static const char *key(World *w) {
    AwsGrant *grant = NULL;

    assert_int_equal(take(w, NULL, &grant), OK);
    (void)snprintf(w->key, sizeof w->key, "%.*s", SLICE_ARG(aws_grant_keys(grant)->access_key));
    aws_grant_drop(grant);
    return w->key;
}

TEST_F(World, w, they_are_kept_until_five_minutes_before_their_end) {
    assert_string_equal(key(w), "AKID1");
    memory_pass(w->memory, NS_PER_HOUR - 5 * NS_PER_MIN - NS_PER_S);
    assert_string_equal(key(w), "AKID1");
    memory_pass(w->memory, NS_PER_MIN + NS_PER_S);
    assert_string_equal(key(w), "AKID2");
    assert_int_equal(w->asked, 2);
}

TEST_F(World, w, of_a_minute_they_are_renewed_at_half) {
    w->life_ns = NS_PER_MIN;
    assert_string_equal(key(w), "AKID1");
    memory_pass(w->memory, 29 * NS_PER_S);
    assert_string_equal(key(w), "AKID1");
    memory_pass(w->memory, 2 * NS_PER_S);
    assert_string_equal(key(w), "AKID2");
}

TEST_F(World, w, keys_without_end_are_asked_for_once) {
    w->life_ns = INT64_MAX;
    assert_string_equal(key(w), "AKID1");
    memory_pass(w->memory, 365 * NS_PER_DAY);
    assert_string_equal(key(w), "AKID1");
}

TEST_F(World, w, old_ones_are_used_while_the_source_fails) {
    assert_string_equal(key(w), "AKID1");
    w->fails = true;
    memory_pass(w->memory, 56 * NS_PER_MIN);
    for (int i = 0; i < 100; i++)
        assert_string_equal(key(w), "AKID1");
    assert_int_equal(w->asked, 2); // not at each call
    memory_pass(w->memory, 2 * NS_PER_S);
    assert_string_equal(key(w), "AKID1");
    assert_int_equal(w->asked, 3);
    w->fails = false;
    memory_pass(w->memory, 30 * NS_PER_S);
    assert_string_equal(key(w), "AKID4");
}

TEST_F(World, w, without_any_that_hold_the_sources_error_is_given) {
    AwsGrant *grant;

    w->fails = true;
    assert_int_equal(take(w, NULL, &grant), ERR_TIMEOUT);
    assert_string_equal(w->err.text, "credentials (test): nobody answers (1)");
    assert_int_equal(take(w, NULL, &grant), ERR_TIMEOUT);
    assert_int_equal(w->asked, 1); // a second passes first
    memory_pass(w->memory, NS_PER_S);
    assert_int_equal(take(w, NULL, &grant), ERR_TIMEOUT);
    assert_int_equal(w->asked, 2);
    w->fails = false;
    memory_pass(w->memory, NS_PER_S);
    assert_string_equal(key(w), "AKID3");
}

TEST_F(World, w, a_source_that_goes_on_giving_the_old_ones_is_not_asked_at_each_call) {
    w->gives_same = true;
    assert_string_equal(key(w), "AKID1");
    memory_pass(w->memory, 56 * NS_PER_MIN);
    for (int i = 0; i < 100; i++)
        key(w);
    assert_int_equal(w->asked, 2);
}

TEST_F(World, w, those_that_a_service_refused_are_replaced_once) {
    AwsGrant *first = NULL, *second = NULL, *third = NULL;

    assert_int_equal(take(w, NULL, &first), OK);
    assert_int_equal(take(w, first, &second), OK);
    assert_slice(aws_grant_keys(second)->access_key, "AKID2");
    // Another call that was refused with the first ones gets those that there are now.
    assert_int_equal(take(w, first, &third), OK);
    assert_ptr_equal(third, second);
    assert_int_equal(w->asked, 2);
    aws_grant_drop(first);
    aws_grant_drop(second);
    aws_grant_drop(third);
}

TEST_F(World, w, what_was_just_given_is_used_even_if_it_seems_to_have_ended) {
    w->life_ns = -NS_PER_HOUR; // this machine's clock is ahead, or the metadata service gives what it has
    assert_string_equal(key(w), "AKID1");
    assert_string_equal(key(w), "AKID1");
    memory_pass(w->memory, 6 * NS_PER_MIN);
    assert_string_equal(key(w), "AKID2");
}

TEST_F(World, w, a_clock_that_jumps_ahead_has_them_renewed_at_once) {
    assert_string_equal(key(w), "AKID1");
    w->memory->moment.wall_ns += 2 * NS_PER_HOUR;
    assert_string_equal(key(w), "AKID2");
}
