// What a process shows of itself over HTTP: /metrics on one port, /healthz and /readyz on another. lifecycle.md 7.5.
//
// A page of metrics needs a snapshot of the cluster, and only the engine's thread may take one. So who prints a page
// asks for it and waits: page_turn, called by the engine's thread once a turn, gives it (microseconds). When none comes
// within PAGE_PATIENCE_MS the page has what was counted, and the series of objects are missing from it. Nobody waits
// the other way: the engine does not know that a page is printed.
#pragma once

#include "net/server.h"
#include "obs/collect.h"
#include "obs/registry.h"

enum { PAGE_PATIENCE_MS = 2000 };

typedef struct {
    Registry *registry;
    PodMemory *pods;                // onlooker_pods; NULL: no series of objects at all (clusterless, or switched off)
    void (*wake)(void *context);    // makes the engine turn soon; any thread
    int64_t (*now_ns)(void *clock); // since 1970
    void *context, *clock;
} PageConfig;

typedef struct Page Page;

// What `config` points to must outlive it.
Page *page_new(const PageConfig *config);
void page_free(Page *page);

// The engine's thread, once a turn. O(1) when nobody asks, else that of state_snapshot.
void page_turn(Page *page, State *state);
// Whether somebody waits: what changes every moment may be counted now. Any thread. O(1).
bool page_is_wanted(const Page *page);
// The engine is ending: nobody waits for a snapshot from now on.
void page_close(Page *page);

// The whole of /metrics, in the order of the list. Any thread; one at a time waits for a snapshot. O(objects).
void page_print(Page *page, Buffer *ret_text);

// --- health

// `ready`: what the process says of one check; false with a text why not. Any thread.
typedef struct {
    const char *name; // "manager"
    bool (*passes)(void *self, Buffer *why);
    void *self;
} HealthCheck;

// Answers "ok" (200), or which checks fail and why (500). ?verbose lists them all, as Kubernetes' own programs do.
void health_print(const HealthCheck *checks, uint32_t count, bool verbose, ServerReply *reply);

// The two servers. Port 0: a free one. `checks` and `page` must outlive them.
typedef struct {
    Server *metrics, *health;
    void *checks; // private
} PageServers;
ErrCode page_serve(Page *page, const HealthCheck *checks, uint32_t check_count, uint16_t metrics_port,
                   uint16_t health_port, bool loopback, PageServers *ret_servers, Err *err);
void page_servers_stop(PageServers *servers);
