// Nodes expire each at a time of its own, and what replaces them is launched before. Reference lifecycle.md 2.9.
#include "disrupt/expiration.h"
#include "disrupt/support/estate.h"

#include "base/time.h"
#include "text/duration.h"

#define LEAD_MIN 10

static void read_expiring(Estate *f) {
    estate_read(f);
    f->options.methods = 1U << METHOD_EXPIRATION;
    f->options.expiration_lead_ns = LEAD_MIN * NS_PER_MIN;
}

static void expire_in(Estate *f, const char *name, int64_t minutes) {
    NodeClaim *claim = estate_claim(f, name);

    claim->spec.expire_after_ns = 9 * NS_PER_HOUR;
    claim->meta.created_ns = ESTATE_NOW_NS + minutes * NS_PER_MIN - 9 * NS_PER_HOUR;
}

TEST_F(Estate, f, every_claim_has_a_time_of_its_own_that_is_never_too_late) {
    Symbols *symbols;
    NodeClaim claim = {0};
    int64_t first_ns = 0, last_ns = 0;
    uint32_t late = 0;

    world_pool(f->world, .name = "default");
    estate_read(f);
    symbols = &f->facts.cluster->symbols;
    claim.meta.created_ns = NS_PER_HOUR;
    claim.spec.expire_after_ns = 100 * NS_PER_HOUR;
    for (int i = 0; i < 1000; i++) {
        int64_t at_ns, again_ns;

        claim.meta.uid = symbol_intern(symbols, arena_printf(&f->arena, "0f8fad5b-d9cb-%d", i));
        at_ns = expiration_at_ns(&claim, symbols, 10);
        again_ns = expiration_at_ns(&claim, symbols, 10);
        assert_true(at_ns == again_ns);
        assert_true(at_ns > 91 * NS_PER_HOUR && at_ns <= 101 * NS_PER_HOUR);
        late += at_ns > 96 * NS_PER_HOUR;
        first_ns = !first_ns || at_ns < first_ns ? at_ns : first_ns;
        last_ns = at_ns > last_ns ? at_ns : last_ns;
    }
    assert_true(last_ns - first_ns > 9 * NS_PER_HOUR);
    assert_in_range(late, 400, 600);
    assert_true(expiration_at_ns(&claim, symbols, 0) == 101 * NS_PER_HOUR);
    claim.spec.expire_after_ns = 10000 * NS_PER_HOUR;
    assert_true(expiration_at_ns(&claim, symbols, 100) > (10001 - EXPIRATION_JITTER_MAX_H) * NS_PER_HOUR);
    claim.spec.expire_after_ns = DURATION_NEVER;
    assert_true(expiration_at_ns(&claim, symbols, 10) == INT64_MAX);
}

TEST_F(Estate, f, what_replaces_a_node_is_launched_before_its_time) {
    world_pool(f->world, .name = "default", .requirements = IN(CAPACITY_TYPE, "on-demand"));
    estate_node(f, .name = "a", .type = "small", .meta = "annotations: {karpenter.sh/do-not-disrupt: \"true\"}");
    world_pods(f->world, .name = "w", .requests = "cpu: 1500m", .node = "a",
               .meta = "annotations: {karpenter.sh/do-not-disrupt: \"true\"}");
    read_expiring(f);
    expire_in(f, "a", LEAD_MIN + 1);
    assert_string_equal(estate_pass(f), "");
    assert_true(f->pass.look_at_ns == ESTATE_NOW_NS + NS_PER_MIN);
    expire_in(f, "a", LEAD_MIN);
    assert_string_equal(estate_pass(f), "expiration a => small on-demand");
    expire_in(f, "a", 0); // it goes now
    assert_string_equal(estate_pass(f), "");
    expire_in(f, "a", LEAD_MIN);
    f->options.expiration_lead_ns = 0;
    assert_string_equal(estate_pass(f), "");
}

TEST_F(Estate, f, a_node_whose_pods_have_room_elsewhere_needs_no_preparation) {
    world_pool(f->world, .name = "default");
    estate_node(f, .name = "a", .type = "small");
    estate_node(f, .name = "b", .type = "small");
    world_pods(f->world, .name = "w", .requests = "cpu: 1", .node = "a");
    read_expiring(f);
    expire_in(f, "a", 1);
    assert_string_equal(estate_pass(f), "");
}

TEST_F(Estate, f, budgets_do_not_apply_and_the_earliest_comes_first) {
    world_pool(f->world, .name = "default", .requirements = IN(CAPACITY_TYPE, "on-demand"),
               .spec = "disruption: {budgets: [{nodes: \"0\"}]}");
    estate_node(f, .name = "a", .type = "small");
    estate_node(f, .name = "b", .type = "small");
    world_pods(f->world, .name = "w", .requests = "cpu: 1500m", .node = "a");
    world_pods(f->world, .name = "v", .requests = "cpu: 1500m", .node = "b");
    read_expiring(f);
    expire_in(f, "a", 5);
    expire_in(f, "b", 3);
    assert_string_equal(estate_pass(f), "expiration b => small on-demand; expiration a => small on-demand");
}

TEST_F(Estate, f, static_pools_refill_themselves) {
    world_pool(f->world, .name = "default", .spec = "replicas: 1");
    estate_node(f, .name = "a", .type = "small");
    world_pods(f->world, .name = "w", .requests = "cpu: 1500m", .node = "a");
    read_expiring(f);
    expire_in(f, "a", 1);
    assert_string_equal(estate_pass(f), "");
}

TEST_F(Estate, f, the_lead_is_at_most_a_tenth_of_the_life) {
    world_pool(f->world, .name = "default", .requirements = IN(CAPACITY_TYPE, "on-demand"));
    estate_node(f, .name = "a", .type = "small");
    world_pods(f->world, .name = "w", .requests = "cpu: 1500m", .node = "a");
    read_expiring(f);
    estate_claim(f, "a")->spec.expire_after_ns = 20 * NS_PER_MIN;
    estate_claim(f, "a")->meta.created_ns = ESTATE_NOW_NS - 17 * NS_PER_MIN;
    assert_string_equal(estate_pass(f), "");
    assert_true(f->pass.look_at_ns == ESTATE_NOW_NS + NS_PER_MIN);
    f->facts.wall_ns += NS_PER_MIN;
    assert_string_equal(estate_pass(f), "expiration a => small on-demand");
}
