// One request to the API server.
#pragma once

#include "kube/rest/rest_parts.h"

// Makes the call; repeats it once with fresh credentials after HTTP 401. The caller frees the reply. Every status but
// 2xx is a failure with the API server's Status.
ErrCode rest_do(KubeRest *rest, const RestCall *call, HttpReply *reply, KubeError *error);
