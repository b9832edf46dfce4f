// The stage itself: time, the work queue, turns of controllers.
#include "base/time.h"
#include "ctl/support/stage_parts.h"

#include "ctl/controller.h"
#include "text/duration.h"

#include <stdio.h>
#include <stdlib.h>

// --- life

static int64_t server_now(void *context) {
    const Stage *stage = context;

    return stage->now_ns + stage->wall_ahead_ns;
}

static uint64_t server_random(void *context) {
    return random_u64(&((Stage *)context)->random);
}

Settings stage_settings(void) {
    Settings settings = settings_default();

    settings.node_class_group = SLICE("karpenter.kwok.sh");
    settings.node_class_kind = SLICE("KWOKNodeClass");
    settings.node_class_label = SLICE("karpenter.kwok.sh/kwoknodeclass");
    return settings;
}

Stage *stage_new(const Controller *controller, const Settings *settings) {
    Stage *stage = calloc(1, sizeof *stage);
    ApiConfig config = {.sources = {server_now, server_random, stage}};

    assert_non_null(stage);
    stage->now_ns = 1767571200 * NS_PER_S; // 2026-01-05T00:00:00Z
    random_seed(&stage->random, 1);
    random_seed(&stage->jitter, 2);
    stage->server = api_new(&config);
    stage->kube = api_kube(stage->server);
    stage->settings = settings ? *settings : stage_settings();
    stage->cloud = (StageCloud){.instance_type = "c-4x-amd64-linux",
                                .zone = "test-zone-a",
                                .capacity_type = "on-demand",
                                .cpu = "4",
                                .memory = "16Gi",
                                .terminate_takes_ns = 10 * NS_PER_S};
    stage_add(stage, controller);
    stage_listen(stage);
    return stage;
}

static void free_controllers(Stage *stage) {
    for (uint32_t i = 0; i < stage->controller_count; i++) {
        controller_free(stage->controllers[i], stage->selves[i]);
        stage->selves[i] = NULL;
    }
}

void stage_free(Stage *stage) {
    stage_deafen(stage);
    free_controllers(stage);
    api_free(stage->server);
    state_free(stage->state);
    arena_free(&stage->turn_arena);
    arena_free(&stage->arena);
    free(stage);
}

void stage_add(Stage *stage, const Controller *controller) {
    CHECK(stage->controller_count < STAGE_CONTROLLERS_MAX, "too many controllers");
    stage->controllers[stage->controller_count] = controller;
    stage->selves[stage->controller_count++] = controller_new(controller, &stage->settings);
}

void stage_restart(Stage *stage) {
    stage_deafen(stage);
    free_controllers(stage);
    state_free(stage->state);
    stage->tasks.count = 0;
    stage->intents = (IntentVec){0};
    stage->turn_controller = NULL;
    stage->started = stage->died = stage->dying = false;
    for (uint32_t i = 0; i < stage->controller_count; i++)
        stage->selves[i] = controller_new(stage->controllers[i], &stage->settings);
    stage_listen(stage);
    stage_start(stage);
}

void stage_die_after(Stage *stage, uint32_t intents) {
    stage->dying = true;
    stage->lives = intents;
}

bool stage_is_dying(const Stage *stage) {
    return stage->dying;
}

// --- time

int64_t stage_now_ns(const Stage *stage) {
    return stage->now_ns;
}

static int64_t duration_of(const char *text) {
    int64_t ns;
    Err err = {0};

    if (duration_parse(slice_of(text), &ns, &err) != OK)
        fail_msg("duration \"%s\": %s", text, err.text);
    return ns;
}

void stage_set_clock(Stage *stage, const char *duration) {
    stage->wall_ahead_ns += duration_of(duration);
}

void stage_pass(Stage *stage, const char *duration) {
    stage->now_ns += duration_of(duration);
}

// --- names

State *stage_state(Stage *stage) {
    return stage->state;
}

Kube stage_kube(Stage *stage) {
    return stage->kube;
}

Symbol stage_symbol(Stage *stage, const char *text) {
    return symbol_intern(state_symbols(stage->state), arena_slice(&stage->arena, slice_of(text)));
}

const char *stage_path(Stage *stage, Key key) {
    const Symbols *symbols = state_symbols(stage->state);
    Slice ns = symbol_text(symbols, key.ns), name = symbol_text(symbols, key.name);

    if (ns.len)
        name = arena_printf(&stage->arena, "%.*s/%.*s", SLICE_ARG(ns), SLICE_ARG(name));
    return arena_text(&stage->arena, name);
}

Key stage_key(Stage *stage, const char *path) {
    const char *slash = strchr(path, '/');
    Key key = {0};

    if (!slash)
        return (Key){.name = stage_symbol(stage, path)};
    key.ns = stage_symbol(stage, arena_text(&stage->arena, (Slice){path, (size_t)(slash - path)}));
    key.name = stage_symbol(stage, slash + 1);
    return key;
}

KubeRef stage_ref(Stage *stage, KubeKind kind, const char *path) {
    const char *slash = strchr(path, '/');

    (void)stage;
    if (!kube_kind(kind)->namespaced)
        return (KubeRef){kind, {0}, slice_of(path)};
    if (!slash)
        return (KubeRef){kind, SLICE("default"), slice_of(path)};
    return (KubeRef){kind, {path, (size_t)(slash - path)}, slice_of(slash + 1)};
}

Handle stage_find(Stage *stage, KubeKind kind, const char *path) {
    KubeRef ref = stage_ref(stage, kind, path);
    Symbols *symbols = state_symbols(stage->state);

    return state_find(stage->state, kind, symbol_intern(symbols, ref.ns), symbol_intern(symbols, ref.name));
}

// --- the queue

StageTask *stage_task(Stage *stage, const Controller *controller, const char *path) {
    for (vec_each(StageTask, task, &stage->tasks)) {
        if (task->controller == controller && strcmp(task->path, path) == 0)
            return task;
    }
    vec_push(&stage->arena, &stage->tasks,
             (StageTask){controller, arena_text(&stage->arena, slice_of(path)), INT64_MAX, 0});
    return vec_last(&stage->tasks);
}

static void ask(Stage *stage, const Controller *controller, Key key, int64_t after_ns) {
    StageTask *task = stage_task(stage, controller, stage_path(stage, key));
    int64_t due_ns = stage->now_ns + (after_ns > 0 ? after_ns : 0);

    if (due_ns < task->due_ns)
        task->due_ns = due_ns;
}

static void host_enqueue(void *self, const Controller *controller, Key key, int64_t after_ns) {
    ask(((StageTurn *)self)->stage, controller, key, after_ns);
}

static void host_again(void *self, Key key, int64_t after_ns) {
    ask(((StageTurn *)self)->stage, ((StageTurn *)self)->controller, key, after_ns);
}

static void host_retry(void *self, Key key) {
    StageTurn *turn = self;
    const Controller *controller = turn->controller;
    StageTask *task = stage_task(turn->stage, controller, stage_path(turn->stage, key));
    int64_t delay_ns = controller->backoff_first_ns ? controller->backoff_first_ns : INT64_C(5000000);
    int64_t max_ns = controller->backoff_max_ns ? controller->backoff_max_ns : INT64_C(1000000000000);

    for (uint32_t i = 0; i < task->retries && delay_ns < max_ns; i++)
        delay_ns *= 2;
    task->retries++;
    ask(turn->stage, controller, key, delay_ns < max_ns ? delay_ns : max_ns);
}

static void host_succeed(void *self, Key key) {
    StageTurn *turn = self;

    stage_task(turn->stage, turn->controller, stage_path(turn->stage, key))->retries = 0;
}

const char *stage_due(Stage *stage, const char *path) {
    const StageTask *task = stage_task(stage, stage->controllers[0], path);
    int64_t left_ns = task->due_ns - stage->now_ns;

    if (task->due_ns == INT64_MAX)
        return "never";
    return arena_text(&stage->arena, duration_print(&stage->arena, left_ns > 0 ? left_ns : 0));
}

bool stage_asked(Stage *stage, const Controller *controller, const char *path) {
    return stage_task(stage, controller, path)->due_ns != INT64_MAX;
}

uint32_t stage_retries(Stage *stage, const char *path) {
    return stage_task(stage, stage->controllers[0], path)->retries;
}

// --- turns

static bool is_on(const Stage *stage, const Controller *controller) {
    for (uint32_t i = 0; i < stage->controller_count; i++) {
        if (stage->controllers[i] == controller)
            return true;
    }
    return false;
}

void *stage_self(Stage *stage, const Controller *controller) {
    for (uint32_t i = 0; i < stage->controller_count; i++) {
        if (stage->controllers[i] == controller)
            return stage->selves[i];
    }
    fail_msg("controller %s is not on the stage", controller->name);
    return NULL;
}

void stage_turn_begin(Stage *stage, StageTurn *turn, const Controller *controller, Arena *arena, IntentVec *intents) {
    *turn = (StageTurn){.stage = stage, .controller = controller};
    turn->host = (TurnHost){host_enqueue, host_again, host_retry, host_succeed, turn};
    turn->turn = (Turn){.arena = arena,
                        .state = stage->state,
                        .symbols = state_symbols(stage->state),
                        .cloud = stage_cloud_table(stage),
                        .now = {stage->now_ns},
                        .wall_ns = stage->now_ns + stage->wall_ahead_ns,
                        .settings = &stage->settings,
                        .random = &stage->jitter,
                        .intents = intents,
                        .engine = &turn->host};
}

void stage_start(Stage *stage) {
    if (stage->started)
        return;
    stage->started = true;
    for (uint32_t i = 0; i < stage->controller_count; i++) {
        IntentVec intents = {0};
        StageTurn turn;

        stage_turn_begin(stage, &turn, stage->controllers[i], &stage->arena, &intents);
        if (stage->controllers[i]->start)
            stage->controllers[i]->start(stage->selves[i], &turn.turn);
        for (vec_each(Intent, intent, &intents)) {
            assert_true(intent->aside);
            stage_note(stage, intent);
        }
    }
}

static bool has_batch(const IntentVec *intents) {
    for (vec_each(const Intent, intent, intents)) {
        if (!intent->aside)
            return true;
    }
    return false;
}

static void reconcile(Stage *stage, const Controller *controller, Key key) {
    const char *path = stage_path(stage, key);
    uint32_t retries = stage_task(stage, controller, path)->retries;
    StageTask *task;
    StageTurn turn;

    stage_forget(stage);
    stage_task(stage, controller, path)->due_ns = INT64_MAX;
    stage->turn_controller = controller;
    stage->turn_key = key;
    stage_turn_begin(stage, &turn, controller, &stage->turn_arena, &stage->intents);
    controller->reconcile(stage_self(stage, controller), &turn.turn, key);
    task = stage_task(stage, controller, path);
    if (!has_batch(&stage->intents) && task->retries == retries)
        task->retries = 0;
}

const char *stage_reconcile(Stage *stage, const char *path) {
    stage_start(stage);
    reconcile(stage, stage->controllers[0], stage_key(stage, path));
    return stage_texts(stage);
}

void stage_forget(Stage *stage) {
    arena_free(&stage->turn_arena);
    stage->turn_arena = (Arena){0};
    stage->intents = (IntentVec){0};
    stage->turn_controller = NULL;
}

const IntentVec *stage_intents(Stage *stage) {
    return &stage->intents;
}

static StageTask *next_task(Stage *stage) {
    StageTask *next = NULL;

    for (vec_each(StageTask, task, &stage->tasks)) {
        if (task->due_ns != INT64_MAX && is_on(stage, task->controller) && (!next || task->due_ns < next->due_ns))
            next = task;
    }
    return next;
}

const char *stage_run(Stage *stage, const char *duration) {
    int64_t from_ns = stage->now_ns, until_ns = from_ns + duration_of(duration);
    Buffer history = {0};
    const char *text;
    StageTask *task;

    stage->history = &history;
    stage->history_from_ns = from_ns;
    stage_start(stage);
    stage_tell(stage);
    for (uint32_t turns = 0; (task = next_task(stage)) && task->due_ns <= until_ns; turns++) {
        if (turns > STAGE_TURNS_MAX)
            fail_msg("%s is called for \"%s\" again and again", task->controller->name, task->path);
        if (task->due_ns > stage->now_ns)
            stage->now_ns = task->due_ns;
        reconcile(stage, task->controller, stage_key(stage, task->path));
        stage_carry_out(stage);
        if (stage->died)
            stage_restart(stage);
    }
    stage->now_ns = until_ns;
    stage->history = NULL;
    text = arena_text(&stage->arena, buffer_slice(&history));
    buffer_free(&history);
    return text;
}

// --- texts

void assert_says(const char *text, const char *part) {
    if (!strstr(text, part))
        fail_msg("nothing of \"%s\" in:\n%s", part, text);
}

void assert_does_not_say(const char *text, const char *part) {
    if (strstr(text, part))
        fail_msg("\"%s\" stands in:\n%s", part, text);
}

uint32_t stage_times(const char *text, const char *part) {
    uint32_t times = 0;

    for (const char *at = text; (at = strstr(at, part)); at++)
        times++;
    return times;
}
