// Plans, binds, shrinks, and carries out commands.
#include "fleet/fleet.h"

#include "base/random.h"
#include "base/time.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

int64_t fleet_now_ns(void *context) {
    (void)context;
    return clock_system_mono().ns;
}

void fleet_free(Fleet *fleet) {
    arena_free(&fleet->looked);
    scene_free(&fleet->scene);
}

static PlanPoolVec pools_of(Fleet *fleet, Arena *arena) {
    PlanPoolVec pools = {0};

    for (vec_each(const NodePool, pool, &fleet->scene.cluster.node_pools))
        vec_push(arena, &pools, (PlanPool){pool, &fleet->scene.types});
    return pools;
}

// --- building

static Condition consolidatable(Fleet *fleet) {
    return (Condition){.type = scene_symbol(&fleet->scene, "Consolidatable"),
                       .status = scene_symbol(&fleet->scene, "True"),
                       .reason = scene_symbol(&fleet->scene, "Consolidatable"),
                       .message = SLICE("")};
}

static Symbol add_node(Fleet *fleet, const PlannedClaim *claim) {
    Scene *scene = &fleet->scene;
    Symbol name = scene_symbol(scene, "node-%06u", fleet->nodes_made++);
    NodeClaim *of;

    (void)scene_node(scene, name, claim->pool, claim->choice, claim->offering);
    of = vec_last(&scene->cluster.node_claims);
    of->meta.uid = of->meta.name;
    vec_push(scene_arena(scene), &of->conditions, consolidatable(fleet));
    return name;
}

// Pods were created one after the other, a day ago.
static void bind(Fleet *fleet, const PendingPodVec *pending, const U32Vec *pods, Symbol node) {
    for (vec_each(const uint32_t, number, pods)) {
        Pod *pod = &fleet->scene.cluster.pods.items[pending->items[*number].pod - fleet->scene.cluster.pods.items];

        if (!pod->created_ns)
            pod->created_ns = NS_PER_S + (pod - fleet->scene.cluster.pods.items) * NS_PER_MS;
        pod->node_name = node;
        pod->phase = POD_RUNNING;
        pod->ready = true;
    }
}

static void plan(Fleet *fleet, Arena *arena, PlanInput *ret_input, Plan *ret_plan) {
    *ret_input = (PlanInput){.cluster = &fleet->scene.cluster, .pools = pools_of(fleet, arena)};
    ret_input->pending = pending_select(arena, &fleet->scene.cluster, &ret_input->nodes, 0);
    plan_solve(arena, ret_input, ret_plan);
}

void fleet_build(Fleet *fleet) {
    Arena arena = {0};
    PlanInput input;
    Plan made;

    plan(fleet, &arena, &input, &made);
    for (vec_each(const PlannedClaim, claim, &made.claims))
        bind(fleet, &input.pending, &claim->pods, add_node(fleet, claim));
    arena_free(&arena);
}

// --- pods go

// Takes nodes and their claims out of the cluster. Both lists have the same order.
static void remove_nodes(Fleet *fleet, const bool *removed, uint32_t count) {
    Cluster *cluster = &fleet->scene.cluster;
    uint32_t kept = 0;

    for (uint32_t i = 0; i < cluster->nodes.count; i++) {
        if (i < count && removed[i])
            continue;
        cluster->nodes.items[kept] = cluster->nodes.items[i];
        cluster->node_claims.items[kept++] = cluster->node_claims.items[i];
    }
    cluster->nodes.count = cluster->node_claims.count = kept;
}

// Chooses `count` of `of` at random.
static bool *choose(Arena *arena, uint32_t of, uint32_t count, Random *random) {
    bool *chosen = arena_array(arena, bool, of + 1);

    for (uint32_t i = 0; i < of; i++) {
        chosen[i] = random_below(random, of - i) < count;
        count -= chosen[i];
    }
    return chosen;
}

static void keep_bound_pods(Fleet *fleet) {
    Cluster *cluster = &fleet->scene.cluster;
    IndexMap nodes = {0};
    Arena scratch = {0};
    uint32_t kept = 0;

    for (vec_each(const Node, node, &cluster->nodes))
        u64_map_put(&scratch, &nodes, node->meta.name, 1);
    for (uint32_t i = 0; i < cluster->pods.count; i++) {
        if (u64_map_get(&nodes, cluster->pods.items[i].node_name) != INDEX_NONE)
            cluster->pods.items[kept++] = cluster->pods.items[i];
    }
    cluster->pods.count = kept;
    arena_free(&scratch);
}

void fleet_keep_nodes(Fleet *fleet, uint32_t count, uint64_t seed) {
    uint32_t nodes = fleet->scene.cluster.nodes.count;
    Arena scratch = {0};
    Random random;

    random_seed(&random, seed);
    if (count < nodes)
        remove_nodes(fleet, choose(&scratch, nodes, nodes - count, &random), nodes);
    keep_bound_pods(fleet);
    arena_free(&scratch);
}

void fleet_keep_pods(Fleet *fleet, uint32_t count, uint64_t seed) {
    PodVec *pods = &fleet->scene.cluster.pods;
    Arena scratch = {0};
    const bool *chosen;
    uint32_t kept = 0;
    Random random;

    random_seed(&random, seed);
    chosen = choose(&scratch, pods->count, count < pods->count ? count : pods->count, &random);
    for (uint32_t i = 0; i < pods->count; i++) {
        if (chosen[i])
            pods->items[kept++] = pods->items[i];
    }
    pods->count = kept;
    arena_free(&scratch);
}

void fleet_shrink(Fleet *fleet, uint32_t percent, uint64_t seed) {
    PodVec *pods = &fleet->scene.cluster.pods;
    uint32_t kept = 0;
    Random random;

    random_seed(&random, seed);
    for (uint32_t i = 0; i < pods->count; i++) {
        if (pods->items[i].node_name != NAME_EMPTY && random_below(&random, 100) >= percent)
            pods->items[kept++] = pods->items[i];
    }
    pods->count = kept;
}

// --- prices

void fleet_fresh(Fleet *fleet, double *ret_price, double *ret_floor) {
    PodVec *pods = &fleet->scene.cluster.pods;
    Arena arena = {0};
    Symbol *homes = arena_array(&arena, Symbol, pods->count);
    PlanInput input;
    Plan made;

    for (uint32_t i = 0; i < pods->count; i++) {
        homes[i] = pods->items[i].node_name;
        pods->items[i].node_name = NAME_EMPTY;
        pods->items[i].phase = POD_PENDING;
    }
    plan(fleet, &arena, &input, &made);
    for (uint32_t i = 0; i < pods->count; i++) {
        pods->items[i].node_name = homes[i];
        pods->items[i].phase = POD_RUNNING;
    }
    *ret_price = made.price_per_hour;
    *ret_floor = made.floor_per_hour;
    arena_free(&arena);
}

static double price_of(const Fleet *fleet, const Node *node) {
    const InstanceType *type =
        instance_type_find(&fleet->scene.types, labels_get(&node->meta.labels, NAME_INSTANCE_TYPE));

    for (vec_each(const Offering, offering, &type->offerings)) {
        if (offering->zone == labels_get(&node->meta.labels, NAME_ZONE) &&
            offering->capacity_type == labels_get(&node->meta.labels, NAME_CAPACITY_TYPE))
            return offering->price_per_hour;
    }
    return NAN;
}

double fleet_price(const Fleet *fleet) {
    double price = 0;

    for (vec_each(const Node, node, &fleet->scene.cluster.nodes))
        price += price_of(fleet, node);
    return price;
}

// --- a pass

void fleet_look(Fleet *fleet, uint32_t budget, const U32Vec *under_way) {
    DisruptFacts *facts = &fleet->facts;
    Arena *arena = &fleet->looked;
    PoolTypes *types;
    uint8_t *bits;

    arena_free(arena);
    for (vec_each(NodePool, pool, &fleet->scene.cluster.node_pools)) {
        pool->disruption = (PoolDisruption){.policy = CONSOLIDATE_WHEN_EMPTY_OR_UNDERUTILIZED};
        vec_push(arena, &pool->disruption.budgets,
                 (PoolBudget){.nodes = budget, .percent = true, .reasons = UINT32_MAX});
    }
    types = arena_array(arena, PoolTypes, fleet->scene.cluster.node_pools.count);
    for (uint32_t i = 0; i < fleet->scene.cluster.node_pools.count; i++)
        types[i] = (PoolTypes){fleet->scene.cluster.node_pools.items[i].meta.name, &fleet->scene.types};
    *facts = (DisruptFacts){.cluster = &fleet->scene.cluster, .wall_ns = NS_PER_DAY};
    facts->nodes = node_views_make(arena, facts->cluster, types, fleet->scene.cluster.node_pools.count);
    facts->pools = facts->growing = pools_of(fleet, arena);
    bits = arena_array(arena, uint8_t, facts->nodes.count + 1);
    for (vec_each(const uint32_t, node, under_way))
        bits[*node] = NODE_IN_COMMAND;
    facts->node_bits = bits;
}

typedef struct {
    Fleet *fleet;
    const FleetQuestion *question;
    const Node *first; // before nodes were added
    bool *removed;     // per node
    FleetPass *pass;
} Carrying;

static void carry_out(Carrying *carrying, const FleetPart *part, const PlannedClaimVec *replacements) {
    Fleet *fleet = carrying->fleet;
    const FleetQuestion *question = carrying->question;
    const PlanInput *plan = &question->input.plan;
    FleetPass *pass = carrying->pass;

    pass->commands++;
    pass->nodes_in += replacements->count;
    pass->nodes_out += part->sources.count;
    for (vec_each(const uint32_t, source, &part->sources))
        carrying->removed[plan->nodes.items[question->input.sources.items[*source].node].node - carrying->first] = true;
    for (uint32_t i = 0; i < replacements->count; i++)
        bind(fleet, &plan->pending, &part->claims.items[i].pods, add_node(fleet, &replacements->items[i]));
    for (uint32_t i = 0; i < replacements->count; i++)
        pass->pods_moved += part->claims.items[i].pods.count;
    for (vec_each(const FleetDelivery, delivery, &part->deliveries)) {
        bind(fleet, &plan->pending, &delivery->pods, plan->nodes.items[delivery->node].name);
        pass->pods_moved += delivery->pods.count;
    }
}

static void carry_out_all(Fleet *fleet, const FleetQuestion *question, const FleetResult *result, FleetPass *pass) {
    uint32_t nodes = fleet->scene.cluster.nodes.count;
    Carrying carrying = {fleet, question, fleet->scene.cluster.nodes.items,
                         arena_array(&fleet->looked, bool, nodes + 1), pass};

    for (vec_each(const FleetPart, part, &result->parts)) {
        PlannedClaimVec replacements;

        if (fleet_part_replacements(&fleet->looked, question, part, &replacements))
            carry_out(&carrying, part, &replacements);
    }
    remove_nodes(fleet, carrying.removed, nodes);
}

FleetPass fleet_pass(Fleet *fleet, uint32_t budget) {
    FleetPass pass = {0};
    DisruptPass unused;
    CandidateList candidates;
    FleetQuestion question;
    FleetResult result;
    Round round;
    int64_t started = fleet_now_ns(NULL), asked;

    fleet_look(fleet, budget, &(U32Vec){0});
    round_open(&round, &fleet->looked, &fleet->facts, &fleet->options, &unused);
    candidates = round_candidates(&round, METHOD_CONSOLIDATION);
    fleet_ask(&round, &candidates, &question);
    asked = fleet_now_ns(NULL);
    fleet_search(&fleet->looked, &question.input, &result);
    pass.prepare_ns = asked - started;
    pass.search_ns = fleet_now_ns(NULL) - asked;
    pass.moves_tried = result.moves_tried;
    pass.moves_kept = result.moves_kept;
    carry_out_all(fleet, &question, &result, &pass);
    round_close(&round);
    return pass;
}
