// EngineEnv: a test environment for an engine in virtual mode: the embedded API server, a virtual clock, an executor
// that runs jobs at virtual times, a cloud with instances, and faults.
//
// Its controller is "twin": for every Namespace with the label twin=wanted it creates a StorageClass of the same name
// and sets the label twin=done; without the Namespace it deletes the StorageClass. Its batch is [create, patch].
#pragma once

#include "base/buffer.h"
#include "engine/engine.h"
#include "harness/test.h"
#include "sim/api/api.h"

enum { ENGINE_ENV_JOBS_MAX = 4096 };

typedef struct {
    EngineJob *job;
    uint32_t step;
    int64_t at_ns;
    uint64_t order;
} EngineEnvJob;

typedef struct EngineEnv EngineEnv;

// A fault: the next `times` calls fail for that reason.
typedef struct {
    uint32_t times;
    KubeReason reason;
} EngineEnvFault;

struct EngineEnv {
    ApiServer *server;
    Kube kube; // direct, without faults
    KubeTable faulty_table;
    Arena arena;
    int64_t now_ns, offset_ns; // monotonic = now; wall = now + offset
    Random random;
    Engine *engine;
    EngineConfig config;
    EngineEnvJob jobs[ENGINE_ENV_JOBS_MAX];
    uint32_t job_count;
    uint64_t orders;
    int64_t step_ns;       // duration of every step of a job
    uint64_t steps;        // steps so far
    uint64_t dies_at_step; // the process dies at that step; 0: never
    bool dies_after_call;  // after the call of that step, else before
    bool died;
    EngineEnvFault create_fault, watch_fault;
    KubeKind watch_fault_kind; // kind whose watches fail; initially Namespace
    Buffer journal, log;
    uint32_t creates;            // that reached the server
    int64_t create_times_ns[64]; // of the first creations that were tried
    uint32_t create_tries;
    // The cloud.
    const InstanceTypeVec *types;
    uint32_t launches;
};

extern const Controller twin_controller;

EngineEnv *engine_env_new(const Controller *const *controllers, uint32_t count);
void engine_env_free(EngineEnv *env);
// Starts an engine; engine_env_kill stops it like a crash, and so does engine_env_free.
void engine_env_start(EngineEnv *env);
void engine_env_kill(EngineEnv *env);

// Run everything that is due now; and until that time has passed.
void engine_env_settle(EngineEnv *env);
void engine_env_run(EngineEnv *env, int64_t for_ns);

// Creates an object from YAML in flow style.
__attribute__((format(printf, 3, 4))) Value engine_env_create(EngineEnv *env, KubeKind kind, const char *format, ...);
void engine_env_patch(EngineEnv *env, KubeKind kind, KubePart part, const char *name, const char *patch);
void engine_env_delete(EngineEnv *env, KubeKind kind, const char *name);
// Names of all objects of a kind in the API server, sorted: "a b c"; and in the engine's State.
const char *engine_env_names(EngineEnv *env, KubeKind kind);
const char *engine_env_state_names(EngineEnv *env, KubeKind kind);
// The label twin of every Namespace that has it: "a=done b=wanted".
const char *engine_env_twins(EngineEnv *env);
// How often a buffer contains `text`.
uint32_t engine_env_count(const Buffer *buffer, const char *text);

Executor engine_env_executor(EngineEnv *env);
