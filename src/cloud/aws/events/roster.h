// The cluster's instances as they were last listed, and those that were launched since: whom messages may be about.
//
// EC2's own list shows a new instance late, so one that was launched stays until a list that came two minutes later.
// Symbols of provider ids are held as long as the instance is here.
#pragma once

#include "base/time.h"
#include "cloud/aws/events/known.h"

#define ROSTER_NEW_FOR_NS (2 * 60 * NS_PER_S)

typedef struct {
    Symbol provider_id, instance_type, zone, capacity_type;
    Symbol reservation; // NAME_EMPTY: none
    Mono launched;      // {0}: it was listed
} RosterInstance;

typedef struct {
    SymbolHolder holder;
    RosterInstance *items;
    uint32_t count, capacity;
    bool is_listed; // a list came
} Roster;

void roster_init(Roster *roster, const Symbols *symbols);
// Frees it; the symbols may have been freed before.
void roster_free(Roster *roster);

// A complete list. O(instances) expected.
void roster_list(Roster *roster, const CloudInstanceVec *instances, Mono now);
// An instance that was launched just now. O(1) amortised.
void roster_add(Roster *roster, const CloudInstance *instance, Mono now);

// The instances by their ids, with their reservations as labels; all of it in `arena`. O(instances).
KnownInstances roster_known(const Roster *roster, Arena *arena, const Symbols *symbols);
