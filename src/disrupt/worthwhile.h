// What a disruption is worth: the money that moving pods costs, and the time in which that has to be saved.
#pragma once

#include "disrupt/candidate.h"
#include "disrupt/round.h"

// Of moving all pods of the node, $ per hour over the payback time of its pool. O(pods).
double worthwhile_disruption(const Round *round, const DisruptionCandidate *candidate);

// Share of a new node's price that it costs while it is not of use yet.
extern const double WORTHWHILE_OVERHEAD;
// What a move saves at least, beyond its disruption, $ per hour: less is noise.
extern const double WORTHWHILE_LEAST;
