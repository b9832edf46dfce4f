// What can be seen of a solver, and what its counts have to be.
#pragma once

#include "sched/support/trial.h"

// Everything that placing changes, as text: bins with pods, loads, types, prices and charges; counts of topology; pods
// placed per class; what is left of limits and reservations. Equal texts: equal solvers. Lives as long as the trial.
const char *solver_text(Trial *trial);

// Fails the test unless all counts are those that the pods on the bins give when they are counted anew, from nothing.
void assert_counts_add_up(Trial *trial);
