// What the fuzz targets share.
#pragma once

#include "model/objects.h"
#include "text/value.h"

// libFuzzer's door.
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

// Bounds for what a fuzzer makes up: input within them is no news when it is slow, tenon was asked for much.
extern const ParseOptions fuzz_options;
enum { FUZZ_PODS_MAX = 1000 };

// The pods that the workloads read so far ask for.
int64_t fuzz_pods_wanted(const Cluster *cluster);

// Reads YAML into the cluster as far as it goes; whether it was all sound and small enough to be finished.
bool fuzz_read_manifest(Cluster *cluster, Slice text);
