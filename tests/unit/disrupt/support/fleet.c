// Worlds as facts of disruption.
#include "disrupt/support/fleet.h"

#include "base/buffer.h"
#include "base/time.h"
#include "sched/support/world_parts.h"

#include <stdlib.h>

Fleet *fleet_setup(void) {
    Fleet *fleet = test_calloc(1, sizeof *fleet);

    fleet->world = world_setup();
    fleet->options.consolidation = CONSOLIDATION_CLASSIC;
    fleet->options.methods = (1U << DISRUPT_METHOD_COUNT) - 1;
    fleet->options.search = (PlanSearch){.effort = EFFORT_FAST};
    return fleet;
}

void fleet_teardown(Fleet *fleet) {
    world_teardown(fleet->world);
    arena_free(&fleet->arena);
    test_free(fleet);
}

// --- objects

static const char *room_of(const char *type) {
    static const char *const rooms[][2] = {{"small", "cpu: 2, memory: 4Gi, pods: 10"},
                                           {"medium", "cpu: 4, memory: 8Gi, pods: 10"},
                                           {"large", "cpu: 8, memory: 16Gi, pods: 10"},
                                           {"huge", "cpu: 16, memory: 32Gi, pods: 10"}};

    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++) {
        if (strcmp(rooms[i][0], type) == 0)
            return rooms[i][1];
    }
    return "cpu: 4, memory: 8Gi, pods: 10";
}

void fleet_add_node(Fleet *fleet, FleetNode node) {
    Slice labels = arena_printf(
        &fleet->arena, INSTANCE_TYPE ": %s, " ZONE ": %s, " CAPACITY_TYPE ": %s, " ARCH ": amd64, " OS ": linux",
        node.type, node.zone ? node.zone : "a", node.capacity_type ? node.capacity_type : "on-demand");

    world_node(fleet->world, .name = node.name, .labels = labels.ptr, .allocatable = room_of(node.type),
               .pool = node.pool ? node.pool : "default", .meta = node.meta, .claim_spec = node.claim_spec);
}

static Symbol symbol(Fleet *fleet, const char *text) {
    return symbol_intern(&fleet->facts.cluster->symbols, slice_of(text));
}

static void set_condition(Fleet *fleet, ConditionVec *conditions, const char *type, int64_t since_ns) {
    vec_push(&fleet->arena, conditions,
             (Condition){.type = symbol(fleet, type), .status = symbol(fleet, "True"), .transition_ns = since_ns});
}

static void add_pools(Fleet *fleet, Cluster *cluster) {
    const InstanceTypeVec *all = world_types(fleet->world, cluster, NULL);

    for (uint32_t i = 0; i < fleet->world->pools.count; i++) {
        const char *names = fleet->world->pools.items[i].types;
        PlanPool pool = {&cluster->node_pools.items[i], names ? world_types(fleet->world, cluster, names) : all};

        vec_push(&fleet->arena, &fleet->facts.pools, pool);
        if (!pool.pool->is_static)
            vec_push(&fleet->arena, &fleet->facts.growing, pool);
    }
}

static void settle_in(Fleet *fleet, Cluster *cluster) {
    static const char *const conditions[] = {"Launched", "Registered", "Initialized", "Consolidatable"};

    for (vec_each(Node, node, &cluster->nodes))
        set_condition(fleet, &node->conditions, "Ready", 1);
    for (vec_each(NodeClaim, claim, &cluster->node_claims)) {
        claim->meta.uid = claim->meta.name;
        for (size_t i = 0; i < sizeof conditions / sizeof *conditions; i++)
            set_condition(fleet, &claim->conditions, conditions[i], 1);
    }
}

void fleet_read(Fleet *fleet) {
    Cluster *cluster;

    (void)world_plan(fleet->world);
    cluster = world_cluster(fleet->world);
    fleet->facts = (DisruptFacts){.cluster = cluster, .wall_ns = FLEET_NOW_NS};
    add_pools(fleet, cluster);
    settle_in(fleet, cluster);
    fleet->facts.nodes = node_views_make(&fleet->arena, cluster, NULL, 0);
    fleet->bits = arena_array(&fleet->arena, uint8_t, fleet->facts.nodes.count + 1);
    fleet->facts.node_bits = fleet->bits;
}

// --- what differs

uint32_t fleet_at(Fleet *fleet, const char *node) {
    for (uint32_t i = 0; i < fleet->facts.nodes.count; i++) {
        if (fleet->facts.nodes.items[i].name == symbol(fleet, node))
            return i;
    }
    fail_msg("no node %s", node);
    return 0;
}

NodeClaim *fleet_claim(Fleet *fleet, const char *name) {
    for (vec_each(NodeClaim, claim, &fleet->facts.cluster->node_claims)) {
        if (claim->meta.name == symbol(fleet, name))
            return claim;
    }
    fail_msg("no claim %s", name);
    return NULL;
}

Node *fleet_object(Fleet *fleet, const char *name) {
    for (vec_each(Node, node, &fleet->facts.cluster->nodes)) {
        if (node->meta.name == symbol(fleet, name))
            return node;
    }
    fail_msg("no node %s", name);
    return NULL;
}

NodePool *fleet_pool(Fleet *fleet, const char *name) {
    for (vec_each(NodePool, pool, &fleet->facts.cluster->node_pools)) {
        if (pool->meta.name == symbol(fleet, name))
            return pool;
    }
    fail_msg("no pool %s", name);
    return NULL;
}

void fleet_mark(Fleet *fleet, const char *name, const char *condition, int64_t since_ns) {
    set_condition(fleet, &fleet_claim(fleet, name)->conditions, condition, since_ns);
}

void fleet_unmark(Fleet *fleet, const char *name, const char *condition) {
    ConditionVec *conditions = &fleet_claim(fleet, name)->conditions;
    uint32_t kept = 0;

    for (vec_each(const Condition, one, conditions)) {
        if (one->type != symbol(fleet, condition))
            conditions->items[kept++] = *one;
    }
    conditions->count = kept;
}

// --- passes

static Slice text_of(Fleet *fleet, Symbol name) {
    return symbol_text(&fleet->facts.cluster->symbols, name);
}

static void print_command(Fleet *fleet, const DisruptCommand *command, Buffer *text) {
    static const char *const names[] = {"emptiness", "repair", "static-drift", "drift", "consolidation"};

    buffer_printf(text, "%s", names[command->method]);
    for (vec_each(const uint32_t, node, &command->nodes))
        buffer_printf(text, " %.*s", SLICE_ARG(text_of(fleet, fleet->facts.nodes.items[*node].name)));
    for (vec_each(const PlannedClaim, claim, &command->replacements)) {
        if (claim->choice)
            buffer_printf(text, " => %.*s %.*s", SLICE_ARG(text_of(fleet, claim->choice->name)),
                          SLICE_ARG(text_of(fleet, claim->offering->capacity_type)));
        else
            buffer_printf(text, " => %.*s", SLICE_ARG(text_of(fleet, claim->pool->meta.name)));
    }
}

static const char *finish_text(Fleet *fleet, Buffer *text) {
    const char *copy = arena_text(&fleet->arena, buffer_slice(text));

    buffer_free(text);
    return copy;
}

const char *fleet_command_text(Fleet *fleet, const DisruptCommand *command) {
    Buffer text = {0};

    print_command(fleet, command, &text);
    return finish_text(fleet, &text);
}

const char *fleet_pass(Fleet *fleet) {
    Buffer text = {0};

    disrupt_pass(&fleet->arena, &fleet->facts, &fleet->options, &fleet->pass);
    for (uint32_t i = 0; i < fleet->pass.commands.count; i++) {
        buffer_printf(&text, "%s", i ? "; " : "");
        print_command(fleet, &fleet->pass.commands.items[i], &text);
    }
    return finish_text(fleet, &text);
}

const char *fleet_note(Fleet *fleet, const char *about, const char *reason) {
    for (vec_each(const DisruptNote, note, &fleet->pass.notes)) {
        Symbol name = note->node == INDEX_NONE ? note->pool : fleet->facts.nodes.items[note->node].name;

        if (name == symbol(fleet, about) && strcmp(note->reason, reason) == 0)
            return arena_text(&fleet->arena, note->text);
    }
    return "";
}

const char *fleet_prove(Fleet *fleet, const DisruptCommand *command, DisruptCommand *ret_command) {
    DisruptProposal proposal = {.method = command->method};
    DisruptCommand unused;

    for (vec_each(const uint32_t, node, &command->nodes))
        vec_push(&fleet->arena, &proposal.claims, fleet->facts.nodes.items[*node].claim->meta.uid);
    for (vec_each(const PlannedClaim, claim, &command->replacements)) {
        SymbolVec *types = vec_add(&fleet->arena, &proposal.types);

        for (vec_each(const InstanceType *, type, &claim->types))
            vec_push(&fleet->arena, types, (*type)->name);
    }
    return proposal_verdict_text(
        disrupt_prove(&fleet->arena, &fleet->facts, &fleet->options, &proposal, ret_command ? ret_command : &unused));
}
