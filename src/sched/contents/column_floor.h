// A floor from a linear program over whole contents of nodes, with the rules between nodes as its rows.
//
// For inputs with too many contents for small_floor.h: contents are made when the program asks for them, by branch and
// bound (best_content.h). It may use fractions of nodes, but it knows what small_floor knows of places and of rules.
// docs/design/floor.md, section 10.
#pragma once

#include "sched/contents/small_floor.h"

// The floor, $ per hour; 0 where the input is too large, or nothing is proved. `question->deals` is not used. As for
// small_floor, the solver must have placed no pods. O(steps).
double column_floor(Solver *solver, const SmallFloorQuestion *question);
