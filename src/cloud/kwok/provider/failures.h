// Errors of the provider, and its log.
#pragma once

#include "cloud/kwok/provider/parts.h"

void kwok_log(const KwokProvider *provider, Slice message, Slice subject, const Err *err);

// Error "<doing>, <message of the API server>". Codes that have another meaning for a cloud (gone, no capacity) become
// ERR_IO.
ErrCode kwok_fail_kube(CloudError *error, const char *doing, const KubeError *from);
