// What-ifs: where pods of nodes that go would be. Reference lifecycle.md 4.5.
#include "disrupt/support/estate.h"

#include "base/time.h"
#include "disrupt/whatif.h"

#define ASK(f, destinations, ...)                                                                                      \
    ask((f), (destinations), (const char *[]){__VA_ARGS__}, sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *))

static WhatifAnswer last;

static Whatif *prepare(Estate *f) {
    NodePods node_pods = node_pods_make(&f->arena, &f->facts);

    return whatif_make(&f->arena, &f->facts, &f->options, &node_pods);
}

// Where the pods of the nodes would be: names of nodes, and of the types of new ones; or the complaint.
static const char *ask(Estate *f, WhatifDestinations destinations, const char *const *names, size_t count) {
    Whatif *whatif = prepare(f);
    const Symbols *symbols = &f->facts.cluster->symbols;
    const char *text = "";
    U32Vec nodes = {0};

    for (size_t i = 0; i < count; i++)
        vec_push(&f->arena, &nodes, estate_at(f, names[i]));
    whatif_ask(whatif, &nodes, destinations, &last);
    assert_true(last.works == !last.complaint.len);
    for (vec_each(const uint32_t, node, &last.destinations))
        text = arena_printf(&f->arena, "%s%s%.*s", text, *text ? " " : "",
                            SLICE_ARG(symbol_text(symbols, f->facts.nodes.items[*node].name)))
                   .ptr;
    for (vec_each(const PlannedClaim, claim, &last.claims))
        text = arena_printf(&f->arena, "%s%s+%.*s", text, *text ? " " : "",
                            SLICE_ARG(symbol_text(symbols, claim->choice->name)))
                   .ptr;
    if (!last.works)
        text = arena_text(&f->arena, last.complaint);
    whatif_free(whatif);
    return text;
}

#define POOL   .name = "default", .requirements = IN(CAPACITY_TYPE, "on-demand")
#define WINDOW .spec = "disruption: {consolidateAfter: 1h}"

TEST_F(Estate, f, pods_go_to_another_node) {
    world_pool(f->world, POOL);
    estate_node(f, .name = "a", .type = "small");
    estate_node(f, .name = "b", .type = "small");
    world_pods(f->world, .name = "w", .count = 2, .requests = "cpu: 500m", .node = "a");
    estate_read(f);
    assert_string_equal(ASK(f, DESTINATIONS_ALL, "a"), "b");
    assert_int_equal(last.pods, 2);
}

TEST_F(Estate, f, or_to_a_new_one) {
    world_pool(f->world, POOL);
    estate_node(f, .name = "a", .type = "large");
    world_pods(f->world, .name = "w", .requests = "cpu: 3", .node = "a");
    estate_read(f);
    assert_string_equal(ASK(f, DESTINATIONS_ALL, "a"), "+medium");
}

TEST_F(Estate, f, nodes_in_question_are_no_destinations) {
    world_pool(f->world, POOL);
    estate_node(f, .name = "a", .type = "small");
    estate_node(f, .name = "b", .type = "small");
    world_pods(f->world, .name = "w", .requests = "cpu: 500m", .node = "a");
    estate_read(f);
    assert_string_equal(ASK(f, DESTINATIONS_ALL, "a", "b"), "+small");
}

TEST_F(Estate, f, foreign_nodes_are_destinations) {
    world_pool(f->world, POOL);
    estate_node(f, .name = "a", .type = "small");
    world_node(f->world, .name = "foreign");
    world_pods(f->world, .name = "w", .requests = "cpu: 500m", .node = "a");
    estate_read(f);
    assert_string_equal(ASK(f, DESTINATIONS_ALL, "a"), "foreign");
}

TEST_F(Estate, f, a_node_in_a_command_is_no_destination) {
    world_pool(f->world, POOL);
    estate_node(f, .name = "a", .type = "small");
    estate_node(f, .name = "b", .type = "small");
    world_pods(f->world, .name = "w", .requests = "cpu: 500m", .node = "a");
    estate_read(f);
    f->bits[estate_at(f, "b")] = NODE_IN_COMMAND;
    assert_string_equal(ASK(f, DESTINATIONS_ALL, "a"), "+small");
}

TEST_F(Estate, f, daemon_pods_and_finished_ones_need_no_place) {
    world_pool(f->world, POOL);
    estate_node(f, .name = "a", .type = "small");
    world_pods(f->world, .name = "d", .requests = "cpu: 1", .node = "a",
               .meta = "ownerReferences: [{apiVersion: apps/v1, kind: DaemonSet, name: d, uid: u, controller: true}]");
    world_pods(f->world, .name = "done", .requests = "cpu: 1", .node = "a", .status = "phase: Succeeded");
    estate_read(f);
    assert_string_equal(ASK(f, DESTINATIONS_ALL, "a"), "");
    assert_int_equal(last.pods, 0);
}

TEST_F(Estate, f, a_pod_that_fits_nowhere_is_named) {
    world_pool(f->world, POOL, .types = "small");
    estate_node(f, .name = "a", .type = "huge");
    world_pods(f->world, .name = "w", .requests = "cpu: 8", .node = "a");
    estate_read(f);
    assert_true(strncmp(ASK(f, DESTINATIONS_ALL, "a"), "Not all pods would schedule, default/w => ", 42) == 0);
}

TEST_F(Estate, f, five_pods_are_named_and_the_others_counted) {
    const char *text;
    uint32_t arrows = 0;

    world_pool(f->world, POOL, .types = "small");
    estate_node(f, .name = "a", .type = "huge");
    world_pods(f->world, .name = "w", .count = 7, .requests = "cpu: 8", .node = "a");
    estate_read(f);
    text = ASK(f, DESTINATIONS_ALL, "a");
    for (const char *at = text; (at = strstr(at, " => ")); at++)
        arrows++;
    assert_int_equal(arrows, 5);
    assert_non_null(strstr(text, " and 2 other(s)"));
}

TEST_F(Estate, f, a_pending_pod_without_a_place_says_nothing) {
    world_pool(f->world, POOL, .types = "small");
    estate_node(f, .name = "a", .type = "small");
    estate_node(f, .name = "b", .type = "small");
    world_pods(f->world, .name = "w", .requests = "cpu: 500m", .node = "a");
    world_pods(f->world, .name = "p", .requests = "cpu: 8");
    estate_read(f);
    assert_string_equal(ASK(f, DESTINATIONS_ALL, "a"), "b");
}

TEST_F(Estate, f, a_new_node_for_pending_pods_alone_is_no_part_of_the_answer) {
    world_pool(f->world, POOL);
    estate_node(f, .name = "a", .type = "small");
    estate_node(f, .name = "b", .type = "small");
    world_pods(f->world, .name = "w", .requests = "cpu: 500m", .node = "a");
    world_pods(f->world, .name = "p", .requests = "cpu: 8");
    estate_read(f);
    assert_string_equal(ASK(f, DESTINATIONS_ALL, "a"), "b");
}

TEST_F(Estate, f, pods_of_deleting_nodes_come_first_to_the_room_that_is_left) {
    world_pool(f->world, POOL);
    estate_node(f, .name = "a", .type = "small");
    estate_node(f, .name = "b", .type = "small");
    estate_node(f, .name = "c", .type = "small");
    world_pods(f->world, .name = "w", .requests = "cpu: 1500m", .node = "a");
    world_pods(f->world, .name = "leaving", .requests = "cpu: 1500m", .node = "c");
    estate_read(f);
    f->facts.nodes.items[estate_at(f, "c")].deleting = true;
    (void)ASK(f, DESTINATIONS_ALL, "a");
    assert_true(last.works);
    assert_int_equal(last.pods, 1);
    assert_int_equal(last.claims.count + last.destinations.count, 1);
}

TEST_F(Estate, f, a_node_that_is_not_initialized_is_no_home) {
    world_pool(f->world, POOL);
    estate_node(f, .name = "a", .type = "small");
    world_node(f->world, .name = "b", .labels = INSTANCE_TYPE ": small, " ZONE ": a, " CAPACITY_TYPE ": on-demand",
               .allocatable = "cpu: 2, memory: 4Gi, pods: 10", .pool = "default", .stage = NODE_REGISTERED);
    world_pods(f->world, .name = "w", .requests = "cpu: 500m", .node = "a");
    estate_read(f);
    assert_string_equal(ASK(f, DESTINATIONS_ALL, "a"),
                        "Not all pods would schedule, default/w => would schedule against uninitialized nodeclaim/b, "
                        "node/b");
}

TEST_F(Estate, f, but_it_takes_pods_of_a_deleting_node) {
    world_pool(f->world, POOL);
    estate_node(f, .name = "a", .type = "small");
    estate_node(f, .name = "c", .type = "small");
    world_node(f->world, .name = "b", .labels = "team: x, " INSTANCE_TYPE ": small, " ZONE ": a",
               .allocatable = "cpu: 2, memory: 4Gi, pods: 10", .pool = "default", .stage = NODE_REGISTERED);
    world_pods(f->world, .name = "leaving", .requests = "cpu: 500m", .node = "c", .spec = SELECT("team: x"));
    estate_read(f);
    f->facts.nodes.items[estate_at(f, "c")].deleting = true;
    (void)ASK(f, DESTINATIONS_ALL, "a");
    assert_true(last.works);
}

TEST_F(Estate, f, without_it_they_block_everything) {
    world_pool(f->world, POOL);
    estate_node(f, .name = "a", .type = "small");
    estate_node(f, .name = "c", .type = "small");
    world_pods(f->world, .name = "leaving", .requests = "cpu: 500m", .node = "c", .spec = SELECT("team: x"));
    estate_read(f);
    f->facts.nodes.items[estate_at(f, "c")].deleting = true;
    (void)ASK(f, DESTINATIONS_ALL, "a");
    assert_false(last.works);
}

TEST_F(Estate, f, nor_is_one_that_has_no_node_yet) {
    world_pool(f->world, POOL);
    estate_node(f, .name = "a", .type = "small");
    world_node(f->world, .name = "b", .labels = INSTANCE_TYPE ": small, " ZONE ": a, " CAPACITY_TYPE ": on-demand",
               .allocatable = "cpu: 2, memory: 4Gi, pods: 10", .pool = "default", .stage = NODE_LAUNCHED);
    world_pods(f->world, .name = "w", .requests = "cpu: 500m", .node = "a");
    estate_read(f);
    assert_string_equal(ASK(f, DESTINATIONS_ALL, "a"),
                        "Not all pods would schedule, default/w => would schedule against uninitialized nodeclaim/b");
}

// --- destinations within their pool's consolidateAfter

static void two_nodes(Estate *f, int64_t event_ns) {
    world_pool(f->world, POOL, WINDOW);
    estate_node(f, .name = "a", .type = "small");
    estate_node(f, .name = "b", .type = "small");
    world_pods(f->world, .name = "w", .requests = "cpu: 500m", .node = "a");
    estate_read(f);
    estate_claim(f, "b")->last_pod_event_ns = event_ns;
}

TEST_F(Estate, f, a_node_with_a_recent_pod_event_takes_nothing_that_moves) {
    two_nodes(f, ESTATE_NOW_NS - NS_PER_MIN);
    assert_string_equal(ASK(f, DESTINATIONS_QUIET, "a"), "+small");
    assert_string_equal(ASK(f, DESTINATIONS_ALL, "a"), "b");
}

TEST_F(Estate, f, one_that_was_quiet_for_long_enough_does) {
    two_nodes(f, ESTATE_NOW_NS - NS_PER_HOUR);
    assert_string_equal(ASK(f, DESTINATIONS_QUIET, "a"), "b");
}

TEST_F(Estate, f, without_a_pod_event_the_time_since_it_was_initialized_counts) {
    two_nodes(f, 0);
    assert_string_equal(ASK(f, DESTINATIONS_QUIET, "a"), "b");
    estate_unmark(f, "b", "Initialized");
    estate_mark(f, "b", "Initialized", ESTATE_NOW_NS - NS_PER_MIN);
    assert_string_equal(ASK(f, DESTINATIONS_QUIET, "a"), "+small");
}

TEST_F(Estate, f, pods_of_deleting_nodes_may_go_there) {
    world_pool(f->world, POOL, WINDOW, .types = "small");
    estate_node(f, .name = "a", .type = "small");
    estate_node(f, .name = "b", .type = "small");
    estate_node(f, .name = "c", .type = "huge");
    world_pods(f->world, .name = "w", .requests = "cpu: 500m", .node = "a");
    world_pods(f->world, .name = "large", .requests = "cpu: 1900m, memory: 1Gi", .node = "c");
    estate_read(f);
    estate_pool(f, "default")->limits = (Resources){0};
    f->facts.growing.count = 0; // only the pod of the deleting node finds a place
    f->facts.nodes.items[estate_at(f, "c")].deleting = true;
    estate_claim(f, "b")->last_pod_event_ns = ESTATE_NOW_NS;
    assert_string_equal(ASK(f, DESTINATIONS_QUIET), "");
    assert_true(last.works);
}

TEST_F(Estate, f, nodes_of_a_pool_that_does_not_grow_are_always_quiet) {
    two_nodes(f, ESTATE_NOW_NS - NS_PER_MIN);
    f->facts.growing.count = 0;
    assert_string_equal(ASK(f, DESTINATIONS_QUIET, "a"), "b");
}

// --- the same preparation

TEST_F(Estate, f, a_removed_node_counts_as_deleting_from_then_on) {
    Whatif *whatif;
    U32Vec nodes = {0}, gone = {0};

    world_pool(f->world, POOL);
    estate_node(f, .name = "a", .type = "small");
    estate_node(f, .name = "b", .type = "small");
    world_pods(f->world, .name = "w", .requests = "cpu: 1", .node = "a");
    world_pods(f->world, .name = "v", .requests = "cpu: 1", .node = "b");
    estate_read(f);
    whatif = prepare(f);
    vec_push(&f->arena, &nodes, estate_at(f, "a"));
    whatif_ask(whatif, &nodes, DESTINATIONS_ALL, &last);
    assert_int_equal(last.destinations.count, 1);
    vec_push(&f->arena, &gone, estate_at(f, "b"));
    whatif_remove(whatif, &gone, &(PodPtrVec){0});
    whatif_ask(whatif, &nodes, DESTINATIONS_ALL, &last);
    assert_true(last.works);
    assert_int_equal(last.destinations.count, 0);
    assert_int_equal(last.claims.count, 1);
    assert_int_equal(last.pods, 1);
    whatif_free(whatif);
}

TEST_F(Estate, f, a_planner_that_is_stopped_says_nothing) {
    Whatif *whatif;
    U32Vec nodes = {0};
    atomic_bool cancelled = true;

    world_pool(f->world, POOL);
    estate_node(f, .name = "a", .type = "small");
    world_pods(f->world, .name = "w", .requests = "cpu: 1", .node = "a");
    estate_read(f);
    f->options.search.cancelled = &cancelled;
    whatif = prepare(f);
    vec_push(&f->arena, &nodes, estate_at(f, "a"));
    whatif_ask(whatif, &nodes, DESTINATIONS_ALL, &last);
    assert_true(last.is_unknown);
    assert_false(last.works);
    whatif_free(whatif);
}
