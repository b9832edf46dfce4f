// A tenon process from the inside: it waits for the leader lease, leads, and stops.
//
// Everything that differs between a real cluster and a test comes in through the configuration: two clients, a cloud, a
// place where the wish to stop shows. Threads: who calls manager_live waits and decides; the lease has a thread of its
// own, the engine another, calls and solves theirs (engine/engine.h). Before the lease is held nothing is watched.
//
// The lease is lost when its time is over without a renewal: manager_live returns at once, and the process must end
// without looking back (another one leads already, or soon). Until then the fence holds its writes back. Nothing is
// logged between the loss and the return: who reads the log may be what hangs.
#pragma once

#include "cli/run/display.h"
#include "cli/run/json_log.h"
#include "cli/run/manager_options.h"
#include "cloud/cloud.h"
#include "engine/clock.h"
#include "kube/kube.h"

// Makes the provider. `kube` is the fenced client and `symbols` are the State's: both are there until `close`. `lead`
// (may be NULL) is called once when the process leads, before the engine starts; ERR_IO: the system gives no thread. It
// may be opened anew after `close`.
typedef struct {
    ErrCode (*open)(void *context, Kube kube, const Symbols *symbols, Cloud *ret_cloud, Err *err);
    ErrCode (*lead)(void *context, Err *err);
    void (*close)(void *context);
    void *context;
} ManagerCloud;

// Ends the calls of a client after so long, whatever the server does (kube_rest_end_within; INT64_MAX: never). NULL:
// they end by themselves.
typedef struct {
    void (*end_within)(void *self, int64_t rest_ns);
    void *self;
} ManagerCalls;

// All borrowed until manager_free.
typedef struct {
    Kube kube;
    Kube lease_kube; // a client of its own, without limits of rate, whose calls end within 5 s
    ManagerCalls calls, lease_calls;
    ManagerCloud cloud;
    const ManagerOptions *options;
    Slice lease_namespace; // where the Lease lies
    Slice identity;        // lease_identity; empty: leader election is off
    uint64_t seed;
    DisplayPorts ports;
    JsonLog *log;
    int stop_fd; // readable: stop
} ManagerConfig;

typedef enum {
    MANAGER_STOPPED, // as asked
    MANAGER_LOST,    // the lease: end the process
    MANAGER_FAILED,  // the system does not give what work needs, as the log says: give the lease up and end
} ManagerEnd;

typedef struct Manager Manager;

enum { MANAGER_DRAIN_S = 2 };

// Opens the cloud and the ports and reads the scheduler's configuration, so that mistakes show before anything is
// begun. From here on /metrics and health are served.
ErrCode manager_new(const ManagerConfig *config, Manager **ret_manager, Err *err);

// Waits, leads, until one of the ends. Once.
ManagerEnd manager_live(Manager *manager);

// Ends what is under way: calls that run are waited for, MANAGER_DRAIN_S at most, the rest is dropped, as in a crash;
// then the lease is given up, if it is still held, so that the next one leads within seconds. Whatever the API server
// does, that takes less than five seconds.
void manager_free(Manager *manager);

// Calls that are under way at once.
uint32_t manager_workers(const ManagerOptions *options);

// Any thread.
bool manager_leads(const Manager *manager);
// Whether a write that goes out now is this process' to send: the last word, after all waiting (HttpGate).
bool manager_may_write(const Manager *manager);
const Display *manager_display(const Manager *manager);
