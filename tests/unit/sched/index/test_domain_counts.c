// Bounds of the pods that a spread allows per domain.
#include "base/random.h"
#include "harness/test.h"
#include "sched/index/domain_counts.h"

enum { DOMAINS = 3 };

// A spread over three domains with pods that run there.
typedef struct {
    TopologyGroup group;
    int32_t running[DOMAINS];
    uint64_t supported;
} Spread;

static void spread_make(Spread *spread, int32_t max_skew, const int32_t *running) {
    *spread = (Spread){.supported = 7};
    memcpy(spread->running, running, sizeof spread->running);
    spread->group = (TopologyGroup){.kind = GROUP_SPREAD,
                                    .words = 1,
                                    .max_skew = max_skew,
                                    .supported = &spread->supported,
                                    .supported_count = DOMAINS,
                                    .least = spread->running,
                                    .most = spread->running};
}

static bool ask(Spread *spread, Arena *arena, int64_t owners, int64_t counted, DomainCounts *ret_counts) {
    *ret_counts = (DomainCounts){.owners = owners, .counted = counted};
    return domain_counts_make(ret_counts, arena, &spread->group);
}

static void assert_counts(const int64_t *counts, int64_t a, int64_t b, int64_t c) {
    assert_int_equal(counts[0], a);
    assert_int_equal(counts[1], b);
    assert_int_equal(counts[2], c);
}

TEST(as_many_pods_as_domains_go_one_to_each) {
    Arena arena = {0};
    Spread spread;
    DomainCounts counts;

    spread_make(&spread, 1, (int32_t[]){0, 0, 0});
    assert_true(ask(&spread, &arena, 3, 3, &counts));
    assert_counts(counts.least, 1, 1, 1);
    assert_counts(counts.most, 1, 1, 1);
    assert_true(ask(&spread, &arena, 4, 4, &counts)); // one domain has two
    assert_counts(counts.least, 1, 1, 1);
    assert_counts(counts.most, 2, 2, 2);
    arena_free(&arena);
}

TEST(a_domain_that_is_ahead_gets_none_until_the_others_catch_up) {
    Arena arena = {0};
    Spread spread;
    DomainCounts counts;

    spread_make(&spread, 1, (int32_t[]){5, 0, 0});
    assert_true(ask(&spread, &arena, 4, 4, &counts));
    assert_counts(counts.least, 0, 2, 2);
    assert_counts(counts.most, 0, 2, 2);
    arena_free(&arena);
}

// Pods that are counted without having the rule may go to any domain, so only max skew bounds the owners.
TEST(pods_that_are_counted_without_the_rule_loosen_it) {
    Arena arena = {0};
    Spread spread;
    DomainCounts counts;

    spread_make(&spread, 1, (int32_t[]){0, 0, 0});
    assert_true(ask(&spread, &arena, 3, 9, &counts));
    assert_counts(counts.least, 0, 0, 0);
    assert_counts(counts.most, 3, 3, 3);
    arena_free(&arena);
}

TEST(with_too_few_domains_the_minimum_is_zero) {
    Arena arena = {0};
    Spread spread;
    DomainCounts counts;

    spread_make(&spread, 2, (int32_t[]){0, 0, 0});
    spread.group.min_domains = 4;
    assert_true(ask(&spread, &arena, 2, 2, &counts)); // may share a domain
    assert_counts(counts.least, 0, 0, 0);
    assert_counts(counts.most, 2, 2, 2);
    assert_false(ask(&spread, &arena, 7, 7, &counts)); // only six have a place
    arena_free(&arena);
}

// Every distribution of a few pods that keeps the rule is within the bounds.
static void check_deals(uint64_t seed) {
    Arena arena = {0};
    Random random;
    Spread spread;
    DomainCounts counts;
    int32_t running[DOMAINS], pods;

    random_seed(&random, seed);
    for (int i = 0; i < DOMAINS; i++)
        running[i] = (int32_t)random_below(&random, 4);
    spread_make(&spread, 1 + (int32_t)random_below(&random, 2), running);
    pods = 1 + (int32_t)random_below(&random, 7);
    ask(&spread, &arena, pods, pods, &counts);
    for (int32_t a = 0; a <= pods; a++) {
        for (int32_t b = 0; a + b <= pods; b++) {
            int32_t deal[DOMAINS] = {a, b, pods - a - b}, least = INT32_MAX;
            bool level = true;

            for (int i = 0; i < DOMAINS; i++)
                least = running[i] + deal[i] < least ? running[i] + deal[i] : least;
            for (int i = 0; i < DOMAINS; i++)
                level &= !deal[i] || running[i] + deal[i] <= least + spread.group.max_skew;
            for (int i = 0; i < DOMAINS && level; i++) {
                if (deal[i] < counts.least[i] || deal[i] > counts.most[i])
                    fail_msg("seed %llu: %d %d %d is level", (unsigned long long)seed, deal[0], deal[1], deal[2]);
            }
        }
    }
    arena_free(&arena);
}

TEST(every_level_deal_is_within_the_counts) {
    for (uint64_t seed = 1; seed <= test_random_cases(2000); seed++)
        check_deals(seed);
}
