// Commands on paper.
#include "cli/consolidate/moves.h"

#include "model/pod_predicates.h"

typedef struct {
    Loaded *loaded;
    const DisruptFacts *facts;
    const DisruptOptions *options;
    Moves *moves;
    uint32_t round;
    IndexMap gone;  // names of nodes that go in this round
    bool *is_freed; // per pod of the cluster: it lost its node in this round
    Arena scratch;
} Applying;

// --- nodes that come

// The values of which there is but one.
static void add_single_values(Loaded *loaded, Labels *labels, const Requirements *requirements) {
    for (uint32_t i = 0; i < requirements->count; i++) {
        const Requirement *requirement = &requirements->items[i];

        if (requirement_operator(requirement) == OP_IN && requirement->values.count == 1)
            labels_set(&loaded->cluster.arena, labels, requirement->key, requirement->values.items[0]);
    }
}

static Labels labels_of(Loaded *loaded, const PlannedClaim *planned, Symbol name) {
    Arena *arena = &loaded->cluster.arena;
    Labels labels = {0};

    add_single_values(loaded, &labels, &planned->requirements);
    for (uint32_t i = 0; i < planned->labels.count; i++)
        labels_set(arena, &labels, planned->labels.items[i].key, planned->labels.items[i].value);
    add_single_values(loaded, &labels, &planned->choice->requirements);
    add_single_values(loaded, &labels, &planned->offering->requirements);
    labels_set(arena, &labels, NAME_INSTANCE_TYPE, planned->choice->name);
    labels_set(arena, &labels, NAME_ZONE, planned->offering->zone);
    labels_set(arena, &labels, NAME_CAPACITY_TYPE, planned->offering->capacity_type);
    labels_set(arena, &labels, NAME_NODEPOOL, planned->pool->meta.name);
    labels_set(arena, &labels, NAME_HOSTNAME, name);
    labels_set(arena, &labels, NAME_REGISTERED, NAME_TRUE);
    labels_set(arena, &labels, NAME_INITIALIZED, NAME_TRUE);
    return labels;
}

static void add_claim(Applying *applying, const Node *node, const NodePool *pool) {
    static const char *const conditions[] = {"Launched", "Registered", "Initialized", "Ready", "Consolidatable"};
    Loaded *loaded = applying->loaded;
    NodeClaim *claim = vec_add(&loaded->cluster.arena, &loaded->cluster.node_claims);

    claim->meta = node->meta;
    claim->spec = pool->template_spec;
    claim->node_name = node->meta.name;
    claim->provider_id = node->provider_id;
    claim->capacity = node->capacity;
    claim->allocatable = node->allocatable;
    for (size_t i = 0; i < sizeof conditions / sizeof *conditions; i++)
        fleet_set_condition(loaded, &claim->conditions, conditions[i]);
}

// Adds the node that a planned claim becomes: of the type that is expected, and ready. Returns its name.
static Symbol add_node(Applying *applying, const PlannedClaim *planned) {
    Loaded *loaded = applying->loaded;
    Arena *arena = &loaded->cluster.arena;
    Symbols *symbols = &loaded->cluster.symbols;
    Node *node = vec_add(arena, &loaded->cluster.nodes);
    Slice name = arena_printf(arena, "new-%.*s-%u", SLICE_ARG(symbol_text(symbols, planned->pool->meta.name)),
                              applying->moves->came.count + 1);

    node->meta.name = symbol_intern(symbols, name);
    node->meta.uid = node->meta.name;
    node->meta.created_ns = applying->facts->wall_ns;
    node->meta.labels = labels_of(loaded, planned, node->meta.name);
    node->provider_id = symbol_intern(symbols, arena_printf(arena, "planned:///%.*s", SLICE_ARG(name)));
    node->taints = planned->pool->template_spec.taints;
    node->capacity = instance_type_capacity(arena, planned->choice, planned->offering);
    node->allocatable = instance_type_allocatable(arena, symbols, planned->choice, planned->offering);
    fleet_set_condition(loaded, &node->conditions, "Ready");
    add_claim(applying, node, planned->pool);
    vec_push(&loaded->arena, &applying->moves->came, ((ComingNode){node->meta.name, applying->round}));
    return node->meta.name;
}

// --- nodes that go

static bool is_gone(const Applying *applying, Symbol node) {
    return node != NAME_EMPTY && u64_map_get(&applying->gone, node) != INDEX_NONE;
}

static void note_gone(Applying *applying, const DisruptCommand *command) {
    for (vec_each(const uint32_t, at, &command->nodes)) {
        Symbol name = applying->facts->nodes.items[*at].name;

        u64_map_put(&applying->scratch, &applying->gone, name, *at);
        vec_push(&applying->loaded->arena, &applying->moves->gone,
                 ((GoneNode){name, command->method, applying->round}));
    }
}

static void remove_nodes(Applying *applying) {
    Cluster *cluster = &applying->loaded->cluster;
    uint32_t nodes = 0, claims = 0;

    for (vec_each(const Node, node, &cluster->nodes)) {
        if (!is_gone(applying, node->meta.name))
            cluster->nodes.items[nodes++] = *node;
    }
    for (vec_each(const NodeClaim, claim, &cluster->node_claims)) {
        if (!is_gone(applying, claim->node_name))
            cluster->node_claims.items[claims++] = *claim;
    }
    cluster->nodes.count = nodes;
    cluster->node_claims.count = claims;
}

// Daemons and mirror pods end with their node; other pods look for another one.
static void free_pods(Applying *applying) {
    Cluster *cluster = &applying->loaded->cluster;

    applying->is_freed = arena_array(&applying->scratch, bool, cluster->pods.count);
    for (vec_each(Pod, pod, &cluster->pods)) {
        if (!is_gone(applying, pod->node_name) || pod_is_terminal(pod))
            continue;
        if (pod->of_daemon || pod_is_mirror(pod)) {
            pod->phase = POD_SUCCEEDED;
            continue;
        }
        pod->node_name = NAME_EMPTY;
        applying->is_freed[pod - cluster->pods.items] = true;
    }
}

// --- pods

static PlanInput input_of(Applying *applying, const DisruptFacts *facts) {
    Cluster *cluster = &applying->loaded->cluster;
    PendingPodVec pending = pending_select(&applying->scratch, cluster, &facts->nodes, facts->wall_ns);
    PlanInput input = {.cluster = cluster,
                       .pools = facts->growing,
                       .nodes = facts->nodes,
                       .default_spread = facts->default_spread,
                       .digests = applying->facts->digests,
                       .preferences = applying->options->preferences,
                       .min_values = applying->options->min_values,
                       .search = applying->options->search};

    input.search.skip_floor = true;
    for (vec_each(const PendingPod, pod, &pending)) {
        if (applying->is_freed[pod->pod - cluster->pods.items])
            vec_push(&applying->scratch, &input.pending, *pod);
    }
    return input;
}

static void bind(Applying *applying, const PlanInput *input, const U32Vec *pods, Symbol node) {
    Pod *all = applying->loaded->cluster.pods.items;

    for (vec_each(const uint32_t, pod, pods))
        all[input->pending.items[*pod].pod - all].node_name = node;
}

// Binds the freed pods; where the commands' nodes do not do for them after all, further ones come, so that what is
// reported is what it costs.
static void bind_pods(Applying *applying) {
    DisruptFacts facts;
    PlanInput input;
    Plan plan;

    fleet_facts(&applying->scratch, applying->loaded, applying->facts->wall_ns, &facts);
    facts.default_spread = applying->facts->default_spread;
    input = input_of(applying, &facts);
    if (!input.pending.count)
        return;
    plan_solve(&applying->scratch, &input, &plan);
    for (vec_each(const PlannedNode, node, &plan.nodes))
        bind(applying, &input, &node->pods, node->node->name);
    for (vec_each(const PlannedClaim, claim, &plan.claims))
        bind(applying, &input, &claim->pods, add_node(applying, claim));
    applying->moves->homeless += plan.unplaced.count;
}

void moves_apply(Loaded *loaded, const DisruptFacts *facts, const DisruptOptions *options, const DisruptPass *pass,
                 uint32_t round, Moves *moves) {
    Applying applying = {.loaded = loaded, .facts = facts, .options = options, .moves = moves, .round = round};

    for (vec_each(const DisruptCommand, command, &pass->commands))
        note_gone(&applying, command);
    for (vec_each(const DisruptCommand, command, &pass->commands)) {
        for (vec_each(const PlannedClaim, planned, &command->replacements))
            (void)add_node(&applying, planned);
    }
    remove_nodes(&applying);
    free_pods(&applying);
    bind_pods(&applying);
    arena_free(&applying.scratch);
}
