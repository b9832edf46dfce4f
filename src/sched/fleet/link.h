// Links parts that rely on each other by topology rules: a command must hold though no other one is carried out.
//
// Room and claims cannot link parts: nodes that stay never lose pods, and claims belong to one part. What can are rules
// on zones and other labels: a spread may allow a pod only since another part has moved one to the least domain.
#pragma once

#include "sched/fleet/state.h"

// Remembers the counts of topology groups before the first move. O(groups × domains).
void link_init(FleetSearch *search);

// Links each part that would violate a spread on its own to all parts whose pods the spread counts, and parts whose
// pods are counted by one affinity or anti-affinity rule. Repeated until every part holds. O(rounds × moved pods ×
// groups of their classes).
void link_parts(FleetSearch *search);
