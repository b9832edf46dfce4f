// Objects of a World from YAML, for the tests of the embedded cluster.
#pragma once

#include "durations.h"
#include "harness/test.h"
#include "sim/world.h"

// Creates an object of the kind in its text (printf); it must succeed.
__attribute__((format(printf, 2, 3))) void cluster_create(World *world, const char *format, ...);
// A merge patch of an object or its status; it must succeed.
void cluster_patch(World *world, KubeKind kind, const char *ns, const char *name, KubePart part, const char *yaml);
void cluster_delete(World *world, KubeKind kind, const char *ns, const char *name);
// The mirror's object; HANDLE_NONE: none.
Handle cluster_find(World *world, KubeKind kind, const char *ns, const char *name);
// Advances the virtual time.
void cluster_run(World *world, int64_t duration_ns);
