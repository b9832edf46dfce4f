// Makes random worlds.
#include "sched/support/random_world.h"

#include "harness/test.h"
#include "sched/support/world_parts.h"

#define PRINT(world, ...) (arena_printf(&(world)->arena, __VA_ARGS__).ptr)

typedef struct {
    World *world;
    Random *random;
    uint32_t features;
    int pool_count;
} Maker;

static uint32_t pick(const Maker *maker, uint32_t from, uint32_t to) {
    return from + random_below(maker->random, to - from + 1);
}

static bool has(const Maker *maker, uint32_t feature, uint32_t percent) {
    return random_chance(maker->random, percent) && (maker->features & feature);
}

// --- types

static const char *one_of(const Maker *maker, const char *const *texts, uint32_t count) {
    return texts[random_below(maker->random, count)];
}
#define ONE_OF(maker, ...)                                                                                             \
    one_of(maker, (const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

// Each draw is a statement of its own: the order of evaluation within a statement depends on the compiler, and a seed
// must give the same world everywhere.
static void make_type(const Maker *maker, int number) {
    World *world = maker->world;
    const char *name = PRINT(world, "type-%d", number);
    const char *zones = ONE_OF(maker, "a b c", "a b c", "a", "b c");
    const char *kinds = ONE_OF(maker, "spot on-demand", "on-demand", "spot");
    uint32_t cpu = 1U << pick(maker, 0, 4), memory = cpu << pick(maker, 1, 3), pods = pick(maker, 3, 14);
    double price = (cpu * 0.04 + memory * 0.005) * pick(maker, 70, 130) / 100;

    world_type(world, .name = name, .capacity = PRINT(world, "cpu: %u, memory: %uGi, pods: %u", cpu, memory, pods),
               .price = price, .zones = zones, .capacity_types = kinds);
    if (!has(maker, RANDOM_RESERVED, 30))
        return;
    zones = ONE_OF(maker, "a", "b");
    world_offering(world, .type = name, .zone = zones, .capacity_type = "reserved", .price = price / 100,
                   .reservation = PRINT(world, "cr-%d", number), .count = (int)pick(maker, 1, 3));
}

static void make_types(const Maker *maker) {
    uint32_t count = pick(maker, 2, 7);

    world_type(maker->world, .name = "anywhere", .capacity = "cpu: 16, memory: 64Gi, pods: 12", .price = 1.1);
    for (uint32_t i = 0; i < count; i++)
        make_type(maker, (int)i);
}

// --- pools and nodes

static const char *limits_of(const Maker *maker) {
    uint32_t cpu = pick(maker, 2, 60), memory = pick(maker, 8, 250), nodes = pick(maker, 1, 8);

    if (!has(maker, RANDOM_LIMITS, 80))
        return "";
    switch (random_below(maker->random, 5)) {
    case 0:
        return PRINT(maker->world, "limits: {nodes: %u}", nodes);
    case 1:
        return PRINT(maker->world, "limits: {memory: %uGi}", memory);
    case 2:
        return PRINT(maker->world, "limits: {cpu: %u, memory: %uGi, nodes: %u}", cpu, memory, nodes);
    case 3:
        return PRINT(maker->world, "limits: {cpu: %u}", cpu * 4); // more than enough, perhaps
    default:
        return PRINT(maker->world, "limits: {cpu: %u}", cpu);
    }
}

static void make_pool(const Maker *maker, int number) {
    World *world = maker->world;
    const char *limits = limits_of(maker), *spec = limits, *requirements = "", *template = "";
    uint32_t weight = 10 * random_below(maker->random, 3);

    if (maker->features & RANDOM_POOLS && weight)
        spec = PRINT(world, "weight: %u%s%s", weight, *limits ? ", " : "", limits);
    if (has(maker, RANDOM_POOLS, 30))
        requirements = IN(CAPACITY_TYPE, "on-demand");
    if (number && has(maker, RANDOM_POOLS, 30))
        template = "taints: [{key: dedicated, value: \"yes\", effect: NoSchedule}]";
    world_pool(world, .name = PRINT(world, "pool-%d", number), .spec = spec, .requirements = requirements,
               .template = template);
}

static void make_node(const Maker *maker, int number) {
    World *world = maker->world;
    uint32_t cpu = pick(maker, 1, 8), pods = pick(maker, 2, 8), app = pick(maker, 0, 5);
    const char *name = PRINT(world, "node-%d", number), *zone = ONE_OF(maker, "a", "b", "c");

    world_node(world, .name = name, .labels = PRINT(world, ZONE ": %s, " CAPACITY_TYPE ": on-demand", zone),
               .allocatable = PRINT(world, "cpu: %u, memory: %uGi, pods: %u", cpu, cpu * 4, pods),
               .pool = random_chance(maker->random, 50) ? "pool-0" : NULL);
    if (random_chance(maker->random, 50))
        world_pods(world, .name = PRINT(world, "there-%d", number), .labels = PRINT(world, "app: app-%u", app),
                   .requests = "cpu: 500m", .node = name);
}

static void make_nodes(const Maker *maker) {
    uint32_t count = pick(maker, 0, 3);

    for (uint32_t i = 0; i < count && maker->features & RANDOM_NODES; i++)
        make_node(maker, (int)i);
}

// --- pods

static const char *topology_of(const Maker *maker, const char *app) {
    World *world = maker->world;
    const char *key = ONE_OF(maker, ZONE, ZONE, HOST);
    const char *selector = PRINT(world, "labelSelector: {matchLabels: {app: %s}}, topologyKey: %s", app, key);
    const char *required = "requiredDuringSchedulingIgnoredDuringExecution";

    switch (random_below(maker->random, 4)) {
    case 0:
        return PRINT(world, "affinity: {podAntiAffinity: {%s: [{%s}]}}", required, selector);
    case 1:
        return PRINT(world, "affinity: {podAffinity: {%s: [{%s}]}}", required, selector);
    default:
        return PRINT(world, "topologySpreadConstraints: [{maxSkew: %u, whenUnsatisfiable: DoNotSchedule, %s}]",
                     pick(maker, 1, 2), selector);
    }
}

static const char *spec_of(const Maker *maker, const char *app) {
    World *world = maker->world;
    const char *topology = has(maker, RANDOM_TOPOLOGY, 50) ? topology_of(maker, app) : "";
    const char *selector = "", *tolerations = "";

    if (has(maker, RANDOM_SELECTORS, 30))
        selector = ONE_OF(maker, SELECT(ZONE ": a"), SELECT(ZONE ": b"), SELECT(CAPACITY_TYPE ": on-demand"));
    if (has(maker, RANDOM_POOLS, 40))
        tolerations = TOLERATE("{key: dedicated, operator: Exists}");
    return PRINT(world, "%s%s%s%s%s", topology, *topology && *selector ? ", " : "", selector,
                 (*topology || *selector) && *tolerations ? ", " : "", tolerations);
}

static const char *requests_of(const Maker *maker) {
    static const uint32_t amounts[] = {100, 250, 333, 500, 900, 1000, 1500, 2000, 3000};
    uint32_t cpu = amounts[random_below(maker->random, 9)], memory = 64U << pick(maker, 0, 6);

    return PRINT(maker->world, "cpu: %um, memory: %uMi", cpu, memory);
}

// A Deployment, for the containers of world_pods have no ports.
static void make_pods_with_ports(const Maker *maker, const char *app, uint32_t replicas, const char *requests) {
    world_object(maker->world,
                 PRINT(maker->world,
                       "apiVersion: apps/v1, kind: Deployment, metadata: {name: %s}, spec: {replicas: %u, selector: "
                       "{matchLabels: {app: %s}}, template: {metadata: {labels: {app: %s}}, spec: {containers: [{name: "
                       "c, image: i, resources: {requests: {%s}}, ports: [{containerPort: 80, hostPort: %u}]}]}}}",
                       app, replicas, app, app, requests, 8000 + pick(maker, 0, 1)));
}

static void make_pods(const Maker *maker) {
    World *world = maker->world;
    uint32_t count = pick(maker, 2, 6);

    for (uint32_t i = 0; i < count; i++) {
        const char *app = PRINT(world, "app-%u", i), *requests = requests_of(maker), *spec = spec_of(maker, app);
        uint32_t replicas = pick(maker, 1, 9);

        if (has(maker, RANDOM_PORTS, 30))
            make_pods_with_ports(maker, app, replicas, requests);
        else
            world_pods(world, .name = app, .count = (int)replicas, .labels = PRINT(world, "app: %s", app),
                       .requests = requests, .spec = spec);
    }
}

// --- all together

void random_world(World *world, Random *random, uint32_t features) {
    Maker maker = {.world = world, .random = random, .features = features, .pool_count = 1};

    if (features & RANDOM_POOLS)
        maker.pool_count = (int)pick(&maker, 1, 3);
    make_types(&maker);
    for (int i = 0; i < maker.pool_count; i++)
        make_pool(&maker, i);
    make_nodes(&maker);
    make_pods(&maker);
}

static uint32_t running_seed; // 0: none

void each_random_world(uint32_t count, uint32_t features, void (*test)(World *world, Random *random)) {
    uint32_t last = test_random_cases(count);

    for (uint32_t seed = 1; seed <= last; seed++) {
        Random random;
        World *world = world_setup();

        running_seed = seed;
        random_seed(&random, seed);
        random_world(world, &random, features);
        test(world, &random);
        world_teardown(world);
    }
    running_seed = 0;
}

void random_teardown(void) {
    if (running_seed)
        print_error("the random world with seed %u did it\n", running_seed);
    running_seed = 0;
}
