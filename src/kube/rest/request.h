// One call.
#pragma once

#include "kube/rest/rest_parts.h"

// Does it, once more with fresh credentials after HTTP 401. The reply is freed by the caller. Anything but 2xx is a
// failure, told as the API server tells it.
ErrCode rest_do(KubeRest *rest, const RestCall *call, HttpReply *reply, KubeError *error);
