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
// (may be NULL) is called once when the process leads, before the engine starts. It may be opened anew after `close`.
typedef struct {
    ErrCode (*open)(void *context, Kube kube, const Symbols *symbols, Cloud *ret_cloud, Err *err);
    void (*lead)(void *context);
    void (*close)(void *context);
    void *context;
} ManagerCloud;

// All borrowed until manager_free.
typedef struct {
    Kube kube;
    Kube lease_kube; // a client of its own, without limits of rate, whose calls end within 5 s
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
} ManagerEnd;

typedef struct Manager Manager;

// Opens the cloud and the ports and reads the scheduler's configuration, so that mistakes show before anything is
// begun. From here on /metrics and health are served.
ErrCode manager_new(const ManagerConfig *config, Manager **ret_manager, Err *err);

// Waits, leads, until one of the ends. Once.
ManagerEnd manager_live(Manager *manager);

// Ends what is under way: calls that run are waited for, the rest is dropped, as in a crash; then the lease is given
// up, if it is still held, so that the next one leads within seconds.
void manager_free(Manager *manager);

// Any thread.
bool manager_leads(const Manager *manager);
// Whether a write that goes out now is this process' to send: the last word, after all waiting (HttpGate).
bool manager_may_write(const Manager *manager);
const Display *manager_display(const Manager *manager);
