// The tests' server.
#include "sim/support/server.h"
#include "base/time.h"

#include "text/yaml.h"

#include <stdio.h>
#include <stdlib.h>

static int64_t now_ns(void *context) {
    return ((Fixture *)context)->now_ns;
}

static uint64_t next_random(void *context) {
    return random_u64(&((Fixture *)context)->random);
}

Fixture *fixture_new(uint64_t seed, uint32_t history_max) {
    Fixture *fixture = calloc(1, sizeof *fixture);
    ApiConfig config = {.sources = {now_ns, next_random, fixture}, .history_max = history_max};

    assert_non_null(fixture);
    fixture->now_ns = 1767225600 * NS_PER_S;
    random_seed(&fixture->random, seed);
    fixture->server = api_new(&config);
    fixture->kube = api_kube(fixture->server);
    return fixture;
}

void fixture_free(Fixture *fixture) {
    api_free(fixture->server);
    arena_free(&fixture->arena);
    free(fixture);
}

static Value parse(Fixture *fixture, const char *yaml) {
    DocumentVec documents = {0};
    WarningVec warnings = {0};
    Err err = {0};

    if (yaml_parse(&fixture->arena, SLICE("test"), arena_slice(&fixture->arena, slice_of(yaml)), NULL, &documents,
                   &warnings, &err) != OK)
        fail_msg("%s: %s", err.text, yaml);
    return documents.items[0].root;
}

Value fixture_object(Fixture *fixture, const char *format, ...) {
    char text[4096];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return parse(fixture, text);
}

Value fixture_create(Fixture *fixture, KubeKind kind, const Value *object) {
    Value result = value_null();
    KubeError error;

    if (kube_create(fixture->kube, &fixture->arena, SLICE("test"), kind, object, &result, &error) != OK)
        fail_msg("create: %s", error.err.text);
    return result;
}

Value fixture_patch(Fixture *fixture, KubeKind kind, const char *name, const char *patch) {
    Value result = value_null(), body = parse(fixture, patch);
    KubeError error;

    if (kube_patch(fixture->kube, &fixture->arena, SLICE("test"), fixture_ref(kind, name), KUBE_OBJECT,
                   &(KubePatch){.type = KUBE_PATCH_MERGE, .body = &body}, &result, &error) != OK)
        fail_msg("patch: %s", error.err.text);
    return result;
}

void fixture_delete(Fixture *fixture, KubeKind kind, const char *name) {
    KubeError error;

    if (kube_remove(fixture->kube, fixture_ref(kind, name), NULL, &error) != OK)
        fail_msg("delete: %s", error.err.text);
}

void fixture_settle(Fixture *fixture) {
    while (api_step(fixture->server))
        ;
}

KubeRef fixture_ref(KubeKind kind, const char *name) {
    return (KubeRef){kind, kube_kind(kind)->namespaced ? SLICE("default") : SLICE(""), slice_of(name)};
}
