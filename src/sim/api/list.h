// Lists.
#pragma once

#include "sim/api/server.h"

ErrCode do_list(Request *request, Arena *arena, const KubeListRequest *list, KubeList *ret_list);
