// Would one more pod fit here, beside everything that the plan has placed?
//
// Answers "yes" only when Karpenter's own rules and kube-scheduler's agree, the stricter of the two at each step (for
// spread: the domains that pools could open count too; daemons that may come take their room). A pod without a home
// for which the answer is yes was missed.
#pragma once

#include "checker/verify.h"

typedef enum {
    PLACE_NO,
    PLACE_YES,
    // A reservation that would do is used up in this plan: waiting for the next round is what a strict planner does.
    PLACE_DEFERRED,
} PlaceAnswer;

// On a fresh node of the pool, one type and offering at a time. `ret_where` (may be NULL) names the first that fits.
PlaceAnswer judge_place_on_pool(Scene *scene, const Pod *pod, const Pool *pool, Slice *ret_where);
// On an existing node or beside the pods of a planned claim.
bool judge_place_on_bin(Scene *scene, const Pod *pod, uint32_t bin);

// What the rules between pods ask for. `labels`: of the place. `bin`: INDEX_NONE for a fresh node. (place_topology.c)
typedef struct {
    Scene *scene;
    const Pod *pod;
    const PodClass *class;
    const Shape *shape;
    uint32_t bin;
} Place;
bool judge_place_meets_topology(const Place *place, const StateTable *narrowed);
// Whether any rule between pods touches a pod of the class at all.
bool judge_place_has_topology(Scene *scene, const PodClass *class);
// Every value of the constraint's key that a node of the cluster has or that a pool could make, as far as nodes with it
// count for the pod's class. (place_topology.c)
U32Vec judge_spread_universe(const Place *place, const Spread *spread);
// The heaviest pool that could serve the pod on a fresh node, NULL: none, or weights are not asked about such a pod.
// `without_limits`: of the pools that have none, whose answer no plan changes. (verify_missed.c)
const Pool *judge_heaviest_home(Scene *scene, const Pod *pod, bool without_limits);
