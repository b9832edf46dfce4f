// What a random scenario says of voluntary disruption: policies and budgets of NodePools, workloads that shrink, drift.
#pragma once

#include "sim/campaign/campaign_parts.h"

// Appends tenon's settings about it to a map that is open: ", consolidation: classic".
void draft_disruption_settings(Draft *draft);

// Appends "disruption: {…}" of a NodePool.
void draft_pool_disruption(Draft *draft);

// Appends annotations of nodes to the metadata of a NodePool's template, behind other members; or nothing.
void draft_node_annotations(Draft *draft);

// Writes Deployments that become single replicas which are surged before their eviction.
void draft_surges(Draft *draft);

// Writes changes: workloads shrink, templates and budgets change.
void draft_disruption_changes(Draft *draft);
