// TestEnv: a State to which tests give objects as YAML, the MetricsObserver that sees each change, and its registry.
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
} TestEnv;

// Now, by both clocks.
static inline Moment env_moment(const TestEnv *env) {
    return (Moment){{env->now_ns}, env->now_ns};
}

TestEnv *env_new(void);
void env_free(TestEnv *env);
void env_pass(TestEnv *env, double seconds);
// "2026-01-01T00:00:05Z": so many seconds after the beginning.
const char *env_time(TestEnv *env, int seconds);

// Puts or removes an object, YAML in flow style made with printf, with its kind; it gets the next resourceVersion.
__attribute__((format(printf, 2, 3))) void env_put(TestEnv *env, const char *format, ...);
__attribute__((format(printf, 2, 3))) void env_take(TestEnv *env, const char *format, ...);
Symbol env_symbol(TestEnv *env, const char *text);
// A tree, for intents.
Value *env_object(TestEnv *env, const char *text);

// Reports the completion of one intent to the MetricsObserver.
void env_tell(TestEnv *env, const char *controller, const Intent *intent, const Completion *completion);

// registry_value with labels as texts, ended by NULL.
__attribute__((sentinel)) double env_value(TestEnv *env, MetricId id, ...);
// The page of all metrics, snapshot and all; in the environment's arena.
Slice env_page(TestEnv *env);
// The number of a line ("name{…}"); fails when there is none.
void assert_line(Slice page, const char *line);
void assert_no_line(Slice page, const char *part);
