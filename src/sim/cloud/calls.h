// The calls of a view, except launch.
#pragma once

#include "sim/cloud/cloud_parts.h"

ErrCode cloud_view_terminate(SimView *view, Symbol provider_id, CloudError *error);
ErrCode cloud_view_reboot(SimView *view, Symbol provider_id, Slice operation, CloudError *error);
ErrCode cloud_view_get(SimView *view, Symbol provider_id, CloudInstance *ret_instance, CloudError *error);
ErrCode cloud_view_list(SimView *view, Arena *arena, CloudInstanceVec *ret_instances, CloudError *error);
ErrCode cloud_view_is_drifted(SimView *view, const NodeClaim *claim, Slice *ret_reason, CloudError *error);
