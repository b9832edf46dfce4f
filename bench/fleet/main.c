// tenon-bench-fleet: a fleet is planned and filled, loses pods, and is consolidated until nothing more is found.
//
// --case openb|openb-32|mixed  --pods N  --seed S  --shrink PERCENT  --budget PERCENT  --passes MOST
#include "cases.h"
#include "fleet/fleet.h"
#include "fleet/workload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *of;
    uint32_t pods, shrink, budget, passes;
    uint64_t seed;
} Settings;

static bool take(Settings *settings, const char *name, const char *value) {
    if (strcmp(name, "--case") == 0)
        settings->of = value;
    else if (strcmp(name, "--budget") == 0)
        settings->budget = (uint32_t)strtoul(value, NULL, 10);
    else if (strcmp(name, "--pods") == 0)
        settings->pods = (uint32_t)strtoul(value, NULL, 10);
    else if (strcmp(name, "--shrink") == 0)
        settings->shrink = (uint32_t)strtoul(value, NULL, 10);
    else if (strcmp(name, "--passes") == 0)
        settings->passes = (uint32_t)strtoul(value, NULL, 10);
    else if (strcmp(name, "--seed") == 0)
        settings->seed = strtoull(value, NULL, 10);
    else
        return false;
    return true;
}

static bool make(Fleet *fleet, const Settings *settings) {
    CaseOptions options = {.pods = settings->pods, .seed = settings->seed};
    const BenchCase *of = bench_case_find(slice_of(settings->of));
    Err err;

    scene_init(&fleet->scene);
    if (strcmp(settings->of, "mixed") == 0)
        workload_mixed(&fleet->scene, settings->pods, settings->seed);
    else if (!of || of->make(&fleet->scene, &options, &err) != OK)
        return false;
    fleet_build(fleet);
    return true;
}

static void print_pass(const Fleet *fleet, uint32_t number, const FleetPass *pass) {
    printf("pass %u: %u commands, %u nodes out, %u in, %u pods moved, %u of %u moves kept, $%.2f/h; prepare %.1f ms, "
           "search %.1f ms (%.1f us a move)\n",
           number, pass->commands, pass->nodes_out, pass->nodes_in, pass->pods_moved, pass->moves_kept,
           pass->moves_tried, fleet_price(fleet), (double)pass->prepare_ns / 1e6, (double)pass->search_ns / 1e6,
           (double)pass->search_ns / 1e3 / (pass->moves_tried ? pass->moves_tried : 1));
}

static void run(Fleet *fleet, const Settings *settings) {
    double before, fresh, floor;
    uint32_t moved = 0, out = 0, in = 0, passes = 0;
    FleetPass pass;

    printf("%s, %u pods, seed %llu: %u nodes, $%.2f/h\n", settings->of, settings->pods,
           (unsigned long long)settings->seed, fleet->scene.cluster.nodes.count, fleet_price(fleet));
    fleet_shrink(fleet, settings->shrink, settings->seed);
    before = fleet_price(fleet);
    fleet_fresh(fleet, &fresh, &floor);
    do {
        pass = fleet_pass(fleet, settings->budget);
        print_pass(fleet, ++passes, &pass);
        moved += pass.pods_moved;
        out += pass.nodes_out;
        in += pass.nodes_in;
    } while (pass.commands && passes < settings->passes);
    printf("%u pods left: $%.2f/h before, $%.2f after %u passes with %u nodes (%u out, %u in, %u pods moved); fresh "
           "$%.2f, floor "
           "$%.2f: %.3f of the floor, %.3f of fresh\n",
           fleet->scene.cluster.pods.count, before, fleet_price(fleet), passes, fleet->scene.cluster.nodes.count, out,
           in, moved, fresh, floor, fleet_price(fleet) / floor, fleet_price(fleet) / fresh);
}

int main(int argc, char **argv) {
    Settings settings = {.of = "openb-32", .budget = 10, .pods = 5000, .shrink = 60, .passes = 100, .seed = 1};
    Fleet fleet = {0};

    for (int i = 1; i < argc; i += 2) {
        if (i + 1 == argc || !take(&settings, argv[i], argv[i + 1])) {
            fprintf(stderr,
                    "usage: tenon-bench-fleet [--case openb|openb-32|mixed] [--pods N] [--seed S] [--shrink PERCENT] "
                    "[--budget PERCENT] [--passes MOST]\n");
            return 2;
        }
    }
    if (!make(&fleet, &settings)) {
        fprintf(stderr, "tenon-bench-fleet: no case \"%s\"\n", settings.of);
        return 2;
    }
    run(&fleet, &settings);
    fleet_free(&fleet);
    return 0;
}
