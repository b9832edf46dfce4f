// Leader election: when a candidate leads, and that there are never two leaders.
#include "engine/lease/fence.h"
#include "engine/support/election.h"

#include <string.h>

enum { FIRST = 1, SECOND = 2, BOTH = 3 };

// --- taking and renewing

TEST_F(Election, election, the_first_process_creates_a_missing_lease) {
    Candidate *first = election_join(election, 0, 0);
    LeaseTry result = election_try(first);

    assert_int_equal(result.state, LEASE_HELD);
    assert_true(result.changed);
    assert_true(lease_is_held(first->lease));
    assert_string_equal(election_spec(election, "holderIdentity"), "process-0");
    assert_string_equal(election_spec(election, "leaseDurationSeconds"), "15");
    assert_string_equal(election_spec(election, "leaseTransitions"), "0");
    assert_string_equal(election_spec(election, "acquireTime"), "2026-01-05T00:00:00.000000Z");
    assert_string_equal(election_spec(election, "renewTime"), "2026-01-05T00:00:00.000000Z");
}

TEST_F(Election, election, a_holder_renews_every_two_seconds_with_one_call) {
    Candidate *first = election_join(election, 0, 0);

    election_run(election, SECONDS(60), FIRST);
    assert_true(lease_is_held(first->lease));
    assert_int_equal(first->calls, 2 + 30); // it was not there, it was made; 30 renewals
    assert_string_equal(election_spec(election, "acquireTime"), "2026-01-05T00:00:00.000000Z");
    assert_string_equal(election_spec(election, "renewTime"), "2026-01-05T00:01:00.000000Z");
    assert_string_equal(election_spec(election, "leaseTransitions"), "0");
    assert_int_equal(lease_slow_paths(first->lease), 0);
}

TEST_F(Election, election, the_second_waits_while_the_first_lives) {
    Candidate *first = election_join(election, 0, 0), *second = election_join(election, 0, 0);

    election_run(election, SECONDS(600), BOTH);
    assert_true(lease_is_held(first->lease));
    assert_false(lease_is_held(second->lease));
    assert_int_equal(election->most_leaders, 1);
    assert_in_range(second->calls, 600 / 3, 600 / 2 + 1); // one call every 2 to 3 s
}

// --- taking over

TEST(a_dead_leader_is_replaced_within_19_seconds) {
    for (uint64_t seed = 1; seed <= 200; seed++) {
        Election *election = election_new(seed);
        Candidate *second;

        election_join(election, 0, 0);
        second = election_join(election, 0, 0);
        election_run(election, SECONDS(20) + (int64_t)random_below(&election->random, 2000000000), BOTH);
        assert_true(lease_is_held(election->candidates[0].lease));
        election_run(election, SECONDS(12), SECOND); // the first makes no more calls
        assert_int_equal(election_leaders(election), 0);
        election_run(election, SECONDS(7), SECOND);
        assert_true(lease_is_held(second->lease));
        assert_string_equal(election_spec(election, "leaseTransitions"), "1");
        assert_int_equal(election->most_leaders, 1);
        election_free(election);
    }
}

TEST_F(Election, election, a_released_lease_is_taken_within_3_seconds) {
    Candidate *first = election_join(election, 0, 0), *second = election_join(election, 0, 0);

    election_run(election, SECONDS(20), BOTH);
    assert_int_equal(lease_release(first->lease, NULL), OK);
    assert_false(lease_is_held(first->lease));
    assert_string_equal(election_spec(election, "holderIdentity"), "");
    assert_string_equal(election_spec(election, "leaseDurationSeconds"), "1");
    election_run(election, SECONDS(3), SECOND);
    assert_true(lease_is_held(second->lease));
    assert_string_equal(election_spec(election, "leaseDurationSeconds"), "15");
    assert_string_equal(election_spec(election, "leaseTransitions"), "1");
    assert_int_equal(election_try(first).state, LEASE_LOST); // a lease that was given up stays lost
}

TEST_F(Election, election, a_process_without_the_lease_releases_nothing) {
    Candidate *second;

    election_join(election, 0, 0);
    second = election_join(election, 0, 0);
    election_run(election, SECONDS(10), BOTH);
    assert_int_equal(lease_release(second->lease, NULL), OK);
    assert_string_equal(election_spec(election, "holderIdentity"), "process-0");
}

// Wall clocks may be years apart and monotonic clocks start at any time: they are not compared.
TEST(clocks_of_others_do_not_matter) {
    const int64_t offsets_ns[] = {-SECONDS(86400), SECONDS(86400), SECONDS(20)};

    for (size_t i = 0; i < sizeof offsets_ns / sizeof *offsets_ns; i++) {
        Election *election = election_new(i);
        Candidate *first = election_join(election, offsets_ns[i], SECONDS(5)),
                  *second = election_join(election, 0, SECONDS(999));

        election_run(election, SECONDS(300), BOTH);
        assert_true(lease_is_held(first->lease));
        assert_false(lease_is_held(second->lease));
        election_run(election, SECONDS(19), SECOND);
        assert_true(lease_is_held(second->lease));
        assert_int_equal(election->most_leaders, 1);
        election_free(election);
    }
}

// tenon waits for the duration that is in Karpenter's own Lease.
TEST_F(Election, election, the_duration_in_the_lease_counts) {
    Candidate *first = election_join(election, 0, 0), *second = election_join(election, 0, 0);
    KubeRef ref = {KUBE_LEASE, SLICE("kube-system"), SLICE(LEASE_NAME)};
    Arena arena = {0};
    Value body = value_map(), *spec = value_put(&arena, &body, SLICE("spec"), value_map());
    KubePatch patch = {.body = &body};

    election_try(first);
    value_put(&arena, spec, SLICE("leaseDurationSeconds"), value_int(&arena, 60));
    assert_int_equal(kube_patch(api_kube(election->server), &arena, SLICE("t"), ref, KUBE_OBJECT, &patch, NULL, NULL),
                     OK);
    election_run(election, SECONDS(59), SECOND);
    assert_false(lease_is_held(second->lease));
    election_run(election, SECONDS(4), SECOND);
    assert_true(lease_is_held(second->lease));
    arena_free(&arena);
}

// --- losing

TEST_F(Election, election, a_leader_without_answers_stops_before_another_starts) {
    Candidate *first = election_join(election, 0, 0), *second = election_join(election, 0, 0);

    election_run(election, SECONDS(20), BOTH);
    first->fate = CALL_IS_NOT_SENT;
    election_run(election, MILLISECONDS(9900), BOTH);
    assert_true(lease_is_held(first->lease)); // it goes on for 12 s after the last renewal
    election_run(election, MILLISECONDS(2100), BOTH);
    assert_false(lease_is_held(first->lease));
    assert_false(lease_is_held(second->lease));
    election_run(election, SECONDS(7), BOTH);
    assert_true(lease_is_held(second->lease));
    assert_int_equal(election_try(first).state, LEASE_LOST);
    assert_int_equal(election->most_leaders, 1);
}

TEST_F(Election, election, an_api_server_that_is_gone_for_ten_seconds_costs_nothing) {
    Candidate *first = election_join(election, 0, 0);

    election_run(election, SECONDS(20), FIRST);
    first->fate = CALL_IS_NOT_SENT;
    election_run(election, MILLISECONDS(9500), FIRST);
    first->fate = CALL_ARRIVES;
    election_run(election, SECONDS(60), FIRST);
    assert_true(lease_is_held(first->lease));
    assert_string_equal(election_spec(election, "leaseTransitions"), "0");
}

TEST_F(Election, election, lost_answers_are_found_by_reading) {
    Candidate *first = election_join(election, 0, 0);
    LeaseTry result;

    first->fate = CALL_LOSES_ANSWER;
    result = election_try(first); // the Lease was not read
    assert_int_equal(result.state, LEASE_WAITING);
    assert_int_equal(result.code, ERR_TIMEOUT);
    first->fate = CALL_ARRIVES;
    election_run(election, SECONDS(5), FIRST);
    assert_true(lease_is_held(first->lease));
    first->fate = CALL_LOSES_ANSWER;
    election_run(election, SECONDS(4), FIRST); // renewed, without knowing it
    first->fate = CALL_ARRIVES;
    election_run(election, SECONDS(4), FIRST);
    assert_true(lease_is_held(first->lease));
    assert_string_equal(election_spec(election, "leaseTransitions"), "0");
    assert_true(lease_slow_paths(first->lease) > 0);
}

// The write succeeded but its reply was lost: the holder of the Lease is the candidate itself, so it need not wait.
TEST_F(Election, election, a_claim_whose_answer_was_lost_is_not_waited_for) {
    Candidate *first = election_join(election, 0, 0), *second = election_join(election, 0, 0);

    election_try(first);
    assert_int_equal(lease_release(first->lease, NULL), OK);
    second->back_ns = SECONDS(7); // read and written in 14 s, which proves nothing
    assert_int_equal(election_try(second).state, LEASE_WAITING);
    assert_string_equal(election_spec(election, "holderIdentity"), "process-1");
    second->back_ns = 0;
    assert_int_equal(election_try(second).state, LEASE_HELD);
    assert_string_equal(election_spec(election, "leaseTransitions"), "1");
}

TEST_F(Election, election, an_answer_after_the_time_is_over_is_no_renewal) {
    Candidate *first = election_join(election, 0, 0);

    election_try(first);
    election_run(election, SECONDS(1), 0);
    first->back_ns = SECONDS(12);
    assert_int_equal(election_try(first).state, LEASE_LOST);
    assert_false(lease_is_held(first->lease));
}

TEST_F(Election, election, a_process_that_was_suspended_has_lost_the_lease) {
    Candidate *first = election_join(election, 0, 0);
    uint32_t calls;

    election_try(first);
    election_run(election, SECONDS(30), 0);
    calls = first->calls;
    assert_false(lease_is_held(first->lease));
    assert_int_equal(election_try(first).state, LEASE_LOST);
    assert_int_equal(first->calls, calls); // no call is made
}

static void give_lease_to(Election *election, const char *holder) {
    KubeRef ref = {KUBE_LEASE, SLICE("kube-system"), SLICE(LEASE_NAME)};
    Arena arena = {0};
    Value body = value_map(), *spec = value_put(&arena, &body, SLICE("spec"), value_map());
    KubePatch patch = {.body = &body};

    value_put(&arena, spec, SLICE("holderIdentity"), value_string(slice_of(holder)));
    assert_int_equal(kube_patch(api_kube(election->server), &arena, SLICE("t"), ref, KUBE_OBJECT, &patch, NULL, NULL),
                     OK);
    arena_free(&arena);
}

TEST_F(Election, election, a_leader_that_reads_another_holder_gives_up_at_once) {
    Candidate *first = election_join(election, 0, 0);

    election_try(first);
    give_lease_to(election, "somebody");
    election_run(election, SECONDS(2), FIRST);
    assert_false(lease_is_held(first->lease));
    assert_string_equal(election_spec(election, "holderIdentity"), "somebody");
}

TEST_F(Election, election, labels_are_no_sign_of_life) {
    Candidate *first = election_join(election, 0, 0), *second = election_join(election, 0, 0);
    KubeRef ref = {KUBE_LEASE, SLICE("kube-system"), SLICE(LEASE_NAME)};

    election_try(first);
    for (int i = 0; i < 19; i++) {
        Arena arena = {0};
        Value body = value_map(), *meta = value_put(&arena, &body, SLICE("metadata"), value_map());
        KubePatch patch = {.body = &body};

        value_put(&arena, value_put(&arena, meta, SLICE("labels"), value_map()), SLICE("round"),
                  value_string(arena_printf(&arena, "%d", i)));
        assert_int_equal(
            kube_patch(api_kube(election->server), &arena, SLICE("t"), ref, KUBE_OBJECT, &patch, NULL, NULL), OK);
        arena_free(&arena);
        election_run(election, SECONDS(1), SECOND);
    }
    assert_true(lease_is_held(second->lease));
}

TEST_F(Election, election, a_deleted_lease_is_made_again_by_its_holder) {
    Candidate *first = election_join(election, 0, 0), *second = election_join(election, 0, 0);
    KubeRef ref = {KUBE_LEASE, SLICE("kube-system"), SLICE(LEASE_NAME)};

    election_run(election, SECONDS(21), BOTH);
    assert_int_equal(kube_remove(api_kube(election->server), ref, &(KubeDeletion){0}, NULL), OK);
    election_try(second); // the next candidate that tries
    assert_false(lease_is_held(second->lease));
    election_run(election, SECONDS(30), BOTH);
    assert_true(lease_is_held(first->lease));
    assert_int_equal(election->most_leaders, 1);
}

// --- the fence

TEST_F(Election, election, writes_pass_only_while_the_lease_is_held) {
    Candidate *first = election_join(election, 0, 0);
    static const CloudTable nothing = {0};
    Fence fence = {.kube = api_kube(election->server), .cloud = {.table = &nothing}, .lease = first->lease};
    Kube kube = fence_kube(&fence);
    KubeRef ref = {KUBE_NAMESPACE, {0}, SLICE("default")};
    KubeError error = {0};
    Arena arena = {0};
    Value body = value_map(), object;
    KubePatch patch = {.body = &body};

    assert_int_equal(kube_patch(kube, &arena, SLICE("t"), ref, KUBE_OBJECT, &patch, NULL, &error), ERR_IO);
    assert_int_equal(error.reason, KUBE_REASON_SERVICE_UNAVAILABLE);
    assert_int_equal(kube_get(kube, &arena, ref, &object, &error), OK);
    election_try(first);
    assert_int_equal(kube_patch(kube, &arena, SLICE("t"), ref, KUBE_OBJECT, &patch, NULL, &error), OK);
    election_run(election, SECONDS(12), 0);
    assert_int_equal(kube_remove(kube, ref, &(KubeDeletion){0}, &error), ERR_IO);
    assert_int_equal(cloud_terminate(fence_cloud(&fence), NAME_EMPTY, NULL), ERR_IO);
    fence.lease = NULL;
    assert_int_equal(kube_patch(kube, &arena, SLICE("t"), ref, KUBE_OBJECT, &patch, NULL, &error), OK);
    arena_free(&arena);
}

static ErrCode tag_nothing(void *self, const NodeClaim *claim, CloudError *error) {
    (void)self, (void)claim, (void)error;
    return OK;
}

static ErrCode learn_nothing(void *self, const NodeClaim *claim, int64_t memory, CloudError *error) {
    (void)self, (void)claim, (void)memory, (void)error;
    return OK;
}

TEST(a_fenced_cloud_wants_what_the_cloud_behind_it_wants) {
    static const CloudTable tables[] = {{0}, {.tag = tag_nothing}, {.learn = learn_nothing}};

    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        Fence fence = {.cloud = {.table = &tables[i]}};
        Cloud cloud = fence_cloud(&fence);

        assert_int_equal(cloud_wants_tags(cloud), i == 1);
        assert_int_equal(cloud_wants_to_learn(cloud), i == 2);
    }
}

// --- names

TEST(an_identity_is_a_host_and_a_uuid) {
    Arena arena = {0};
    Slice identity =
        lease_identity(&arena, SLICE("node-1"), UINT64_C(0x0123456789abcdef), UINT64_C(0xfedcba9876543210));
    char host[600];

    assert_memory_equal(identity.ptr, "node-1_01234567-89ab-4def-bedc-ba9876543210", identity.len);
    assert_int_equal(identity.len, 6 + 1 + 36);
    memset(host, 'h', sizeof host);
    assert_int_equal(lease_identity(&arena, (Slice){host, sizeof host}, 1, 2).len, LEASE_IDENTITY_MAX);
    arena_free(&arena);
}

// --- everything at once

// An hour with five processes at a time that die and are replaced, slow and lost calls, machines that are suspended for
// longer than the lease, and clocks an hour apart; then a time without faults, in which one must lead and keep leading.
TEST(there_are_never_two_leaders) {
    uint32_t successions = 0;

    for (uint64_t seed = 1; seed <= 40; seed++) {
        Election *election = election_new(seed);

        election_campaign(election, 5, SECONDS(3600), SECONDS(3700));
        if (election->most_leaders != 1)
            fail_msg("seed %llu: %u leaders at one moment", (unsigned long long)seed, election->most_leaders);
        if (election->leaderless_ns >= 0)
            fail_msg("seed %llu: nobody leads in the calm", (unsigned long long)seed);
        successions += election->successions;
        election_free(election);
    }
    print_message("40 hours, %u successions\n", successions);
    assert_true(successions > 400);
}
