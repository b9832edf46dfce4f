// Place: a fixture for whole tenon processes: the embedded API server with a NodePool of KWOK, a thread that steps it,
// and a log file that all its processes share. Threads and the system's clock are real.
//
// No result depends on timing: tests wait for what must come, for minutes if necessary.
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

// A process of tenon: what command_run makes of flags, here over the embedded server.
typedef struct {
    Place *place;
    char identity[32];
    ManagerOptions options;
    KwokCloud kwok;
    uint32_t opened, counted; // how often the cloud was
    Manager *manager;
    KubeTable table; // the server's, with watches that can be refused
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
    uint32_t open_to_refuse; // the cloud cannot be opened for this time, counted from 1; 0: it always can
    bool stop_when_refused;  // the request to stop comes then
    JsonLog *log;
    char log_path[64];
    Process processes[PROCESSES_MAX];
    uint32_t count;
};

// The fixture of a test.
Place *place_setup(void);
void place_teardown(Place *place);
FIXTURE(Place, place_setup, place_teardown);

// --- the cluster, through its API

void place_create(Place *place, KubeKind kind, const char *yaml);
void place_patch(Place *place, KubeRef ref, KubePart part, const char *yaml);
// Creates a pod that the scheduler found no node for.
void place_add_pod(Place *place, const char *name);
uint32_t place_count(Place *place, KubeKind kind);
// Holder of the Lease; "" when there is none.
void place_holder(Place *place, char *text, size_t size);
// Number of log lines with that text.
uint32_t place_lines(Place *place, const char *text);

// --- processes

// Options of a process: further command line arguments, ended by NULL; `ports` as command_run would have parsed them.
typedef struct {
    bool elects;
    DisplayPorts ports;
    const char *arguments[8];
} ProcessWish;

// Starts a process. ERR: as manager_new; then there is nothing to stop.
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
