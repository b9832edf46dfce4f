// The session, the provider, its log, and the version of Kubernetes.
#include "cli/run/aws_cloud.h"

#include "cli/run/aws_page.h"
#include "cli/run/stop_guard.h"
#include "net/base64.h"
#include "text/json.h"

#include <stdio.h>

// Karpenter's, since AWS's support looks for it (reference aws.md 2.4).
#define USER_AGENT "karpenter.sh-1.15.1"

// Tags once a second, as Karpenter (reference aws.md 2.2). The others have the rates that EC2 gives an account for each
// call, so that a burst waits here instead of being refused there; TerminateInstances' turns are its own, so that no
// launch holds back what saves money.
static const AwsPace paces[] = {
    {"ec2", "CreateTags", 1, 1},
    {"ec2", "TerminateInstances", 5, 100},
    {"ec2", "CreateFleet", 5, 50},
    {"ec2", "CreateLaunchTemplate", 5, 50},
    {"ec2", "DeleteLaunchTemplate", 5, 50},
};

// --- the session

ErrCode aws_cloud_open(AwsCloud *cloud, Arena *arena, const KubeConfig *config, uint64_t seed, Err *err) {
    AwsSessionOptions options = {.environment = cloud->environment,
                                 .gate = cloud->gate,
                                 .user_agent = SLICE(USER_AGENT),
                                 .paces = paces,
                                 .pace_count = sizeof paces / sizeof *paces,
                                 .seed = seed,
                                 .observer = aws_meter_observer(&cloud->meter)};

    cloud->kube_ca_bundle = base64_encode(arena, config->ca_pem);
    TRY(aws_session_open(&options, &cloud->session, err));
    json_log_say(cloud->log, clock_system_wall_ns(), LOG_INFO, "discovered region", "region",
                 aws_client_region(aws_session_client(cloud->session)), "credentials",
                 slice_of(aws_session_source(cloud->session)), NULL);
    return OK;
}

void aws_cloud_close(AwsCloud *cloud) {
    aws_session_close(cloud->session);
    cloud->session = NULL;
}

void aws_cloud_end_within(AwsCloud *cloud, int64_t rest_ns) {
    if (cloud->session)
        aws_session_end_within(cloud->session, rest_ns);
}

// --- what the provider is given

static bool is_number(Slice text) {
    int64_t number;

    return slice_to_int64(text, &number);
}

static void log_line(void *context, AwsLogLevel aws_level, const char *message, Slice subject, const Err *err) {
    const AwsCloud *cloud = context;
    static const LogLevel levels[] = {
        [AWS_LOG_INFO] = LOG_INFO, [AWS_LOG_ERROR] = LOG_ERROR, [AWS_LOG_DEBUG] = LOG_DEBUG};
    LogLevel level = levels[aws_level];
    Slice text = slice_of(err ? err->text : "");
    const char *key = aws_level == AWS_LOG_ERROR ? "error" : is_number(text) ? "count" : "details";
    int64_t now_ns = clock_system_wall_ns();

    if (subject.len && text.len)
        json_log_say(cloud->log, now_ns, level, message, "subject", subject, key, text, NULL);
    else if (subject.len)
        json_log_say(cloud->log, now_ns, level, message, "subject", subject, NULL);
    else if (text.len)
        json_log_say(cloud->log, now_ns, level, message, key, text, NULL);
    else
        json_log_say(cloud->log, now_ns, level, message, NULL);
}

// The digits that a text begins with.
static Slice digits_of(Slice text) {
    size_t count = 0;

    while (count < text.len && text.ptr[count] >= '0' && text.ptr[count] <= '9')
        count++;
    return slice_first(text, count);
}

// {"major":"1","minor":"35+"} as "1.35".
static ErrCode read_version(Arena *arena, Slice text, Slice *ret_version, Err *err) {
    DocumentVec documents = {0};
    WarningVec warnings = {0};
    const Value *major, *minor;
    Slice first, second;

    TRY(json_parse(arena, SLICE("/version"), text, NULL, &documents, &warnings, err));
    major = documents.count ? value_get_text(&documents.items[0].root, "major") : NULL;
    minor = documents.count ? value_get_text(&documents.items[0].root, "minor") : NULL;
    first = major && major->kind == VALUE_STRING ? digits_of(major->text) : (Slice){0};
    second = minor && minor->kind == VALUE_STRING ? digits_of(minor->text) : (Slice){0};
    if (!first.len || !second.len)
        return err_set(err, ERR_INVALID, "the API server's /version has no major and minor version");
    *ret_version = arena_printf(arena, "%.*s.%.*s", SLICE_ARG(first), SLICE_ARG(second));
    return OK;
}

static ErrCode ask_version(void *context, Arena *arena, Slice *ret_version, Err *err) {
    KubeError error = {0};
    Slice text;

    if (kube_rest_probe(((AwsCloud *)context)->rest, arena, SLICE("/version"), &text, &error) != OK)
        return err_set(err, error.err.code, "the version of Kubernetes: %s", error.err.text);
    return read_version(arena, text, ret_version, err);
}

// --- the provider

static void end_start(void *context) {
    AwsCloud *cloud = context;

    aws_cloud_end_within(cloud, 0);
    kube_rest_end_within(cloud->rest, 0);
}

// What AWS refuses may be put right without a change of tenon's settings: never ERR_INVALID.
static ErrCode probe(AwsCloud *cloud, Err *err) {
    StopGuard guard = {.stop_fd = cloud->stop_fd, .stop = end_start, .context = cloud};
    ErrCode code;

    TRY(stop_guard_begin(&guard, err));
    code = aws_provider_probe(cloud->provider, err);
    stop_guard_end(&guard);
    if (code == ERR_INVALID)
        err->code = code = ERR_IO;
    return code;
}

static void print_market(void *context, Buffer *page) {
    Arena arena = {0};
    MarketFacts facts = aws_provider_market(((AwsCloud *)context)->provider, &arena);

    aws_page_print(&facts, page);
    arena_free(&arena);
}

static void close_provider(void *context) {
    AwsCloud *cloud = context;

    if (cloud->page)
        page_ask(cloud->page, NULL);
    aws_provider_free(cloud->provider);
    cloud->provider = NULL;
}

static ErrCode open_provider(void *context, Kube kube, const Symbols *symbols, Cloud *ret_cloud, Err *err) {
    AwsCloud *cloud = context;
    ErrCode code;

    cloud->provider = aws_provider_new(&(AwsConfig){.settings = cloud->settings,
                                                    .session = cloud->session,
                                                    .kube = kube,
                                                    .symbols = symbols,
                                                    .kube_version = ask_version,
                                                    .kube_context = cloud,
                                                    .kube_ca_bundle = cloud->kube_ca_bundle,
                                                    .namespace = cloud->ns,
                                                    .log = {log_line, cloud},
                                                    .counts = aws_meter_counts(&cloud->meter)});
    code = probe(cloud, err);
    if (code != OK) {
        close_provider(cloud);
        return code;
    }
    if (cloud->page)
        page_ask(cloud->page, &(PageCloud){print_market, cloud});
    *ret_cloud = aws_provider_cloud(cloud->provider);
    return OK;
}

static void count_calls(void *context, Registry *registry, Page *page, Clock clock) {
    AwsCloud *cloud = context;

    cloud->meter = (AwsMeter){registry, clock.now, clock.self};
    cloud->page = page;
}

ManagerCloud aws_cloud(AwsCloud *cloud) {
    return (ManagerCloud){.open = open_provider, .close = close_provider, .count = count_calls, .context = cloud};
}
