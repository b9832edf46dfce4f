// Errors of clouds, for implementations of the table, and names.
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

ErrCode cloud_fail_class(CloudError *error, ErrCode code, const char *format, ...) {
    va_list args;

    va_start(args, format);
    fill(error, code, "", format, args);
    va_end(args);
    if (error)
        error->class_not_ready = true;
    return code;
}

const char *cloud_message_text(CloudMessageKind kind) {
    static const char *const texts[CLOUD_MESSAGE_KINDS] = {
        [CLOUD_MESSAGE_OTHER] = "no_op",
        [CLOUD_MESSAGE_SPOT_INTERRUPTED] = "spot_interrupted",
        [CLOUD_MESSAGE_REBALANCE] = "rebalance_recommendation",
        [CLOUD_MESSAGE_SCHEDULED_CHANGE] = "scheduled_change",
        [CLOUD_MESSAGE_STOPPED] = "instance_stopped",
        [CLOUD_MESSAGE_TERMINATED] = "instance_terminated",
        [CLOUD_MESSAGE_RESERVATION_INTERRUPTED] = "capacity_reservation_interrupted",
        [CLOUD_MESSAGE_RESERVATION_ENDING] = "capacity_reservation_expiring",
        [CLOUD_MESSAGE_INSTANCE_IMPAIRED] = "instance_status",
        [CLOUD_MESSAGE_HOST_IMPAIRED] = "system_status",
        [CLOUD_MESSAGE_EVENT_SCHEDULED] = "event_status",
        [CLOUD_MESSAGE_ZONE_LEFT] = "zone_left",
        [CLOUD_MESSAGE_ZONE_BACK] = "zone_back",
    };

    return texts[kind];
}

const char *cloud_refresh_text(CloudRefresh what) {
    static const char *const texts[] = {
#define X(name, text, ...) [CLOUD_REFRESH_##name] = (text),
        CLOUD_REFRESHES(X)
#undef X
    };

    return texts[what];
}
