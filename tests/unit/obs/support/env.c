#include "obs/support/env.h"
#include "base/time.h"

#include "text/yaml.h"

#include <stdio.h>
#include <stdlib.h>

static const int64_t BEGINNING_NS = INT64_C(1767225600) * NS_PER_S; // 2026-01-01T00:00:00Z

TestEnv *env_new(void) {
    TestEnv *env = calloc(1, sizeof *env);

    env->state = state_new();
    env->registry = registry_new();
    env->metrics_observer = metrics_observer_new(env->registry, SLICE("kwok"));
    metrics_observer_begin(env->metrics_observer, state_symbols(env->state));
    env->now_ns = BEGINNING_NS;
    return env;
}

void env_free(TestEnv *env) {
    metrics_observer_free(env->metrics_observer);
    registry_free(env->registry);
    state_free(env->state);
    arena_free(&env->arena);
    free(env);
}

void env_pass(TestEnv *env, double seconds) {
    env->now_ns += (int64_t)(seconds * NS_PER_S);
}

const char *env_time(TestEnv *env, int seconds) {
    return arena_printf(&env->arena, "2026-01-01T%02d:%02d:%02dZ", seconds / 3600, seconds / 60 % 60, seconds % 60).ptr;
}

Value *env_object(TestEnv *env, const char *text) {
    DocumentVec documents = {0};
    WarningVec warnings = {0};
    Value *object;
    Err err;

    if (yaml_parse(&env->arena, SLICE("test"), slice_of(arena_text(&env->arena, slice_of(text))), NULL, &documents,
                   &warnings, &err) != OK)
        fail_msg("%s: %s", err.text, text);
    assert_int_equal(documents.count, 1);
    object = arena_new(&env->arena, Value);
    *object = documents.items[0].root;
    return object;
}

__attribute__((format(printf, 2, 0))) static void apply(TestEnv *env, const char *format, va_list arguments,
                                                        bool removed) {
    char text[4096];
    StateUpdate *update;
    StateChange change;
    KubeKind kind;
    Value *object, *meta;
    Err err;

    vsnprintf(text, sizeof text, format, arguments);
    object = env_object(env, text);
    meta = value_put(&env->arena, object, SLICE("metadata"), *value_get_text(object, "metadata"));
    value_put(&env->arena, meta, SLICE("resourceVersion"),
              value_string(arena_printf(&env->arena, "%llu", (unsigned long long)++env->revision)));
    kind = kube_kind_find(kube_text(object, "apiVersion", NULL), kube_text(object, "kind", NULL));
    assert_int_not_equal(kind, KUBE_KIND_COUNT);
    if (state_decode(state_symbols(env->state), kind, object, &update, &err) != OK)
        fail_msg("%s: %s", err.text, text);
    assert_true(state_apply(env->state, update, removed, &change));
    metrics_observer_changed(env->metrics_observer, env->state, &change, env->listing, env_moment(env));
}

void env_put(TestEnv *env, const char *format, ...) {
    va_list arguments;

    va_start(arguments, format);
    apply(env, format, arguments, false);
    va_end(arguments);
}

void env_take(TestEnv *env, const char *format, ...) {
    va_list arguments;

    va_start(arguments, format);
    apply(env, format, arguments, true);
    va_end(arguments);
}

Symbol env_symbol(TestEnv *env, const char *text) {
    return symbol_intern(state_symbols(env->state), slice_of(text));
}

void env_tell(TestEnv *env, const char *controller, const Intent *intent, const Completion *completion) {
    Completion told = *completion;

    told.type = intent->type;
    metrics_observer_told(env->metrics_observer, env->state, controller, (Key){0}, intent, &told, 1, env_moment(env));
}

double env_value(TestEnv *env, MetricId id, ...) {
    Slice values[METRIC_LABELS_MAX];
    uint32_t count = 0;
    const char *text;
    va_list arguments;

    va_start(arguments, id);
    while ((text = va_arg(arguments, const char *)))
        values[count++] = slice_of(text);
    va_end(arguments);
    return registry_value(env->registry, id, (LabelValues){values, count});
}

// --- the page

static Moment now_of(void *clock) {
    return env_moment(clock);
}

// The engine's thread in a test of one thread: it turns as soon as it is woken.
typedef struct {
    TestEnv *env;
    Page *page;
} Waker;

static void turn_at_once(void *context) {
    Waker *waker = context;

    page_turn(waker->page, waker->env->state);
}

Slice env_page(TestEnv *env) {
    Waker waker = {env, NULL};
    PageConfig config = {
        env->registry, metrics_observer_pods(env->metrics_observer), turn_at_once, now_of, &waker, env};
    Buffer text = {0};
    Slice copy;

    waker.page = page_new(&config);
    page_print(waker.page, &text);
    copy = arena_slice(&env->arena, buffer_slice(&text));
    buffer_free(&text);
    page_free(waker.page);
    return copy;
}

void assert_line(Slice page, const char *line) {
    Buffer whole = {0};
    bool found;

    buffer_printf(&whole, "\n%s\n", line);
    found = slice_contains(page, buffer_slice(&whole));
    buffer_free(&whole);
    if (!found)
        fail_msg("no line %s in\n%.*s", line, SLICE_ARG(page));
}

void assert_no_line(Slice page, const char *part) {
    if (slice_contains(page, slice_of(part)))
        fail_msg("there is %s in\n%.*s", part, SLICE_ARG(page));
}
