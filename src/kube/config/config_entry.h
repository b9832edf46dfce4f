// Cluster and user entries of a kubeconfig.
#pragma once

#include "kube/config/config_parts.h"

// Fill the members of `config` that come from a cluster entry, and from a user entry.
ErrCode config_read_cluster(Arena *arena, ConfigEntry cluster, KubeConfig *config, Err *err);
ErrCode config_read_user(Arena *arena, ConfigEntry cluster, ConfigEntry user, KubeConfig *config, Err *err);
