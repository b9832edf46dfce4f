// The index of pods and the claims that they were planned for.
#include "ctl/provision/index.h"
#include "durations.h"
#include "harness/test.h"

static const LaunchOffering m5 = {.pool = 1, .type = 2};

TEST(a_pod_has_one_place) {
    ProvisionIndex index = {0};
    uint32_t pod = provision_index_add_pod(&index, 7);
    uint32_t a = provision_index_add_claim(&index, m5, AT(1)), b = provision_index_add_claim(&index, m5, AT(2));

    assert_int_equal(provision_index_add_pod(&index, 7), pod);
    provision_index_place_on_claim(&index, pod, a);
    provision_index_place_on_claim(&index, pod, b);
    assert_int_equal(known_pod(&index, pod)->claim, b);
    provision_index_forget_claim(&index, a); // does not take it from b
    assert_int_equal(known_pod(&index, pod)->claim, b);
    provision_index_place_on_node(&index, pod, AT(99));
    assert_int_equal(known_pod(&index, pod)->claim, INDEX_NONE);
    assert_int_equal(known_pod(&index, pod)->placed.ns, 99);
    provision_index_free(&index);
}

TEST(a_claim_that_goes_leaves_its_pods_without_place) {
    ProvisionIndex index = {0};
    uint32_t pod = provision_index_add_pod(&index, 7), claim = provision_index_add_claim(&index, m5, AT(1));

    provision_index_name_claim(&index, claim, 50);
    provision_index_place_on_claim(&index, pod, claim);
    provision_index_clear_claim(&index, claim);
    assert_int_equal(known_pod(&index, pod)->claim, INDEX_NONE);
    assert_int_equal(known_claim(&index, claim)->pods.count, 1); // it is still known whose it was
    provision_index_forget_claim(&index, claim);
    assert_int_equal(provision_index_find_claim(&index, 50), INDEX_NONE);
    provision_index_free(&index);
}

TEST(a_pod_that_is_forgotten_is_new_again) {
    ProvisionIndex index = {0};
    uint32_t pod = provision_index_add_pod(&index, 7);

    provision_index_forget_pod(&index, pod);
    assert_int_equal(provision_index_find_pod(&index, 7), INDEX_NONE);
    assert_int_not_equal(provision_index_add_pod(&index, 7), pod);
    provision_index_free(&index);
}

// After many pods have come and gone, memory is bounded by the present ones.
TEST(sweeping_bounds_memory_and_keeps_places) {
    ProvisionIndex index = {0};
    uint32_t kept = provision_index_add_pod(&index, 1), claim = provision_index_add_claim(&index, m5, AT(1));
    size_t most = 0;

    provision_index_name_claim(&index, claim, 2);
    provision_index_place_on_claim(&index, kept, claim);
    for (Symbol uid = 10; uid < 200000; uid++) {
        provision_index_forget_pod(&index, provision_index_add_pod(&index, uid));
        provision_index_sweep(&index);
        if (arena_used(&index.arena) > most)
            most = arena_used(&index.arena);
    }
    assert_true(most < 256 * 1024);
    kept = provision_index_find_pod(&index, 1);
    claim = provision_index_find_claim(&index, 2);
    assert_int_not_equal(kept, INDEX_NONE);
    assert_int_equal(known_pod(&index, kept)->claim, claim);
    assert_int_equal(known_claim(&index, claim)->pods.items[0], kept);
    provision_index_free(&index);
}

// The number of a released symbol is reused for another text.
TEST(a_later_claim_of_that_name_stays_when_the_earlier_one_is_forgotten) {
    ProvisionIndex index = {0};
    uint32_t early, late;

    early = provision_index_add_claim(&index, (LaunchOffering){0}, AT(1));
    provision_index_name_claim(&index, early, 7);
    late = provision_index_add_claim(&index, (LaunchOffering){0}, AT(2));
    provision_index_name_claim(&index, late, 7);
    provision_index_forget_claim(&index, early);
    assert_int_equal(provision_index_find_claim(&index, 7), late);
    provision_index_forget_claim(&index, late);
    assert_int_equal(provision_index_find_claim(&index, 7), INDEX_NONE);
    provision_index_free(&index);
}
