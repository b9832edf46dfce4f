// Checks of a plan, one function per subject. Each reports to World.findings; the kinds of violations are listed beside
// it.
#pragma once

#include "checker/scene.h"

// Puts bound pods on their nodes and finds the pods to move off deleting nodes. To be called first.
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

// ---- shared by the checks

// Σ requests of the planned pods of a claim.
Amounts judge_claim_pod_requests(const World *world, const Claim *claim);
// What a pool's limits leave: limits minus existing nodes minus claims (the largest listed type of each). Only
// resources with a limit are present.
Amounts judge_pool_limits_left(Scene *scene, const Pool *pool);
// The reservations that a claim may use up, if its capacity type is reserved only; else empty.
U32Vec judge_claim_reservations(Scene *scene, const Launch *launch);
int64_t judge_reservation_left(Scene *scene, Symbol reservation);

// Room that a node's pods leave, minus the requests of daemons that will still come. `cautious`: a daemon whose pod
// there requests less than its template wants the difference too.
Amounts judge_node_room(Scene *scene, const Node *node, bool cautious);
// Requests of the daemons that certainly run on a candidate of a claim.
Amounts judge_candidate_daemons(Scene *scene, const Claim *claim, const Candidate *candidate);
// Requests of all daemons that may run on a type of a pool.
Amounts judge_type_daemons(Scene *scene, const Pool *pool, const Type *type);
// Whether the distinct volumes of a driver exceed its limit: those of bound and planned pods of a bin, and of `extra`
// (may be NULL).
bool judge_volumes_exceed(Scene *scene, uint32_t bin, const VolumeLimitVec *limits, const Pod *extra, bool cautious,
                          Symbol *ret_driver);
// Whether host ports of a class conflict with those of pods on a bin; `skip`: a pod to ignore, or INDEX_NONE.
bool judge_ports_taken(Scene *scene, uint32_t bin, const PodClass *class, uint32_t skip);
