// Variants that found no place: they are not tried again before something has changed.
#pragma once

#include "sched/solver.h"

// Whether a search for a place failed, and another one would fail, too. O(groups of the variant).
bool variant_has_failed(const Solver *solver, const Variant *variant);
// Notes that a search failed in the present state. O(groups of the variant).
void variant_note_failure(const Solver *solver, Variant *variant);

// Makes solver_place try again the variants that found no place; to be called when bins have changed in another way
// than by placing. O(variants).
void solver_forget_failures(Solver *solver);
