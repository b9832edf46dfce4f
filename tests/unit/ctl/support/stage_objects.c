// Objects on the stage: into the API server, and from its watches into the State.
#include "ctl/support/stage_parts.h"

#include "text/duration.h"
#include "text/json.h"
#include "text/value_edit.h"
#include "text/yaml.h"

#include <stdio.h>

static const Slice HAND = SLICE_INIT("test");

// --- from the server to the State

static bool take(void *context, const KubeEvent *event) {
    Stage *stage = context;
    StateUpdate *update;
    Err err = {0};

    if (!event->object)
        return true;
    if (state_decode(state_symbols(stage->state), event->kind, event->object, &update, &err) != OK)
        fail_msg("%s", err.text);
    vec_push(&stage->arena, &stage->inbox, (StageEvent){event->kind, event->type == KUBE_DELETED, update});
    return true;
}

static void observe(Stage *stage, const StateChange *change) {
    for (uint32_t i = 0; i < stage->controller_count; i++) {
        const Controller *controller = stage->controllers[i];
        IntentVec intents = {0};
        StageTurn turn;

        stage_turn_begin(stage, &turn, controller, &stage->arena, &intents);
        if (controller->observe)
            controller->observe(stage->selves[i], &turn.turn, change);
        for (vec_each(Intent, intent, &intents)) {
            assert_true(intent->aside);
            stage_note(stage, intent);
        }
    }
}

static void apply(Stage *stage, StateUpdate *update, bool removed) {
    StateChange change;

    if (state_apply(stage->state, update, removed, &change) && !stage->listing)
        observe(stage, &change);
}

void stage_apply(Stage *stage, KubeKind kind, const Value *object) {
    StateUpdate *update;
    Err err = {0};

    if (!state_keeps(kind) || kube_revision(object) == 0)
        return;
    if (state_decode(state_symbols(stage->state), kind, object, &update, &err) != OK)
        fail_msg("%s", err.text);
    apply(stage, update, false);
}

void stage_tell(Stage *stage) {
    do {
        while (api_step(stage->server))
            ;
        for (uint32_t i = 0; i < stage->inbox.count; i++)
            apply(stage, stage->inbox.items[i].update, stage->inbox.items[i].removed);
        stage->inbox.count = 0;
    } while (api_step(stage->server));
}

static StateChange change_of(const Stage *stage, KubeKind kind, Handle handle) {
    StateChange change = {.kind = kind, .handle = handle};

    switch (kind) {
#define X(kind_name, type, word)                                                                                       \
    case KUBE_##kind_name:                                                                                             \
        change.after = state_##word(stage->state, handle);                                                             \
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

// As the engine does it: once everything is listed, everything that is there.
static void observe_all(Stage *stage) {
    for (KubeKind kind = 0; kind < KUBE_KIND_COUNT; kind++) {
        if (!state_keeps(kind))
            continue;
        for (Handle at = state_next(stage->state, kind, HANDLE_NONE); !handle_eq(at, HANDLE_NONE);
             at = state_next(stage->state, kind, at)) {
            StateChange change = change_of(stage, kind, at);

            observe(stage, &change);
        }
    }
}

void stage_listen(Stage *stage) {
    stage->state = state_new();
    stage->listing = true;
    for (KubeKind kind = 0; kind < KUBE_KIND_COUNT; kind++) {
        KubeWatchRequest request = {.kind = kind};
        KubeError error;

        if (state_keeps(kind) &&
            kube_watch(stage->kube, &request, (KubeSink){take, stage}, &stage->watches[kind], &error) != OK)
            fail_msg("watch: %s", error.err.text);
    }
    stage_tell(stage);
    stage->listing = false;
    observe_all(stage);
}

void stage_deafen(Stage *stage) {
    for (KubeKind kind = 0; kind < KUBE_KIND_COUNT; kind++) {
        if (stage->watches[kind])
            kube_unwatch(stage->kube, stage->watches[kind]);
        stage->watches[kind] = NULL;
    }
    for (vec_each(StageEvent, event, &stage->inbox))
        state_update_free(event->update);
    stage->inbox.count = 0;
}

// --- what a test does not care for

static void put_default(Arena *arena, Value *map, const char *key, Value value) {
    if (!value_find(map, slice_of(key)))
        value_put(arena, map, slice_of(key), value);
}

static Value text_value(const char *text) {
    return value_string(slice_of(text));
}

// "Registered=Unknown/NodeNotFound" as a condition.
static Value condition_of(Stage *stage, Slice text) {
    ptrdiff_t equals = slice_find(text, '='), slash = slice_find(text, '/');
    Slice type = slice_first(text, equals >= 0 ? (size_t)equals : slash >= 0 ? (size_t)slash : text.len);
    Slice status = SLICE("True"), reason = slash >= 0 ? slice_from(text, (size_t)slash + 1) : type;
    Value condition = value_map();

    if (equals >= 0)
        status = slice_from(slice_first(text, slash >= 0 ? (size_t)slash : text.len), (size_t)equals + 1);
    value_put(&stage->arena, &condition, SLICE("type"), value_string(type));
    value_put(&stage->arena, &condition, SLICE("status"), value_string(status));
    value_put(&stage->arena, &condition, SLICE("reason"), value_string(reason));
    value_put(&stage->arena, &condition, SLICE("message"), text_value(""));
    value_put(&stage->arena, &condition, SLICE("lastTransitionTime"),
              value_string(time_print(&stage->arena, stage->now_ns + stage->wall_ahead_ns)));
    return condition;
}

static void fill_conditions(Stage *stage, Value *object) {
    Value *status = value_find_text(object, "status");
    Value *conditions = status ? value_find_text(status, "conditions") : NULL;

    for (uint32_t i = 0; conditions && conditions->kind == VALUE_LIST && i < conditions->list.count; i++) {
        if (conditions->list.items[i].kind == VALUE_STRING)
            conditions->list.items[i] = condition_of(stage, conditions->list.items[i].text);
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

// What only a new object needs.
static void fill_new(Stage *stage, KubeKind kind, Value *object) {
    Arena *arena = &stage->arena;

    if (kind == KUBE_POD)
        fill_pod(arena, object);
    if (kind == KUBE_NODE_CLAIM)
        fill_class(arena, value_make(arena, object, "spec", NULL));
    if (kind == KUBE_NODE_POOL)
        fill_class(arena, value_make(arena, object, "spec", "template", "spec", NULL));
}

static KubeKind kind_of(Stage *stage, Value *object) {
    Slice word = kube_text(object, "kind", NULL);

    for (KubeKind kind = 0; kind < KUBE_KIND_COUNT; kind++) {
        if (!slice_eq(kube_kind(kind)->kind, word))
            continue;
        put_default(&stage->arena, object, "apiVersion", value_string(kube_kind(kind)->api_version));
        put_default(&stage->arena, value_make(&stage->arena, object, "metadata", NULL), "name", text_value("it"));
        return kind;
    }
    fail_msg("no kind \"%.*s\"", SLICE_ARG(word));
    return KUBE_KIND_COUNT;
}

// --- from the test to the server

static void patch_part(Stage *stage, KubeRef ref, KubePart part, const Value *body) {
    KubePatch patch = {.type = KUBE_PATCH_MERGE, .body = body};
    KubeError error;

    if (kube_patch(stage->kube, NULL, HAND, ref, part, &patch, NULL, &error) != OK)
        fail_msg("patch of %.*s: %s", SLICE_ARG(ref.name), error.err.text);
}

static void write_object(Stage *stage, Value *object) {
    KubeKind kind = kind_of(stage, object);
    Slice ns = kube_namespace(object);
    KubeRef ref = {kind, kube_kind(kind)->namespaced && !ns.len ? SLICE("default") : ns, kube_name(object)};
    Value old, status = value_map();
    KubeError error;

    fill_conditions(stage, object);
    if (value_find_text(object, "status"))
        value_put(&stage->arena, &status, SLICE("status"), *value_find_text(object, "status"));
    if (kube_get(stage->kube, &stage->arena, ref, &old, NULL) == OK) {
        patch_part(stage, ref, KUBE_OBJECT, object);
    } else {
        fill_new(stage, kind, object);
        if (kube_create(stage->kube, NULL, HAND, kind, object, NULL, &error) != OK)
            fail_msg("create %.*s: %s", SLICE_ARG(ref.name), error.err.text);
    }
    if (status.map.count && kube_kind(kind)->has_status)
        patch_part(stage, ref, KUBE_STATUS, &status);
}

__attribute__((format(printf, 2, 0))) static void put(Stage *stage, const char *format, va_list args) {
    DocumentVec documents = {0};
    WarningVec warnings = {0};
    char *text = arena_alloc(&stage->arena, 16384);
    Err err = {0};

    if (vsnprintf(text, 16384, format, args) >= 16384)
        fail_msg("more than 16 KB in one stage_put");
    if (yaml_parse(&stage->arena, SLICE("test"), slice_of(text), NULL, &documents, &warnings, &err) != OK)
        fail_msg("%s: %s", err.text, text);
    for (vec_each(Document, document, &documents)) {
        Value object = value_copy(&stage->arena, &document->root);

        write_object(stage, &object);
    }
}

void stage_put(Stage *stage, const char *format, ...) {
    va_list args;

    va_start(args, format);
    put(stage, format, args);
    va_end(args);
    stage_tell(stage);
}

void stage_put_unseen(Stage *stage, const char *format, ...) {
    va_list args;

    va_start(args, format);
    put(stage, format, args);
    va_end(args);
}

static void remove_object(Stage *stage, KubeKind kind, const char *path, bool at_once) {
    KubeDeletion deletion = {.has_grace = at_once};
    KubeError error;

    if (kube_remove(stage->kube, stage_ref(stage, kind, path), &deletion, &error) != OK)
        fail_msg("delete %s: %s", path, error.err.text);
    stage_tell(stage);
}

void stage_delete(Stage *stage, KubeKind kind, const char *path) {
    remove_object(stage, kind, path, false);
}

void stage_remove(Stage *stage, KubeKind kind, const char *path) {
    Value body = value_map(), *meta = value_put(&stage->arena, &body, SLICE("metadata"), value_map());

    value_put(&stage->arena, meta, SLICE("finalizers"), value_null());
    patch_part(stage, stage_ref(stage, kind, path), KUBE_OBJECT, &body);
    if (stage_has(stage, kind, path)) // else it waited for that only
        remove_object(stage, kind, path, true);
    stage_tell(stage);
}

// --- looking

bool stage_has(Stage *stage, KubeKind kind, const char *path) {
    return kube_get(stage->kube, &stage->arena, stage_ref(stage, kind, path), &(Value){0}, NULL) == OK;
}

uint32_t stage_count(Stage *stage, KubeKind kind) {
    KubeListRequest request = {.kind = kind};
    KubeList list;

    assert_int_equal(kube_list(stage->kube, &stage->arena, &request, &list, NULL), OK);
    return list.items.count;
}

Value stage_get(Stage *stage, KubeKind kind, const char *path) {
    Value object = value_null();
    KubeError error;

    if (kube_get(stage->kube, &stage->arena, stage_ref(stage, kind, path), &object, &error) != OK)
        fail_msg("%s", error.err.text);
    return object;
}

static const Value *conditions_of(const Value *object) {
    static const Value none = {.kind = VALUE_LIST};
    const Value *conditions = value_at(object, "status", "conditions", NULL);

    return conditions ? conditions : &none;
}

const char *stage_conditions(Stage *stage, KubeKind kind, const char *path) {
    Value object = stage_get(stage, kind, path);
    Buffer buffer = {0};
    const char *text;

    for (vec_each(const Value, condition, &conditions_of(&object)->list))
        buffer_printf(&buffer, "%s%.*s=%.*s/%.*s", buffer.len ? " " : "", SLICE_ARG(kube_text(condition, "type", NULL)),
                      SLICE_ARG(kube_text(condition, "status", NULL)), SLICE_ARG(kube_text(condition, "reason", NULL)));
    text = arena_text(&stage->arena, buffer_slice(&buffer));
    buffer_free(&buffer);
    return text;
}

const char *stage_condition(Stage *stage, KubeKind kind, const char *path, const char *type) {
    Value object = stage_get(stage, kind, path);

    for (vec_each(const Value, condition, &conditions_of(&object)->list)) {
        Slice message = kube_text(condition, "message", NULL);

        if (slice_eq_text(kube_text(condition, "type", NULL), type))
            return arena_printf(&stage->arena, "%.*s/%.*s%s%.*s", SLICE_ARG(kube_text(condition, "status", NULL)),
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

const char *stage_part(Stage *stage, KubeKind kind, const char *path, const char *part) {
    Value object = stage_get(stage, kind, path);
    const Value *at = &object;
    Buffer buffer = {0};
    const char *text;

    for (Slice rest = slice_of(part); at && rest.len;)
        at = value_get(at, next_key(rest, &rest));
    if (!at)
        return "";
    json_print(&buffer, at, false);
    text = arena_text(&stage->arena, buffer_slice(&buffer));
    buffer_free(&buffer);
    return text;
}
