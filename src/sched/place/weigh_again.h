// Reconsidering preferred rules in a finished solution (PREFERENCES_WEIGH).
#pragma once

#include "sched/solver.h"

// Tries, for each rule of each class, to add it to the pods without it and to drop it from the pods that keep it. A
// change that reduces price plus worth of rules left out is kept; otherwise the price of the rule is stored in
// PodClass.prices. Moves the pods of at most 16 bins at a time. False: the budget was over before the end. At most
// three passes of O(classes × rules) changes.
bool weigh_again(Solver *solver);

// Makes all prices of rules unknown: the solution in which they were measured is not the one that is written.
// O(classes × rules).
void weigh_forget_prices(Solver *solver);
