// Candidates of disruption.
#include "disrupt/candidate.h"

#include <math.h>

// One look at one node.
typedef struct {
    Arena *arena;
    const DisruptFacts *facts;
    const NodePods *node_pods;
    DisruptionClass class;
    uint32_t at;
    const NodeView *view;
    const PlanPool *pool;
} Inspection;

// --- why not

static bool has_annotation(const Inspection *inspection) {
    return labels_get(&inspection->view->node->meta.annotations, NAME_DO_NOT_DISRUPT) == NAME_TRUE;
}

static Slice name_of_pool(const Inspection *inspection) {
    return symbol_text(&inspection->facts->cluster->symbols, inspection->view->pool);
}

// What speaks against the node itself, in Karpenter's order.
static Slice node_blocks(const Inspection *inspection) {
    const NodeView *view = inspection->view;

    if (!view->node)
        return SLICE("Nodeclaim does not have an associated node");
    if (!view->initialized)
        return SLICE("Node isn't initialized");
    if (view->deleting)
        return SLICE("Node is deleting or marked for deletion");
    if (inspection->facts->node_bits[inspection->at] & NODE_NOMINATED)
        return SLICE("Node is nominated for a pending pod");
    if (inspection->class != DISRUPTION_FORCEFUL && has_annotation(inspection))
        return SLICE("Disruption is blocked through the \"karpenter.sh/do-not-disrupt\" annotation");
    if (view->pool == NAME_EMPTY)
        return SLICE("Node doesn't have required label (label=karpenter.sh/nodepool)");
    if (!inspection->pool || !inspection->pool->types->count)
        return arena_printf(inspection->arena, "NodePool not found (NodePool=%.*s)",
                            SLICE_ARG(name_of_pool(inspection)));
    return (Slice){0};
}

// A claim whose drain has an end may go whatever its pods say, if the method is of that kind.
static Slice pods_block(const Inspection *inspection) {
    if (inspection->class == DISRUPTION_FORCEFUL)
        return (Slice){0};
    if (inspection->class == DISRUPTION_EVENTUAL && inspection->view->claim->spec.has_termination_grace_period)
        return (Slice){0};
    return node_pods_block(inspection->arena, inspection->facts, inspection->node_pods, inspection->at);
}

// --- what it costs

static const Offering *find_offering(const InstanceType *type, Symbol zone, Symbol capacity_type) {
    for (vec_each(const Offering, offering, &type->offerings)) {
        if (offering->zone == zone && offering->capacity_type == capacity_type)
            return offering;
    }
    return NULL;
}

static void price(const Inspection *inspection, DisruptionCandidate *candidate) {
    const Labels *labels = &inspection->view->labels;

    if (candidate->pool)
        candidate->type = instance_type_find(candidate->pool->types, labels_get(labels, NAME_INSTANCE_TYPE));
    if (candidate->type)
        candidate->offering =
            find_offering(candidate->type, labels_get(labels, NAME_ZONE), labels_get(labels, NAME_CAPACITY_TYPE));
    if (candidate->offering && !isnan(candidate->offering->price_per_hour))
        candidate->price_per_hour = candidate->offering->price_per_hour;
}

static void weigh(const Inspection *inspection, DisruptionCandidate *candidate) {
    const DisruptFacts *facts = inspection->facts;
    const BoundPods *pods = &inspection->node_pods->pods[inspection->at];
    const Symbols *symbols = &facts->cluster->symbols;

    candidate->reschedule_cost = node_reschedule_cost(pods->items, pods->count, symbols, facts->cost_rules);
    for (vec_each(const Pod *, pod, pods))
        candidate->disruption_cost += pod_eviction_cost(*pod, symbols, facts->cost_rules);
    candidate->disruption_cost *= claim_lifetime_left(inspection->view->claim, facts->wall_ns);
}

// Pods of one node are scattered in memory: those of the next one are asked for while this one is looked at.
static void prefetch(const NodePods *node_pods, uint32_t node) {
    for (vec_each(const Pod *const, pod, &node_pods->pods[node])) {
        __builtin_prefetch(*pod);
        __builtin_prefetch(&(*pod)->spec);
    }
}

// --- all of them

static const PlanPool *find_pool(const DisruptFacts *facts, Symbol name) {
    for (vec_each(const PlanPool, pool, &facts->pools)) {
        if (pool->pool->meta.name == name)
            return pool;
    }
    return NULL;
}

static DisruptionCandidate inspect(Inspection *inspection) {
    DisruptionCandidate candidate = {.node = inspection->at};

    inspection->view = &inspection->facts->nodes.items[inspection->at];
    inspection->pool = find_pool(inspection->facts, inspection->view->pool);
    candidate.pool = inspection->pool;
    candidate.is_silent = inspection->facts->node_bits[inspection->at] & NODE_IN_COMMAND ||
                          claim_is_rebooting(inspection->view->claim, &inspection->facts->cluster->symbols);
    if (!candidate.is_silent)
        candidate.blocked = node_blocks(inspection);
    if (candidate_is_open(&candidate))
        candidate.blocked = pods_block(inspection);
    price(inspection, &candidate);
    weigh(inspection, &candidate);
    return candidate;
}

DisruptionCandidateVec candidates_make(Arena *arena, const DisruptFacts *facts, const NodePods *node_pods,
                                       DisruptionClass class, const DisruptionCandidateVec *careful) {
    Inspection inspection = {.arena = arena, .facts = facts, .node_pods = node_pods, .class = class};
    DisruptionCandidateVec candidates = {0};

    for (uint32_t i = 0; i < facts->nodes.count; i++) {
        const DisruptionCandidate *known;

        if (!careful && i + 1 < facts->nodes.count)
            prefetch(node_pods, i + 1);
        if (!facts->nodes.items[i].claim)
            continue;
        known = careful ? &careful->items[candidates.count] : NULL;
        inspection.at = i;
        vec_push(arena, &candidates, known && candidate_is_open(known) ? *known : inspect(&inspection));
    }
    return candidates;
}
