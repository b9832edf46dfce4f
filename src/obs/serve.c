// The routes of page.h.
#include "obs/page.h"

#include "obs/exposition.h"

#include <stdlib.h>

// Of the readiness route; freed with the servers.
typedef struct {
    const HealthCheck *checks;
    uint32_t count;
} Checks;

static void answer_metrics(void *self, const ServerRequest *request, ServerReply *reply) {
    (void)request;
    reply->content_type = EXPOSITION_CONTENT_TYPE;
    page_print(self, &reply->body);
}

static bool is_verbose(const ServerRequest *request) {
    return server_query(request, "verbose").ptr != NULL;
}

// The process answers: that is all that is asked.
static bool ping(void *self, Buffer *why) {
    (void)self, (void)why;
    return true;
}

static void answer_health(void *self, const ServerRequest *request, ServerReply *reply) {
    static const HealthCheck check = {"ping", ping, NULL};

    (void)self;
    health_print(&check, 1, is_verbose(request), reply);
}

static void answer_ready(void *self, const ServerRequest *request, ServerReply *reply) {
    const Checks *checks = self;

    health_print(checks->checks, checks->count, is_verbose(request), reply);
}

ErrCode page_serve(Page *page, const HealthCheck *checks, uint32_t check_count, uint16_t metrics_port,
                   uint16_t health_port, bool loopback, PageServers *ret_servers, Err *err) {
    PageServers servers = {.checks = calloc(1, sizeof(Checks))};
    ServerRoute metrics[] = {{"/metrics", answer_metrics, page}};
    ServerRoute health[] = {{"/healthz", answer_health, NULL}, {"/readyz", answer_ready, servers.checks}};
    ErrCode code;

    CHECK(servers.checks, "out of memory");
    *(Checks *)servers.checks = (Checks){checks, check_count};
    code = server_start(metrics, 1, metrics_port, loopback, &servers.metrics, err);
    if (code == OK)
        code = server_start(health, 2, health_port, loopback, &servers.health, err);
    if (code != OK) {
        page_servers_stop(&servers);
        return code;
    }
    *ret_servers = servers;
    return OK;
}

void page_servers_stop(PageServers *servers) {
    server_stop(servers->metrics);
    server_stop(servers->health);
    free(servers->checks);
    *servers = (PageServers){0};
}
