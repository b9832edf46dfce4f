// kube-scheduler's rules about one pod and one node: labels, taints, ports, room.
#pragma once

#include "checker/world.h"

// What the labels of a node may be: a node's own, or a claim's (or pool's) with one offering of a type.
typedef struct {
    const StateTable *own;
    const StateTable *offered; // NULL: a node that exists
    const StateTable *pins;    // assumed further, NULL: nothing
} Shape;

LabelStates judge_shape_get(World *world, const Shape *shape, Symbol key);
// Whether claim and offering can be of one node at all.
bool judge_shape_is_possible(World *world, const Shape *shape);

// Whether nodeSelector and required node affinity hold whatever the node turns out to be.
bool judge_class_holds_on(World *world, const PodClass *class, const Shape *shape);
// The same for volumes.
bool judge_volumes_hold_on(World *world, const PodVolumeVec *volumes, const Shape *shape);
// Whether the node can be made such that nodeSelector, one required term and one term of each volume hold together;
// `ret_narrowed` (may be NULL) gets what that makes of the labels. `doubtful`: also when it is open whether the node
// gets a label that its pool only excludes values of.
bool judge_class_can_hold_on(World *world, const PodClass *class, const PodVolumeVec *volumes, const Shape *shape,
                             bool doubtful, StateTable *ret_narrowed);

bool judge_taint_is_tolerated(const World *world, const PodClass *class, const Taint *taint);
// NoSchedule and NoExecute; PreferNoSchedule never refuses. The first one not tolerated, or NULL.
const Taint *judge_taint_in_the_way(const World *world, const PodClass *class, const TaintVec *taints);

bool judge_ports_conflict(const World *world, const HostPortVec *a, const HostPortVec *b);

// The first resource of which `requests` wants more than `room` has, else RESOURCE_MAX. What is not requested is not
// looked at, as kube-scheduler does.
uint32_t judge_resource_short(const Amounts *requests, const Amounts *room);

// Whether a claim of `own` may be launched as that offering: available, possible, and a reservation that has room.
bool judge_offering_is_launchable(World *world, const StateTable *own, const Offering *offering);

// Whether a daemon's pod runs on such a node for certain; whether it may run on some node of that type of the pool.
bool judge_daemon_runs_on(World *world, const DaemonSet *daemon_set, const TaintVec *taints, const Shape *shape);
bool judge_daemon_may_run_on(World *world, const DaemonSet *daemon_set, const Pool *pool, const Type *type);
