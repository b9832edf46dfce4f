// A Kube in front of another one that shows the objects of 2023 as today's and carries writes back.
//
// Lists and watches of NodePools, NodeClaims and EC2NodeClasses have the Provisioners, Machines and AWSNodeTemplates in
// them, as legacy/present/present.h translates them; Nodes of Provisioners are those of their pools. Calls that name
// such an object become calls of the old one. The old kinds themselves pass as they are.
//
// A watch is one watch for each kind behind it. When one of several ends, all end with ERR_GONE: who watches lists
// again, because a revision that one of them has reached says nothing of the others. A cluster without the old
// definitions has no old objects, and then the bridge changes nothing; bridge_know tells it of definitions that come
// and go.
#pragma once

#include "legacy/present/present.h"

typedef struct Bridge Bridge;

// `inner` and the texts of `settings` must outlive it.
Bridge *bridge_new(Kube inner, const PresentSettings *settings);
// To be called when no call is under way and all watches were ended.
void bridge_free(Bridge *bridge);

// Which of the old kinds the API server knows; all of them until it is told. When that changes, the watches through the
// bridge end with ERR_GONE. Without Machines every Provisioner is refused, which its condition says. Any thread, one at
// a time.
enum { BRIDGE_KNOWS_PROVISIONERS = 1, BRIDGE_KNOWS_TEMPLATES = 2, BRIDGE_KNOWS_MACHINES = 4, BRIDGE_KNOWS_ALL = 7 };
void bridge_know(Bridge *bridge, uint32_t known);
// Behind the pages of a list come those of the old kinds, in the state in which they are then read; these have no
// revision from which to watch. A list with selectors has objects of today only: labels of the old ones have other
// names, and the pools that they belong to have names that no selector can ask for.
Kube bridge_kube(Bridge *bridge);
