// Pods of a drawn scenario.
#pragma once

#include "sim/campaign/campaign_parts.h"

// "template: {…}" of a workload; small: as one of many. campaign_pods.c
void draft_pod(Draft *draft, uint32_t workload, DraftKind kind, bool small);
void draft_classes_of_pods(Draft *draft); // campaign_pods.c: priorities, storage
