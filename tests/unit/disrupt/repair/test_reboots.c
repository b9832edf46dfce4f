// Sick nodes that a reboot may cure. Reference changes.md 2.
#include "disrupt/repair/reboots.h"
#include "disrupt/support/estate.h"

#include "base/time.h"

static const RepairPolicy policies[] = {
    {.condition = "GpuReady", .status = "False", .bound_ns = 5 * NS_PER_MIN, .action = REPAIR_REBOOT},
    {.condition = "KernelReady", .status = "False", .bound_ns = 5 * NS_PER_MIN},
};
static const RepairPolicies the_policies = {policies, sizeof policies / sizeof *policies};

static Symbol symbol(Estate *f, const char *text) {
    return symbol_intern(&f->facts.cluster->symbols, slice_of(text));
}

// One node "a" with a pod, for an hour so sick that a reboot may help.
static void put_sick_node(Estate *f, const char *spec) {
    world_pool(f->world, .name = "default", .spec = spec);
    estate_node(f, .name = "a", .type = "small");
    world_pods(f->world, .name = "w", .requests = "cpu: 1", .node = "a");
    estate_read(f);
    f->facts.repair_policies = &the_policies;
    f->options.methods = 1U << METHOD_REPAIR;
    f->options.reboot = true;
    vec_push(&f->arena, &estate_object(f, "a")->conditions,
             (Condition){.type = symbol(f, "GpuReady"),
                         .status = symbol(f, "False"),
                         .reason = symbol(f, "XID46"),
                         .transition_ns = ESTATE_NOW_NS - NS_PER_HOUR});
}

static void set_history(Estate *f, const char *text) {
    labels_set(&f->arena, &estate_claim(f, "a")->meta.annotations, NAME_REBOOTS, symbol(f, text));
}

#define PACED "disruption: {consolidateAfter: Never, budgets: [{nodes: '100%'}]}"

TEST_F(Estate, f, a_node_that_a_reboot_may_cure_is_rebooted_and_no_other_one_comes) {
    put_sick_node(f, PACED);
    assert_string_equal(estate_pass(f), "repair a");
    assert_true(f->pass.commands.items[0].reboots);
    assert_true(f->pass.commands.items[0].repair == &policies[0]);
    assert_true(f->pass.commands.items[0].bound_ns == 5 * NS_PER_MIN);
}

TEST_F(Estate, f, without_the_gate_it_is_replaced) {
    put_sick_node(f, PACED);
    f->options.reboot = false;
    assert_string_equal(estate_pass(f), "repair a => small spot");
    assert_false(f->pass.commands.items[0].reboots);
}

TEST_F(Estate, f, what_needs_a_replacement_too_is_replaced) {
    put_sick_node(f, PACED);
    vec_push(&f->arena, &estate_object(f, "a")->conditions,
             (Condition){.type = symbol(f, "KernelReady"),
                         .status = symbol(f, "False"),
                         .transition_ns = ESTATE_NOW_NS - NS_PER_MIN});
    assert_string_equal(estate_pass(f), "repair a => small spot");
}

TEST_F(Estate, f, the_third_time_within_a_day_it_is_replaced) {
    put_sick_node(f, PACED);
    f->facts.wall_ns = 30 * NS_PER_HOUR;
    set_history(f, "1970-01-01T07:00:00Z,1970-01-01T08:00:00Z");
    assert_string_equal(estate_pass(f), "repair a => small spot");
    set_history(f, "1970-01-01T05:59:00Z,1970-01-01T08:00:00Z"); // one of them was longer ago
    assert_string_equal(estate_pass(f), "repair a");
    set_history(f, "yesterday,,1970-01-01T08:00:00Z"); // what cannot be read was none
    assert_string_equal(estate_pass(f), "repair a");
}

TEST_F(Estate, f, the_history_keeps_what_counts) {
    NodeClaim *claim;

    put_sick_node(f, PACED);
    claim = estate_claim(f, "a");
    set_history(f, "1970-01-01T05:59:00Z,1970-01-01T08:00:00Z");
    assert_int_equal(reboots_lately(claim, &f->facts.cluster->symbols, 30 * NS_PER_HOUR), 1);
    assert_true(slice_eq(reboots_add(&f->arena, claim, &f->facts.cluster->symbols, 30 * NS_PER_HOUR),
                         SLICE("1970-01-01T08:00:00Z,1970-01-02T06:00:00Z")));
}

TEST_F(Estate, f, while_it_is_rebooted_nothing_else_happens_to_it_and_it_counts_in_budgets) {
    put_sick_node(f, "disruption: {consolidateAfter: 0s, budgets: [{nodes: '100%'}]}");
    vec_push(&f->arena, &estate_claim(f, "a")->conditions,
             (Condition){.type = symbol(f, "Rebooting"), .status = symbol(f, "True")});
    f->facts.nodes.items[0].initialized = false;
    f->options.methods = UINT32_MAX;
    assert_string_equal(estate_pass(f), "");
    assert_string_equal(estate_note(f, "a", "DisruptionBlocked"), "");
    assert_int_equal(f->pass.allowances.items[0].consuming, 1);
}
