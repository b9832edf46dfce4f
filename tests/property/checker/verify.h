// The checks of a plan, one function a subject. Each reports into World.findings; the kinds are named beside it.
#pragma once

#include "checker/scene.h"

// Attaches bound pods to their nodes and finds the pods that a planner moves off deleting nodes. Before everything.
void judge_settle_bound_pods(World *world);

void judge_verify_coverage(World *world); // missing-pod, duplicate-pod, ignored-pod, not-pending, unknown-node
void judge_verify_claims(Scene *scene);   // unknown-pool, static-pool, pool-not-ready, empty-claim, requirements,
                                          // no-offering, taints, node-affinity, volumes, host-ports, resources,
                                          // volume-limits, min-values
void judge_verify_nodes(Scene *scene);    // deleting-node, taints, node-affinity, volumes, host-ports, resources,
                                          // volume-limits
void judge_verify_pools(Scene *scene);    // limits, reservation
void judge_verify_prices(Scene *scene);   // choice, price, type-order
void judge_verify_requests(Scene *scene); // requests
void judge_verify_missed(Scene *scene);   // missed
void judge_verify_weights(Scene *scene);  // weight

// ---- shared by them

// Σ requests of the planned pods of a claim.
Amounts judge_claim_pod_requests(const World *world, const Claim *claim);
// What a pool's limits leave: limits less existing nodes less claims (largest listed type each). Only resources with a
// limit are present.
Amounts judge_pool_limits_left(Scene *scene, const Pool *pool);
// The reservations that a claim may use up: its capacity type is reserved alone. Empty for others.
U32Vec judge_claim_reservations(Scene *scene, const Launch *launch);
int64_t judge_reservation_left(Scene *scene, Symbol reservation);

// Requests of the daemons that will still come to a node, and what its pods leave. With `cautious`, every daemon that
// has no pod there keeps its whole room; else running daemons of other sets make up for it, as Karpenter reckons.
Amounts judge_node_room(Scene *scene, const Node *node, bool cautious);
// Requests of the daemons that a candidate of a claim runs for certain.
Amounts judge_candidate_daemons(Scene *scene, const Claim *claim, const Candidate *candidate);
// Requests of all daemons that may run on a type of a pool.
Amounts judge_type_daemons(Scene *scene, const Pool *pool, const Type *type);
// Distinct volumes of a driver: of bound and planned pods of a bin, and of `extra` (may be NULL).
bool judge_volumes_exceed(Scene *scene, uint32_t bin, const VolumeLimitVec *limits, const Pod *extra, bool cautious,
                          Symbol *ret_driver);
// Host ports of pods on a bin conflict with those of a class; `skip`: a pod that does not count, or INDEX_NONE.
bool judge_ports_taken(Scene *scene, uint32_t bin, const PodClass *class, uint32_t skip);
