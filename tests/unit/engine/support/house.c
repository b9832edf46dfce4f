// The house: clock, executor, cloud, faults, and the controller that lives there.
#include "engine/support/house.h"
#include "base/time.h"

#include "model/names.h"
#include "text/json.h"
#include "text/yaml.h"

#include <stdio.h>
#include <stdlib.h>

static const int64_t START_NS = INT64_C(1767571200000000000); // 2026-01-05T00:00:00Z

// Time and chance.

static int64_t server_now(void *context) {
    return ((House *)context)->now_ns;
}

static uint64_t server_random(void *context) {
    return random_u64(&((House *)context)->random);
}

static Mono mono_now(void *self) {
    return (Mono){((House *)self)->now_ns};
}

static int64_t wall_now(void *self) {
    return ((House *)self)->now_ns + ((House *)self)->offset_ns;
}

// The executor.

static void submit(void *self, EngineJob *job) {
    House *house = self;

    assert_true(house->job_count < HOUSE_JOBS_MAX);
    house->jobs[house->job_count++] = (HouseJob){job, 0, house->now_ns + house->step_ns, house->orders++};
}

Executor house_executor(House *house) {
    return (Executor){submit, house};
}

static HouseJob *next_job(House *house) {
    HouseJob *best = NULL;

    for (uint32_t i = 0; i < house->job_count; i++) {
        HouseJob *job = &house->jobs[i];

        if (!best || job->at_ns < best->at_ns || (job->at_ns == best->at_ns && job->order < best->order))
            best = job;
    }
    return best;
}

static void drop_all(House *house) {
    while (house->job_count)
        engine_job_drop(house->jobs[--house->job_count].job);
}

static void die(House *house) {
    house->died = true;
    house_kill(house);
}

static bool run_job(House *house) {
    HouseJob *next = next_job(house);
    EngineJob *job;
    bool dies, goes_on;

    if (!next || next->at_ns > house->now_ns)
        return false;
    dies = house->dies_at_step && ++house->steps == house->dies_at_step;
    if (dies && !house->dies_after_call) {
        die(house);
        return true;
    }
    goes_on = engine_job_step(next->job, next->step++);
    if (dies) {
        die(house);
        return true;
    }
    if (goes_on) {
        next->at_ns = house->now_ns + house->step_ns;
        return true;
    }
    job = next->job;
    *next = house->jobs[--house->job_count];
    engine_job_done(job);
    return true;
}

// Faults.

static ErrCode faulty_create(void *self, Arena *arena, Slice manager, KubeKind kind, const Value *object,
                             Value *ret_object, KubeError *error) {
    House *house = self;
    ErrCode code;

    if (kind == KUBE_EVENT)
        return kube_create(house->kube, arena, manager, kind, object, ret_object, error);
    if (house->create_tries < 64)
        house->create_times_ns[house->create_tries++] = house->now_ns;
    if (house->create_fault.times) {
        house->create_fault.times--;
        return kube_fail(error, house->create_fault.reason, "the server has a bad day");
    }
    code = kube_create(house->kube, arena, manager, kind, object, ret_object, error);
    house->creates += code == OK;
    return code;
}

static ErrCode faulty_patch(void *self, Arena *arena, Slice manager, KubeRef ref, KubePart part, const KubePatch *patch,
                            Value *ret_object, KubeError *error) {
    return kube_patch(((House *)self)->kube, arena, manager, ref, part, patch, ret_object, error);
}

static ErrCode faulty_remove(void *self, KubeRef ref, const KubeDeletion *deletion, KubeError *error) {
    return kube_remove(((House *)self)->kube, ref, deletion, error);
}

static ErrCode faulty_watch(void *self, const KubeWatchRequest *request, KubeSink sink, KubeWatch **ret_watch,
                            KubeError *error) {
    House *house = self;

    if (house->watch_fault.times && request->kind == house->watch_fault_kind) {
        house->watch_fault.times--;
        return kube_fail(error, house->watch_fault.reason, "no watch for you");
    }
    return kube_watch(house->kube, request, sink, ret_watch, error);
}

static void faulty_unwatch(void *self, KubeWatch *watch) {
    kube_unwatch(((House *)self)->kube, watch);
}

static bool faulty_time(void *self, int64_t *ret_wall_ns) {
    return kube_now(((House *)self)->kube, ret_wall_ns);
}

static const KubeTable faulty_table = {.create = faulty_create,
                                       .patch = faulty_patch,
                                       .remove = faulty_remove,
                                       .watch = faulty_watch,
                                       .unwatch = faulty_unwatch,
                                       .now = faulty_time};

// The cloud: instances that are named after their claims.

static ErrCode launch(void *self, Arena *arena, const CloudLaunch *launched, CloudInstance *ret_instance,
                      CloudError *error) {
    House *house = self;
    Symbols *symbols = state_symbols(engine_state(house->engine));
    Slice name = symbol_text(symbols, launched->claim->meta.name);

    (void)error;
    house->launches++;
    assert_true(launched->requirements.count > 0);
    *ret_instance = (CloudInstance){
        .provider_id = symbol_intern(symbols, arena_printf(arena, "house://%.*s", SLICE_ARG(name))),
        .claim_name = launched->claim->meta.name,
    };
    return OK;
}

static ErrCode instance_types(void *self, const NodePool *pool, const InstanceTypeVec **ret_types, CloudError *error) {
    House *house = self;

    (void)pool;
    if (!house->types)
        return err_set(&error->err, ERR_NOT_FOUND, "no such class");
    *ret_types = house->types;
    return OK;
}

static const CloudTable cloud_table = {.launch = launch, .instance_types = instance_types};

// Records.

static void write_journal(void *self, int64_t now_ns, Slice line) {
    House *house = self;

    buffer_printf(&house->journal, "%lld %.*s\n", (long long)(now_ns - START_NS), SLICE_ARG(line));
}

static void write_log(void *context, int64_t now_ns, const LogIntent *line) {
    House *house = context;

    buffer_printf(&house->log, "%lld %s", (long long)(now_ns - START_NS), line->message);
    for (uint32_t i = 0; i < line->pair_count; i += 2) {
        if (!slice_eq_text(line->pairs[i], "reconcileID")) // another one for each call
            buffer_printf(&house->log, " %.*s=%.*s", SLICE_ARG(line->pairs[i]), SLICE_ARG(line->pairs[i + 1]));
    }
    buffer_append_char(&house->log, '\n');
}

uint32_t house_count(const Buffer *buffer, const char *text) {
    Slice rest = buffer_slice(buffer);
    uint32_t count = 0;

    for (const char *at; rest.len && (at = memmem(rest.ptr, rest.len, text, strlen(text))); count++)
        rest = slice_from(rest, (size_t)(at - rest.ptr) + strlen(text));
    return count;
}

// The house.

House *house_new(const Controller *const *controllers, uint32_t count) {
    House *house = calloc(1, sizeof *house);
    ApiConfig config = {.sources = {server_now, server_random, house}, .history_max = 4096};

    assert_non_null(house);
    house->now_ns = START_NS;
    house->watch_fault_kind = KUBE_NAMESPACE;
    random_seed(&house->random, 5);
    house->server = api_new(&config);
    house->kube = api_kube(house->server);
    house->config = (EngineConfig){
        .controllers = controllers,
        .controller_count = count,
        .kube = {&faulty_table, house},
        .cloud = {&cloud_table, house},
        .clock = {wall_now, mono_now, house},
        .executor = house_executor(house),
        .journal = {write_journal, house},
        .seed = 9,
        .log = write_log,
        .log_context = house,
    };
    return house;
}

void house_start(House *house) {
    assert_null(house->engine);
    house->engine = engine_new(&house->config);
    assert_int_equal(engine_start(house->engine, NULL), OK);
}

void house_kill(House *house) {
    engine_free(house->engine);
    house->engine = NULL;
    drop_all(house);
}

void house_free(House *house) {
    if (house->engine)
        house_kill(house);
    api_free(house->server);
    arena_free(&house->arena);
    buffer_free(&house->journal);
    buffer_free(&house->log);
    free(house);
}

void house_settle(House *house) {
    for (uint32_t rounds = 0;; rounds++) {
        bool any = false;

        assert_true(rounds < 1000000); // nobody settles
        while (api_step(house->server))
            any = true;
        while (house->engine && engine_turn(house->engine))
            any = true;
        while (run_job(house))
            any = true;
        if (!any)
            return;
    }
}

void house_run(House *house, int64_t for_ns) {
    int64_t until_ns = house->now_ns + for_ns;

    for (;;) {
        const HouseJob *job;
        int64_t next_ns = INT64_MAX;

        house_settle(house);
        if (house->engine)
            next_ns = engine_next(house->engine).ns;
        job = next_job(house);
        if (job && job->at_ns < next_ns)
            next_ns = job->at_ns;
        if (next_ns > until_ns)
            break;
        assert_true(next_ns > house->now_ns);
        house->now_ns = next_ns;
    }
    house->now_ns = until_ns;
    house_settle(house);
}

// Objects.

static Value parse(House *house, const char *text) {
    DocumentVec documents = {0};
    WarningVec warnings = {0};
    Slice copy = arena_slice(&house->arena, slice_of(text));
    Err err;

    if (yaml_parse(&house->arena, SLICE("test"), copy, &(ParseOptions){0}, &documents, &warnings, &err) != OK)
        fail_msg("%s", err.text);
    return documents.items[0].root;
}

Value house_create(House *house, KubeKind kind, const char *format, ...) {
    char text[4096];
    va_list args;
    Value object, created;
    KubeError error;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    object = parse(house, text);
    value_put(&house->arena, &object, SLICE("apiVersion"), value_string(kube_kind(kind)->api_version));
    value_put(&house->arena, &object, SLICE("kind"), value_string(kube_kind(kind)->kind));
    if (kube_create(house->kube, &house->arena, SLICE("test"), kind, &object, &created, &error) != OK)
        fail_msg("%s", error.err.text);
    return created;
}

static KubeRef ref_of(KubeKind kind, const char *name) {
    return (KubeRef){kind, kube_kind(kind)->namespaced ? SLICE("default") : SLICE(""), slice_of(name)};
}

void house_patch(House *house, KubeKind kind, KubePart part, const char *name, const char *patch) {
    Value body = parse(house, patch);
    KubeError error;

    if (kube_patch(house->kube, NULL, SLICE("test"), ref_of(kind, name), part, &(KubePatch){.body = &body}, NULL,
                   &error) != OK)
        fail_msg("%s", error.err.text);
}

void house_delete(House *house, KubeKind kind, const char *name) {
    assert_int_equal(kube_remove(house->kube, ref_of(kind, name), &(KubeDeletion){0}, NULL), OK);
}

typedef struct {
    House *house;
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

static const char *visit_all(House *house, KubeKind kind, bool twins) {
    Visit visited = {.twins = twins};
    const char *text;

    api_visit(house->server, kind, visit, &visited);
    text = arena_text(&house->arena, buffer_slice(&visited.text));
    buffer_free(&visited.text);
    return text;
}

const char *house_names(House *house, KubeKind kind) {
    return visit_all(house, kind, false);
}

const char *house_twins(House *house) {
    return visit_all(house, KUBE_NAMESPACE, true);
}

static int compare_slices(const void *a, const void *b) {
    return slice_cmp(*(const Slice *)a, *(const Slice *)b);
}

// Cluster-wide kinds only.
const char *house_state_names(House *house, KubeKind kind) {
    const State *state = engine_state(house->engine);
    Slice *names = arena_array(&house->arena, Slice, state_count(state, kind) + 1);
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
    result = arena_text(&house->arena, buffer_slice(&text));
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
    value_put(turn->arena, object, SLICE("provisioner"), value_string(SLICE("house.example/disk")));
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
