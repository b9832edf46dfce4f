// The old objects of a cluster, as manifests. Reads only: GETs of lists.
#pragma once

#include "cli/plan.h"

// Appends the Provisioners, AWSNodeTemplates and the NodePools and EC2NodeClasses of v1beta1 that a cluster has, a text
// for each kind, named "provisioners.karpenter.sh"; to `settings` (NULL: not read) the ConfigMap
// karpenter-global-settings of any namespace. `kubeconfig` and `context` as kube_config_load. Kinds that the API server
// does not serve are passed over. ERR_NOT_FOUND: it has none of these objects, or there is no kubeconfig; ERR_DENIED,
// ERR_IO, ERR_TIMEOUT, ERR_INVALID: a list cannot be read; the text names it.
ErrCode cluster_objects_read(Arena *arena, Slice kubeconfig, Slice context, InputTextVec *objects,
                             InputTextVec *settings, Err *err);
