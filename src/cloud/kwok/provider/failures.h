// Saying what went wrong.
#pragma once

#include "cloud/kwok/provider/parts.h"

void kwok_log(const KwokProvider *provider, Slice message, Slice subject, const Err *err);

// "<doing>, <text of the API server>". Codes that mean something else of a cloud (gone, no capacity) become ERR_IO.
ErrCode kwok_fail_kube(CloudError *error, const char *doing, const KubeError *from);
