// Errors of the provider, and its log.
#include "cloud/kwok/provider/failures.h"

void kwok_log(const KwokProvider *provider, Slice message, Slice subject, const Err *err) {
    if (provider->config.log)
        provider->config.log(provider->config.log_context, message, subject, err);
}

ErrCode kwok_fail_kube(CloudError *error, const char *doing, const KubeError *from) {
    ErrCode code = from->err.code;

    if (code == ERR_NOT_FOUND || code == ERR_CONFLICT || code == ERR_GONE || code == ERR_CAPACITY ||
        code == ERR_TOO_LARGE)
        code = ERR_IO;
    return cloud_fail(error, code, "%s, %s", doing, from->err.text);
}
