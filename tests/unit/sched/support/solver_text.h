// The state of a solver as text, and a check of its counts.
#pragma once

#include "sched/support/trial.h"

// Everything that placing changes, as text: bins with pods, loads, types, prices and charges; counts of topology; pods
// placed per class; what is left of limits and reservations. Lives as long as the trial.
const char *solver_text(Trial *trial);

// Fails the test unless all counts are equal to those recomputed from the pods on the bins.
void assert_counts_add_up(Trial *trial);
