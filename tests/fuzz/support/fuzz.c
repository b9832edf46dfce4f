// Reading manifests for fuzz targets.
#include "support/fuzz.h"

#include "model/manifest/manifest.h"
#include "model/manifest/state.h"
#include "text/yaml.h"

const ParseOptions fuzz_options = {.values_max = 100000};

int64_t fuzz_pods_wanted(const Cluster *cluster) {
    int64_t pods = 0;

    if (!cluster->reading)
        return 0;
    for (vec_each(const Workload, workload, &cluster->reading->workloads))
        pods += workload->pods_wanted;
    return pods;
}

bool fuzz_read_manifest(Cluster *cluster, Slice text) {
    Arena arena = {0};
    DocumentVec documents = {0};
    WarningVec warnings = {0};
    Err err;
    ErrCode code = yaml_parse(&arena, SLICE("fuzz.yaml"), text, &fuzz_options, &documents, &warnings, &err);

    for (uint32_t i = 0; code == OK && i < documents.count; i++)
        code = manifest_read(cluster, &documents.items[i], &err);
    arena_free(&arena);
    return code == OK && fuzz_pods_wanted(cluster) <= FUZZ_PODS_MAX;
}
