// Choice of the capacity pool for a launch.
#pragma once

#include "sim/cloud/launch_parts.h"

// Puts the candidates in the order in which EC2 tries them, and gives the highest score of spot pools; 0: no spot, or
// no instances left.
uint32_t cloud_rank(SimCloud *cloud, LaunchCandidates *candidates);
// Whether EC2 tries a candidate: not if it is spot and much emptier than others.
bool cloud_score_is_tried(const LaunchCandidate *candidate, uint32_t best);
uint32_t cloud_candidate_left(const SimCloud *cloud, const LaunchCandidate *candidate); // UINT32_MAX: unlimited

// Tries the candidates as EC2 would and makes the instance; returns its number. Marks pools without capacity as
// unavailable in the view. ERR_CAPACITY: no pool has capacity.
ErrCode cloud_give(SimLaunch *launch, uint32_t *ret_number, CloudError *error);
