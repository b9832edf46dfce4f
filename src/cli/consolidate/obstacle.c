// Why nodes stay, in a few words.
#include "cli/consolidate/obstacle.h"

// By the beginning of an event's text.
static const Obstacle obstacles[] = {
    {"Disruption is blocked", "do-not-disrupt on the node", "take karpenter.sh/do-not-disrupt off it"},
    {"Pod has", "a pod with do-not-disrupt", "take the annotation off, or give it a duration"},
    {"Pdb prevents", "a PodDisruptionBudget allows no eviction", "allow one disruption, or add a replica"},
    {"Eviction does not", "a pod has several PodDisruptionBudgets", "leave one budget for each pod"},
    {"NodePool \"", "the NodePool consolidates less", "set consolidateAfter and WhenEmptyOrUnderutilized"},
    {"Not all pods", "a pod would find no place", "tenon explain node says which pod"},
    {"SpotToSpot", "spot would become spot", "the gate SpotToSpotConsolidation allows it"},
    {"Instance Type", "its price is unknown", "give its type with --catalog"},
    {"Node does not have", "it lacks a label of its price", "label it as Karpenter does"},
    {"NodePool not found", "its NodePool is not in the input", "add nodepools to the dump"},
    {"Node is deleting", "it is being deleted already", "wait"},
    {"Node isn't", "it is not initialized yet", "wait"},
    {"Can't", "its pods have no cheaper place", "nothing: it is worth its price"},
    {"Pods that wait", "pods that wait are expected on it", "wait"},
    {"Costs $", "it costs no more than its pods would on new nodes", "nothing: it is worth its price"},
    {"Other places", "other places for its pods cost more than it saves", "nothing: it is worth its price"},
    {"Filtering by price", "minValues asks for dearer types", "ask for fewer values"},
    {NULL, "no move was found", "a budget may hold it back, or the search ended: plan again later"},
    {NULL, "it is of a node group", "let a NodePool give these pods their nodes"},
    {NULL, "its NodeClaim is not in the input", "add nodeclaims to the dump"},
};
enum { KNOWN = sizeof obstacles / sizeof *obstacles - 3, UNSAID = KNOWN, FOREIGN, LOST };
const uint32_t obstacle_count = sizeof obstacles / sizeof *obstacles;

const Obstacle *obstacle_at(uint32_t number) {
    return &obstacles[number];
}

const Obstacle *obstacle_of(const FleetNode *node) {
    if (!node->has_claim)
        return &obstacles[node->pool == NAME_EMPTY ? FOREIGN : LOST];
    for (uint32_t i = 0; i < KNOWN; i++) {
        if (slice_starts_with(node->why, slice_of(obstacles[i].prefix)))
            return &obstacles[i];
    }
    return &obstacles[UNSAID];
}
