// Existing nodes as bins: label states, free room, and bound pods as counts of topology groups.
#include "sched/bin/nodes.h"

#include "model/pod_predicates.h"

#include <stdlib.h>

// --- mentions

static void mention_daemons(Solver *solver) {
    for (uint32_t i = 0; i < solver->input->cluster->daemon_sets.count; i++) {
        const PodSpec *spec = solver->classes.daemon_specs[i];

        universe_mention_labels(&solver->universe, &spec->node_selector);
        for (vec_each(NodeTerm, term, &spec->required_node_terms))
            universe_mention_expressions(&solver->universe, &term->expressions);
    }
}

static void note_node(Solver *solver, const KeysHad *keys, const NodeView *node) {
    Requirement host = {.key = NAME_HOSTNAME, .values = {(Symbol[]){node->hostname}, 1, 1}};
    Requirements hosts = {.items = &host, .count = 1};

    universe_note_had(&solver->universe, keys, &node->requirements);
    universe_note_had(&solver->universe, keys, &hosts);
}

static void note_types(Solver *solver, const KeysHad *keys, const InstanceTypeVec *types) {
    for (vec_each(InstanceType, type, types)) {
        universe_note_had(&solver->universe, keys, &type->requirements);
        for (vec_each(Offering, offering, &type->offerings))
            universe_note_had(&solver->universe, keys, &offering->requirements);
    }
}

void solver_mention_nodes(Solver *solver) {
    const PlanInput *input = solver->input;
    const InstanceTypeVec *last = NULL;
    KeysHad keys;

    for (vec_each(NodeView, node, &input->nodes)) {
        if (node->in_flight)
            universe_mention_requirements(&solver->universe, &node->requirements);
    }
    mention_daemons(solver);
    keys = universe_keys_had(&solver->universe, solver->arena);
    if (!keys.any)
        return;
    for (vec_each(NodeView, node, &input->nodes))
        note_node(solver, &keys, node);
    for (vec_each(PlanPool, pool, &input->pools)) {
        if (pool->types != last) // pools often share one list
            note_types(solver, &keys, pool->types);
        last = pool->types;
    }
}

// --- labels

// The mask of a node's label. A well-known label that a claim in flight does not define may have any value.
static void node_key_mask(Solver *solver, const NodeView *node, uint32_t index, uint64_t *mask) {
    const LabelKey *key = &solver->universe.keys.items[index];
    const Requirement *requirement = requirements_get(&node->requirements, key->key);

    memset(mask, 0, key->words * sizeof *mask);
    if (key->key == NAME_HOSTNAME && !node->lacks_hostname)
        bitset_set(mask, node->in_flight ? key->other : universe_atom(&solver->universe, index, node->hostname));
    else if (requirement)
        universe_requirement_mask(&solver->universe, index, requirement, mask);
    else if (node->in_flight && key->key != NAME_REGISTERED && key->key != NAME_INITIALIZED &&
             slice_contains(symbol_text(solver->universe.symbols, key->key), SLICE("/")))
        bitset_fill(mask, key->atoms);
    else
        bitset_set(mask, key->absent);
}

static uint32_t node_state(Solver *solver, const NodeView *node) {
    uint64_t *row = bitset_new(solver->arena, (solver->universe.row_words + 1) * 64);

    for (uint32_t key = 0; key < solver->universe.keys.count; key++)
        node_key_mask(solver, node, key, row_key(&solver->universe, row, key));
    return label_state_intern(&solver->states, NULL, row, true);
}

// --- bound pods

// A bound pod of a DaemonSet.
typedef struct RunningDaemon {
    const struct RunningDaemon *next; // of the same DaemonSet
    const Pod *pod;
    uint32_t view;
} RunningDaemon;

typedef struct {
    Solver *solver;
    IndexMap nodes;   // name to index into input->nodes
    uint32_t *states; // per view: label state
    uint32_t *bins;   // per view: bin; INDEX_NONE: the node is being deleted
    uint64_t *batch;  // solver_find_batch
    VolumeIndex *volumes;
    const RunningDaemon **running; // per DaemonSet
    const PodSpec *spec;           // the spec whose requests are in solver->added, for adjacent replicas
} Binding;

static void record_bound(Binding *binding, uint32_t view, const BoundPod *bound) {
    Solver *solver = binding->solver;
    const TaintVec *taints = &solver->input->nodes.items[view].taints;

    for (vec_each(uint32_t, group, &solver->classes.counted_by[bound->label_class]))
        group_record(solver, *group, binding->bins[view], binding->states[view], taints, 1);
    if (!bound->owner)
        return;
    for (uint32_t i = 0; i < bound->owner->groups.count; i++)
        group_record(solver, bound->owner->groups.items[i], binding->bins[view], binding->states[view], taints, 1);
}

// Attaches the volumes of a bound pod; a volume claim counts once per node.
static void attach_bound(Binding *binding, Bin *bin, const Pod *pod) {
    VolumeUseVec uses;

    if (!pod->spec->volumes.count)
        return;
    uses = pod_volume_uses(binding->solver->arena, binding->volumes, pod);
    for (vec_each(VolumeUse, use, &uses)) {
        uint32_t dim = dimension_of_driver(&binding->solver->classes.dimensions, use->driver);
        bool attached = false;

        for (vec_each(Symbol, claim, &bin->claims))
            attached |= *claim == use->claim;
        if (attached || dim == INDEX_NONE)
            continue;
        vec_push(binding->solver->arena, &bin->claims, use->claim);
        bin->free[dim]--;
    }
    bin->bound_claims = bin->claims.count;
}

static void note_daemon(Binding *binding, const Pod *pod, uint32_t view) {
    uint32_t daemon = class_table_daemon_of(&binding->solver->classes, pod);
    RunningDaemon *running;

    if (daemon == INDEX_NONE)
        return;
    running = arena_new(binding->solver->arena, RunningDaemon);
    *running = (RunningDaemon){binding->running[daemon], pod, view};
    binding->running[daemon] = running;
}

static void bind_pod(Binding *binding, const Pod *pod, uint32_t view) {
    Solver *solver = binding->solver;
    const Dimensions *dimensions = &solver->classes.dimensions;
    const Symbols *symbols = solver->universe.symbols;
    Bin *bin;

    CHECK(pod->spec, "a pod without a spec");
    if (binding->bins[view] == INDEX_NONE)
        return;
    bin = &solver->bins.items[binding->bins[view]];
    if (binding->spec != pod->spec)
        dimensions_fill(dimensions, &pod->spec->requests, solver->added);
    binding->spec = pod->spec;
    for (uint32_t dim = 0; dim < dimensions->count; dim++)
        bin->free[dim] = amount_clamp(bin->free[dim] - solver->added[dim]);
    note_daemon(binding, pod, view);
    if (solver->classes.has_ports)
        bin->ports =
            port_set_join(solver->arena, bin->ports, port_set_make(solver->arena, symbols, &pod->spec->host_ports));
    attach_bound(binding, bin, pod);
}

static void bind_all(Binding *binding, const BoundPod *bound) {
    const PodVec *pods = &binding->solver->input->cluster->pods;

    for (uint32_t i = 0; i < pods->count; i++) {
        const Pod *pod = &pods->items[i];
        uint32_t view;

        if (pod_node(pod) == NAME_EMPTY || bitset_has(binding->batch, i))
            continue; // the batch is placed by the solve
        view = u64_map_get(&binding->nodes, pod_node(pod));
        if (view == INDEX_NONE || (pod->deleting && binding->solver->input->nodes.items[view].reboots))
            continue;
        bind_pod(binding, pod, view);
        if (bound && !pod->deleting)
            record_bound(binding, view, &bound[i]);
    }
}

// --- daemons that do not run yet

static bool daemon_runs_on(Solver *solver, const PodSpec *daemon, const LabelSetId *terms, uint32_t term_count,
                           const NodeView *node, uint32_t state) {
    if (!taints_are_tolerated(solver->universe.symbols, &node->taints, &daemon->tolerations, false))
        return false;
    for (uint32_t i = 0; i < term_count; i++) {
        if (row_within(&solver->universe, label_state_at(&solver->states, state)->row,
                       label_set(&solver->universe, terms[i])))
            return true;
    }
    return false;
}

// The label sets of a daemon: one per required node affinity term, or one for the node selector alone.
static uint32_t daemon_terms(Solver *solver, const PodSpec *spec, LabelSetId **ret_terms) {
    uint32_t count = spec->required_node_terms.count ? spec->required_node_terms.count : 1;
    Arena scratch = {0};

    *ret_terms = arena_array(solver->arena, LabelSetId, count);
    for (uint32_t i = 0; i < count; i++) {
        LabelSetBuilder builder = label_set_start(&scratch, &solver->universe);

        label_set_and_labels(&builder, &spec->node_selector);
        if (spec->required_node_terms.count)
            label_set_and_term(&builder, &spec->required_node_terms.items[i].expressions);
        (*ret_terms)[i] = label_set_finish(&builder);
    }
    arena_free(&scratch);
    return count;
}

// Adds what the DaemonSet's pods on each node request to `running`, per view and dimension; `clear` sets it to 0 again.
static void add_running(const Binding *binding, uint32_t daemon, bool clear, int64_t *running) {
    Solver *solver = binding->solver;
    const Dimensions *dimensions = &solver->classes.dimensions;

    for (const RunningDaemon *pod = binding->running[daemon]; pod; pod = pod->next) {
        int64_t *sum = &running[(size_t)pod->view * dimensions->count];

        dimensions_fill(dimensions, &pod->pod->spec->requests, solver->added);
        for (uint32_t dim = 0; dim < dimensions->count; dim++)
            sum[dim] = clear ? 0 : amount_clamp(sum[dim] + solver->added[dim]);
    }
}

// Reserves what the DaemonSet wants beyond what its own pods have on the node. Nothing if it does not fit there: then
// it stays pending, and others may have the room.
static void reserve_daemon(const int64_t *requests, const int64_t *running, uint32_t dims, int64_t *free) {
    for (uint32_t dim = 0; dim < dims; dim++) {
        if (requests[dim] > running[dim] && requests[dim] - running[dim] > free[dim])
            return;
    }
    for (uint32_t dim = 0; dim < dims; dim++) {
        if (requests[dim] > running[dim])
            free[dim] -= requests[dim] - running[dim];
    }
}

enum { RUNS_STEPS = 8 }; // charged to the budget: for a DaemonSet and a node, besides its terms

// Reserves room for daemon pods that do not run yet, DaemonSet after DaemonSet in the order in which they get room.
// Pods of one do not stand for another, whoever wrote their owner references.
static void reserve_daemons(Binding *binding) {
    Solver *solver = binding->solver;
    const PlanInput *input = solver->input;
    uint32_t dims = solver->classes.dimensions.count;
    int64_t *requests = arena_array(solver->arena, int64_t, dims);
    int64_t *running = arena_array(solver->arena, int64_t, (size_t)input->nodes.count * dims);

    for (uint32_t i = 0; i < input->cluster->daemon_sets.count; i++) {
        uint32_t daemon = solver->classes.daemon_order[i];
        const PodSpec *spec = solver->classes.daemon_specs[daemon];
        LabelSetId *terms;
        uint32_t count;

        if (spec->has_resource_claims)
            continue; // as on new nodes (input/pool.c)
        count = daemon_terms(solver, spec, &terms);
        if (!budget_spend(&solver->budget, (uint64_t)input->nodes.count * (RUNS_STEPS + count)))
            return;
        dimensions_fill(&solver->classes.dimensions, solver->classes.daemon_requests[daemon], requests);
        add_running(binding, daemon, false, running);
        for (uint32_t view = 0; view < input->nodes.count; view++) {
            if (binding->bins[view] != INDEX_NONE &&
                daemon_runs_on(solver, spec, terms, count, &input->nodes.items[view], binding->states[view]))
                reserve_daemon(requests, &running[(size_t)view * dims], dims,
                               solver->bins.items[binding->bins[view]].free);
        }
        add_running(binding, daemon, true, running);
    }
}

// --- bins

static const InstanceType *node_type(const PlanInput *input, const NodeView *node) {
    Symbol name = labels_get(&node->labels, NAME_INSTANCE_TYPE);

    for (vec_each(PlanPool, pool, &input->pools)) {
        if (pool->pool->meta.name == node->pool)
            return instance_type_find(pool->types, name);
    }
    return NULL;
}

static void limit_attachments(const Dimensions *dimensions, const VolumeLimitVec *limits, int64_t *free) {
    for (vec_each(VolumeLimit, limit, limits)) {
        uint32_t dim = dimension_of_driver(dimensions, limit->driver);

        if (dim != INDEX_NONE)
            free[dim] = limit->has_count ? limit->count : ATTACHMENTS_UNLIMITED;
    }
}

// The attachment limits of the node's CSINode; for drivers that it does not list, those of the node's type.
static void set_attachment_limits(Solver *solver, const NodeView *node, int64_t *free) {
    const Dimensions *dimensions = &solver->classes.dimensions;
    const InstanceType *type = node_type(solver->input, node);

    for (uint32_t dim = 0; dim < dimensions->count; dim++) {
        if (dimensions->drivers[dim] != NAME_EMPTY)
            free[dim] = ATTACHMENTS_UNLIMITED;
    }
    if (type)
        limit_attachments(dimensions, &type->volume_limits, free);
    for (vec_each(CSINode, csi, &solver->input->cluster->csi_nodes)) {
        if (csi->meta.name == node->name)
            limit_attachments(dimensions, &csi->drivers, free);
    }
}

static void add_bin(Binding *binding, uint32_t view) {
    Solver *solver = binding->solver;
    const NodeView *node = &solver->input->nodes.items[view];
    Bin *bin = vec_add(solver->arena, &solver->bins);

    binding->bins[view] = solver->bins.count - 1;
    *bin = (Bin){.node = node, .number = solver->bins.count - 1, .state = binding->states[view]};
    bin->free = arena_array(solver->arena, int64_t, solver->classes.dimensions.count);
    dimensions_fill(&solver->classes.dimensions, &node->allocatable, bin->free);
    if (solver->classes.dimensions.driver_index.count)
        set_attachment_limits(solver, node, bin->free);
}

// The first bin of the host that a bin's node is; INDEX_NONE: it is none.
static uint32_t first_of_host(Solver *solver, IndexMap *of_name, uint32_t bin) {
    const NodeView *node = solver->bins.items[bin].node;
    uint32_t first;

    if (node->lacks_hostname)
        return INDEX_NONE;
    if (!node->node) // its kubelet has named no host yet
        return bin;
    first = u64_map_get(of_name, node->hostname);
    if (first != INDEX_NONE)
        return first;
    u64_map_put(solver->arena, of_name, node->hostname, bin);
    return bin;
}

// Nodes with one host name are one host, and those without the label are none.
static void share_hosts(Solver *solver) {
    uint32_t *firsts = arena_array(solver->arena, uint32_t, solver->bins.count);
    IndexMap of_name = {0};
    bool special = false;

    for (uint32_t i = 0; i < solver->bins.count; i++) {
        firsts[i] = first_of_host(solver, &of_name, i);
        special |= firsts[i] != i;
    }
    if (special)
        topology_share_hosts(&solver->topology, firsts, solver->bins.count);
}

void solver_make_nodes(Solver *solver, const BoundPod *bound) {
    const PlanInput *input = solver->input;
    uint32_t count = input->nodes.count;
    Binding binding = {.solver = solver,
                       .states = arena_array(solver->arena, uint32_t, count),
                       .bins = arena_array(solver->arena, uint32_t, count),
                       .volumes = volume_index_make(solver->arena, input->cluster)};

    binding.running = arena_array(solver->arena, const RunningDaemon *, input->cluster->daemon_sets.count);
    for (uint32_t view = 0; view < count; view++) {
        u64_map_put(solver->arena, &binding.nodes, input->nodes.items[view].name, view);
        binding.states[view] = node_state(solver, &input->nodes.items[view]);
        binding.bins[view] = INDEX_NONE;
        if (!input->nodes.items[view].deleting)
            add_bin(&binding, view);
    }
    solver->node_count = solver->bins.count;
    solver->node_states = binding.states;
    if (solver->classes.has_rules)
        share_hosts(solver);
    binding.batch = solver_find_batch(solver);
    bind_all(&binding, bound);
    reserve_daemons(&binding);
}
