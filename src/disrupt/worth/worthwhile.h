// What a disruption is worth: the money that moving pods costs, and the time in which that has to be saved.
#pragma once

#include "disrupt/candidate.h"
#include "disrupt/round.h"

// Of moving all pods of the node, $ per hour of the time in which that has to be saved. O(pods).
double worthwhile_disruption(const Round *round, const DisruptionCandidate *candidate);

// Whether the command saves as much as the NodePools of all its nodes want (annotation tenon.sh/min-saving). O(nodes).
bool worthwhile_saves(const Round *round, const CandidateList *nodes, double saving_per_hour);

// Until nodes that go, and others that come instead, have saved what that costs, in hours, 1,000 at most; they save
// something. O(pods).
double worthwhile_hours(const Round *round, const CandidateList *nodes, double saving_per_hour);

// When the command has saved what it costs, ns since 1970; 0: it saves nothing that is known. O(pods).
int64_t worthwhile_paid_back_ns(const Round *round, const CandidateList *nodes, const DisruptCommand *command);

// Share of a new node's price that it costs while it is not of use yet.
extern const double WORTHWHILE_OVERHEAD;
// What a move saves at least, beyond its disruption, $ per hour: less is noise.
extern const double WORTHWHILE_LEAST;
