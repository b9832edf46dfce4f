// The price that preferred rules are compared with, and the worth of rules that are left out (PREFERENCES_WEIGH).
//
// The rate of a class is the lowest price per pod of a new node without preferred rules: the price of the node divided
// by the number of pods of the class's size that fit, at most all pending pods. It does not depend on placements. A
// rule of weight w is worth w percent of the rate per pod. The search minimizes price plus worth of the rules left out,
// so a rule is left out where keeping it would increase the price by more than its worth.
#pragma once

#include "sched/solver.h"

// Fills PodClass.rate of the classes with preferred rules; 0: no pool can open a claim for the class.
// O(classes × pools × terms × sites × steps).
void solver_find_rates(Solver *solver);

// The worth of the rules that a variant leaves out, $ per hour and pod. O(rules).
double variant_forgone(const PodClass *class, uint32_t variant);

// The sum of variant_forgone over the planned pods of a bin; 0 with other policies. O(entries × rules).
double bin_forgone(const Solver *solver, const Bin *bin);
