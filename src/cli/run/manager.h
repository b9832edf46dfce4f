// Manager: a tenon process. It waits for the leader lease, leads, and stops.
//
// Everything that differs between a real cluster and a test is configured: two clients, a cloud, a file descriptor for
// the request to stop. Threads: the caller of manager_live waits and decides; the lease and the engine have a thread
// each, calls and solves have theirs (engine/engine.h). Nothing is watched before the lease is held.
//
// The lease is lost when it expires without a renewal: manager_live returns at once, and the process must end
// immediately (another one leads already, or will soon). Meanwhile the fence refuses its writes. Nothing is logged
// between the loss and the return, since a blocked reader of the log may be the cause.
#pragma once

#include "cli/run/display.h"
#include "cli/run/json_log.h"
#include "cli/run/manager_options.h"
#include "cloud/cloud.h"
#include "engine/clock.h"
#include "kube/kube.h"

// Makes the provider. `kube` is the fenced client, `symbols` are the State's: both are valid until `close`. `lead` (may
// be NULL) is called once, when the process becomes the leader and before the engine starts; ERR_IO: no thread could be
// started. `open` may be called again after `close`; when it fails, `close` is not called. `count` (may be NULL) is
// called once, before `open`, with what its calls are counted in, and the page that may ask it (page_ask) while it is
// open.
typedef struct {
    ErrCode (*open)(void *context, Kube kube, const Symbols *symbols, Cloud *ret_cloud, Err *err);
    ErrCode (*lead)(void *context, Err *err);
    void (*close)(void *context);
    void *context;
    void (*count)(void *context, Registry *registry, Page *page, Clock clock);
} ManagerCloud;

// Ends the calls of a client after that time, whatever the server does (kube_rest_end_within; INT64_MAX: never). NULL:
// its calls end by themselves.
typedef struct {
    void (*end_within)(void *self, int64_t rest_ns);
    void *self;
} ManagerCalls;

// Configuration; everything is borrowed until manager_free.
typedef struct {
    Kube kube;
    Kube lease_kube; // a client of its own, without rate limit, whose calls end within 5 s
    ManagerCalls calls, lease_calls;
    ManagerCloud cloud;
    const ManagerOptions *options;
    Slice lease_namespace; // of the Lease
    Slice identity;        // lease_identity; empty: no leader election
    uint64_t seed;
    DisplayPorts ports;
    JsonLog *log;
    int stop_fd; // becomes readable when the process is to stop
} ManagerConfig;

typedef enum {
    MANAGER_STOPPED, // on request
    MANAGER_LOST,    // the lease was lost: end the process at once
    MANAGER_FAILED,  // the system lacks resources for the work, see the log: release the lease and end
} ManagerEnd;

typedef struct Manager Manager;

enum { MANAGER_DRAIN_S = 2 };

// Opens the cloud and the ports and reads the scheduler's configuration, so that mistakes show before anything is
// started. From here on /metrics and health are served.
ErrCode manager_new(const ManagerConfig *config, Manager **ret_manager, Err *err);

// Waits for the lease and leads, until one of the ends. To be called once.
ManagerEnd manager_live(Manager *manager);

// Ends the process's work: waits for running calls, at most MANAGER_DRAIN_S, and drops everything else, as in a crash;
// then releases the lease if it is still held, so that the next process leads within seconds. Takes less than five
// seconds, whatever the API server does.
void manager_free(Manager *manager);

// Number of concurrent calls.
uint32_t manager_workers(const ManagerOptions *options);

// Any thread.
bool manager_leads(const Manager *manager);
// Whether the process may send a write now: the last check, after all waiting (HttpGate).
bool manager_may_write(const Manager *manager);
const Display *manager_display(const Manager *manager);
// The webhooks are served, which readiness waits for.
void manager_serves_webhooks(Manager *manager);
