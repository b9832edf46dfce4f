// Launching: a Node is made, now or later.
#pragma once

#include "cloud/kwok/provider/parts.h"

ErrCode kwok_launch(KwokProvider *provider, Arena *arena, const CloudLaunch *launch, CloudInstance *ret_instance,
                    CloudError *error);

// The instance that a Node is. ERR_NOT_FOUND: no such Node.
ErrCode kwok_read_node(KwokProvider *provider, Arena *arena, Slice name, CloudInstance *ret_instance,
                       CloudError *error);
