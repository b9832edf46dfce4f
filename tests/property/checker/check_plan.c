// Reads a case, runs every check, and hands out what they found.
#include "checker/check_plan.h"

#include "checker/read.h"
#include "checker/topology.h"
#include "checker/verify.h"

CheckOptions check_options_read(const Value *options) {
    return (CheckOptions){
        .ignore_preferences = slice_eq_text(judge_read_text(options, "preferencePolicy"), "Ignore"),
        .best_effort_min_values = slice_eq_text(judge_read_text(options, "minValuesPolicy"), "BestEffort"),
    };
}

ErrCode judge_read_case(World *world, const DocumentVec *manifests, const Value *catalog, Err *err) {
    static const char *const fixed[] = {"cpu", "memory", "pods", "ephemeral-storage", "nodes"};
    Objects objects = {0};

    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        judge_read_resource(world, slice_of(fixed[i]));
    judge_read_sort_objects(world, manifests, &objects);
    TRY(judge_read_catalog(world, catalog, err));
    TRY(judge_read_cluster(world, &objects, err));
    TRY(judge_read_pods(world, &objects, err));
    judge_settle_bound_pods(world);
    return OK;
}

static ErrCode read_world(World *world, const DocumentVec *manifests, const Value *catalog, const Value *plan,
                          Err *err) {
    TRY(judge_read_case(world, manifests, catalog, err));
    return judge_read_plan(world, plan, err);
}

static void verify_world(World *world) {
    Scene scene;

    judge_verify_coverage(world);
    judge_scene_make(world, &scene);
    judge_verify_claims(&scene);
    judge_verify_nodes(&scene);
    judge_verify_anti_affinity(&scene);
    judge_verify_affinity(&scene);
    judge_verify_spread(&scene);
    judge_verify_pools(&scene);
    judge_verify_prices(&scene);
    judge_verify_requests(&scene);
    judge_verify_weights(&scene);
    judge_verify_missed(&scene);
}

ErrCode check_plan(Arena *arena, const DocumentVec *manifests, const Value *catalog, const Value *plan,
                   const CheckOptions *options, ViolationVec *violations, Err *err) {
    World world = {.arena = arena,
                   .ignore_preferences = options->ignore_preferences,
                   .best_effort_min_values = options->best_effort_min_values};
    ErrCode code;

    symbols_init(&world.symbols);
    code = read_world(&world, manifests, catalog, plan, err);
    if (code == OK)
        verify_world(&world);
    for (uint32_t i = 0; code == OK && i < world.findings.count; i++) {
        const Finding *finding = &world.findings.items[i];

        vec_push(arena, violations,
                 (Violation){arena_slice(arena, judge_text(&world, finding->kind)),
                             arena_slice(arena, judge_text(&world, finding->pod)), finding->text});
    }
    symbols_free(&world.symbols);
    return code;
}
