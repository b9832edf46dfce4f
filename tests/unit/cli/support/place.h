// A place for whole tenon processes: the embedded API server with a NodePool of KWOK's, a thread that steps it, and a
// log file that all processes of the place share. Threads and the system's clock are real.
//
// Nothing is decided by how long it takes: what must come is waited for, up to a patience of minutes.
#pragma once

#include "base/random.h"
#include "cli/run/kwok_cloud.h"
#include "engine/lease/lease.h"
#include "harness/test.h"
#include "sim/api/api.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

enum { PATIENCE_S = 180, PROCESSES_MAX = 4 };

typedef struct Place Place;

// One process of tenon: what command_run makes of flags, here over the embedded server.
typedef struct {
    Place *place;
    char identity[32];
    ManagerOptions options;
    KwokCloud kwok;
    Manager *manager;
    KubeTable table; // the server's, but for watches
    int stop_fd;
    pthread_t thread;
    bool runs;
    ManagerEnd end;
} Process;

struct Place {
    ApiServer *server;
    Random random;
    pthread_t actor;
    atomic_bool over;
    atomic_uint watches_to_refuse;
    JsonLog *log;
    char log_path[64];
    Process processes[PROCESSES_MAX];
    uint32_t count;
};

// The fixture of a test.
Place *place_setup(void);
void place_teardown(Place *place);
FIXTURE(Place, place_setup, place_teardown);

// --- the cluster, through the API as its users have it

void place_create(Place *place, KubeKind kind, const char *yaml);
void place_patch(Place *place, KubeRef ref, KubePart part, const char *yaml);
// One that the scheduler found no node for.
void place_add_pod(Place *place, const char *name);
uint32_t place_count(Place *place, KubeKind kind);
// Who holds the Lease, "" when nobody does.
void place_holder(Place *place, char *text, size_t size);
// Lines of the log that have that text.
uint32_t place_lines(Place *place, const char *text);

// --- processes

// With further arguments of the command line, ended by NULL; `ports` as command_run would have read them.
typedef struct {
    bool elects;
    DisplayPorts ports;
    const char *arguments[8];
} ProcessWish;

// ERR: as manager_new; there is nothing to stop then.
ErrCode process_try(Place *place, const ProcessWish *wish, Process **ret_process, Err *err);
Process *process_begin(Place *place, bool elects); // without ports
ManagerEnd process_stop(Process *process);
void process_join(Process *process);

#define WAIT_FOR(condition)                                                                                            \
    do {                                                                                                               \
        int64_t until_ns_ = clock_system_mono().ns + PATIENCE_S * NS_PER_S;                                            \
        while (!(condition)) {                                                                                         \
            if (clock_system_mono().ns > until_ns_)                                                                    \
                fail_msg("waited in vain for %s", #condition);                                                         \
            usleep(5000);                                                                                              \
        }                                                                                                              \
    } while (0)
