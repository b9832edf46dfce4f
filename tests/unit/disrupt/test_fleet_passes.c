// Passes of the fleet search after each other: they end, and no pod is moved again before its move has paid back.
#include "disrupt/support/estate.h"

#include "base/random.h"
#include "base/time.h"

enum { NODES = 24, PODS_MOST = 4, PASSES_MOST = 3 * NODES };

// No new nodes, so that what is carried out is only where pods run.
#define POOL                                                                                                           \
    .name = "default", .requirements = IN(CAPACITY_TYPE, "on-demand"),                                                 \
    .spec = "limits: {cpu: 0}, disruption: {consolidateAfter: 0s, budgets: [{nodes: '3'}]}"

typedef struct {
    Estate *estate;
    int64_t *pod_paid_back_ns;  // per pod of the cluster: until then it is not moved again
    int64_t *node_paid_back_ns; // per node
    uint32_t moved;
} Fleet;

static void add_nodes(Estate *f, uint64_t seed) {
    static const char *const types[] = {"small", "medium", "medium", "large"};
    Random random;

    random_seed(&random, seed);
    for (uint32_t i = 0; i < NODES; i++) {
        const char *name = arena_text(&f->arena, arena_printf(&f->arena, "node-%u", i));
        uint32_t pods = random_below(&random, PODS_MOST + 1);

        estate_node(f, .name = name, .type = types[random_below(&random, 4)]);
        for (uint32_t k = 0; k < pods; k++)
            world_pods(f->world, .name = arena_text(&f->arena, arena_printf(&f->arena, "pod-%u-%u", i, k)),
                       .requests =
                           arena_text(&f->arena, arena_printf(&f->arena, "cpu: %um", 100 + random_below(&random, 300))),
                       .node = name);
    }
}

static uint32_t pod_at(const Estate *f, const DisruptPlace *place) {
    for (uint32_t i = 0; i < f->facts.cluster->pods.count; i++) {
        const Pod *pod = &f->facts.cluster->pods.items[i];

        if (pod->ns == place->ns && pod->name == place->name)
            return i;
    }
    fail_msg("a command moves a pod that is not there");
    return INDEX_NONE;
}

static uint32_t node_at(const Estate *f, Symbol name) {
    for (uint32_t i = 0; i < f->facts.nodes.count; i++) {
        if (f->facts.nodes.items[i].name == name)
            return i;
    }
    return INDEX_NONE;
}

static void carry_out(Fleet *fleet, const DisruptCommand *command) {
    Estate *f = fleet->estate;

    assert_int_equal(command->replacements.count, 0);
    assert_true(command->saving_per_hour > 0);
    assert_int_equal(command->places.count, command->pods);
    for (vec_each(const DisruptPlace, place, &command->places)) {
        uint32_t number = pod_at(f, place);
        Pod *pod = &f->facts.cluster->pods.items[number];

        assert_true(f->facts.wall_ns >= fleet->pod_paid_back_ns[number]);
        fleet->pod_paid_back_ns[number] = command->paid_back_ns;
        fleet->node_paid_back_ns[node_at(f, place->node)] = command->paid_back_ns;
        pod->node_name = place->node;
        pod->created_ns = f->facts.wall_ns;
        fleet->moved++;
    }
    for (vec_each(const uint32_t, node, &command->nodes))
        f->facts.nodes.items[*node].deleting = true;
}

static void mark_settling(Fleet *fleet) {
    for (uint32_t i = 0; i < fleet->estate->facts.nodes.count; i++)
        fleet->estate->bits[i] = fleet->node_paid_back_ns[i] > fleet->estate->facts.wall_ns ? NODE_SETTLING : 0;
}

// Returns how many passes found something. They are a while apart, less than it takes most moves to pay back.
static uint32_t repeat_passes(Fleet *fleet, int64_t apart_ns) {
    Estate *f = fleet->estate;
    uint32_t found = 0, idle = 0;

    while (idle < 10) {
        assert_true(found < PASSES_MOST);
        mark_settling(fleet);
        (void)estate_pass(f);
        found += f->pass.commands.count > 0;
        idle = f->pass.commands.count ? 0 : idle + 1;
        for (vec_each(const DisruptCommand, command, &f->pass.commands))
            carry_out(fleet, command);
        f->facts.wall_ns += apart_ns;
    }
    return found;
}

static void try_fleet(Estate *f, uint64_t seed) {
    Fleet fleet = {.estate = f};

    world_pool(f->world, POOL);
    add_nodes(f, seed);
    estate_read(f);
    f->options.methods = 1U << METHOD_CONSOLIDATION;
    f->options.consolidation = CONSOLIDATION_FLEET;
    fleet.pod_paid_back_ns = arena_array(&f->arena, int64_t, f->facts.cluster->pods.count + 1);
    fleet.node_paid_back_ns = arena_array(&f->arena, int64_t, f->facts.nodes.count + 1);
    assert_true(repeat_passes(&fleet, NS_PER_MIN) > 0);
    assert_true(fleet.moved > 0);
    (void)repeat_passes(&fleet, NS_PER_HOUR); // everything has paid back by then
    assert_int_equal(repeat_passes(&fleet, NS_PER_DAY), 0);
}

TEST_F(Estate, f, passes_end_and_move_no_pod_before_it_has_paid_back_1) {
    try_fleet(f, 1);
}

TEST_F(Estate, f, passes_end_and_move_no_pod_before_it_has_paid_back_2) {
    try_fleet(f, 2);
}

TEST_F(Estate, f, passes_end_and_move_no_pod_before_it_has_paid_back_3) {
    try_fleet(f, 3);
}
