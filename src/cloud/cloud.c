// Errors of clouds, for implementations of the table.
#include "cloud/cloud.h"

#include <stdarg.h>
#include <stdio.h>

__attribute__((format(printf, 4, 0))) static void fill(CloudError *error, ErrCode code, const char *reason,
                                                       const char *format, va_list args) {
    char text[ERR_TEXT_MAX];

    if (!error)
        return;
    vsnprintf(text, sizeof text, format, args);
    *error = (CloudError){0};
    snprintf(error->reason, sizeof error->reason, "%s", reason);
    err_set(&error->err, code, "%s", text);
}

ErrCode cloud_fail(CloudError *error, ErrCode code, const char *format, ...) {
    va_list args;

    va_start(args, format);
    fill(error, code, "", format, args);
    va_end(args);
    return code;
}

ErrCode cloud_fail_for(CloudError *error, ErrCode code, const char *reason, const char *format, ...) {
    va_list args;

    va_start(args, format);
    fill(error, code, reason, format, args);
    va_end(args);
    return code;
}
