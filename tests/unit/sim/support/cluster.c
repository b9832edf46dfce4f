// Objects from YAML into a World.
#include "sim/support/cluster.h"

#include "text/yaml.h"

#include <stdio.h>

static Value parse(Arena *arena, const char *yaml) {
    DocumentVec documents = {0};
    WarningVec warnings = {0};
    Err err = {0};

    if (yaml_parse(arena, SLICE("test"), arena_slice(arena, slice_of(yaml)), NULL, &documents, &warnings, &err) != OK)
        fail_msg("%s", err.text);
    assert_int_equal(documents.count, 1);
    return documents.items[0].root;
}

void cluster_create(World *world, const char *format, ...) {
    Arena arena = {0};
    KubeError error = {0};
    char yaml[8192];
    va_list args;
    Value object;
    KubeKind kind;

    va_start(args, format);
    vsnprintf(yaml, sizeof yaml, format, args);
    va_end(args);
    object = parse(&arena, yaml);
    kind = kube_kind_find(kube_text(&object, "apiVersion", NULL), kube_text(&object, "kind", NULL));
    assert_int_not_equal(kind, KUBE_KIND_COUNT);
    if (kube_create(world_kube(world), NULL, SLICE("test"), kind, &object, NULL, &error) != OK)
        fail_msg("%s", error.err.text);
    arena_free(&arena);
}

void cluster_patch(World *world, KubeKind kind, const char *ns, const char *name, KubePart part, const char *yaml) {
    Arena arena = {0};
    Value body = parse(&arena, yaml);

    assert_int_equal(world_patch(world, "test", kind, slice_of(ns), slice_of(name), part, &body), OK);
    arena_free(&arena);
}

void cluster_delete(World *world, KubeKind kind, const char *ns, const char *name) {
    assert_int_equal(kube_remove(world_kube(world), (KubeRef){kind, slice_of(ns), slice_of(name)}, NULL, NULL), OK);
}

Handle cluster_find(World *world, KubeKind kind, const char *ns, const char *name) {
    return state_find(world_state(world), kind, symbol_intern(world_symbols(world), slice_of(ns)),
                      symbol_intern(world_symbols(world), slice_of(name)));
}

void cluster_run(World *world, int64_t duration_ns) {
    world_run(world, world_now_ns(world) + duration_ns);
}
