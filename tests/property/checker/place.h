// Missed placements: would one more pod fit, beside everything that the plan placed?
//
// The answer is yes only if both Karpenter's and kube-scheduler's rules allow it, by the stricter of the two at each
// step (for spread: domains that pools could open count too; daemons that may come take their room). An unplaced pod
// for which the answer is yes was missed.
#pragma once

#include "checker/verify.h"

typedef enum {
    PLACE_NO,
    PLACE_YES,
    // A suitable reservation is used up by this plan: a strict planner waits for the next round.
    PLACE_DEFERRED,
} PlaceAnswer;

// On a new node of the pool, for each type and offering. `ret_where` (may be NULL): the first that fits.
PlaceAnswer judge_place_on_pool(Scene *scene, const Pod *pod, const Pool *pool, Slice *ret_where);
// On an existing node, or beside the pods of a planned claim.
bool judge_place_on_bin(Scene *scene, const Pod *pod, uint32_t bin);

// Volume limits of a node: those of its CSINode, and for drivers that it does not have yet those that the type
// promises.
VolumeLimitVec judge_expected_limits(World *world, const Node *node);

// A place to check the rules between pods for. `labels`: of the place. `bin`: INDEX_NONE for a new node.
// (place_topology.c)
typedef struct {
    Scene *scene;
    const Pod *pod;
    const PodClass *class;
    const Shape *shape;
    uint32_t bin;
} Place;
bool judge_place_meets_topology(const Place *place, const StateTable *narrowed);
// Whether any rule between pods concerns pods of the class.
bool judge_place_has_topology(Scene *scene, const PodClass *class);
// All values of the constraint's key that nodes of the cluster have or pools could create, on nodes that count for the
// pod's class. (place_topology.c)
U32Vec judge_spread_universe(const Place *place, const Spread *spread);
// The pool with the highest weight that could serve the pod on a new node; NULL: none, or weights do not apply to the
// pod. `without_limits`: only pools without limits, whose answer no plan changes. (verify_missed.c)
const Pool *judge_heaviest_home(Scene *scene, const Pod *pod, bool without_limits);
