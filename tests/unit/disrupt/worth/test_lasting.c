// Moves whose saving would not last: load that swings is not followed.
#include "disrupt/support/estate.h"

#include <string.h>

static const Mono now = {1000 * NS_PER_MIN};

// Two nodes whose pods fit onto the third one, those of both together, too.
static void add_fleet(Estate *f) {
    world_pool(f->world, .name = "default", .requirements = IN(CAPACITY_TYPE, "on-demand"),
               .spec = "disruption: {consolidateAfter: 0s, budgets: [{nodes: '100%'}]}");
    estate_node(f, .name = "a", .type = "small");
    estate_node(f, .name = "b", .type = "small");
    estate_node(f, .name = "c", .type = "large");
    world_pods(f->world, .name = "w", .requests = "cpu: 300m", .node = "a", .count = 4);
    world_pods(f->world, .name = "v", .requests = "cpu: 300m", .node = "b", .count = 4);
    world_pods(f->world, .name = "u", .requests = "cpu: 4500m", .node = "c");
    estate_read(f);
    f->options.methods = 1U << METHOD_CONSOLIDATION;
    f->options.consolidation = CONSOLIDATION_FLEET;
    f->options.now = now;
}

// The pool asked for so much a while ago, and for what there is since then.
static const char *pass_after(Estate *f, int64_t milli_cpu, int64_t minutes_ago) {
    DemandHistory history = {0};
    PoolAmountVec demand = {0};
    Mono then = {now.ns - minutes_ago * NS_PER_MIN};
    const char *commands;

    vec_push(&f->arena, &demand, (PoolAmount){.pool = estate_pool(f, "default")->meta.name});
    resources_set(&f->arena, &demand.items[0].amount, NAME_CPU, milli_cpu);
    demand_note(&history, then, &demand);
    resources_set(&f->arena, &demand.items[0].amount, NAME_CPU, 6900);
    demand_note(&history, (Mono){then.ns + NS_PER_MIN}, &demand);
    f->options.demand = &history;
    commands = estate_pass(f);
    f->options.demand = NULL;
    demand_free(&history);
    return commands;
}

TEST_F(Estate, f, without_a_past_all_go_that_may) {
    add_fleet(f);
    assert_string_equal(estate_pass(f), "consolidation a b");
}

TEST_F(Estate, f, room_that_was_needed_a_moment_ago_stays_and_there_is_another_look) {
    add_fleet(f);
    assert_string_equal(pass_after(f, 9500, 22), "");
    assert_non_null(strstr(estate_note(f, "a", "Unconsolidatable"), "asked for its room a short while ago"));
    assert_true(f->pass.look_at_ns > ESTATE_NOW_NS && f->pass.look_at_ns < ESTATE_NOW_NS + 24 * NS_PER_HOUR);
    assert_int_equal(f->pass.searched, 0);
}

TEST_F(Estate, f, room_that_was_needed_long_ago_goes) {
    add_fleet(f);
    assert_string_equal(pass_after(f, 9500, 24 * 60), "consolidation a b");
}

TEST_F(Estate, f, moves_of_one_pass_count_together) {
    add_fleet(f);
    assert_string_equal(pass_after(f, 7800, 22), "consolidation a");
}

// The pods of the node are those of a Job, which began so long ago.
static void run_job(Estate *f, const char *node, int64_t minutes) {
    for (vec_each(Pod, pod, &f->facts.cluster->pods)) {
        if (slice_eq_text(symbol_text(&f->facts.cluster->symbols, pod->node_name), node)) {
            pod->created_ns = ESTATE_NOW_NS - minutes * NS_PER_MIN;
            pod->owners = (OwnerReferenceVec){0};
            vec_push(&f->arena, &pod->owners, (OwnerReference){.api_version = NAME_BATCH_V1, .kind = NAME_JOB});
        }
    }
}

TEST_F(Estate, f, what_a_job_has_done_would_be_done_again) {
    add_fleet(f);
    run_job(f, "a", 9 * 60);
    assert_string_equal(estate_pass(f), "consolidation b");
}
