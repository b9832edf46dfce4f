// The instance types of the bench.
#pragma once

#include "scene.h"

enum { BENCHMARK_TYPES = 400 };

// Those of Karpenter's scheduling benchmark (reference scheduling.md 9.1): fake-it-<i> with i+1 CPUs, 2(i+1) GiB and
// 10(i+1) pods, price linear in the size, spot in two zones and on-demand in three.
void types_add_benchmark(Scene *scene);

// What EC2 offers in us-east-1 by the catalogue in tenon, for an EC2NodeClass with defaults.
// `families`: only these ("c7i"), NULL-terminated; NULL: all. cpus_max 0: all sizes.
void types_add_ec2(Scene *scene, const char *const *families, int64_t cpus_max);
