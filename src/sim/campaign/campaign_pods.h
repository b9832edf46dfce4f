// Pods of a random scenario.
#pragma once

#include "sim/campaign/campaign_parts.h"

// Writes "template: {…}" of a workload; small: for one of many pods. campaign_pods.c
void draft_pod(Draft *draft, uint32_t workload, DraftKind kind, bool small);
void draft_classes_of_pods(Draft *draft); // campaign_pods.c: priorities, storage
