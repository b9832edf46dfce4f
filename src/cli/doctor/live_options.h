// What the live doctor is told.
#pragma once

#include "base/slice.h"

typedef struct {
    Slice kubeconfig, context; // as kube_config_load
    Slice as_user;             // whose rights are looked at; empty: those of the kubeconfig's user, who reads
    Slice ns;                  // of the Lease
    Slice queue;               // empty: as the Deployment or karpenter-global-settings have it
} LiveOptions;
