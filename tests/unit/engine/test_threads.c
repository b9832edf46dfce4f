// The engine in real mode under load: threads, the system's clock, all controllers. Run it under TSan.
//
// The result must not depend on the threads: 1,000 pods of ten to a node are 100 full nodes, however they were batched,
// and each NodeClaim is launched once.
#include "engine/jitter.h"
#include "engine/support/live_cluster.h"

#include <time.h>

enum { PODS = 1000, NODES = PODS / LIVE_PODS_PER_NODE };

// --- disturbance

// One call in sixteen sleeps for up to two milliseconds: each thread by a sequence of its own, begun where its stack
// is.
static void sleep_at_random(void) {
    static _Thread_local uint64_t random;

    if (!random)
        random = (uint64_t)(uintptr_t)&random | 1;
    random ^= random << 13;
    random ^= random >> 7;
    random ^= random << 17;
    if ((random >> 20) % 16 == 0)
        nanosleep(&(struct timespec){.tv_nsec = (long)((random >> 32) % 2000000)}, NULL);
}

// --- the result

static void print_counts(const char *when, const LiveCounts *counts) {
    print_message("%s: %u pods, %u running; %u nodes, %u full; %u claims, %u initialized, %u going; %u instances, %u "
                  "launches\n",
                  when, counts->pods, counts->running, counts->nodes, counts->nodes_full, counts->claims,
                  counts->claims_initialized, counts->claims_deleting, counts->instances, counts->launches);
}

static void assert_settles(LiveCluster *cluster, const char *when) {
    bool settled = live_wait(cluster);
    LiveCounts counts = live_counts(cluster);

    print_counts(when, &counts);
    assert_true(settled);
}

static void assert_hundred_full_nodes(LiveCluster *cluster, uint32_t launches) {
    LiveCounts counts = live_counts(cluster);

    assert_int_equal(counts.nodes, NODES);
    assert_int_equal(counts.nodes_full, NODES);
    assert_int_equal(counts.launches, launches);
}

// A thousand pods come at once, then ten nodes are taken away under their pods.
static void live_in(LiveCluster *cluster) {
    live_start(cluster);
    assert_settles(cluster, "all came");
    assert_hundred_full_nodes(cluster, NODES);
    live_delete_claims(cluster, 10);
    assert_settles(cluster, "ten went");
    assert_hundred_full_nodes(cluster, NODES + 10);
}

static void live(void) {
    LiveCluster *cluster = live_new(PODS);

    live_in(cluster);
    live_free(cluster);
}

TEST(a_thousand_pods_get_a_hundred_nodes) {
    live();
}

TEST(delays_at_locks_and_queues_change_no_result) {
    jitter_set(sleep_at_random);
    live();
    jitter_set(NULL);
}

// Each launch, termination and lookup is asked for, most of them together with others.
TEST(gathered_calls_change_no_result) {
    LiveCluster *cluster = live_new(PODS);
    LiveCounts counts;

    live_gather(cluster);
    jitter_set(sleep_at_random);
    live_in(cluster);
    jitter_set(NULL);
    counts = live_counts(cluster);
    print_message("%u calls for %u requests\n", counts.calls_of_many, counts.of_many);
    assert_true(counts.of_many >= NODES + 10 + 10);
    assert_in_range(counts.calls_of_many, 3, counts.of_many / 3);
    live_free(cluster);
}

// Crashes under load: jobs of other threads have no engine to report to, and the next process continues.
static void crash(bool gathers) {
    LiveCluster *cluster = live_new(PODS);

    if (gathers)
        live_gather(cluster);
    jitter_set(sleep_at_random);
    for (uint32_t i = 0; i < 6; i++) {
        struct timespec rest = timespec_of_ns(200 * NS_PER_MS * (i + 1));

        live_start(cluster);
        nanosleep(&rest, NULL);
        live_crash(cluster);
    }
    live_start(cluster);
    assert_settles(cluster, "after six crashes");
    assert_hundred_full_nodes(cluster, NODES);
    jitter_set(NULL);
    live_free(cluster);
}

TEST(crashes_change_no_result) {
    crash(false);
}

TEST(crashes_while_calls_are_gathered_change_no_result) {
    crash(true);
}
