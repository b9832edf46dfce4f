// Real shapes on EC2: pods of the openb trace's sizes, three families of us-east-1 on demand, one DaemonSet.
#include "cases.h"

#include "csv.h"
#include "openb.h"
#include "types.h"

enum { DAEMON_CPU_MILLI = 600, DAEMON_MEM_MIB = 1024 };

// Whether some type has room for a pod beside the DaemonSet's.
static bool fits(const InstanceTypeVec *types, int64_t cpu_milli, int64_t mem_bytes) {
    for (vec_each(const InstanceType, type, types)) {
        int64_t cpu = resources_get(&type->capacity, NAME_CPU) - resources_get(&type->overhead, NAME_CPU);
        int64_t memory = resources_get(&type->capacity, NAME_MEMORY) - resources_get(&type->overhead, NAME_MEMORY);

        if (cpu_milli + DAEMON_CPU_MILLI <= cpu && mem_bytes + (int64_t)DAEMON_MEM_MIB * MIB <= memory)
            return true;
    }
    return false;
}

static void add_pod(Scene *scene, int64_t cpu_milli, int64_t memory_mib) {
    uint64_t key = (uint64_t)cpu_milli << 32 | (uint64_t)memory_mib;
    bool is_new;

    if (!fits(&scene->types, cpu_milli, memory_mib * MIB))
        return;
    scene_pod(scene, scene_shared_spec(scene, key, cpu_milli, memory_mib * MIB, &is_new));
}

static void add_drawn(Scene *scene, const CaseOptions *options) {
    Arena scratch = {0};
    uint32_t *shapes = arena_array(&scratch, uint32_t, options->pods);

    openb_draw(options->seed, options->pods, shapes);
    scene_reserve_pods(scene, options->pods);
    for (uint32_t i = 0; i < options->pods; i++)
        add_pod(scene, openb_shapes[shapes[i]].cpu_milli, openb_shapes[shapes[i]].memory_mib);
    arena_free(&scratch);
}

static ErrCode add_rows(Scene *scene, const Csv *csv, Err *err) {
    uint32_t cpu_column, memory_column;

    TRY(csv_column(csv, "cpu_milli", &cpu_column, err));
    TRY(csv_column(csv, "memory_mib", &memory_column, err));
    scene_reserve_pods(scene, csv->rows);
    for (uint32_t i = 0; i < csv->rows; i++) {
        int64_t cpu_milli, memory_mib;

        TRY(csv_number(csv, i, cpu_column, &cpu_milli, err));
        TRY(csv_number(csv, i, memory_column, &memory_mib, err));
        if (cpu_milli > INT32_MAX || memory_mib > INT32_MAX)
            return err_set(err, ERR_RANGE, "%.*s:%u: expected at most %d milli-CPU and MiB", SLICE_ARG(csv->file),
                           i + 2, INT32_MAX);
        add_pod(scene, cpu_milli, memory_mib);
    }
    return OK;
}

static ErrCode add_read(Scene *scene, const char *path, Err *err) {
    Arena scratch = {0};
    Csv csv;
    ErrCode code = csv_read(&scratch, path, &csv, err);

    if (code == OK)
        code = add_rows(scene, &csv, err);
    arena_free(&scratch);
    return code;
}

ErrCode case_openb(Scene *scene, const CaseOptions *options, Err *err) {
    NodePool *pool = scene_pool(scene, "default");

    scene_pool_require(scene, pool, "karpenter.sh/capacity-type", OP_IN, VALUES("on-demand"));
    types_add_ec2(scene, VALUES("c7i", "m7i", "r7i"), options->cpus_max);
    scene_daemon_set(scene, "agents", DAEMON_CPU_MILLI, (int64_t)DAEMON_MEM_MIB * MIB);
    if (options->csv)
        return add_read(scene, options->csv, err);
    add_drawn(scene, options);
    return OK;
}

ErrCode case_openb_32(Scene *scene, const CaseOptions *options, Err *err) {
    CaseOptions capped = *options;

    if (!capped.cpus_max)
        capped.cpus_max = 32;
    return case_openb(scene, &capped, err);
}
