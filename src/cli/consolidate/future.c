// Pass after pass, until nothing is found.
#include "cli/consolidate/future.h"

#include <math.h>

const FleetNode *fleet_node_find(const FleetNodeVec *nodes, Symbol name) {
    for (vec_each(const FleetNode, node, nodes)) {
        if (node->name == name)
            return node;
    }
    return NULL;
}

double fleet_nodes_price(const FleetNodeVec *nodes, uint32_t *ret_unknown) {
    double sum = 0;

    *ret_unknown = 0;
    for (vec_each(const FleetNode, node, nodes)) {
        sum += node->price.per_hour;
        *ret_unknown += !node->price.offering;
    }
    return sum;
}

// The nodes that exist, with the number of their pods.
static FleetNodeVec list_nodes(Loaded *loaded, const DisruptFacts *facts) {
    uint32_t most = facts->nodes.count + 1;
    FleetNodeVec nodes = {.items = arena_array(&loaded->arena, FleetNode, most), .capacity = most};
    IndexMap at = {0};

    for (vec_each(const NodeView, view, &facts->nodes)) {
        if (!view->node)
            continue;
        u64_map_put(&loaded->arena, &at, view->name, nodes.count);
        vec_push(&loaded->arena, &nodes,
                 ((FleetNode){.name = view->name,
                              .pool = view->pool,
                              .price = node_price(loaded, &view->node->meta.labels),
                              .has_claim = view->claim != NULL}));
    }
    for (vec_each(const Pod, pod, &loaded->cluster.pods)) {
        uint32_t node = pod->node_name == NAME_EMPTY ? INDEX_NONE : u64_map_get(&at, pod->node_name);

        if (node != INDEX_NONE && !pod->of_daemon && !pod_is_terminal(pod))
            nodes.items[node].pods++;
    }
    return nodes;
}

// The first word of each node counts: what blocks it comes before what consolidation says of it.
static void note_reasons(Loaded *loaded, const DisruptFacts *facts, const DisruptPass *pass, FleetNodeVec *after) {
    Slice *why = arena_array(&loaded->arena, Slice, facts->nodes.count);
    uint32_t at = 0;

    for (vec_each(const DisruptNote, note, &pass->notes)) {
        if (note->node != INDEX_NONE && !why[note->node].len)
            why[note->node] = arena_slice(&loaded->arena, note->text);
    }
    for (uint32_t i = 0; i < facts->nodes.count; i++) {
        if (facts->nodes.items[i].node)
            after->items[at++].why = why[i];
    }
}

static DisruptOptions pass_options(const PlanOptions *options) {
    return (DisruptOptions){.consolidation = options->consolidation,
                            .preferences = options->preferences,
                            .min_values = options->min_values,
                            .search = {.effort = EFFORT_FAST, .skip_floor = true},
                            .methods = 1U << METHOD_EMPTINESS | 1U << METHOD_DRIFT | 1U << METHOD_CONSOLIDATION};
}

// One pass; false: nothing was found, or it was the last one. Then `after` is known.
static bool step(const PlanOptions *options, Loaded *loaded, Future *future, TypeDigests *digests, uint32_t rounds) {
    DisruptOptions how = pass_options(options);
    Arena arena = {0};
    DisruptFacts facts;
    DisruptPass pass;
    bool goes_on;

    fleet_facts(&arena, loaded, options->now_ns, &facts);
    facts.digests = digests;
    if (!future->before.count)
        future->before = list_nodes(loaded, &facts);
    disrupt_pass(&arena, &facts, &how, &pass);
    goes_on = pass.commands.count && future->rounds < rounds;
    future->is_cut_short = pass.commands.count && !goes_on;
    if (goes_on) {
        moves_apply(loaded, &facts, &how, &pass, ++future->rounds, &future->moves);
    } else {
        future->after = list_nodes(loaded, &facts);
        note_reasons(loaded, &facts, &pass, &future->after);
    }
    arena_free(&arena);
    return goes_on;
}

// Asks for the floor of the pods that have a node now: they lose it.
static void find_floor(const PlanOptions *options, Loaded *loaded, Future *future) {
    Cluster *cluster = &loaded->cluster;
    bool *is_bound = arena_array(&loaded->arena, bool, cluster->pods.count);
    PlanInput input = {.cluster = cluster, .pools = loaded->pools, .preferences = PREFERENCES_IGNORE};
    PendingPodVec pending;
    Plan plan;

    for (vec_each(Pod, pod, &cluster->pods)) {
        is_bound[pod - cluster->pods.items] = pod->node_name != NAME_EMPTY;
        if (!pod->of_daemon)
            pod->node_name = NAME_EMPTY;
    }
    cluster->nodes.count = cluster->node_claims.count = 0;
    pending = pending_select(&loaded->arena, cluster, &input.nodes, options->now_ns);
    for (vec_each(const PendingPod, pod, &pending)) {
        if (is_bound[pod->pod - cluster->pods.items])
            vec_push(&loaded->arena, &input.pending, *pod);
    }
    plan_solve(&loaded->arena, &input, &plan);
    future->floor_per_hour = plan.floor_per_hour;
    future->floor_pods = input.pending.count;
    future->floor_unplaced = plan.unplaced.count;
}

void future_make(const PlanOptions *options, Loaded *loaded, Future *ret_future) {
    uint32_t rounds = options->respects_budgets ? 1 : options->rounds ? options->rounds : CONSOLIDATE_ROUNDS;
    uint32_t pods = loaded->cluster.pods.count;
    Symbol *homes = arena_array(&loaded->arena, Symbol, pods);
    TypeDigests *digests = type_digests_new();

    *ret_future = (Future){.assumptions = fleet_assume(loaded, !options->respects_budgets)};
    for (uint32_t i = 0; i < pods; i++)
        homes[i] = loaded->cluster.pods.items[i].node_name;
    while (step(options, loaded, ret_future, digests, rounds))
        ;
    for (uint32_t i = 0; i < pods; i++)
        ret_future->pods_moved += homes[i] != loaded->cluster.pods.items[i].node_name;
    type_digests_free(digests);
    find_floor(options, loaded, ret_future);
}

FutureSaving future_saving(const Future *future) {
    uint32_t unknown;
    FutureSaving saving = {.payback_minutes = NAN};
    double coming = 0;

    saving.per_hour = fleet_nodes_price(&future->before, &unknown) - fleet_nodes_price(&future->after, &unknown);
    for (vec_each(const FleetNode, node, &future->after))
        coming += fleet_node_find(&future->before, node->name) ? 0 : node->price.per_hour;
    if (coming > 0 && saving.per_hour > 0)
        saving.payback_minutes = coming * FUTURE_OVERLAP_MINUTES / saving.per_hour;
    return saving;
}
