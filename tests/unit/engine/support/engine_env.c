// EngineEnv: clock, executor, cloud, faults, and the controller "twin".
#include "engine/support/engine_env.h"
#include "base/time.h"

#include "model/names.h"
#include "text/json.h"
#include "text/yaml.h"

#include <stdio.h>
#include <stdlib.h>

static const int64_t START_NS = INT64_C(1767571200000000000); // 2026-01-05T00:00:00Z

// Time and random numbers.

static int64_t server_now(void *context) {
    return ((EngineEnv *)context)->now_ns;
}

static uint64_t server_random(void *context) {
    return random_u64(&((EngineEnv *)context)->random);
}

static Mono mono_now(void *self) {
    return (Mono){((EngineEnv *)self)->now_ns};
}

static int64_t wall_now(void *self) {
    return ((EngineEnv *)self)->now_ns + ((EngineEnv *)self)->offset_ns;
}

// The executor.

static void submit(void *self, EngineJob *job) {
    EngineEnv *env = self;

    assert_true(env->job_count < ENGINE_ENV_JOBS_MAX);
    env->jobs[env->job_count++] = (EngineEnvJob){job, 0, env->now_ns + env->step_ns, env->orders++};
}

Executor engine_env_executor(EngineEnv *env) {
    return (Executor){submit, env};
}

static EngineEnvJob *next_job(EngineEnv *env) {
    EngineEnvJob *best = NULL;

    for (uint32_t i = 0; i < env->job_count; i++) {
        EngineEnvJob *job = &env->jobs[i];

        if (!best || job->at_ns < best->at_ns || (job->at_ns == best->at_ns && job->order < best->order))
            best = job;
    }
    return best;
}

static void drop_all(EngineEnv *env) {
    while (env->job_count)
        engine_job_drop(env->jobs[--env->job_count].job);
}

static void die(EngineEnv *env) {
    env->died = true;
    engine_env_kill(env);
}

static bool run_job(EngineEnv *env) {
    EngineEnvJob *next = next_job(env);
    EngineJob *job;
    bool dies, goes_on;

    if (!next || next->at_ns > env->now_ns)
        return false;
    dies = env->dies_at_step && ++env->steps == env->dies_at_step;
    if (dies && !env->dies_after_call) {
        die(env);
        return true;
    }
    goes_on = engine_job_step(next->job, next->step++);
    if (dies) {
        die(env);
        return true;
    }
    if (goes_on) {
        next->at_ns = env->now_ns + env->step_ns;
        return true;
    }
    job = next->job;
    *next = env->jobs[--env->job_count];
    engine_job_done(job);
    return true;
}

// Faults.

static ErrCode faulty_create(void *self, Arena *arena, Slice manager, KubeKind kind, const Value *object,
                             Value *ret_object, KubeError *error) {
    EngineEnv *env = self;
    ErrCode code;

    if (kind == KUBE_EVENT)
        return kube_create(env->kube, arena, manager, kind, object, ret_object, error);
    if (env->create_tries < 64)
        env->create_times_ns[env->create_tries++] = env->now_ns;
    if (env->create_fault.times) {
        env->create_fault.times--;
        return kube_fail(error, env->create_fault.reason, "the server has a bad day");
    }
    code = kube_create(env->kube, arena, manager, kind, object, ret_object, error);
    env->creates += code == OK;
    return code;
}

static ErrCode faulty_patch(void *self, Arena *arena, Slice manager, KubeRef ref, KubePart part, const KubePatch *patch,
                            Value *ret_object, KubeError *error) {
    return kube_patch(((EngineEnv *)self)->kube, arena, manager, ref, part, patch, ret_object, error);
}

static ErrCode faulty_get(void *self, Arena *arena, KubeRef ref, Value *ret_object, KubeError *error) {
    return kube_get(((EngineEnv *)self)->kube, arena, ref, ret_object, error);
}

static ErrCode faulty_remove(void *self, KubeRef ref, const KubeDeletion *deletion, KubeError *error) {
    return kube_remove(((EngineEnv *)self)->kube, ref, deletion, error);
}

static ErrCode faulty_watch(void *self, const KubeWatchRequest *request, KubeSink sink, KubeWatch **ret_watch,
                            KubeError *error) {
    EngineEnv *env = self;

    if (env->watch_fault.times && request->kind == env->watch_fault_kind) {
        env->watch_fault.times--;
        return kube_fail(error, env->watch_fault.reason, "no watch for you");
    }
    return kube_watch(env->kube, request, sink, ret_watch, error);
}

static void faulty_unwatch(void *self, KubeWatch *watch) {
    kube_unwatch(((EngineEnv *)self)->kube, watch);
}

static bool faulty_time(void *self, int64_t *ret_wall_ns) {
    return kube_now(((EngineEnv *)self)->kube, ret_wall_ns);
}

static const KubeTable faulty_table = {.get = faulty_get,
                                       .create = faulty_create,
                                       .patch = faulty_patch,
                                       .remove = faulty_remove,
                                       .watch = faulty_watch,
                                       .unwatch = faulty_unwatch,
                                       .now = faulty_time};

// The cloud: instances that are named after their claims.

static ErrCode launch(void *self, Arena *arena, const CloudLaunch *launched, CloudInstance *ret_instance,
                      CloudError *error) {
    EngineEnv *env = self;
    Symbols *symbols = state_symbols(engine_state(env->engine));
    Slice name = symbol_text(symbols, launched->claim->meta.name);

    (void)error;
    env->launches++;
    assert_true(launched->requirements.count > 0);
    *ret_instance = (CloudInstance){
        .provider_id = symbol_intern(symbols, arena_printf(arena, "env://%.*s", SLICE_ARG(name))),
        .claim_name = launched->claim->meta.name,
    };
    return OK;
}

static ErrCode instance_types(void *self, const NodePool *pool, const InstanceTypeVec **ret_types, CloudError *error) {
    EngineEnv *env = self;

    (void)pool;
    if (!env->types)
        return err_set(&error->err, ERR_NOT_FOUND, "no such class");
    *ret_types = env->types;
    return OK;
}

static const CloudTable cloud_table = {.launch = launch, .instance_types = instance_types};

// Records.

static void write_journal(void *self, int64_t now_ns, Slice line) {
    EngineEnv *env = self;

    buffer_printf(&env->journal, "%lld %.*s\n", (long long)(now_ns - START_NS), SLICE_ARG(line));
}

static void write_log(void *context, int64_t now_ns, const LogIntent *line) {
    EngineEnv *env = context;

    buffer_printf(&env->log, "%lld %s", (long long)(now_ns - START_NS), line->message);
    for (uint32_t i = 0; i < line->pair_count; i += 2) {
        if (!slice_eq_text(line->pairs[i], "reconcileID")) // another one for each call
            buffer_printf(&env->log, " %.*s=%.*s", SLICE_ARG(line->pairs[i]), SLICE_ARG(line->pairs[i + 1]));
    }
    buffer_append_char(&env->log, '\n');
}

uint32_t engine_env_count(const Buffer *buffer, const char *text) {
    Slice rest = buffer_slice(buffer);
    uint32_t count = 0;

    for (const char *at; rest.len && (at = memmem(rest.ptr, rest.len, text, strlen(text))); count++)
        rest = slice_from(rest, (size_t)(at - rest.ptr) + strlen(text));
    return count;
}

// The environment.

EngineEnv *engine_env_new(const Controller *const *controllers, uint32_t count) {
    EngineEnv *env = calloc(1, sizeof *env);
    ApiConfig config = {.sources = {server_now, server_random, env}, .history_max = 4096};

    assert_non_null(env);
    env->now_ns = START_NS;
    env->watch_fault_kind = KUBE_NAMESPACE;
    random_seed(&env->random, 5);
    env->server = api_new(&config);
    env->kube = api_kube(env->server);
    env->config = (EngineConfig){
        .controllers = controllers,
        .controller_count = count,
        .kube = {&faulty_table, env},
        .cloud = {&cloud_table, env},
        .clock = {wall_now, mono_now, env},
        .executor = engine_env_executor(env),
        .journal = {write_journal, env},
        .seed = 9,
        .log = write_log,
        .log_context = env,
    };
    return env;
}

void engine_env_start(EngineEnv *env) {
    assert_null(env->engine);
    env->engine = engine_new(&env->config);
    assert_int_equal(engine_start(env->engine, NULL), OK);
}

void engine_env_kill(EngineEnv *env) {
    engine_free(env->engine);
    env->engine = NULL;
    drop_all(env);
}

void engine_env_free(EngineEnv *env) {
    if (env->engine)
        engine_env_kill(env);
    api_free(env->server);
    arena_free(&env->arena);
    buffer_free(&env->journal);
    buffer_free(&env->log);
    free(env);
}

void engine_env_settle(EngineEnv *env) {
    for (uint32_t rounds = 0;; rounds++) {
        bool any = false;

        assert_true(rounds < 1000000); // else it does not settle
        while (api_step(env->server))
            any = true;
        while (env->engine && engine_turn(env->engine))
            any = true;
        while (run_job(env))
            any = true;
        if (!any)
            return;
    }
}

void engine_env_run(EngineEnv *env, int64_t for_ns) {
    int64_t until_ns = env->now_ns + for_ns;

    for (;;) {
        const EngineEnvJob *job;
        int64_t next_ns = INT64_MAX;

        engine_env_settle(env);
        if (env->engine)
            next_ns = engine_next(env->engine).ns;
        job = next_job(env);
        if (job && job->at_ns < next_ns)
            next_ns = job->at_ns;
        if (next_ns > until_ns)
            break;
        assert_true(next_ns > env->now_ns);
        env->now_ns = next_ns;
    }
    env->now_ns = until_ns;
    engine_env_settle(env);
}

// Objects.

static Value parse(EngineEnv *env, const char *text) {
    DocumentVec documents = {0};
    WarningVec warnings = {0};
    Slice copy = arena_slice(&env->arena, slice_of(text));
    Err err;

    if (yaml_parse(&env->arena, SLICE("test"), copy, &(ParseOptions){0}, &documents, &warnings, &err) != OK)
        fail_msg("%s", err.text);
    return documents.items[0].root;
}

Value engine_env_create(EngineEnv *env, KubeKind kind, const char *format, ...) {
    char text[4096];
    va_list args;
    Value object, created;
    KubeError error;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    object = parse(env, text);
    value_put(&env->arena, &object, SLICE("apiVersion"), value_string(kube_kind(kind)->api_version));
    value_put(&env->arena, &object, SLICE("kind"), value_string(kube_kind(kind)->kind));
    if (kube_create(env->kube, &env->arena, SLICE("test"), kind, &object, &created, &error) != OK)
        fail_msg("%s", error.err.text);
    return created;
}

static KubeRef ref_of(KubeKind kind, const char *name) {
    return (KubeRef){kind, kube_kind(kind)->namespaced ? SLICE("default") : SLICE(""), slice_of(name)};
}

void engine_env_patch(EngineEnv *env, KubeKind kind, KubePart part, const char *name, const char *patch) {
    Value body = parse(env, patch);
    KubeError error;

    if (kube_patch(env->kube, NULL, SLICE("test"), ref_of(kind, name), part, &(KubePatch){.body = &body}, NULL,
                   &error) != OK)
        fail_msg("%s", error.err.text);
}

void engine_env_delete(EngineEnv *env, KubeKind kind, const char *name) {
    assert_int_equal(kube_remove(env->kube, ref_of(kind, name), &(KubeDeletion){0}, NULL), OK);
}

typedef struct {
    EngineEnv *env;
    Buffer text;
    bool twins;
} Visit;

static bool visit(void *context, const Value *object) {
    Visit *visited = context;
    Slice label = kube_text(object, "metadata", "labels", "twin", NULL);

    if (visited->twins && !label.len)
        return true;
    buffer_printf(&visited->text, "%s%.*s", visited->text.len ? " " : "", SLICE_ARG(kube_name(object)));
    if (visited->twins)
        buffer_printf(&visited->text, "=%.*s", SLICE_ARG(label));
    return true;
}

static const char *visit_all(EngineEnv *env, KubeKind kind, bool twins) {
    Visit visited = {.twins = twins};
    const char *text;

    api_visit(env->server, kind, visit, &visited);
    text = arena_text(&env->arena, buffer_slice(&visited.text));
    buffer_free(&visited.text);
    return text;
}

const char *engine_env_names(EngineEnv *env, KubeKind kind) {
    return visit_all(env, kind, false);
}

const char *engine_env_twins(EngineEnv *env) {
    return visit_all(env, KUBE_NAMESPACE, true);
}

static int compare_slices(const void *a, const void *b) {
    return slice_cmp(*(const Slice *)a, *(const Slice *)b);
}

// Cluster-scoped kinds only.
const char *engine_env_state_names(EngineEnv *env, KubeKind kind) {
    const State *state = engine_state(env->engine);
    Slice *names = arena_array(&env->arena, Slice, state_count(state, kind) + 1);
    uint32_t count = 0;
    Buffer text = {0};
    const char *result;

    for (Handle at = state_next(state, kind, HANDLE_NONE); at.generation; at = state_next(state, kind, at)) {
        const ObjectMeta *meta =
            kind == KUBE_NAMESPACE ? &state_namespace(state, at)->meta : &state_storage_class(state, at)->meta;

        names[count++] = symbol_text(state_symbols(state), meta->name);
    }
    qsort(names, count, sizeof *names, compare_slices);
    for (uint32_t i = 0; i < count; i++)
        buffer_printf(&text, "%s%.*s", i ? " " : "", SLICE_ARG(names[i]));
    result = arena_text(&env->arena, buffer_slice(&text));
    buffer_free(&text);
    return result;
}

// The controller.

static void twin_observe(void *self, Turn *turn, const StateChange *change) {
    (void)self;
    if (change->kind == KUBE_NAMESPACE || change->kind == KUBE_STORAGE_CLASS)
        turn_enqueue(turn, &twin_controller, (Key){NAME_EMPTY, change->name}, 0);
}

static void intend_class(Turn *turn, Slice name) {
    Value *object = arena_new(turn->arena, Value), *meta;

    *object = value_map();
    value_put(turn->arena, object, SLICE("apiVersion"), value_string(SLICE("storage.k8s.io/v1")));
    value_put(turn->arena, object, SLICE("kind"), value_string(SLICE("StorageClass")));
    meta = value_put(turn->arena, object, SLICE("metadata"), value_map());
    value_put(turn->arena, meta, SLICE("name"), value_string(name));
    value_put(turn->arena, object, SLICE("provisioner"), value_string(SLICE("env.example/disk")));
    turn_create(turn, KUBE_STORAGE_CLASS, object);
}

static void intend_done(Turn *turn, const ObjectMeta *meta) {
    Value *patch = arena_new(turn->arena, Value), *part;

    *patch = value_map();
    part = value_put(turn->arena, patch, SLICE("metadata"), value_map());
    part = value_put(turn->arena, part, SLICE("labels"), value_map());
    value_put(turn->arena, part, SLICE("twin"), value_string(SLICE("done")));
    turn_patch(turn, KUBE_NAMESPACE, NAME_EMPTY, meta->name, KUBE_OBJECT, patch, meta->revision);
    turn_event(turn, KUBE_NAMESPACE, meta, false, "Twinned", "Has a twin now");
}

static void twin_reconcile(void *self, Turn *turn, Key key) {
    const Namespace *namespace =
        state_namespace(turn->state, state_find(turn->state, KUBE_NAMESPACE, NAME_EMPTY, key.name));
    const StorageClass *class =
        state_storage_class(turn->state, state_find(turn->state, KUBE_STORAGE_CLASS, NAME_EMPTY, key.name));
    Symbol twin =
        namespace ? labels_get(&namespace->meta.labels, symbol_intern(turn->symbols, SLICE("twin"))) : INDEX_NONE;

    (void)self;
    if (!namespace) {
        if (class)
            turn_remove(turn, KUBE_STORAGE_CLASS, &class->meta);
        return;
    }
    if (twin == INDEX_NONE)
        return;
    if (!class)
        intend_class(turn, symbol_text(turn->symbols, key.name));
    if (slice_eq_text(symbol_text(turn->symbols, twin), "wanted"))
        intend_done(turn, &namespace->meta);
}

const Controller twin_controller = {.name = "twin", .observe = twin_observe, .reconcile = twin_reconcile};
