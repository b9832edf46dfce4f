// The launch call of a view.
#pragma once

#include "sim/cloud/cloud_parts.h"

ErrCode cloud_view_launch(SimView *view, Arena *arena, const CloudLaunch *launch, CloudInstance *ret_instance,
                          CloudError *error);
