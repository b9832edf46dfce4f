// Objects of a TestEnv: into the API server, and by its watches into the State.
#include "ctl/support/env_parts.h"

#include "text/duration.h"
#include "text/json.h"
#include "text/value_edit.h"
#include "text/yaml.h"

#include <stdio.h>

static const Slice HAND = SLICE_INIT("test");

// --- from the server to the State

static bool take(void *context, const KubeEvent *event) {
    TestEnv *env = context;
    StateUpdate *update;
    Err err = {0};

    if (!event->object)
        return true;
    if (state_decode(state_symbols(env->state), event->kind, event->object, &update, &err) != OK)
        fail_msg("%s", err.text);
    vec_push(&env->arena, &env->inbox, (EnvEvent){event->kind, event->type == KUBE_DELETED, update});
    return true;
}

static void observe(TestEnv *env, const StateChange *change) {
    for (uint32_t i = 0; i < env->controller_count; i++) {
        const Controller *controller = env->controllers[i];
        IntentVec intents = {0};
        EnvTurn turn;

        env_turn_begin(env, &turn, controller, &env->arena, &intents);
        if (controller->observe)
            controller->observe(env->selves[i], &turn.turn, change);
        for (vec_each(Intent, intent, &intents)) {
            assert_true(intent->aside);
            env_note(env, intent);
        }
    }
}

static void apply(TestEnv *env, StateUpdate *update, bool removed) {
    StateChange change;

    if (state_apply(env->state, update, removed, &change) && !env->listing)
        observe(env, &change);
}

void env_apply(TestEnv *env, KubeKind kind, const Value *object) {
    StateUpdate *update;
    Err err = {0};

    if (!state_keeps(kind) || kube_revision(object) == 0)
        return;
    if (state_decode(state_symbols(env->state), kind, object, &update, &err) != OK)
        fail_msg("%s", err.text);
    apply(env, update, false);
}

void env_tell(TestEnv *env) {
    do {
        while (api_step(env->server))
            ;
        for (uint32_t i = 0; i < env->inbox.count; i++)
            apply(env, env->inbox.items[i].update, env->inbox.items[i].removed);
        env->inbox.count = 0;
    } while (api_step(env->server));
}

static StateChange change_of(const TestEnv *env, KubeKind kind, Handle handle) {
    StateChange change = {.kind = kind, .handle = handle};

    switch (kind) {
#define X(kind_name, type, word)                                                                                       \
    case KUBE_##kind_name:                                                                                             \
        change.after = state_##word(env->state, handle);                                                               \
        break;
        STATE_KINDS(X)
#undef X
    default:
        break;
    }
    if (kind == KUBE_POD) {
        const Pod *pod = change.after;

        change.revision = pod->revision, change.ns = pod->ns, change.name = pod->name;
    } else {
        const ObjectMeta *meta = change.after; // the first member of all others

        change.revision = meta->revision, change.ns = meta->ns, change.name = meta->name;
    }
    return change;
}

// As the engine does: after all lists, reports all existing objects.
static void observe_all(TestEnv *env) {
    for (KubeKind kind = 0; kind < KUBE_KIND_COUNT; kind++) {
        if (!state_keeps(kind))
            continue;
        for (Handle at = state_next(env->state, kind, HANDLE_NONE); !handle_eq(at, HANDLE_NONE);
             at = state_next(env->state, kind, at)) {
            StateChange change = change_of(env, kind, at);

            observe(env, &change);
        }
    }
}

void env_listen(TestEnv *env) {
    env->state = state_new();
    env->listing = true;
    for (KubeKind kind = 0; kind < KUBE_KIND_COUNT; kind++) {
        KubeWatchRequest request = {.kind = kind};
        KubeError error;

        if (state_keeps(kind) &&
            kube_watch(env->kube, &request, (KubeSink){take, env}, &env->watches[kind], &error) != OK)
            fail_msg("watch: %s", error.err.text);
    }
    env_tell(env);
    env->listing = false;
    observe_all(env);
}

void env_deafen(TestEnv *env) {
    for (KubeKind kind = 0; kind < KUBE_KIND_COUNT; kind++) {
        if (env->watches[kind])
            kube_unwatch(env->kube, env->watches[kind]);
        env->watches[kind] = NULL;
    }
    for (vec_each(EnvEvent, event, &env->inbox))
        state_update_free(event->update);
    env->inbox.count = 0;
}

// --- defaults of objects

static void put_default(Arena *arena, Value *map, const char *key, Value value) {
    if (!value_find(map, slice_of(key)))
        value_put(arena, map, slice_of(key), value);
}

static Value text_value(const char *text) {
    return value_string(slice_of(text));
}

// "Registered=Unknown/NodeNotFound" as a condition.
static Value condition_of(TestEnv *env, Slice text) {
    ptrdiff_t equals = slice_find(text, '='), slash = slice_find(text, '/');
    Slice type = slice_first(text, equals >= 0 ? (size_t)equals : slash >= 0 ? (size_t)slash : text.len);
    Slice status = SLICE("True"), reason = slash >= 0 ? slice_from(text, (size_t)slash + 1) : type;
    Value condition = value_map();

    if (equals >= 0)
        status = slice_from(slice_first(text, slash >= 0 ? (size_t)slash : text.len), (size_t)equals + 1);
    value_put(&env->arena, &condition, SLICE("type"), value_string(type));
    value_put(&env->arena, &condition, SLICE("status"), value_string(status));
    value_put(&env->arena, &condition, SLICE("reason"), value_string(reason));
    value_put(&env->arena, &condition, SLICE("message"), text_value(""));
    value_put(&env->arena, &condition, SLICE("lastTransitionTime"),
              value_string(time_print(&env->arena, env->now_ns + env->wall_ahead_ns)));
    return condition;
}

static void fill_conditions(TestEnv *env, Value *object) {
    Value *status = value_find_text(object, "status");
    Value *conditions = status ? value_find_text(status, "conditions") : NULL;

    for (uint32_t i = 0; conditions && conditions->kind == VALUE_LIST && i < conditions->list.count; i++) {
        if (conditions->list.items[i].kind == VALUE_STRING)
            conditions->list.items[i] = condition_of(env, conditions->list.items[i].text);
    }
}

static void fill_class(Arena *arena, Value *spec) {
    Value class = value_map();

    value_put(arena, &class, SLICE("group"), text_value("karpenter.kwok.sh"));
    value_put(arena, &class, SLICE("kind"), text_value("KWOKNodeClass"));
    value_put(arena, &class, SLICE("name"), text_value("default"));
    put_default(arena, spec, "nodeClassRef", class);
    put_default(arena, spec, "requirements", value_list());
}

static void fill_pod(Arena *arena, Value *object) {
    Value container = value_map(), containers = value_list();

    value_put(arena, &container, SLICE("name"), text_value("main"));
    value_put(arena, &container, SLICE("image"), text_value("app"));
    value_append(arena, &containers, container);
    put_default(arena, value_make(arena, object, "spec", NULL), "containers", containers);
}

// Fills in members that only a new object needs.
static void fill_new(TestEnv *env, KubeKind kind, Value *object) {
    Arena *arena = &env->arena;

    if (kind == KUBE_POD)
        fill_pod(arena, object);
    if (kind == KUBE_NODE_CLAIM)
        fill_class(arena, value_make(arena, object, "spec", NULL));
    if (kind == KUBE_NODE_POOL)
        fill_class(arena, value_make(arena, object, "spec", "template", "spec", NULL));
}

static KubeKind kind_of(TestEnv *env, Value *object) {
    Slice word = kube_text(object, "kind", NULL);

    for (KubeKind kind = 0; kind < KUBE_KIND_COUNT; kind++) {
        if (!slice_eq(kube_kind(kind)->kind, word))
            continue;
        put_default(&env->arena, object, "apiVersion", value_string(kube_kind(kind)->api_version));
        put_default(&env->arena, value_make(&env->arena, object, "metadata", NULL), "name", text_value("it"));
        return kind;
    }
    fail_msg("no kind \"%.*s\"", SLICE_ARG(word));
    return KUBE_KIND_COUNT;
}

// --- from the test to the server

static void patch_part(TestEnv *env, KubeRef ref, KubePart part, const Value *body) {
    KubePatch patch = {.type = KUBE_PATCH_MERGE, .body = body};
    KubeError error;

    if (kube_patch(env->kube, NULL, HAND, ref, part, &patch, NULL, &error) != OK)
        fail_msg("patch of %.*s: %s", SLICE_ARG(ref.name), error.err.text);
}

static void write_object(TestEnv *env, Value *object) {
    KubeKind kind = kind_of(env, object);
    Slice ns = kube_namespace(object);
    KubeRef ref = {kind, kube_kind(kind)->namespaced && !ns.len ? SLICE("default") : ns, kube_name(object)};
    Value old, status = value_map();
    KubeError error;

    fill_conditions(env, object);
    if (value_find_text(object, "status"))
        value_put(&env->arena, &status, SLICE("status"), *value_find_text(object, "status"));
    if (kube_get(env->kube, &env->arena, ref, &old, NULL) == OK) {
        patch_part(env, ref, KUBE_OBJECT, object);
    } else {
        fill_new(env, kind, object);
        if (kube_create(env->kube, NULL, HAND, kind, object, NULL, &error) != OK)
            fail_msg("create %.*s: %s", SLICE_ARG(ref.name), error.err.text);
    }
    if (status.map.count && kube_kind(kind)->has_status)
        patch_part(env, ref, KUBE_STATUS, &status);
}

__attribute__((format(printf, 2, 0))) static void put(TestEnv *env, const char *format, va_list args) {
    DocumentVec documents = {0};
    WarningVec warnings = {0};
    char *text = arena_alloc(&env->arena, 16384);
    Err err = {0};

    if (vsnprintf(text, 16384, format, args) >= 16384)
        fail_msg("more than 16 KB in one env_put");
    if (yaml_parse(&env->arena, SLICE("test"), slice_of(text), NULL, &documents, &warnings, &err) != OK)
        fail_msg("%s: %s", err.text, text);
    for (vec_each(Document, document, &documents)) {
        Value object = value_copy(&env->arena, &document->root);

        write_object(env, &object);
    }
}

void env_put(TestEnv *env, const char *format, ...) {
    va_list args;

    va_start(args, format);
    put(env, format, args);
    va_end(args);
    env_tell(env);
}

void env_put_unseen(TestEnv *env, const char *format, ...) {
    va_list args;

    va_start(args, format);
    put(env, format, args);
    va_end(args);
}

static void remove_object(TestEnv *env, KubeKind kind, const char *path, bool at_once) {
    KubeDeletion deletion = {.has_grace = at_once};
    KubeError error;

    if (kube_remove(env->kube, env_ref(env, kind, path), &deletion, &error) != OK)
        fail_msg("delete %s: %s", path, error.err.text);
    env_tell(env);
}

void env_delete(TestEnv *env, KubeKind kind, const char *path) {
    remove_object(env, kind, path, false);
}

void env_remove(TestEnv *env, KubeKind kind, const char *path) {
    Value body = value_map(), *meta = value_put(&env->arena, &body, SLICE("metadata"), value_map());

    value_put(&env->arena, meta, SLICE("finalizers"), value_null());
    patch_part(env, env_ref(env, kind, path), KUBE_OBJECT, &body);
    if (env_has(env, kind, path)) // else it waited for that only
        remove_object(env, kind, path, true);
    env_tell(env);
}

// --- looking

bool env_has(TestEnv *env, KubeKind kind, const char *path) {
    return kube_get(env->kube, &env->arena, env_ref(env, kind, path), &(Value){0}, NULL) == OK;
}

uint32_t env_count(TestEnv *env, KubeKind kind) {
    KubeListRequest request = {.kind = kind};
    KubeList list;

    assert_int_equal(kube_list(env->kube, &env->arena, &request, &list, NULL), OK);
    return list.items.count;
}

Value env_get(TestEnv *env, KubeKind kind, const char *path) {
    Value object = value_null();
    KubeError error;

    if (kube_get(env->kube, &env->arena, env_ref(env, kind, path), &object, &error) != OK)
        fail_msg("%s", error.err.text);
    return object;
}

static const Value *conditions_of(const Value *object) {
    static const Value none = {.kind = VALUE_LIST};
    const Value *conditions = value_at(object, "status", "conditions", NULL);

    return conditions ? conditions : &none;
}

const char *env_conditions(TestEnv *env, KubeKind kind, const char *path) {
    Value object = env_get(env, kind, path);
    Buffer buffer = {0};
    const char *text;

    for (vec_each(const Value, condition, &conditions_of(&object)->list))
        buffer_printf(&buffer, "%s%.*s=%.*s/%.*s", buffer.len ? " " : "", SLICE_ARG(kube_text(condition, "type", NULL)),
                      SLICE_ARG(kube_text(condition, "status", NULL)), SLICE_ARG(kube_text(condition, "reason", NULL)));
    text = arena_text(&env->arena, buffer_slice(&buffer));
    buffer_free(&buffer);
    return text;
}

const char *env_condition(TestEnv *env, KubeKind kind, const char *path, const char *type) {
    Value object = env_get(env, kind, path);

    for (vec_each(const Value, condition, &conditions_of(&object)->list)) {
        Slice message = kube_text(condition, "message", NULL);

        if (slice_eq_text(kube_text(condition, "type", NULL), type))
            return arena_printf(&env->arena, "%.*s/%.*s%s%.*s", SLICE_ARG(kube_text(condition, "status", NULL)),
                                SLICE_ARG(kube_text(condition, "reason", NULL)), message.len ? ": " : "",
                                SLICE_ARG(message))
                .ptr;
    }
    return "";
}

// The first key of a path with dots; ret_rest: what follows.
static Slice next_key(Slice path, Slice *ret_rest) {
    bool quoted = path.ptr[0] == '\'';
    Slice key = quoted ? slice_from(path, 1) : path;
    ptrdiff_t end = slice_find(key, quoted ? '\'' : '.');

    if (end < 0) {
        *ret_rest = (Slice){0};
        return key;
    }
    *ret_rest = slice_from(key, (size_t)end + (quoted ? 2 : 1));
    return slice_first(key, (size_t)end);
}

const char *env_part(TestEnv *env, KubeKind kind, const char *path, const char *part) {
    Value object = env_get(env, kind, path);
    const Value *at = &object;
    Buffer buffer = {0};
    const char *text;

    for (Slice rest = slice_of(part); at && rest.len;)
        at = value_get(at, next_key(rest, &rest));
    if (!at)
        return "";
    json_print(&buffer, at, false);
    text = arena_text(&env->arena, buffer_slice(&buffer));
    buffer_free(&buffer);
    return text;
}
