// List requests: pages are filtered while they arrive.
#pragma once

#include "kube/rest/rest_parts.h"

ErrCode rest_list(void *self, Arena *arena, const KubeListRequest *request, KubeList *ret_list, KubeError *error);

// The same for a watch; `stop` ends it.
ErrCode rest_list_until(KubeRest *rest, HttpStop *stop, Arena *arena, const KubeListRequest *request,
                        KubeList *ret_list, KubeError *error);
