// What the parts of the provider share: time, notes, failures.
#include "cloud/aws/provider/parts.h"

#include <stdarg.h>
#include <stdio.h>

Moment provider_now(const AwsProvider *provider) {
    return aws_client_now(provider->client);
}

void provider_log(const AwsProvider *provider, AwsLogLevel level, const char *message, Slice subject,
                  const char *format, ...) {
    const AwsProviderLog *log = &provider->config.log;
    char text[ERR_TEXT_MAX];
    va_list args;
    Err err;

    if (!log->log)
        return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    err_set(&err, ERR_IO, "%s", text);
    log->log(log->context, level, message, subject, &err);
}

ErrCode provider_fail(CloudError *error, const char *what, const AwsOutcome *outcome, const Err *err) {
    ErrCode code = err->code;

    if (code == ERR_NOT_FOUND && (!outcome || outcome->kind != AWS_NOT_FOUND))
        code = ERR_IO;
    return cloud_fail(error, code, "%s: %s", what, err->text);
}
