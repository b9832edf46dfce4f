// The content (of one pod at least) of one place that is worth most, by branch and bound, and a proven bound of what
// any content is worth.
//
// For inputs whose contents are too many to be written down (small_floor.h does that). Dimensions of a place are the
// resources, hostname spreads, and the most that the place's domains may have of some items. A surrogate is one
// dimension that is a mixture of them: a content keeps it if it keeps all of them, and filling it by density, the last
// item with a fraction, is worth at least as much. docs/design/floor.md, section 10.
#pragma once

#include "sched/contents/problem.h"

typedef struct ContentSearch ContentSearch;

// In memory of the problem. `places`: the most that will be asked about.
ContentSearch *content_search_new(SmallProblem *problem, uint32_t places);

typedef struct {
    const SmallPlace *place;
    uint32_t number;     // of the place, among all that are asked about: its mixture is kept from call to call
    uint32_t banned;     // items that may not be there
    const double *worth; // per item
    double target;       // only contents worth more are searched
    uint32_t steps;      // steps of branching
} ContentQuestion;

typedef struct {
    double bound;           // no content is worth more, if it is above the target
    double value;           // of the content that was found; -INFINITY: none above the target
    const uint32_t *counts; // per item; until the next call
    uint64_t work;          // elementary operations
} ContentAnswer;

ContentAnswer content_search(ContentSearch *search, const ContentQuestion *question);
