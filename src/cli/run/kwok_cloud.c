// Opening and closing the KWOK provider, and logging its errors.
#include "cli/run/kwok_cloud.h"

#include <stdio.h>

// Logs errors of the provider's own thread.
static void log_line(void *context, Slice message, Slice subject, const Err *err) {
    const KwokCloud *cloud = context;
    int64_t now_ns = clock_system_wall_ns();
    Slice error = slice_of(err ? err->text : "");
    char text[256];

    snprintf(text, sizeof text, "%.*s", SLICE_ARG(message));
    if (subject.len)
        json_log_say(cloud->log, now_ns, LOG_ERROR, text, "Node", subject, "error", error, NULL);
    else
        json_log_say(cloud->log, now_ns, LOG_ERROR, text, "error", error, NULL);
}

static ErrCode open_provider(void *context, Kube kube, const Symbols *symbols, Cloud *ret_cloud, Err *err) {
    KwokCloud *cloud = context;

    TRY(kwok_provider_new(&(KwokConfig){.kube = kube,
                                        .symbols = symbols,
                                        .types_file = cloud->types_file,
                                        .types_text = cloud->types_text,
                                        .log = log_line,
                                        .log_context = cloud},
                          &cloud->provider, err));
    *ret_cloud = kwok_provider_cloud(cloud->provider);
    return OK;
}

static ErrCode lead(void *context, Err *err) {
    return kwok_provider_start(((KwokCloud *)context)->provider, err);
}

static void close_provider(void *context) {
    KwokCloud *cloud = context;

    kwok_provider_free(cloud->provider);
    cloud->provider = NULL;
}

ManagerCloud kwok_cloud(KwokCloud *cloud) {
    return (ManagerCloud){.open = open_provider, .lead = lead, .close = close_provider, .context = cloud};
}
