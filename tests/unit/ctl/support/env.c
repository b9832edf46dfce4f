// TestEnv: time, the work queue, turns of controllers.
#include "base/time.h"
#include "ctl/support/env_parts.h"

#include "ctl/controller.h"
#include "text/duration.h"

#include <stdio.h>
#include <stdlib.h>

// --- life

static int64_t server_now(void *context) {
    const TestEnv *env = context;

    return env->now_ns + env->wall_ahead_ns;
}

static uint64_t server_random(void *context) {
    return random_u64(&((TestEnv *)context)->random);
}

Settings env_settings(void) {
    Settings settings = settings_default();

    settings.disruption = true;
    settings.expiration_jitter_percent = 0;
    settings.node_class_group = SLICE("karpenter.kwok.sh");
    settings.node_class_kind = SLICE("KWOKNodeClass");
    settings.node_class_label = SLICE("karpenter.kwok.sh/kwoknodeclass");
    return settings;
}

TestEnv *env_new(const Controller *controller, const Settings *settings) {
    TestEnv *env = calloc(1, sizeof *env);
    ApiConfig config = {.sources = {server_now, server_random, env}};

    assert_non_null(env);
    env->now_ns = 1767571200 * NS_PER_S; // 2026-01-05T00:00:00Z
    random_seed(&env->random, 1);
    random_seed(&env->jitter, 2);
    env->server = api_new(&config);
    env->kube = api_kube(env->server);
    env->settings = settings ? *settings : env_settings();
    env->cloud = (EnvCloud){.instance_type = "c-4x-amd64-linux",
                            .zone = "test-zone-a",
                            .capacity_type = "on-demand",
                            .cpu = "4",
                            .memory = "16Gi",
                            .terminate_takes_ns = 10 * NS_PER_S};
    env_add(env, controller);
    env_listen(env);
    return env;
}

static void free_controllers(TestEnv *env) {
    for (uint32_t i = 0; i < env->controller_count; i++) {
        controller_free(env->controllers[i], env->selves[i]);
        env->selves[i] = NULL;
    }
}

void env_free(TestEnv *env) {
    env_deafen(env);
    free_controllers(env);
    api_free(env->server);
    state_free(env->state);
    arena_free(&env->turn_arena);
    arena_free(&env->arena);
    free(env);
}

void env_add(TestEnv *env, const Controller *controller) {
    CHECK(env->controller_count < ENV_CONTROLLERS_MAX, "too many controllers");
    env->controllers[env->controller_count] = controller;
    env->selves[env->controller_count++] = controller_new(controller, &env->settings);
}

void env_restart(TestEnv *env) {
    env_deafen(env);
    free_controllers(env);
    state_free(env->state);
    env->tasks.count = 0;
    env->intents = (IntentVec){0};
    env->turn_controller = NULL;
    env->started = env->died = env->dying = false;
    for (uint32_t i = 0; i < env->controller_count; i++)
        env->selves[i] = controller_new(env->controllers[i], &env->settings);
    env_listen(env);
    env_start(env);
}

void env_die_after(TestEnv *env, uint32_t intents) {
    env->dying = true;
    env->lives = intents;
}

bool env_is_dying(const TestEnv *env) {
    return env->dying;
}

// --- time

int64_t env_now_ns(const TestEnv *env) {
    return env->now_ns;
}

static int64_t duration_of(const char *text) {
    int64_t ns;
    Err err = {0};

    if (duration_parse(slice_of(text), &ns, &err) != OK)
        fail_msg("duration \"%s\": %s", text, err.text);
    return ns;
}

void env_set_clock(TestEnv *env, const char *duration) {
    env->wall_ahead_ns += duration_of(duration);
}

void env_pass(TestEnv *env, const char *duration) {
    env->now_ns += duration_of(duration);
}

// --- names

State *env_state(TestEnv *env) {
    return env->state;
}

Kube env_kube(TestEnv *env) {
    return env->kube;
}

Symbol env_symbol(TestEnv *env, const char *text) {
    return symbol_intern(state_symbols(env->state), arena_slice(&env->arena, slice_of(text)));
}

const char *env_path(TestEnv *env, Key key) {
    const Symbols *symbols = state_symbols(env->state);
    Slice ns = symbol_text(symbols, key.ns), name = symbol_text(symbols, key.name);

    if (ns.len)
        name = arena_printf(&env->arena, "%.*s/%.*s", SLICE_ARG(ns), SLICE_ARG(name));
    return arena_text(&env->arena, name);
}

Key env_key(TestEnv *env, const char *path) {
    const char *slash = strchr(path, '/');
    Key key = {0};

    if (!slash)
        return (Key){.name = env_symbol(env, path)};
    key.ns = env_symbol(env, arena_text(&env->arena, (Slice){path, (size_t)(slash - path)}));
    key.name = env_symbol(env, slash + 1);
    return key;
}

KubeRef env_ref(TestEnv *env, KubeKind kind, const char *path) {
    const char *slash = strchr(path, '/');

    (void)env;
    if (!kube_kind(kind)->namespaced)
        return (KubeRef){kind, {0}, slice_of(path)};
    if (!slash)
        return (KubeRef){kind, SLICE("default"), slice_of(path)};
    return (KubeRef){kind, {path, (size_t)(slash - path)}, slice_of(slash + 1)};
}

Handle env_find(TestEnv *env, KubeKind kind, const char *path) {
    KubeRef ref = env_ref(env, kind, path);
    Symbols *symbols = state_symbols(env->state);

    return state_find(env->state, kind, symbol_intern(symbols, ref.ns), symbol_intern(symbols, ref.name));
}

// --- the queue

EnvTask *env_task(TestEnv *env, const Controller *controller, const char *path) {
    for (vec_each(EnvTask, task, &env->tasks)) {
        if (task->controller == controller && strcmp(task->path, path) == 0)
            return task;
    }
    vec_push(&env->arena, &env->tasks, (EnvTask){controller, arena_text(&env->arena, slice_of(path)), INT64_MAX, 0});
    return vec_last(&env->tasks);
}

static void ask(TestEnv *env, const Controller *controller, Key key, int64_t after_ns) {
    EnvTask *task = env_task(env, controller, env_path(env, key));
    int64_t due_ns = env->now_ns + (after_ns > 0 ? after_ns : 0);

    if (due_ns < task->due_ns)
        task->due_ns = due_ns;
}

static void host_enqueue(void *self, const Controller *controller, Key key, int64_t after_ns) {
    ask(((EnvTurn *)self)->env, controller, key, after_ns);
}

static void host_again(void *self, Key key, int64_t after_ns) {
    ask(((EnvTurn *)self)->env, ((EnvTurn *)self)->controller, key, after_ns);
}

static void host_retry(void *self, Key key) {
    EnvTurn *turn = self;
    const Controller *controller = turn->controller;
    EnvTask *task = env_task(turn->env, controller, env_path(turn->env, key));
    int64_t delay_ns = controller->backoff_first_ns ? controller->backoff_first_ns : INT64_C(5000000);
    int64_t max_ns = controller->backoff_max_ns ? controller->backoff_max_ns : INT64_C(1000000000000);

    for (uint32_t i = 0; i < task->retries && delay_ns < max_ns; i++)
        delay_ns *= 2;
    task->retries++;
    ask(turn->env, controller, key, delay_ns < max_ns ? delay_ns : max_ns);
}

static void host_succeed(void *self, Key key) {
    EnvTurn *turn = self;

    env_task(turn->env, turn->controller, env_path(turn->env, key))->retries = 0;
}

const char *env_due(TestEnv *env, const char *path) {
    const EnvTask *task = env_task(env, env->controllers[0], path);
    int64_t left_ns = task->due_ns - env->now_ns;

    if (task->due_ns == INT64_MAX)
        return "never";
    return arena_text(&env->arena, duration_print(&env->arena, left_ns > 0 ? left_ns : 0));
}

bool env_asked(TestEnv *env, const Controller *controller, const char *path) {
    return env_task(env, controller, path)->due_ns != INT64_MAX;
}

uint32_t env_retries(TestEnv *env, const char *path) {
    return env_task(env, env->controllers[0], path)->retries;
}

// --- turns

static bool is_on(const TestEnv *env, const Controller *controller) {
    for (uint32_t i = 0; i < env->controller_count; i++) {
        if (env->controllers[i] == controller)
            return true;
    }
    return false;
}

void *env_self(TestEnv *env, const Controller *controller) {
    for (uint32_t i = 0; i < env->controller_count; i++) {
        if (env->controllers[i] == controller)
            return env->selves[i];
    }
    fail_msg("controller %s is not in the environment", controller->name);
    return NULL;
}

void env_turn_begin(TestEnv *env, EnvTurn *turn, const Controller *controller, Arena *arena, IntentVec *intents) {
    *turn = (EnvTurn){.env = env, .controller = controller};
    turn->host = (TurnHost){host_enqueue, host_again, host_retry, host_succeed, turn};
    turn->turn = (Turn){.arena = arena,
                        .state = env->state,
                        .symbols = state_symbols(env->state),
                        .cloud = env_cloud_table(env),
                        .now = {env->now_ns},
                        .wall_ns = env->now_ns + env->wall_ahead_ns,
                        .settings = &env->settings,
                        .random = &env->jitter,
                        .intents = intents,
                        .engine = &turn->host};
}

void env_start(TestEnv *env) {
    if (env->started)
        return;
    env->started = true;
    for (uint32_t i = 0; i < env->controller_count; i++) {
        IntentVec intents = {0};
        EnvTurn turn;

        env_turn_begin(env, &turn, env->controllers[i], &env->arena, &intents);
        if (env->controllers[i]->start)
            env->controllers[i]->start(env->selves[i], &turn.turn);
        for (vec_each(Intent, intent, &intents)) {
            assert_true(intent->aside);
            env_note(env, intent);
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

static void reconcile(TestEnv *env, const Controller *controller, Key key) {
    const char *path = env_path(env, key);
    uint32_t retries = env_task(env, controller, path)->retries;
    EnvTask *task;
    EnvTurn turn;

    env_forget(env);
    env_task(env, controller, path)->due_ns = INT64_MAX;
    env->turn_controller = controller;
    env->turn_key = key;
    env_turn_begin(env, &turn, controller, &env->turn_arena, &env->intents);
    controller->reconcile(env_self(env, controller), &turn.turn, key);
    task = env_task(env, controller, path);
    if (!has_batch(&env->intents) && task->retries == retries)
        task->retries = 0;
}

const char *env_reconcile(TestEnv *env, const char *path) {
    env_start(env);
    reconcile(env, env->controllers[0], env_key(env, path));
    return env_texts(env);
}

void env_forget(TestEnv *env) {
    arena_free(&env->turn_arena);
    env->turn_arena = (Arena){0};
    env->intents = (IntentVec){0};
    env->turn_controller = NULL;
}

const IntentVec *env_intents(TestEnv *env) {
    return &env->intents;
}

static EnvTask *next_task(TestEnv *env) {
    EnvTask *next = NULL;

    for (vec_each(EnvTask, task, &env->tasks)) {
        if (task->due_ns != INT64_MAX && is_on(env, task->controller) && (!next || task->due_ns < next->due_ns))
            next = task;
    }
    return next;
}

const char *env_run(TestEnv *env, const char *duration) {
    int64_t from_ns = env->now_ns, until_ns = from_ns + duration_of(duration);
    Buffer history = {0};
    const char *text;
    EnvTask *task;

    env->history = &history;
    env->history_from_ns = from_ns;
    env_start(env);
    env_tell(env);
    for (uint32_t turns = 0; (task = next_task(env)) && task->due_ns <= until_ns; turns++) {
        if (turns > ENV_TURNS_MAX)
            fail_msg("%s is called for \"%s\" again and again", task->controller->name, task->path);
        if (task->due_ns > env->now_ns)
            env->now_ns = task->due_ns;
        reconcile(env, task->controller, env_key(env, task->path));
        env_carry_out(env);
        if (env->died)
            env_restart(env);
    }
    env->now_ns = until_ns;
    env->history = NULL;
    text = arena_text(&env->arena, buffer_slice(&history));
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

uint32_t env_times(const char *text, const char *part) {
    uint32_t times = 0;

    for (const char *at = text; (at = strstr(at, part)); at++)
        times++;
    return times;
}
