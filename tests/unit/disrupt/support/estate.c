// Worlds as facts of disruption.
#include "disrupt/support/estate.h"

#include "base/buffer.h"
#include "base/time.h"
#include "sched/support/world_parts.h"

#include <stdlib.h>

Estate *estate_setup(void) {
    Estate *estate = test_calloc(1, sizeof *estate);

    estate->world = world_setup();
    estate->options.consolidation = CONSOLIDATION_CLASSIC;
    estate->options.methods = (1U << DISRUPT_METHOD_COUNT) - 1;
    estate->options.search = (PlanSearch){.effort = EFFORT_FAST};
    return estate;
}

void estate_teardown(Estate *estate) {
    world_teardown(estate->world);
    arena_free(&estate->arena);
    test_free(estate);
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

void estate_add_node(Estate *estate, EstateNode node) {
    Slice labels = arena_printf(
        &estate->arena, INSTANCE_TYPE ": %s, " ZONE ": %s, " CAPACITY_TYPE ": %s, " ARCH ": amd64, " OS ": linux",
        node.type, node.zone ? node.zone : "a", node.capacity_type ? node.capacity_type : "on-demand");

    world_node(estate->world, .name = node.name, .labels = labels.ptr, .allocatable = room_of(node.type),
               .pool = node.pool ? node.pool : "default", .meta = node.meta, .claim_spec = node.claim_spec);
}

static Symbol symbol(Estate *estate, const char *text) {
    return symbol_intern(&estate->facts.cluster->symbols, slice_of(text));
}

static void set_condition(Estate *estate, ConditionVec *conditions, const char *type, int64_t since_ns) {
    vec_push(&estate->arena, conditions,
             (Condition){.type = symbol(estate, type), .status = symbol(estate, "True"), .transition_ns = since_ns});
}

static void add_pools(Estate *estate, Cluster *cluster) {
    const InstanceTypeVec *all = world_types(estate->world, cluster, NULL);

    for (uint32_t i = 0; i < estate->world->pools.count; i++) {
        const char *names = estate->world->pools.items[i].types;
        PlanPool pool = {&cluster->node_pools.items[i], names ? world_types(estate->world, cluster, names) : all};

        vec_push(&estate->arena, &estate->facts.pools, pool);
        if (!pool.pool->is_static)
            vec_push(&estate->arena, &estate->facts.growing, pool);
    }
}

static void settle_in(Estate *estate, Cluster *cluster) {
    static const char *const conditions[] = {"Launched", "Registered", "Initialized", "Consolidatable"};

    for (vec_each(Node, node, &cluster->nodes))
        set_condition(estate, &node->conditions, "Ready", 1);
    for (vec_each(NodeClaim, claim, &cluster->node_claims)) {
        claim->meta.uid = claim->meta.name;
        for (size_t i = 0; i < sizeof conditions / sizeof *conditions; i++)
            set_condition(estate, &claim->conditions, conditions[i], 1);
    }
}

void estate_read(Estate *estate) {
    Cluster *cluster;

    (void)world_plan(estate->world);
    cluster = world_cluster(estate->world);
    estate->facts = (DisruptFacts){.cluster = cluster, .wall_ns = ESTATE_NOW_NS};
    add_pools(estate, cluster);
    settle_in(estate, cluster);
    estate->facts.nodes = node_views_make(&estate->arena, cluster, NULL, 0);
    estate->bits = arena_array(&estate->arena, uint8_t, estate->facts.nodes.count + 1);
    estate->facts.node_bits = estate->bits;
}

// --- what differs

uint32_t estate_at(Estate *estate, const char *node) {
    for (uint32_t i = 0; i < estate->facts.nodes.count; i++) {
        if (estate->facts.nodes.items[i].name == symbol(estate, node))
            return i;
    }
    fail_msg("no node %s", node);
    return 0;
}

NodeClaim *estate_claim(Estate *estate, const char *name) {
    for (vec_each(NodeClaim, claim, &estate->facts.cluster->node_claims)) {
        if (claim->meta.name == symbol(estate, name))
            return claim;
    }
    fail_msg("no claim %s", name);
    return NULL;
}

Node *estate_object(Estate *estate, const char *name) {
    for (vec_each(Node, node, &estate->facts.cluster->nodes)) {
        if (node->meta.name == symbol(estate, name))
            return node;
    }
    fail_msg("no node %s", name);
    return NULL;
}

void estate_annotate(Estate *estate, const char *node, const char *key, const char *value) {
    labels_set(&estate->arena, &estate_object(estate, node)->meta.annotations, symbol(estate, key),
               symbol(estate, value));
}

NodePool *estate_pool(Estate *estate, const char *name) {
    for (vec_each(NodePool, pool, &estate->facts.cluster->node_pools)) {
        if (pool->meta.name == symbol(estate, name))
            return pool;
    }
    fail_msg("no pool %s", name);
    return NULL;
}

void estate_mark(Estate *estate, const char *name, const char *condition, int64_t since_ns) {
    set_condition(estate, &estate_claim(estate, name)->conditions, condition, since_ns);
}

void estate_unmark(Estate *estate, const char *name, const char *condition) {
    ConditionVec *conditions = &estate_claim(estate, name)->conditions;
    uint32_t kept = 0;

    for (vec_each(const Condition, one, conditions)) {
        if (one->type != symbol(estate, condition))
            conditions->items[kept++] = *one;
    }
    conditions->count = kept;
}

// --- passes

static Slice text_of(Estate *estate, Symbol name) {
    return symbol_text(&estate->facts.cluster->symbols, name);
}

static void print_command(Estate *estate, const DisruptCommand *command, Buffer *text) {
    static const char *const names[] = {"expiration", "emptiness", "repair", "static-drift", "drift", "consolidation"};

    buffer_printf(text, "%s", names[command->method]);
    for (vec_each(const uint32_t, node, &command->nodes))
        buffer_printf(text, " %.*s", SLICE_ARG(text_of(estate, estate->facts.nodes.items[*node].name)));
    for (vec_each(const PlannedClaim, claim, &command->replacements)) {
        if (claim->choice)
            buffer_printf(text, " => %.*s %.*s", SLICE_ARG(text_of(estate, claim->choice->name)),
                          SLICE_ARG(text_of(estate, claim->offering->capacity_type)));
        else
            buffer_printf(text, " => %.*s", SLICE_ARG(text_of(estate, claim->pool->meta.name)));
    }
}

static const char *finish_text(Estate *estate, Buffer *text) {
    const char *copy = arena_text(&estate->arena, buffer_slice(text));

    buffer_free(text);
    return copy;
}

const char *estate_command_text(Estate *estate, const DisruptCommand *command) {
    Buffer text = {0};

    print_command(estate, command, &text);
    return finish_text(estate, &text);
}

const char *estate_pass(Estate *estate) {
    Buffer text = {0};

    disrupt_pass(&estate->arena, &estate->facts, &estate->options, &estate->pass);
    for (uint32_t i = 0; i < estate->pass.commands.count; i++) {
        buffer_printf(&text, "%s", i ? "; " : "");
        print_command(estate, &estate->pass.commands.items[i], &text);
    }
    return finish_text(estate, &text);
}

void estate_begin_commands(Estate *estate) {
    for (vec_each(const DisruptCommand, command, &estate->pass.commands)) {
        for (vec_each(const uint32_t, node, &command->nodes))
            estate->bits[*node] |= NODE_IN_COMMAND;
    }
}

const char *estate_note(Estate *estate, const char *about, const char *reason) {
    for (vec_each(const DisruptNote, note, &estate->pass.notes)) {
        Symbol name = note->node == INDEX_NONE ? note->pool : estate->facts.nodes.items[note->node].name;

        if (name == symbol(estate, about) && strcmp(note->reason, reason) == 0)
            return arena_text(&estate->arena, note->text);
    }
    return "";
}

static void add_proposal(Estate *estate, const DisruptCommand *command, DisruptProposalVec *proposals) {
    DisruptProposal *proposal = vec_add(&estate->arena, proposals);

    *proposal = (DisruptProposal){.method = command->method, .places = command->places};
    for (vec_each(const uint32_t, node, &command->nodes))
        vec_push(&estate->arena, &proposal->claims, estate->facts.nodes.items[*node].claim->meta.uid);
    for (vec_each(const PlannedClaim, claim, &command->replacements))
        vec_push(&estate->arena, &proposal->replacements, proposed_claim_make(&estate->arena, claim));
}

const char *estate_prove(Estate *estate, const DisruptCommand *command, DisruptCommand *ret_command) {
    DisruptProposalVec proposals = {0};
    ProvenProposalVec proven;

    add_proposal(estate, command, &proposals);
    disrupt_prove(&estate->arena, &estate->facts, &estate->options, &proposals, &proven);
    if (ret_command)
        *ret_command = proven.items[0].command;
    return proposal_verdict_text(proven.items[0].verdict);
}

ProvenProposalVec estate_prove_all(Estate *estate) {
    DisruptProposalVec proposals = {0};
    ProvenProposalVec proven;

    for (vec_each(const DisruptCommand, command, &estate->pass.commands))
        add_proposal(estate, command, &proposals);
    disrupt_prove(&estate->arena, &estate->facts, &estate->options, &proposals, &proven);
    return proven;
}
