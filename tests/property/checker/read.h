// Reading Value trees into the World. Unknown kinds and fields are ignored; a field of the wrong type counts as absent
// unless it is indispensable (ERR_INVALID).
#pragma once

#include "checker/world.h"

// Parts (read_parts.c).
Slice judge_read_text(const Value *map, const char *member); // empty when absent or not a string
Symbol judge_read_symbol(World *world, const Value *map, const char *member);
int64_t judge_read_int(const Value *map, const char *member, int64_t when_absent);
bool judge_read_bool(const Value *map, const char *member);
bool judge_read_has(const Value *map, const char *member); // present and not null
// Elements of a list member, none when absent: for (uint32_t i = 0; i < judge_read_count(list); i++)
// list->list.items[i].
const Value *judge_read_list(const Value *map, const char *member);
uint32_t judge_read_count(const Value *list);
Symbol judge_read_key(World *world, Slice key); // deprecated label keys become the stable ones
LabelVec judge_read_labels(World *world, const Value *map);
U32Vec judge_read_symbols(World *world, const Value *list); // distinct
Expression judge_read_expression(World *world, const Value *value, const char *key_member);
Selector judge_read_selector(World *world, const Value *value);
NodeTerm judge_read_node_term(World *world, const Value *value);
TaintVec judge_read_taints(World *world, const Value *list);
TolerationVec judge_read_tolerations(World *world, const Value *list);
uint32_t judge_read_resource(World *world, Slice name);
// Amounts of a resource list. ERR_INVALID: not a quantity.
ErrCode judge_read_amounts(World *world, const Value *map, Amounts *ret_amounts, Err *err);
Symbol judge_read_namespaced(World *world, Slice ns, Slice name); // "ns/name"
// Finds the condition of that type; its status and reason.
bool judge_read_condition(const Value *status, const char *type, Slice *ret_status, Slice *ret_reason);
// The owner that controls an object, or NULL.
const Value *judge_read_controller(const Value *metadata);

// The class of pods with that namespace, labels and spec; added when new. `name` distinguishes pods whose spec refers
// to objects of their own (ephemeral volumes).
ErrCode judge_read_pod_class(World *world, Slice ns, Slice name, const Value *metadata, const Value *spec,
                             const Value *status, uint32_t *ret_class, Err *err);

// Objects that others refer to while reading.
typedef Vec(const Value *) ValueRefs;
typedef struct {
    ValueRefs pods, workloads, daemon_sets, nodes, node_claims, node_pools, namespaces, claims, volumes, classes,
        csi_nodes, budgets, runtime_classes, priority_classes;
} Objects;

void judge_read_sort_objects(World *world, const DocumentVec *documents, Objects *ret_objects);
ErrCode judge_read_pods(World *world, const Objects *objects, Err *err);    // pods and workloads
ErrCode judge_read_cluster(World *world, const Objects *objects, Err *err); // all but pods and nodes
// Sorts the DaemonSets and finds those that fit on no type of a pool. The catalogue must have been read. (daemons.c)
void judge_leave_out_daemons(World *world);
ErrCode judge_read_nodes(World *world, const Objects *objects, Err *err);
void judge_read_volumes(World *world, const Objects *objects, Pod *pod, Slice ns, Slice name, const Value *spec,
                        const Value *templates);
ErrCode judge_read_catalog(World *world, const Value *catalog, Err *err);
ErrCode judge_read_plan(World *world, const Value *plan, Err *err);
// Everything but the plan, with bound pods on their nodes. (check_plan.c)
ErrCode judge_read_case(World *world, const DocumentVec *manifests, const Value *catalog, Err *err);
// Whether validation leaves the pod out (scheduling.md 4.1), not considering volumes.
Ignored judge_read_ignored(World *world, const Value *spec);
