// 50 NodePools over every type that EC2 has in us-east-1, and 200 deployments that ask for this and that.
#include "cases.h"

#include "base/random.h"
#include "types.h"

#include <stdio.h>

enum { POOLS = 50, TEAMS = 10, DEPLOYMENTS = 200 };

static const char *const zones[] = {"us-east-1a", "us-east-1b", "us-east-1c", "us-east-1d", "us-east-1f"};

static void require_types(Scene *scene, NodePool *pool, uint32_t number) {
    static const char *const generations[] = {"4", "5", "6"}, *const sizes[] = {"17", "33", "65", "129"};
    static const char *const categories[] = {"c", "m", "r"};

    scene_pool_require(scene, pool, "kubernetes.io/os", OP_IN, VALUES("linux"));
    if (number % 4 == 3)
        scene_pool_require(scene, pool, "karpenter.k8s.aws/instance-category", OP_IN, VALUES(categories[number % 3]));
    else
        scene_pool_require(scene, pool, "karpenter.k8s.aws/instance-category", OP_IN, VALUES("c", "m", "r"));
    scene_pool_require(scene, pool, "karpenter.k8s.aws/instance-generation", OP_GT, VALUES(generations[number % 3]));
    scene_pool_require(scene, pool, "karpenter.k8s.aws/instance-cpu", OP_LT, VALUES(sizes[number % 4]));
    if (number % 5 == 1)
        scene_pool_require(scene, pool, "karpenter.k8s.aws/instance-hypervisor", OP_IN, VALUES("nitro"));
    if (number % 7 == 2)
        scene_pool_require(scene, pool, "karpenter.k8s.aws/instance-local-nvme", OP_DOES_NOT_EXIST, VALUES(NULL));
}

static void require_places(Scene *scene, NodePool *pool, uint32_t number) {
    if (number % 2)
        scene_pool_require(scene, pool, "karpenter.sh/capacity-type", OP_IN, VALUES("on-demand"));
    else
        scene_pool_require(scene, pool, "karpenter.sh/capacity-type", OP_IN, VALUES("on-demand", "spot"));
    if (number % 3 == 1)
        scene_pool_require(scene, pool, "kubernetes.io/arch", OP_IN, VALUES("arm64"));
    else if (number % 3 == 2)
        scene_pool_require(scene, pool, "kubernetes.io/arch", OP_IN, VALUES("amd64"));
    else
        scene_pool_require(scene, pool, "kubernetes.io/arch", OP_IN, VALUES("amd64", "arm64"));
    if (number % 6 == 5)
        scene_pool_require(scene, pool, "topology.kubernetes.io/zone", OP_IN,
                           VALUES(zones[number % 5], zones[(number + 1) % 5]));
}

// Every third pool is kept for a team by a taint; every team's label is on five pools.
static void add_pool(Scene *scene, uint32_t number) {
    char name[16];
    NodePool *pool;
    Symbol team = scene_symbol(scene, "team-%u", number % TEAMS);

    snprintf(name, sizeof name, "pool-%02u", number);
    pool = scene_pool(scene, name);
    require_types(scene, pool, number);
    require_places(scene, pool, number);
    pool->weight = number % 4 == 0 ? 0 : (int32_t)(1 + number * 2 % 100);
    pool->has_template_labels = true;
    scene_label(scene, &pool->template_labels, "example.com/team", team);
    if (number % 3 == 0) {
        pool->template_spec.has_taints = true;
        vec_push(scene_arena(scene), &pool->template_spec.taints,
                 (Taint){.key = scene_symbol(scene, "example.com/team"), .value = team, .effect = EFFECT_NO_SCHEDULE});
    }
}

static PodSpec *deployment_spec(Scene *scene, Random *random, Symbol app) {
    static const int64_t cpus[] = {100, 250, 500, 1000, 2000, 4000};
    int64_t cpu_milli = cpus[random_below(random, 6)], gib_per_cpu = 1 + (int64_t)random_below(random, 8);
    PodSpec *spec = scene_spec(scene, cpu_milli, cpu_milli * gib_per_cpu * 1024 / 1000 * MIB);
    Symbol team = scene_symbol(scene, "team-%u", random_below(random, TEAMS));

    if (random_chance(random, 40))
        vec_push(scene_arena(scene), &spec->tolerations, scene_toleration(scene, "example.com/team", team));
    if (random_chance(random, 30))
        scene_label(scene, &spec->node_selector, "example.com/team", team);
    else if (random_chance(random, 25))
        labels_set(scene_arena(scene), &spec->node_selector, NAME_ZONE,
                   scene_symbol(scene, "%s", zones[random_below(random, 5)]));
    if (random_chance(random, 25))
        labels_set(scene_arena(scene), &spec->node_selector, NAME_ARCH,
                   random_chance(random, 50) ? NAME_AMD64 : NAME_ARM64);
    if (random_chance(random, 20))
        scene_spread(scene, spec, NAME_HOSTNAME, scene_selector(scene, "app", app));
    return spec;
}

ErrCode case_pools(Scene *scene, const CaseOptions *options, Err *err) {
    PodSpec *specs[DEPLOYMENTS];
    Random random;

    (void)err;
    random_seed(&random, options->seed);
    types_add_ec2(scene, NULL, options->cpus_max);
    for (uint32_t i = 0; i < POOLS; i++)
        add_pool(scene, i);
    for (uint32_t i = 0; i < DEPLOYMENTS; i++)
        specs[i] = deployment_spec(scene, &random, scene_symbol(scene, "app-%u", i));
    scene_reserve_pods(scene, options->pods);
    for (uint32_t i = 0; i < options->pods; i++) {
        uint32_t deployment = (uint32_t)((uint64_t)i * DEPLOYMENTS / options->pods);
        Pod *pod = scene_pod(scene, specs[deployment]);

        scene_label(scene, &pod->labels, "app", scene_symbol(scene, "app-%u", deployment));
    }
    return OK;
}
