// What a process shows of itself over HTTP: /metrics on one port, /healthz and /readyz on another. lifecycle.md 7.5.
//
// A page of metrics needs a snapshot of the cluster, and only the engine's thread may take one. So who prints a page
// asks for it and waits: page_turn, called by the engine's thread once a turn, gives it (microseconds). When none comes
// within PAGE_PATIENCE_MS the page has what was counted, and the series of objects are missing from it. Nobody waits
// the other way: the engine does not know that a page is printed.
//
// Health is asked for on another port and thread, so that a page that takes long is no reason to kill a process.
#pragma once

#include "net/server.h"
#include "obs/collect/collect.h"
#include "obs/registry.h"

enum { PAGE_PATIENCE_MS = 2000 };

typedef struct {
    Registry *registry;
    PodMemory *pods; // metrics_observer_pods; NULL: no series of objects at all (clusterless, or switched off)
    void (*wake)(void *context); // makes the engine turn soon; any thread
    Moment (*now)(void *clock);
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
// The engine is ending, or there is none yet: pages have no series of objects until page_open. When page_close returns,
// nobody uses `pods` or a snapshot any more; that takes as long as the page that is being printed.
void page_close(Page *page);
void page_open(Page *page); // as a new page is

// The whole of /metrics, in the order of the list. Any thread; one at a time waits for a snapshot. O(objects).
void page_print(Page *page, Buffer *ret_text);

// --- health

// What the process says of one check; false with a text why not. Any thread, and it must not block: a liveness probe
// may wait behind it.
typedef struct {
    const char *name; // "manager"
    bool (*passes)(void *self, Buffer *why);
    void *self;
} HealthCheck;

typedef struct {
    const HealthCheck *items;
    uint32_t count;
} HealthChecks;

// Answers "ok" (200), or which checks fail and why (500). ?verbose lists them all, as Kubernetes' own programs do.
void health_print(const HealthChecks *checks, bool verbose, ServerReply *reply);

// --- servers (net/server.h)

// /metrics, and with `profiling` what profile.h has below /debug/pprof/. `page` must outlive the server.
ErrCode page_serve(Page *page, const ServerPlace *place, bool profiling, Server **ret_server, Err *err);
// /healthz: the process answers. /readyz: all checks pass. `checks` must outlive the server.
ErrCode health_serve(const HealthChecks *checks, const ServerPlace *place, Server **ret_server, Err *err);
