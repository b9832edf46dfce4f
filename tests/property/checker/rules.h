// kube-scheduler's rules about one pod and one node: labels, taints, ports, room.
#pragma once

#include "checker/world.h"

// Shape: possible labels of a node: an existing node's, or those of a claim or pool with one offering of a type.
typedef struct {
    const StateTable *own;
    const StateTable *offered; // NULL: an existing node
    const StateTable *pins;    // further assumptions; NULL: none
} Shape;

LabelStates judge_shape_get(World *world, const Shape *shape, Symbol key);
// Whether one node can satisfy both claim and offering.
bool judge_shape_is_possible(World *world, const Shape *shape);

// Whether nodeSelector and required node affinity match, whatever labels the node will have.
bool judge_class_holds_on(World *world, const PodClass *class, const Shape *shape);
// The same for the node affinity of volumes.
bool judge_volumes_hold_on(World *world, const PodVolumeVec *volumes, const Shape *shape);
// Whether the node can be launched such that nodeSelector, one required term and one term of each volume match
// together; `ret_narrowed` (may be NULL): the labels that remain. `doubtful`: also if it is undecided whether the node
// gets a label of which its pool only excludes values.
bool judge_class_can_hold_on(World *world, const PodClass *class, const PodVolumeVec *volumes, const Shape *shape,
                             bool doubtful, StateTable *ret_narrowed);

bool judge_taint_is_tolerated(const World *world, const PodClass *class, const Taint *taint);
// The first NoSchedule or NoExecute taint that is not tolerated (PreferNoSchedule never refuses), or NULL.
const Taint *judge_taint_in_the_way(const World *world, const PodClass *class, const TaintVec *taints);

bool judge_ports_conflict(const World *world, const HostPortVec *a, const HostPortVec *b);

// The first resource of which `requests` exceeds `room`; RESOURCE_MAX: none. Resources that are not requested are not
// checked, as in kube-scheduler.
uint32_t judge_resource_short(const Amounts *requests, const Amounts *room);

// Whether a claim with these labels may be launched as that offering: available, compatible, and a reservation has
// room.
bool judge_offering_is_launchable(World *world, const StateTable *own, const Offering *offering);

// Whether a daemon's pod certainly runs on such a node; the same of a new node of the pool, where a daemon that fits on
// none of the pool's types does not count; whether it may run on some node of that type of the pool.
bool judge_daemon_runs_on(World *world, const DaemonSet *daemon_set, const TaintVec *taints, const Shape *shape);
bool judge_daemon_runs_on_new(World *world, const DaemonSet *daemon_set, const Pool *pool, const Shape *shape);
bool judge_daemon_may_run_on(World *world, const DaemonSet *daemon_set, const Pool *pool, const Type *type);
