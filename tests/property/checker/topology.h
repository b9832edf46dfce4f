// Rules between pods: anti-affinity, affinity and topology spread at the end state of a plan.
//
// kube-scheduler places one pod after the other, in an order that is not known. So the checks require what holds in
// every order (anti-affinity), in at least one order (affinity), or what every order needs (spread).
#pragma once

#include "checker/scene.h"

// Whether a term selects the pods of a class.
bool judge_term_matches(const World *world, const AffinityTerm *term, const PodClass *class);
// Whether all terms select the class (kube-scheduler requires one pod that matches every required affinity term).
bool judge_all_terms_match(const World *world, const AffinityTermVec *terms, const PodClass *class);
bool judge_spread_matches(const World *world, const Spread *spread, const PodClass *owner, const PodClass *class);
// Whether kube-scheduler counts pods on that bin for the constraint of the class: by its node policies, and because the
// node has the keys of all constraints of the class.
bool judge_spread_counts_bin(Scene *scene, uint32_t class_index, const Spread *spread, uint32_t bin);
// The node policies alone.
bool judge_spread_policies_hold(Scene *scene, uint32_t class_index, const Spread *spread, uint32_t bin);

// Whether the spreads of all pods that the plan placed would still hold with one more node that has a pod of `class`
// and is in a domain without other nodes.
bool judge_spreads_bear_node(Scene *scene, const Shape *shape, const TaintVec *taints, const PodClass *class);

void judge_verify_anti_affinity(Scene *scene); // anti-affinity, undecided-domain
void judge_verify_affinity(Scene *scene);      // affinity, undecided-domain
void judge_verify_spread(Scene *scene);        // spread, undecided-domain
