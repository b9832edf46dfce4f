// The cases of the bench, one table: what `tenon-bench --list` prints and `--case` names.
#pragma once

#include "base/err.h"
#include "scene.h"

typedef struct {
    uint32_t pods;      // pending pods
    uint32_t nodes;     // existing nodes, of the cases that have some
    uint32_t sample;    // of the fleet only so many nodes; 0: all
    int64_t cpus_max;   // of an instance type; 0: all
    uint64_t seed;      // of what is drawn
    const char *csv;    // --csv: read these pods instead; NULL: none
    const char *folder; // with the pods of Karpenter's benchmark: diverse-<pods>.csv
} CaseOptions;

typedef struct {
    const char *name, *about;
    uint32_t pods; // by default
    // Fills the scene. Errors: of the files that the case reads.
    ErrCode (*make)(Scene *scene, const CaseOptions *options, Err *err);
} BenchCase;

extern const BenchCase bench_cases[];
extern const size_t bench_case_count;

// The case of that name, or NULL.
const BenchCase *bench_case_find(Slice name);

// case_diverse.c
ErrCode case_diverse(Scene *scene, const CaseOptions *options, Err *err);
ErrCode case_preference(Scene *scene, const CaseOptions *options, Err *err);
ErrCode case_preference_ignore(Scene *scene, const CaseOptions *options, Err *err);
// case_openb.c
ErrCode case_openb(Scene *scene, const CaseOptions *options, Err *err);
ErrCode case_openb_32(Scene *scene, const CaseOptions *options, Err *err);
// case_worst.c
ErrCode case_distinct(Scene *scene, const CaseOptions *options, Err *err);
ErrCode case_hostname_anti_affinity(Scene *scene, const CaseOptions *options, Err *err);
ErrCode case_zone_spread(Scene *scene, const CaseOptions *options, Err *err);
// case_pools.c
ErrCode case_pools(Scene *scene, const CaseOptions *options, Err *err);
// case_nodes.c
ErrCode case_nodes(Scene *scene, const CaseOptions *options, Err *err);
