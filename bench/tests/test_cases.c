// The cases of the bench: what is drawn is drawn as announced, and what is written for others is what tenon itself
// plans.
#include "base/random.h"
#include "cases.h"
#include "cli/files.h"
#include "cli/load.h"
#include "csv.h"
#include "fleet/case.h"
#include "fleet/whatifs.h"
#include "harness/test.h"
#include "openb.h"
#include "pod_list.h"
#include "write_manifests.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const CaseOptions SMALL = {
    .pods = 300, .nodes = 40, .seed = 7, .folder = TENON_SOURCE_DIR "/bench/workloads/karpenter-diverse"};

static void make_case(const char *name, const CaseOptions *options, Scene *scene) {
    Err err = {0};

    scene_init(scene);
    if (bench_case_find(slice_of(name))->make(scene, options, &err) != OK)
        fail_msg("%s: %s", name, err.text);
}

// --- real shapes ----------------------------------------------------------------------------------------------------

TEST(shares_of_real_shapes_sum_up_to_the_whole) {
    int64_t sum = 0;

    for (uint32_t i = 0; i < openb_shape_count; i++) {
        const OpenbShape *shape = &openb_shapes[i];

        assert_true(shape->millionths > 0 && shape->cpu_milli > 0 && shape->memory_mib >= 0);
        assert_true(i == 0 || shape[-1].cpu_milli < shape->cpu_milli ||
                    (shape[-1].cpu_milli == shape->cpu_milli && shape[-1].memory_mib < shape->memory_mib));
        sum += shape->millionths;
    }
    assert_int_equal(sum, 1000000);
}

TEST(every_shape_is_drawn_as_often_as_its_share_says) {
    enum { COUNT = 8152 };
    uint32_t *drawn = calloc(COUNT, sizeof *drawn), *counts = calloc(openb_shape_count, sizeof *counts), sorted = 0;

    openb_draw(3, COUNT, drawn);
    for (uint32_t i = 0; i < COUNT; i++) {
        counts[drawn[i]]++;
        sorted += i > 0 && drawn[i - 1] <= drawn[i];
    }
    for (uint32_t i = 0; i < openb_shape_count; i++) {
        int64_t expected = (int64_t)openb_shapes[i].millionths * COUNT, got = (int64_t)counts[i] * 1000000;

        assert_true(llabs(got - expected) < 1000000); // rounded up or down
    }
    assert_true(sorted < COUNT * 3 / 4); // shuffled: equal neighbours are common, order is not
    free(drawn);
    free(counts);
}

// 7,803 of the 8,152 pods of the trace fit a node of 32 CPUs: as many of the drawn ones, give or take the rounding.
TEST(small_types_get_only_the_pods_that_fit) {
    CaseOptions options = SMALL;
    Scene scene;

    options.pods = 8152;
    make_case("openb-32", &options, &scene);
    assert_in_range(scene.cluster.pods.count, 7803 - 25, 7803 + 25);
    scene_free(&scene);
}

// --- drawn pods -----------------------------------------------------------------------------------------------------

static uint32_t count_with(const Scene *scene, const char *key) {
    Symbol symbol = symbol_find(&scene->cluster.symbols, slice_of(key));
    uint32_t count = 0;

    for (vec_each(const Pod, pod, &scene->cluster.pods))
        count += symbol != INDEX_NONE && labels_get(&pod->labels, symbol) != INDEX_NONE;
    return count;
}

// 303: no list of that size is there, so it is drawn; three pods are left over after five fifths of 60.
TEST(drawn_mix_is_that_of_the_lists) {
    CaseOptions options = SMALL;
    Scene scene;

    options.pods = 303;
    make_case("diverse", &options, &scene);
    assert_int_equal(scene.cluster.pods.count, 303);
    assert_int_equal(count_with(&scene, "app"), 60);              // anti-affinity
    assert_int_equal(count_with(&scene, "my-affininity"), 60);    // zone affinity
    assert_int_equal(count_with(&scene, "my-label"), 60 * 3 + 3); // generic and both spreads
    scene_free(&scene);
}

TEST(no_two_pods_of_distinct_are_alike) {
    CaseOptions options = SMALL;
    IndexMap sizes = {0};
    Arena arena = {0};
    Scene scene;

    options.pods = 50000;
    make_case("distinct", &options, &scene);
    for (vec_each(const Pod, pod, &scene.cluster.pods)) {
        uint64_t memory = (uint64_t)resources_get(&pod->spec->requests, NAME_MEMORY);

        assert_true(memory / 1024 % 2 == 1 && memory % 1024 == 0);
        assert_int_equal(u64_map_get(&sizes, memory), INDEX_NONE);
        u64_map_put(&arena, &sizes, memory, 1);
    }
    arena_free(&arena);
    scene_free(&scene);
}

TEST(running_pods_fill_the_nodes_and_no_more) {
    int64_t cpu = 0, cpu_of_nodes = 0;
    Scene scene;

    make_case("nodes-5000", &SMALL, &scene);
    assert_int_equal(scene.cluster.nodes.count, 40);
    for (vec_each(const Node, node, &scene.cluster.nodes)) {
        Resources left = resources_copy(&scene.cluster.arena, &node->allocatable);

        for (vec_each(const Pod, pod, &scene.cluster.pods)) {
            if (pod->node_name == node->meta.name)
                resources_subtract(&scene.cluster.arena, &left, &pod->spec->requests);
        }
        cpu_of_nodes += resources_get(&node->allocatable, NAME_CPU);
        cpu += resources_get(&left, NAME_CPU);
        for (uint32_t i = 0; i < left.count; i++)
            assert_true(left.items[i].amount >= 0);
    }
    assert_true(cpu * 10 < cpu_of_nodes * 3);
    scene_free(&scene);
}

// --- files ----------------------------------------------------------------------------------------------------------

static void plan_of(Arena *arena, Cluster *cluster, const PlanPoolVec *pools, PreferencePolicy preferences,
                    Plan *ret_plan) {
    PlanInput input = {.cluster = cluster, .pools = *pools, .preferences = preferences};

    input.search.effort = EFFORT_FAST;
    input.nodes = node_views_make(arena, cluster, NULL, 0);
    input.pending = pending_select(arena, cluster, &input.nodes, 0);
    plan_solve(arena, &input, ret_plan);
}

static void plan_scene(Arena *arena, const char *name, Scene *scene, Plan *ret_plan) {
    PlanPoolVec pools = {0};

    make_case(name, &SMALL, scene);
    for (vec_each(const NodePool, pool, &scene->cluster.node_pools))
        vec_push(arena, &pools, (PlanPool){pool, &scene->types});
    plan_of(arena, &scene->cluster, &pools, scene->preferences, ret_plan);
}

static void load_files(Arena *arena, const char *folder, const char *name, Loaded *ret_loaded) {
    PlanOptions options = {0};
    Slice path = arena_printf(arena, "%s/%s-%u/", folder, name, SMALL.pods);
    const char *manifests = arena_text(arena, arena_printf(arena, "%.*smanifests.json", SLICE_ARG(path)));
    const char *catalogue = arena_text(arena, arena_printf(arena, "%.*scatalog.json", SLICE_ARG(path)));
    Err err = {0};

    if (files_read(arena, manifests, &options.inputs, &err) != OK ||
        file_read(arena, catalogue, &options.catalogue, &err) != OK || load_input(&options, ret_loaded, &err) != OK)
        fail_msg("%s: %s", name, err.text);
    for (vec_each(const Warning, warning, &ret_loaded->warnings))
        fail_msg("%s: %.*s", name, SLICE_ARG(warning->text));
}

static void assert_same_plan(const char *name, const Plan *a, const Plan *b) {
    if (a->claims.count != b->claims.count || a->nodes.count != b->nodes.count ||
        a->unplaced.count != b->unplaced.count || a->class_count != b->class_count)
        fail_msg("%s: %u claims, %u nodes, %u unplaced, %u classes in memory; %u, %u, %u, %u from files", name,
                 a->claims.count, a->nodes.count, a->unplaced.count, a->class_count, b->claims.count, b->nodes.count,
                 b->unplaced.count, b->class_count);
    for (uint32_t i = 0; i < a->claims.count; i++) {
        const PlannedClaim *x = &a->claims.items[i], *y = &b->claims.items[i];

        assert_int_equal(x->types.count, y->types.count);
        assert_int_equal(x->pods.count, y->pods.count);
        assert_memory_equal(x->pods.items, y->pods.items, x->pods.count * sizeof *x->pods.items);
        assert_true(x->offering->price_per_hour == y->offering->price_per_hour);
    }
}

static void remove_files(const char *folder, const char *name, uint32_t pods) {
    static const char *const files[] = {"manifests.json", "catalog.json", "options.json", ""};
    char path[512];

    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(path, sizeof path, "%s/%s-%u/%s", folder, name, pods, files[i]);
        assert_int_equal(remove(path), 0);
    }
}

// The peer reads the files: they have to say what the scene in memory says.
TEST(plan_of_the_files_is_the_plan_of_the_memory) {
    char folder[] = "tenon-bench-XXXXXX";

    assert_non_null(mkdtemp(folder));
    for (size_t i = 0; i < bench_case_count; i++) {
        const char *name = bench_cases[i].name;
        Plan in_memory, from_files;
        Arena arena = {0};
        Loaded loaded = {0};
        Scene scene;
        Err err;

        assert_int_equal(write_case(folder, &bench_cases[i], &SMALL, &err), OK);
        plan_scene(&arena, name, &scene, &in_memory);
        load_files(&arena, folder, name, &loaded);
        plan_of(&arena, &loaded.cluster, &loaded.pools, scene.preferences, &from_files);
        assert_int_equal(in_memory.unplaced.count, 0);
        assert_same_plan(name, &in_memory, &from_files);
        loaded_free(&loaded);
        scene_free(&scene);
        arena_free(&arena);
        remove_files(folder, name, SMALL.pods);
    }
    assert_int_equal(rmdir(folder), 0);
}

TEST(bad_lists_are_named_by_file_and_line) {
    char path[] = "tenon-bench-csv-XXXXXX";
    FILE *file = fdopen(mkstemp(path), "w");
    CaseOptions options = SMALL;
    Scene scene;
    Err err;

    fputs("name,cpu_milli,memory_mib\na,1000,2048\nb,many,2048\n", file);
    fclose(file);
    options.csv = path;
    scene_init(&scene);
    assert_int_equal(case_openb(&scene, &options, &err), ERR_INVALID);
    assert_non_null(strstr(err.text, ":3: cpu_milli: expected a number of at least 0, got \"many\""));
    scene_free(&scene);
    remove(path);
}

// --- the fleet

static const FleetOptions SMALL_FLEET = {.nodes = 60, .pods = 600, .seed = 7};

static void make_fleet(Fleet *fleet, const FleetOptions *options) {
    Err err = {0};

    if (fleet_case_make(fleet, options, &err) != OK)
        fail_msg("%s", err.text);
}

TEST(a_fleet_has_just_so_many_nodes_and_pods) {
    FleetOptions half = SMALL_FLEET, too_many = SMALL_FLEET;
    Fleet fleet = {0}, sample = {0}, impossible = {0};
    Err err;

    make_fleet(&fleet, &SMALL_FLEET);
    assert_int_equal(fleet.scene.cluster.nodes.count, 60);
    assert_int_equal(fleet.scene.cluster.node_claims.count, 60);
    assert_int_equal(fleet.scene.cluster.pods.count, 600);
    half.sample = 30;
    make_fleet(&sample, &half);
    assert_int_equal(sample.scene.cluster.nodes.count, 30);
    assert_in_range(sample.scene.cluster.pods.count, 200, 400);
    too_many.pods = 60 * 30 + 1;
    assert_int_equal(fleet_case_make(&impossible, &too_many, &err), ERR_INVALID);
    fleet_free(&fleet);
    fleet_free(&sample);
    fleet_free(&impossible);
}

TEST(passes_make_the_fleet_cheaper_until_nothing_is_found) {
    Fleet fleet = {0};
    double price;
    FleetPass pass;

    make_fleet(&fleet, &SMALL_FLEET);
    price = fleet_price(&fleet);
    assert_int_equal(whatifs_time(&fleet, 100).count, 60);
    do {
        double before = fleet_price(&fleet);

        pass = fleet_pass(&fleet, 10);
        assert_true(pass.commands ? fleet_price(&fleet) < before : fleet_price(&fleet) == before);
        assert_in_range(pass.nodes_out, 0, 6);
    } while (pass.commands);
    assert_true(fleet_price(&fleet) < 0.95 * price);
    assert_int_equal(fleet.scene.cluster.pods.count, 600);
    fleet_free(&fleet);
}

TEST(the_peer_is_given_the_same_fleet) {
    char folder[] = "tenon-bench-fleet-XXXXXX", path[64];
    PlanOptions options = {0};
    Arena arena = {0};
    Loaded loaded = {0};
    Err err;

    assert_non_null(mkdtemp(folder));
    assert_int_equal(fleet_case_write(&SMALL_FLEET, folder, &err), OK);
    snprintf(path, sizeof path, "%s/fleet-600/manifests.json", folder);
    if (files_read(&arena, path, &options.inputs, &err) != OK || load_input(&options, &loaded, &err) != OK)
        fail_msg("%s", err.text);
    assert_int_equal(loaded.cluster.nodes.count, 60);
    assert_int_equal(loaded.cluster.node_claims.count, 60);
    assert_int_equal(loaded.cluster.pods.count, 600);
    for (vec_each(const Pod, pod, &loaded.cluster.pods))
        assert_true(pod->node_name != NAME_EMPTY && pod->phase == POD_RUNNING);
    loaded_free(&loaded);
    arena_free(&arena);
    remove_files(folder, "fleet", 600);
    assert_int_equal(rmdir(folder), 0);
}

// --- lists of pods

static void load_list(PodListForm form, uint32_t pods, Loaded *ret_loaded, size_t *ret_bytes) {
    char path[] = "/tmp/tenon-bench-pods-XXXXXX";
    PlanOptions options = {0};
    Arena arena = {0};
    Err err = {0};

    close(mkstemp(path));
    if (pod_list_write(path, form, pods, 42, &err) != OK || files_read(&arena, path, &options.inputs, &err) != OK ||
        load_input(&options, ret_loaded, &err) != OK)
        fail_msg("%s", err.text);
    *ret_bytes = options.inputs.items[0].text.len;
    unlink(path);
    arena_free(&arena);
}

TEST(both_forms_of_a_list_have_the_same_pods) {
    enum { PODS = 120 };
    Loaded compact, indented;
    size_t compact_bytes, indented_bytes;

    load_list(POD_LIST_COMPACT, PODS, &compact, &compact_bytes);
    load_list(POD_LIST_INDENTED, PODS, &indented, &indented_bytes);
    assert_int_equal(compact.cluster.pods.count, PODS);
    assert_int_equal(indented.cluster.pods.count, PODS);
    assert_int_equal(compact.cluster.warnings.count + compact.warnings.count, 0);
    assert_in_range(compact_bytes / PODS, 4000, 8000);
    assert_true(indented_bytes > 2 * compact_bytes);
    for (uint32_t i = 0; i < PODS; i++) {
        const Pod *pod = &compact.cluster.pods.items[i], *other = &indented.cluster.pods.items[i];

        assert_true(slice_eq(symbol_text(&compact.cluster.symbols, pod->name),
                             symbol_text(&indented.cluster.symbols, other->name)));
        assert_int_equal(pod->spec == compact.cluster.pods.items[0].spec, i < 50); // one spec for each Deployment
        assert_true(resources_get(&pod->spec->requests, NAME_CPU) > 0);
    }
    loaded_free(&compact);
    loaded_free(&indented);
}
