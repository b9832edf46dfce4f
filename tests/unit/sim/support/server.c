// The tests' server.
#include "sim/support/server.h"

#include "text/yaml.h"

#include <stdio.h>
#include <stdlib.h>

static int64_t now_ns(void *context) {
    return ((World *)context)->now_ns;
}

static uint64_t next_random(void *context) {
    return random_u64(&((World *)context)->random);
}

World *world_new(uint64_t seed, uint32_t history_max) {
    World *world = calloc(1, sizeof *world);
    ApiConfig config = {.sources = {now_ns, next_random, world}, .history_max = history_max};

    assert_non_null(world);
    world->now_ns = INT64_C(1767225600) * 1000000000;
    random_seed(&world->random, seed);
    world->server = api_new(&config);
    world->kube = api_kube(world->server);
    return world;
}

void world_free(World *world) {
    api_free(world->server);
    arena_free(&world->arena);
    free(world);
}

static Value parse(World *world, const char *yaml) {
    DocumentVec documents = {0};
    WarningVec warnings = {0};
    Err err = {0};

    if (yaml_parse(&world->arena, SLICE("test"), arena_slice(&world->arena, slice_of(yaml)), NULL, &documents,
                   &warnings, &err) != OK)
        fail_msg("%s: %s", err.text, yaml);
    return documents.items[0].root;
}

Value world_object(World *world, const char *format, ...) {
    char text[4096];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return parse(world, text);
}

Value world_create(World *world, KubeKind kind, const Value *object) {
    Value result = value_null();
    KubeError error;

    if (kube_create(world->kube, &world->arena, SLICE("test"), kind, object, &result, &error) != OK)
        fail_msg("create: %s", error.err.text);
    return result;
}

Value world_patch(World *world, KubeKind kind, const char *name, const char *patch) {
    Value result = value_null(), body = parse(world, patch);
    KubeError error;

    if (kube_patch(world->kube, &world->arena, SLICE("test"), world_ref(kind, name), KUBE_OBJECT,
                   &(KubePatch){.type = KUBE_PATCH_MERGE, .body = &body}, &result, &error) != OK)
        fail_msg("patch: %s", error.err.text);
    return result;
}

void world_delete(World *world, KubeKind kind, const char *name) {
    KubeError error;

    if (kube_remove(world->kube, world_ref(kind, name), NULL, &error) != OK)
        fail_msg("delete: %s", error.err.text);
}

void world_settle(World *world) {
    while (api_step(world->server))
        ;
}

KubeRef world_ref(KubeKind kind, const char *name) {
    return (KubeRef){kind, kube_kind(kind)->namespaced ? SLICE("default") : SLICE(""), slice_of(name)};
}
