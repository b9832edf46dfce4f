// consolidationPolicy Balanced: a move must save as large a share of its pool's cost as the half of its share of the
// pool's disruption. Reference lifecycle.md 4.15.
#pragma once

#include "disrupt/round.h"

// A move in one pool: the shares of the pool's price and disruption that it saves and disrupts, and their quotient.
typedef struct {
    double score; // 0 when nothing is saved, INFINITY when that disrupts nothing
    double saved, disrupted;
} BalancedScore;

// Prices and saving in $ per hour, disruption in the unit of cost.h; what a pool has of either is 0 when it is unknown:
// the score is 0 then.
BalancedScore balanced_score(double saving, double disruption, double pool_price, double pool_disruption);
// Whether a pool with the policy approves of a move with that score: at least 1/2.
bool balanced_is_enough(double score);

// Whether every pool with that policy among the nodes' approves of a move that saves so much; others always do. `all`:
// the nodes that the method may choose from. O(nodes + pods of the pools).
bool balanced_approves(const Round *round, const CandidateList *all, const CandidateList *list, double saving_per_hour);

// Adds the move to those that the pass considered, for each pool of its nodes, whatever its policy. Scores of an
// approved move are noted as well: on the node, or of several nodes on their pools.
void balanced_record(Round *round, const CandidateList *all, const CandidateList *list, double saving_per_hour,
                     bool is_approved);
