// Clusters for tests: YAML in, a Cluster out.
#include "sched/support/world.h"

#include <stdlib.h>

#include "base/check.h"
#include "model/manifest/manifest.h"
#include "text/yaml.h"

Cluster *world_from_yaml(const char *yaml) {
    Cluster *world = calloc(1, sizeof *world);
    DocumentVec documents = {0};
    Err err = {0};

    CHECK(world, "out of memory");
    cluster_init(world);
    CHECK(yaml_parse(&world->arena, SLICE("test.yaml"), slice_of(yaml), &(ParseOptions){.strict = true}, &documents,
                     &world->warnings, &err) == OK,
          "%s", err.text);
    for (vec_each(Document, document, &documents))
        CHECK(manifest_read(world, document, &err) == OK, "%s", err.text);
    CHECK(manifest_finish(world, &err) == OK, "%s", err.text);
    return world;
}

void world_free(Cluster *world) {
    cluster_free(world);
    free(world);
}

Symbol world_symbol(Cluster *world, const char *text) {
    return symbol_intern(&world->symbols, slice_of(text));
}

const Pod *world_pod(Cluster *world, const char *name) {
    for (vec_each(Pod, pod, &world->pods)) {
        if (slice_eq_text(symbol_text(&world->symbols, pod->name), name))
            return pod;
    }
    CHECK(false, "no pod \"%s\" in the test's world", name);
    return NULL;
}
