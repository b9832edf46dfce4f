// Nodes of Provisioners: one method at a time, in their order. Reference legacy.md 5.1, 5.2: R071 to R074.
#include "disrupt/support/estate.h"

#define OLD   .name = "provisioner/old", .spec = "disruption: {consolidateAfter: 0s, budgets: [{nodes: 100%}]}"
#define PLAIN .name = "plain", .spec = "disruption: {consolidateAfter: 0s, budgets: [{nodes: 100%}]}"

// Two empty nodes and a drifted one with a pod in each of both pools.
static void fleet(Estate *f) {
    static const char *const pools[] = {"provisioner/old", "plain"};

    world_pool(f->world, OLD);
    world_pool(f->world, PLAIN);
    for (int i = 0; i < 2; i++) {
        const char *drifted = i ? "p3" : "o3";

        estate_node(f, .name = i ? "p1" : "o1", .type = "small", .pool = pools[i]);
        estate_node(f, .name = i ? "p2" : "o2", .type = "small", .pool = pools[i]);
        estate_node(f, .name = drifted, .type = "small", .pool = pools[i]);
        world_pods(f->world, .name = drifted, .requests = "cpu: 1", .node = drifted);
    }
    estate_read(f);
}

TEST_F(Estate, f, row_r071_drift_of_provisioners_comes_before_their_emptiness) {
    fleet(f);
    estate_mark(f, "o3", "Drifted", 1);
    assert_string_equal(estate_pass(f), "drift o3; emptiness p1 p2; consolidation p3");
}

TEST_F(Estate, f, row_r071_one_method_at_a_time) {
    fleet(f);
    estate_mark(f, "o3", "Drifted", 1);
    estate_pass(f);
    estate_begin_commands(f);
    assert_string_equal(estate_pass(f), "");
}

TEST_F(Estate, f, row_r077_empty_nodes_go_together) {
    fleet(f);
    f->options.methods = 1U << METHOD_EMPTINESS;
    assert_string_equal(estate_pass(f), "emptiness o1 o2 p1 p2");
}

TEST_F(Estate, f, row_r074_the_next_method_waits_until_the_node_is_gone) {
    fleet(f);
    f->options.methods = 1U << METHOD_EMPTINESS;
    estate_claim(f, "o3")->meta.deleting = true;
    estate_claim(f, "o3")->meta.deleted_ns = f->facts.wall_ns - 1;
    assert_string_equal(estate_pass(f), "emptiness p1 p2");
    assert_true(f->pass.look_at_ns <= f->facts.wall_ns + 570 * NS_PER_S);

    estate_claim(f, "o3")->meta.deleted_ns = f->facts.wall_ns - 570 * NS_PER_S;
    assert_string_equal(estate_pass(f), "emptiness o1 o2 p1 p2");
}
