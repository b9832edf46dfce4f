// Page: the metrics and health of a process over HTTP: /metrics on one port, /healthz and /readyz on another.
// lifecycle.md 7.5.
//
// A page of metrics needs a snapshot of the cluster, which only the engine's thread may take. The thread that prints a
// page therefore requests one and waits; page_turn, which the engine's thread calls once a turn, provides it (in
// microseconds). When none comes within PAGE_PATIENCE_MS, the page has only the counters, without series of objects.
// The engine never waits for a page.
//
// Health has a port and a thread of its own, so that a page that takes long does not get the process killed.
#pragma once

#include "net/server.h"
#include "obs/collect/collect.h"
#include "obs/registry.h"

enum { PAGE_PATIENCE_MS = 2000 };

typedef struct {
    Registry *registry;
    PodMemory *pods;             // metrics_observer_pods; NULL: no series of objects (no cluster, or switched off)
    void (*wake)(void *context); // causes a turn of the engine soon; any thread
    Moment (*now)(void *clock);
    void *context, *clock;
} PageConfig;

typedef struct Page Page;

// Prints the metrics that only a cloud knows (METRIC_ASKED). Any thread; from memory.
typedef struct {
    void (*print)(void *context, Buffer *page);
    void *context;
} PageCloud;

// What `config` points to must outlive the Page.
Page *page_new(const PageConfig *config);
void page_free(Page *page);

// To be called by the engine's thread once a turn. O(1) without a request, else the cost of state_snapshot.
void page_turn(Page *page, State *state);
// Whether a page was requested, so that values that change all the time should be updated now. Any thread. O(1).
bool page_is_wanted(const Page *page);
// Stops series of objects until page_open, because there is no engine. When page_close returns, `pods` and snapshots
// are no longer used; it waits for a page that is being printed.
void page_close(Page *page);
void page_open(Page *page); // the state of a new Page

// Whose metrics the page has from now on; NULL: nobody's. When it returns, the former one is no longer asked; it waits
// for a page that is being printed.
void page_ask(Page *page, const PageCloud *cloud);

// Prints all of /metrics, in the order of the list, those of the cloud behind the others. Any thread; one at a time
// waits for a snapshot. O(objects).
void page_print(Page *page, Buffer *ret_text);

// --- health

// A health check; false with a text why it fails. Any thread. It must not block: a liveness probe may wait behind it.
typedef struct {
    const char *name; // "manager"
    bool (*passes)(void *self, Buffer *why);
    void *self;
} HealthCheck;

typedef struct {
    const HealthCheck *items;
    uint32_t count;
} HealthChecks;

// Answers "ok" (200), or the checks that fail and why (500). With ?verbose it lists all checks, as Kubernetes' own
// programs do.
void health_print(const HealthChecks *checks, bool verbose, ServerReply *reply);

// --- servers (net/server.h)

// Serves /metrics and, with `profiling`, the pages of profile.h below /debug/pprof/. `page` must outlive the server.
ErrCode page_serve(Page *page, const ServerPlace *place, bool profiling, Server **ret_server, Err *err);
// Serves /healthz (the process answers) and /readyz (all checks pass). `checks` must outlive the server.
ErrCode health_serve(const HealthChecks *checks, const ServerPlace *place, Server **ret_server, Err *err);
