// Trouble: an offering that EC2 had no capacity for: how long it counts as unavailable, and how many launches may ask
// for it afterwards (issue 15, point 7; k#3198).
//
// The first mark lasts three minutes. When it is over, one launch probes the offering; if that fails, the next mark is
// twice as long, up to half an hour; if it succeeds, the offering is trusted, and the next mark is a short one again.
// A trusted offering has a budget of launches under way: halved by each mark, one more with each instance. Who knows
// of no trouble asks for as much as it likes.
#pragma once

#include "base/time.h"

#define TROUBLE_LEAST_NS (3 * NS_PER_MIN)
#define TROUBLE_MOST_NS  (30 * NS_PER_MIN)

// The budget before the first mark halves it, and the largest.
enum { TROUBLE_LAUNCHES_FIRST = 100, TROUBLE_LAUNCHES_MOST = 1000 };

// {0}: no trouble yet.
typedef struct {
    int64_t mark_ns;   // how long its mark was to last; 0: it had none
    int64_t until_ns;  // the end of that
    uint32_t launches; // may be under way at once while it is trusted
    bool is_trusted;   // an instance was launched since
} Trouble;

// EC2 has no capacity. While a mark stands, other launches that began before it fail as well, which only prolongs it.
Trouble trouble_failed(Trouble former, int64_t now_ns);
// An instance was launched. While a mark stands that says nothing: it was one of the last.
Trouble trouble_launched(Trouble former, int64_t now_ns);

// How many launches may be under way: none while it is marked, one to probe it, then its budget.
uint32_t trouble_allows(const Trouble *trouble, int64_t now_ns);
// Whether it can be forgotten: nothing failed for half an hour since the end of the mark.
bool trouble_is_over(const Trouble *trouble, int64_t now_ns);
