// A large cluster that is nearly full, and thousands of pods that wait: most nodes have room for one or two of the
// smallest. Some of the waiting pods spread over zones or keep apart, so the running ones have to be counted.
#include "cases.h"

#include "base/random.h"
#include "types.h"

enum { APPS = 40 };

static const int64_t cpu_choices[] = {100, 250, 500, 1000, 1500};
static const int64_t memory_choices[] = {100, 256, 512, 1024, 2048};

typedef enum { PLAIN, ZONE_SPREAD, HOST_ANTI, KINDS } Kind;

static Kind kind_of(uint32_t app) {
    return app % 4 == 1 ? ZONE_SPREAD : app % 8 == 2 ? HOST_ANTI : PLAIN;
}

static Pod *add_pod(Scene *scene, uint32_t app, uint32_t cpu, uint32_t memory, Kind kind) {
    Symbol label = scene_symbol(scene, "app-%u", app);
    bool is_new;
    PodSpec *spec = scene_shared_spec(scene, ((app * KINDS + kind) * 10 + cpu) * 10 + memory, cpu_choices[cpu],
                                      memory_choices[memory] * MIB, &is_new);
    Pod *pod = scene_pod(scene, spec);

    scene_label(scene, &pod->labels, "app", label);
    if (is_new && kind == ZONE_SPREAD)
        scene_spread(scene, spec, NAME_ZONE, scene_selector(scene, "app", label));
    if (is_new && kind == HOST_ANTI)
        scene_affinity(scene, &spec->anti_affinity.required, NAME_HOSTNAME, scene_selector(scene, "app", label), 0);
    return pod;
}

// Running pods until little CPU or memory is left.
static void fill_node(Scene *scene, Random *random, const Node *node) {
    int64_t cpu = resources_get(&node->allocatable, NAME_CPU) - random_below(random, 400);
    int64_t memory = resources_get(&node->allocatable, NAME_MEMORY);

    for (uint32_t misses = 0; misses < 4;) {
        uint32_t of_cpu = random_below(random, 5), of_memory = random_below(random, 5);
        Pod *pod;

        if (cpu_choices[of_cpu] > cpu || memory_choices[of_memory] * MIB > memory) {
            misses++;
            continue;
        }
        cpu -= cpu_choices[of_cpu];
        memory -= memory_choices[of_memory] * MIB;
        pod = add_pod(scene, random_below(random, APPS), of_cpu, of_memory, PLAIN);
        pod->node_name = node->meta.name;
        pod->phase = POD_RUNNING;
        pod->ready = true;
    }
}

static void add_nodes(Scene *scene, Random *random, uint32_t count) {
    static const uint32_t sizes[] = {4, 4, 8, 8, 16}; // CPUs
    const NodePool *pool = scene_pool(scene, "default");

    for (uint32_t i = 0; i < count; i++) {
        const InstanceType *type = &scene->types.items[sizes[random_below(random, 5)] - 1];
        const Offering *offering = &type->offerings.items[random_below(random, type->offerings.count)];

        fill_node(scene, random, scene_node(scene, scene_symbol(scene, "node-%05u", i), pool, type, offering));
    }
}

ErrCode case_nodes(Scene *scene, const CaseOptions *options, Err *err) {
    Random random;

    (void)err;
    random_seed(&random, options->seed);
    types_add_benchmark(scene);
    add_nodes(scene, &random, options->nodes);
    for (uint32_t i = 0; i < options->pods; i++) {
        uint32_t app = i % APPS, of_cpu = random_below(&random, 5), of_memory = random_below(&random, 5);

        add_pod(scene, app, of_cpu, of_memory, kind_of(app));
    }
    return OK;
}
