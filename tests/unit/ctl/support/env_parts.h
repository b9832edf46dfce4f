// Internals of TestEnv, shared by its files.
#pragma once

#include "base/buffer.h"
#include "ctl/support/env.h"
#include "ctl/turn_host.h"

enum { ENV_CONTROLLERS_MAX = 8, ENV_BREAKS_MAX = 16, ENV_TURNS_MAX = 20000 };

// A key of a controller that is enqueued, or has a back-off.
typedef struct {
    const Controller *controller;
    const char *path;
    int64_t due_ns; // INT64_MAX: not enqueued
    uint32_t retries;
} EnvTask;

typedef struct {
    IntentType type;
    uint32_t times;
    bool carried_out; // but its answer is lost
    ErrCode code;
    char text[512];
} EnvBreak;

typedef Vec(Completion) CompletionVec;

// A watch event that the State does not have yet.
typedef struct {
    KubeKind kind;
    bool removed;
    StateUpdate *update;
} EnvEvent;

struct TestEnv {
    Arena arena; // texts, trees: until env_free
    ApiServer *server;
    Kube kube;
    Random random, jitter;
    int64_t now_ns;
    int64_t wall_ahead_ns; // wall time minus now_ns: env_set_clock
    Settings settings;
    State *state;
    KubeWatch *watches[KUBE_KIND_COUNT];
    Vec(EnvEvent) inbox;
    const Controller *controllers[ENV_CONTROLLERS_MAX];
    void *selves[ENV_CONTROLLERS_MAX];
    uint32_t controller_count;
    bool listing; // controllers do not observe yet
    bool started;
    Vec(EnvTask) tasks;
    // The turn whose intents are kept.
    Arena turn_arena;
    IntentVec intents;
    const Controller *turn_controller;
    Key turn_key;
    EnvCloud cloud;
    EnvBreak breaks[ENV_BREAKS_MAX];
    // Completions held by env_hold, until env_let_go.
    bool holding;
    CompletionVec held;
    const Controller *held_controller;
    Key held_key;
    bool dying;
    uint32_t lives; // intents until it dies
    bool died;
    Buffer *history; // of env_run; NULL: none
    int64_t history_from_ns;
};

// A Turn for one call of a controller; its turn_enqueue and the like go to the environment's queue.
typedef struct {
    Turn turn;
    TurnHost host;
    TestEnv *env;
    const Controller *controller;
} EnvTurn;
void env_turn_begin(TestEnv *env, EnvTurn *turn, const Controller *controller, Arena *arena, IntentVec *intents);

void *env_self(TestEnv *env, const Controller *controller);
EnvTask *env_task(TestEnv *env, const Controller *controller, const char *path);
const char *env_path(TestEnv *env, Key key); // "namespace/name", "name" or ""
Key env_key(TestEnv *env, const char *path);
KubeRef env_ref(TestEnv *env, KubeKind kind, const char *path);
// Applies an object of the API server to the State; controllers observe it.
void env_apply(TestEnv *env, KubeKind kind, const Value *object);
void env_listen(TestEnv *env); // starts watches of all kinds of the State
void env_deafen(TestEnv *env); // ends them
Cloud env_cloud_table(TestEnv *env);
// Carries out an intent and fills `ret` for the controller.
typedef struct {
    Completion completion;
    KubeError kube_error;
    CloudError cloud_error;
    Value object;
    CloudInstance instance;
    CloudInstanceVec instances;
    CloudMessageVec messages;
    CloudClass node_class;
} EnvOutcome;
void env_perform(TestEnv *env, Arena *arena, const Intent *intent, EnvOutcome *ret);
// The fault set by env_break (or env_lose_answer: `carried_out`) for that type; NULL: none. Uses it up.
const EnvBreak *env_take_break(TestEnv *env, IntentType type, bool carried_out);
void env_note(TestEnv *env, const Intent *intent); // into the history
