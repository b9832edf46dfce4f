// Clusters and users of a configuration.
#pragma once

#include "kube/config/config_parts.h"

// Fills the members of `config` that a cluster, and a user, speak of.
ErrCode config_read_cluster(Arena *arena, ConfigEntry cluster, KubeConfig *config, Err *err);
ErrCode config_read_user(Arena *arena, ConfigEntry cluster, ConfigEntry user, KubeConfig *config, Err *err);
