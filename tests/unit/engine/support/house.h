// A house for the engine to live in: the embedded API server, a virtual clock, an executor that carries jobs out at
// virtual moments, a cloud that has instances, and faults.
//
// The controller in it is "twin": for every Namespace with the label twin=wanted there is to be a StorageClass of the
// same name, and then the label twin=done; without the Namespace there is to be none. Its batch is [create, patch].
#pragma once

#include "base/buffer.h"
#include "engine/engine.h"
#include "harness/test.h"
#include "sim/api/api.h"

enum { HOUSE_JOBS_MAX = 4096 };

typedef struct {
    EngineJob *job;
    uint32_t step;
    int64_t at_ns;
    uint64_t order;
} HouseJob;

typedef struct House House;

// How a call may fail: the next `times` creations give that reason.
typedef struct {
    uint32_t times;
    KubeReason reason;
} HouseFault;

struct House {
    ApiServer *server;
    Kube kube; // straight
    KubeTable faulty_table;
    Arena arena;
    int64_t now_ns, offset_ns; // monotonic = now; wall = now + offset
    Random random;
    Engine *engine;
    EngineConfig config;
    HouseJob jobs[HOUSE_JOBS_MAX];
    uint32_t job_count;
    uint64_t orders;
    int64_t step_ns;       // what every step of a job takes
    uint64_t steps;        // made so far
    uint64_t dies_at_step; // the process dies when that many were made; 0: never
    bool dies_after_call;  // after the call of that step, else before
    bool died;
    HouseFault create_fault, watch_fault;
    KubeKind watch_fault_kind; // of which watches fail; at first Namespace
    Buffer journal, log;
    uint32_t creates;            // that reached the server
    int64_t create_times_ns[64]; // of the first creations that were tried
    uint32_t create_tries;
    // The cloud.
    const InstanceTypeVec *types;
    uint32_t launches;
};

extern const Controller twin_controller;

House *house_new(const Controller *const *controllers, uint32_t count);
void house_free(House *house);
// Starts an engine; it is stopped by house_kill (as a crash), or by house_free.
void house_start(House *house);
void house_kill(House *house);

// Everything that is due at this moment; on to that time.
void house_settle(House *house);
void house_run(House *house, int64_t for_ns);

// An object from YAML in flow style.
__attribute__((format(printf, 3, 4))) Value house_create(House *house, KubeKind kind, const char *format, ...);
void house_patch(House *house, KubeKind kind, KubePart part, const char *name, const char *patch);
void house_delete(House *house, KubeKind kind, const char *name);
// "a b c": names of all objects of a kind in the server, sorted; of the engine's State likewise.
const char *house_names(House *house, KubeKind kind);
const char *house_state_names(House *house, KubeKind kind);
// The label twin of every Namespace that has it: "a=done b=wanted".
const char *house_twins(House *house);
// How often `text` stands in a buffer.
uint32_t house_count(const Buffer *buffer, const char *text);

Executor house_executor(House *house);
