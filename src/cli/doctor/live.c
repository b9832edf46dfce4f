// The order of the questions: whether the API server answers, what it serves, what it allows, what it has, and AWS.
#include "cli/doctor/live.h"

#include "cli/doctor/live_aws.h"
#include "cli/doctor/live_objects.h"
#include "cli/doctor/live_rights.h"

// One call, and all calls of the API server together: someone waits for the answer.
enum { CALL_S = 20, ALL_CALLS_S = 60 };

static Slice copy_error(const LiveReading *reading, const Err *err) {
    return arena_slice(reading->arena, slice_of(err->text));
}

static bool read_server(const LiveReading *reading, Slice server) {
    FactLive *live = &reading->facts->live;
    KubeError error = {0};
    Value version;

    live->server = (FactCall){.what = server, .object = server};
    live->server.code = live_get(reading, "/version", &version, &error);
    if (live->server.code != OK) {
        live->server.text = copy_error(reading, &error.err);
        return false;
    }
    live->version = kube_text(&version, "gitVersion", NULL);
    reading->facts->kubernetes = (FactSetting){.is_given = true, .value = live->version};
    return true;
}

ErrCode live_gather(Arena *arena, const LiveOptions *options, Facts *facts, Err *err) {
    KubeConfig config = {0};
    LiveReading reading = {arena, options, NULL, facts};

    TRY(kube_config_load(arena, options->kubeconfig, options->context, &config, err));
    TRY(kube_rest_open(&config, &(KubeRestOptions){.call_timeout_ns = CALL_S * NS_PER_S}, &reading.rest, err));
    kube_rest_end_within(reading.rest, ALL_CALLS_S * NS_PER_S);
    if (read_server(&reading, config.server)) {
        live_read_definitions(&reading);
        live_read_rights(&reading);
        live_read_objects(&reading);
        live_read_aws(&reading);
    }
    kube_rest_close(reading.rest);
    return OK;
}
