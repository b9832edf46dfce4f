// A server with a clock and a seed of its own, for the tests of src/sim/api.
#pragma once

#include "base/map.h"
#include "base/random.h"
#include "harness/test.h"
#include "sim/api/api.h"

typedef struct {
    ApiServer *server;
    Kube kube;
    Arena arena;
    int64_t now_ns;
    Random random;
} Fixture;

// `history_max` as in ApiConfig.
Fixture *fixture_new(uint64_t seed, uint32_t history_max);
void fixture_free(Fixture *fixture);

// An object from YAML in flow style; printf.
__attribute__((format(printf, 2, 3))) Value fixture_object(Fixture *fixture, const char *format, ...);
// Calls that must succeed.
Value fixture_create(Fixture *fixture, KubeKind kind, const Value *object);
Value fixture_patch(Fixture *fixture, KubeKind kind, const char *name, const char *patch);
void fixture_delete(Fixture *fixture, KubeKind kind, const char *name);
void fixture_settle(Fixture *fixture);
// In the namespace "default", or none.
KubeRef fixture_ref(KubeKind kind, const char *name);
