// The observed in tests: a State that is told objects as YAML, the metrics_observer that sees each change, and its
// registry.
#pragma once

#include "harness/test.h"
#include "obs/observer/observer.h"
#include "obs/page.h"

typedef struct {
    State *state;
    Registry *registry;
    MetricsObserver *metrics_observer;
    Arena arena;
    KubeRevision revision;
    int64_t now_ns; // 2026-01-01T00:00:00Z at first
    bool listing;
} Stage;

// Now, by both clocks.
static inline Moment stage_moment(const Stage *stage) {
    return (Moment){{stage->now_ns}, stage->now_ns};
}

Stage *stage_new(void);
void stage_free(Stage *stage);
void stage_pass(Stage *stage, double seconds);
// "2026-01-01T00:00:05Z": so many seconds after the beginning.
const char *stage_time(Stage *stage, int seconds);

// One object as YAML in flow style, made with printf; its kind stands in it, its resourceVersion is the next one.
__attribute__((format(printf, 2, 3))) void stage_put(Stage *stage, const char *format, ...);
__attribute__((format(printf, 2, 3))) void stage_take(Stage *stage, const char *format, ...);
Symbol stage_symbol(Stage *stage, const char *text);
// A tree, for intents.
Value *stage_object(Stage *stage, const char *text);

// What came of one intent, told to the metrics_observer.
void stage_tell(Stage *stage, const char *controller, const Intent *intent, const Completion *completion);

// registry_value with labels as texts, ended by NULL.
__attribute__((sentinel)) double stage_value(Stage *stage, MetricId id, ...);
// The page of all metrics, snapshot and all; in the stage's arena.
Slice stage_page(Stage *stage);
// The number of a line ("name{…}"); fails when there is none.
void assert_line(Slice page, const char *line);
void assert_no_line(Slice page, const char *part);
