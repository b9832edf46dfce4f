// HTTP routes of page.h.
#include "obs/page.h"

#include "obs/exposition.h"
#include "obs/profile.h"

static void answer_metrics(void *self, const ServerRequest *request, ServerReply *reply) {
    (void)request;
    reply->content_type = EXPOSITION_CONTENT_TYPE;
    page_print(self, &reply->body);
}

static bool is_verbose(const ServerRequest *request) {
    return server_query(request, "verbose").ptr != NULL;
}

// Passes always: the process answers.
static bool ping(void *self, Buffer *why) {
    (void)self, (void)why;
    return true;
}

static void answer_health(void *self, const ServerRequest *request, ServerReply *reply) {
    static const HealthCheck check = {"ping", ping, NULL};
    static const HealthChecks checks = {&check, 1};

    (void)self;
    health_print(&checks, is_verbose(request), reply);
}

static void answer_ready(void *self, const ServerRequest *request, ServerReply *reply) {
    health_print(self, is_verbose(request), reply);
}

ErrCode page_serve(Page *page, const ServerPlace *place, bool profiling, Server **ret_server, Err *err) {
    const ServerRoute routes[] = {{"/metrics", answer_metrics, page}, {PROFILE_PATH, profile_answer, NULL}};

    return server_start(routes, profiling ? 2 : 1, place, ret_server, err);
}

ErrCode health_serve(const HealthChecks *checks, const ServerPlace *place, Server **ret_server, Err *err) {
    const ServerRoute routes[] = {{"/healthz", answer_health, NULL},
                                  {"/readyz", answer_ready, (void *)(uintptr_t)checks}};

    return server_start(routes, 2, place, ret_server, err);
}
