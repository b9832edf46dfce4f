// Orders: claims that were asked for count what they may become, until they are launched or gone.
#include "base/time.h"
#include "state/support/mirror.h"

FIXTURE(Mirror, mirror_new, mirror_free);

#define CLAIM(name, more)                                                                                              \
    "{apiVersion: karpenter.sh/v1, kind: NodeClaim, metadata: {name: " name ", uid: u-" name                           \
    ", labels: {karpenter.sh/nodepool: p}" more                                                                        \
    "}, spec: {requirements: [], nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}, "        \
    "resources: {requests: {cpu: '3'}}}"

static uint32_t order(Mirror *mirror, const char *pool, int64_t cpus) {
    Resources most = {0};

    resources_set(&mirror->arena, &most, NAME_CPU, cpus * 1000);
    resources_set(&mirror->arena, &most, NAME_NODES, 1);
    return state_order(mirror->state, mirror_symbol(mirror, pool), &most);
}

// "cpu nodes" of pool p with what is on order.
static const char *usage(Mirror *mirror) {
    Symbol pool = mirror_symbol(mirror, "p");
    Resources sum = resources_copy(&mirror->arena, &state_pool_usage(mirror->state, pool)->capacity);

    state_forget_orders(mirror->state, (Mono){NS_PER_MIN});
    state_add_orders(mirror->state, &mirror->arena, pool, &sum);
    return arena_text(&mirror->arena,
                      arena_printf(&mirror->arena, "%lld %lld", (long long)resources_get(&sum, NAME_CPU) / 1000,
                                   (long long)resources_get(&sum, NAME_NODES)));
}

TEST_F(Mirror, mirror, an_order_counts_before_it_is_answered) {
    order(mirror, "p", 8);
    order(mirror, "other", 16);
    assert_string_equal(usage(mirror), "8 1");
}

TEST_F(Mirror, mirror, a_claim_counts_what_it_may_become_until_it_is_launched) {
    uint32_t number = order(mirror, "p", 8);

    mirror_add(mirror, KUBE_NODE_CLAIM, CLAIM("c", "") "}");
    assert_false(state_is_on_order(mirror->state, mirror_symbol(mirror, "c")));
    state_order_made(mirror->state, number, mirror_symbol(mirror, "c"));
    assert_true(state_is_on_order(mirror->state, mirror_symbol(mirror, "c")));
    assert_string_equal(usage(mirror), "8 1"); // not its requests too
    mirror_add(mirror, KUBE_NODE_CLAIM, CLAIM("c", "") ", status: {providerID: i-1, capacity: {cpu: '4'}}}");
    assert_string_equal(usage(mirror), "4 1");
    assert_false(state_is_on_order(mirror->state, mirror_symbol(mirror, "c")));
}

TEST_F(Mirror, mirror, a_claim_that_goes_or_is_gone_is_not_on_order) {
    uint32_t gone = order(mirror, "p", 8), going = order(mirror, "p", 8), marked = order(mirror, "p", 8);
    Handle claim;

    mirror_add(mirror, KUBE_NODE_CLAIM, CLAIM("going", ", deletionTimestamp: '2026-01-05T00:00:30Z'") "}");
    mirror_add(mirror, KUBE_NODE_CLAIM, CLAIM("marked", "") "}");
    state_order_made(mirror->state, gone, mirror_symbol(mirror, "gone"));
    state_order_made(mirror->state, going, mirror_symbol(mirror, "going"));
    state_order_made(mirror->state, marked, mirror_symbol(mirror, "marked"));
    assert_string_equal(usage(mirror), "8 1");
    claim = mirror_find(mirror, KUBE_NODE_CLAIM, NULL, "marked");
    state_mark_deleting(mirror->state, claim, true);
    assert_string_equal(usage(mirror), "0 0");
    state_mark_deleting(mirror->state, claim, false); // a command was taken back
    assert_string_equal(usage(mirror), "8 1");
}

TEST_F(Mirror, mirror, a_create_that_failed_counts_while_it_is_in_doubt) {
    uint32_t refused = order(mirror, "p", 8), lost = order(mirror, "p", 16);

    state_order_failed(mirror->state, refused, (Mono){0});
    state_order_failed(mirror->state, lost, (Mono){NS_PER_MIN + 1});
    assert_string_equal(usage(mirror), "16 1");
    state_forget_orders(mirror->state, (Mono){NS_PER_MIN + 1});
    assert_string_equal(usage(mirror), "0 0");
    state_order_failed(mirror->state, lost, (Mono){0}); // it is over
    state_order_made(mirror->state, lost, mirror_symbol(mirror, "c"));
    assert_string_equal(usage(mirror), "0 0");
}
