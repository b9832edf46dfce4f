// The inside of the stage, for its own files.
#pragma once

#include "base/buffer.h"
#include "ctl/support/stage.h"
#include "ctl/turn_host.h"

enum { STAGE_CONTROLLERS_MAX = 8, STAGE_BREAKS_MAX = 16, STAGE_TURNS_MAX = 20000 };

// A key of a controller that is to be called, or was and has a backoff.
typedef struct {
    const Controller *controller;
    const char *path;
    int64_t due_ns; // INT64_MAX: not asked for
    uint32_t retries;
} StageTask;

typedef struct {
    IntentType type;
    uint32_t times;
    bool carried_out; // for nothing: the answer is lost
    ErrCode code;
    char text[512];
} StageBreak;

typedef Vec(Completion) CompletionVec;

// What a watch told and the State does not know yet.
typedef struct {
    KubeKind kind;
    bool removed;
    StateUpdate *update;
} StageEvent;

struct Stage {
    Arena arena; // texts, trees: until stage_free
    ApiServer *server;
    Kube kube;
    Random random, jitter;
    int64_t now_ns;
    int64_t wall_ahead_ns; // of it: stage_set_clock
    Settings settings;
    State *state;
    KubeWatch *watches[KUBE_KIND_COUNT];
    Vec(StageEvent) inbox;
    const Controller *controllers[STAGE_CONTROLLERS_MAX];
    void *selves[STAGE_CONTROLLERS_MAX];
    uint32_t controller_count;
    bool listing; // nobody is told yet
    bool started;
    Vec(StageTask) tasks;
    // The turn whose intents wait.
    Arena turn_arena;
    IntentVec intents;
    const Controller *turn_controller;
    Key turn_key;
    StageCloud cloud;
    StageBreak breaks[STAGE_BREAKS_MAX];
    // Of stage_hold, until stage_let_go.
    bool holding;
    CompletionVec held;
    const Controller *held_controller;
    Key held_key;
    bool dying;
    uint32_t lives; // intents until it dies
    bool died;
    Buffer *history; // of stage_run; NULL: none
    int64_t history_from_ns;
};

// A turn for one call of a controller; asks of turn_* come to the stage.
typedef struct {
    Turn turn;
    TurnHost host;
    Stage *stage;
    const Controller *controller;
} StageTurn;
void stage_turn_begin(Stage *stage, StageTurn *turn, const Controller *controller, Arena *arena, IntentVec *intents);

void *stage_self(Stage *stage, const Controller *controller);
StageTask *stage_task(Stage *stage, const Controller *controller, const char *path);
const char *stage_path(Stage *stage, Key key); // "namespace/name", "name" or ""
Key stage_key(Stage *stage, const char *path);
KubeRef stage_ref(Stage *stage, KubeKind kind, const char *path);
// Applies an object of the API server to the State and tells the controllers.
void stage_apply(Stage *stage, KubeKind kind, const Value *object);
void stage_listen(Stage *stage); // watches of all kinds of the State, with what is there
void stage_deafen(Stage *stage); // ends them
Cloud stage_cloud_table(Stage *stage);
// Carries one intent out; `ret` is filled for the controller.
typedef struct {
    Completion completion;
    KubeError kube_error;
    CloudError cloud_error;
    Value object;
    CloudInstance instance;
    CloudInstanceVec instances;
} StageOutcome;
void stage_perform(Stage *stage, Arena *arena, const Intent *intent, StageOutcome *ret);
// What stage_break (or stage_lose_answer: `carried_out`) wants for that type; NULL: nothing. Uses it up.
const StageBreak *stage_take_break(Stage *stage, IntentType type, bool carried_out);
void stage_note(Stage *stage, const Intent *intent); // into the history
