#include "obs/support/stage.h"
#include "base/time.h"

#include "text/yaml.h"

#include <stdio.h>
#include <stdlib.h>

static const int64_t BEGINNING_NS = INT64_C(1767225600) * NS_PER_S; // 2026-01-01T00:00:00Z

Stage *stage_new(void) {
    Stage *stage = calloc(1, sizeof *stage);

    stage->state = state_new();
    stage->registry = registry_new();
    stage->metrics_observer = metrics_observer_new(stage->registry, SLICE("kwok"));
    metrics_observer_begin(stage->metrics_observer, state_symbols(stage->state));
    stage->now_ns = BEGINNING_NS;
    return stage;
}

void stage_free(Stage *stage) {
    metrics_observer_free(stage->metrics_observer);
    registry_free(stage->registry);
    state_free(stage->state);
    arena_free(&stage->arena);
    free(stage);
}

void stage_pass(Stage *stage, double seconds) {
    stage->now_ns += (int64_t)(seconds * NS_PER_S);
}

const char *stage_time(Stage *stage, int seconds) {
    return arena_printf(&stage->arena, "2026-01-01T%02d:%02d:%02dZ", seconds / 3600, seconds / 60 % 60, seconds % 60)
        .ptr;
}

Value *stage_object(Stage *stage, const char *text) {
    DocumentVec documents = {0};
    WarningVec warnings = {0};
    Value *object;
    Err err;

    if (yaml_parse(&stage->arena, SLICE("test"), slice_of(arena_text(&stage->arena, slice_of(text))), NULL, &documents,
                   &warnings, &err) != OK)
        fail_msg("%s: %s", err.text, text);
    assert_int_equal(documents.count, 1);
    object = arena_new(&stage->arena, Value);
    *object = documents.items[0].root;
    return object;
}

__attribute__((format(printf, 2, 0))) static void apply(Stage *stage, const char *format, va_list arguments,
                                                        bool removed) {
    char text[4096];
    StateUpdate *update;
    StateChange change;
    KubeKind kind;
    Value *object, *meta;
    Err err;

    vsnprintf(text, sizeof text, format, arguments);
    object = stage_object(stage, text);
    meta = value_put(&stage->arena, object, SLICE("metadata"), *value_get_text(object, "metadata"));
    value_put(&stage->arena, meta, SLICE("resourceVersion"),
              value_string(arena_printf(&stage->arena, "%llu", (unsigned long long)++stage->revision)));
    kind = kube_kind_find(kube_text(object, "apiVersion", NULL), kube_text(object, "kind", NULL));
    assert_int_not_equal(kind, KUBE_KIND_COUNT);
    if (state_decode(state_symbols(stage->state), kind, object, &update, &err) != OK)
        fail_msg("%s: %s", err.text, text);
    assert_true(state_apply(stage->state, update, removed, &change));
    metrics_observer_changed(stage->metrics_observer, stage->state, &change, stage->listing, stage_moment(stage));
}

void stage_put(Stage *stage, const char *format, ...) {
    va_list arguments;

    va_start(arguments, format);
    apply(stage, format, arguments, false);
    va_end(arguments);
}

void stage_take(Stage *stage, const char *format, ...) {
    va_list arguments;

    va_start(arguments, format);
    apply(stage, format, arguments, true);
    va_end(arguments);
}

Symbol stage_symbol(Stage *stage, const char *text) {
    return symbol_intern(state_symbols(stage->state), slice_of(text));
}

void stage_tell(Stage *stage, const char *controller, const Intent *intent, const Completion *completion) {
    Completion told = *completion;

    told.type = intent->type;
    metrics_observer_told(stage->metrics_observer, stage->state, controller, (Key){0}, intent, &told, 1,
                          stage_moment(stage));
}

double stage_value(Stage *stage, MetricId id, ...) {
    Slice values[METRIC_LABELS_MAX];
    uint32_t count = 0;
    const char *text;
    va_list arguments;

    va_start(arguments, id);
    while ((text = va_arg(arguments, const char *)))
        values[count++] = slice_of(text);
    va_end(arguments);
    return registry_value(stage->registry, id, (LabelValues){values, count});
}

// --- the page

static Moment now_of(void *clock) {
    return stage_moment(clock);
}

// The engine's thread in a test of one thread: it turns as soon as it is woken.
typedef struct {
    Stage *stage;
    Page *page;
} Waker;

static void turn_at_once(void *context) {
    Waker *waker = context;

    page_turn(waker->page, waker->stage->state);
}

Slice stage_page(Stage *stage) {
    Waker waker = {stage, NULL};
    PageConfig config = {
        stage->registry, metrics_observer_pods(stage->metrics_observer), turn_at_once, now_of, &waker, stage};
    Buffer text = {0};
    Slice copy;

    waker.page = page_new(&config);
    page_print(waker.page, &text);
    copy = arena_slice(&stage->arena, buffer_slice(&text));
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
