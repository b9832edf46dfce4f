// A server with a clock and a seed of its own, for the tests of src/sim/api.
#pragma once

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on

#include "base/map.h"
#include "base/random.h"
#include "sim/api/api.h"

typedef struct {
    ApiServer *server;
    Kube kube;
    Arena arena;
    int64_t now_ns;
    Random random;
} World;

// `history_max` as in ApiConfig.
World *world_new(uint64_t seed, uint32_t history_max);
void world_free(World *world);

// An object from YAML in flow style; printf.
__attribute__((format(printf, 2, 3))) Value world_object(World *world, const char *format, ...);
// Calls that must succeed.
Value world_create(World *world, KubeKind kind, const Value *object);
Value world_patch(World *world, KubeKind kind, const char *name, const char *patch);
void world_delete(World *world, KubeKind kind, const char *name);
void world_settle(World *world);
// In the namespace "default", or none.
KubeRef world_ref(KubeKind kind, const char *name);
