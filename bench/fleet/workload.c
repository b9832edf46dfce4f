// Makes workloads.
#include "fleet/workload.h"

#include "base/random.h"
#include "types.h"

enum { WORKLOADS = 500 };

static const int64_t cpus[] = {100, 200, 250, 400, 500, 800, 1000, 1500, 2000, 4000};
static const int64_t memory[] = {128, 256, 512, 768, 1024, 1536, 2048, 3072, 4096, 8192};

typedef struct {
    PodSpec *spec;
    Symbol label;
} Workload;

static Workload make(Scene *scene, Random *random, uint32_t number) {
    uint32_t size = random_below(random, 10), other = random_below(random, 5) + size / 2;
    Workload workload = {scene_spec(scene, cpus[size], memory[other > 9 ? 9 : other] * MIB),
                         scene_symbol(scene, "app-%u", number)};

    if (number % 4 == 1)
        scene_spread(scene, workload.spec, NAME_ZONE, scene_selector(scene, "app", workload.label));
    if (number % 8 == 2)
        scene_affinity(scene, &workload.spec->anti_affinity.required, NAME_HOSTNAME,
                       scene_selector(scene, "app", workload.label), 0);
    return workload;
}

void workload_mixed(Scene *scene, uint32_t pods, uint64_t seed) {
    NodePool *pool = scene_pool(scene, "default");
    Workload workloads[WORKLOADS];
    Random random;

    random_seed(&random, seed);
    scene_pool_require(scene, pool, "karpenter.sh/capacity-type", OP_IN, VALUES("on-demand"));
    types_add_ec2(scene, VALUES("c7i", "m7i", "r7i"), 32);
    scene_reserve_pods(scene, pods);
    for (uint32_t i = 0; i < WORKLOADS; i++)
        workloads[i] = make(scene, &random, i);
    for (uint32_t i = 0; i < pods; i++) {
        const Workload *workload = &workloads[random_below(&random, WORKLOADS)];

        scene_label(scene, &scene_pod(scene, workload->spec)->labels, "app", workload->label);
    }
}
