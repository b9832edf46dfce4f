// Worst cases of one kind each, on the types of Karpenter's benchmark: no two pods alike, anti-affinity between
// thousands, and hundreds of spread constraints at once.
#include "cases.h"

#include "base/random.h"
#include "types.h"

static const int64_t cpu_choices[] = {100, 250, 500, 1000, 1500};
static const int64_t memory_choices[] = {100, 256, 512, 1024, 2048, 4096};

static void prepare(Scene *scene, const CaseOptions *options, Random *random) {
    random_seed(random, options->seed);
    types_add_benchmark(scene);
    scene_pool(scene, "default");
    scene_reserve_pods(scene, options->pods);
}

// Memory of pod i in KiB: odd, from 100 MiB to 4.1 GiB, and another one for each i below 2^21.
static int64_t own_memory_kib(uint32_t i) {
    uint32_t scattered = i * 2654435761u & ((1u << 21) - 1); // times an odd number: no two alike modulo a power of 2

    return 100 * 1024 + 1 + 2 * (int64_t)scattered;
}

ErrCode case_distinct(Scene *scene, const CaseOptions *options, Err *err) {
    Random random;

    (void)err;
    prepare(scene, options, &random);
    for (uint32_t i = 0; i < options->pods; i++) {
        int64_t cpu_milli = 101 + 2 * (int64_t)random_below(&random, 700);
        Pod *pod = scene_pod(scene, scene_spec(scene, cpu_milli, own_memory_kib(i) * 1024));

        scene_label(scene, &pod->labels, "app", scene_symbol(scene, "app-%u", i));
    }
    return OK;
}

enum { ANTI_APPS = 4 };

// Each workload wants as many nodes as it has pods; pods of different ones may share them.
ErrCode case_hostname_anti_affinity(Scene *scene, const CaseOptions *options, Err *err) {
    Random random;

    (void)err;
    prepare(scene, options, &random);
    for (uint32_t i = 0; i < options->pods; i++) {
        uint32_t app = i % ANTI_APPS, cpu = random_below(&random, 5), memory = random_below(&random, 6);
        Symbol label = scene_symbol(scene, "app-%u", app);
        bool is_new;
        PodSpec *spec = scene_shared_spec(scene, app * 100 + cpu * 10 + memory, cpu_choices[cpu],
                                          memory_choices[memory] * MIB, &is_new);
        Pod *pod = scene_pod(scene, spec);

        scene_label(scene, &pod->labels, "app", label);
        if (is_new)
            scene_affinity(scene, &spec->anti_affinity.required, NAME_HOSTNAME, scene_selector(scene, "app", label), 0);
    }
    return OK;
}

enum { SPREAD_DEPLOYMENTS = 500 };

ErrCode case_zone_spread(Scene *scene, const CaseOptions *options, Err *err) {
    PodSpec *specs[SPREAD_DEPLOYMENTS];
    Random random;

    (void)err;
    prepare(scene, options, &random);
    for (uint32_t i = 0; i < SPREAD_DEPLOYMENTS; i++) {
        int64_t memory = memory_choices[random_below(&random, 6)] * MIB;

        specs[i] = scene_spec(scene, cpu_choices[random_below(&random, 5)], memory);
        scene_spread(scene, specs[i], NAME_ZONE, scene_selector(scene, "app", scene_symbol(scene, "app-%u", i)));
    }
    for (uint32_t i = 0; i < options->pods; i++) {
        uint32_t deployment = (uint32_t)((uint64_t)i * SPREAD_DEPLOYMENTS / options->pods);
        Pod *pod = scene_pod(scene, specs[deployment]);

        scene_label(scene, &pod->labels, "app", scene_symbol(scene, "app-%u", deployment));
    }
    return OK;
}
