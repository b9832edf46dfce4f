// Any text as a manifest: YAML to Values to a Cluster, workloads expanded. Nothing may crash, leak or hang.
#include "model/manifest/manifest.h"
#include "support/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    Cluster cluster;
    Err err;

    cluster_init(&cluster);
    if (fuzz_read_manifest(&cluster, (Slice){(const char *)bytes, size}))
        manifest_finish(&cluster, &err);
    cluster_free(&cluster);
    return 0;
}
