// Launch: creates the Node, now or after a delay.
#pragma once

#include "cloud/kwok/provider/parts.h"

ErrCode kwok_launch(KwokProvider *provider, Arena *arena, const CloudLaunch *launch, CloudInstance *ret_instance,
                    CloudError *error);

// Reads a Node as an instance. ERR_NOT_FOUND: no such Node.
ErrCode kwok_read_node(KwokProvider *provider, Arena *arena, Slice name, CloudInstance *ret_instance,
                       CloudError *error);
