// check_plan MANIFESTS CATALOG PLAN [--options FILE]: checks whether kube-scheduler could carry out the plan.
//
// MANIFESTS: a YAML or JSON file, or a folder of them. Exit status: 0 accepted, 1 refused with one line a violation,
// 2 the input cannot be read.
#include "checker/check_plan.h"
#include "files.h"

#include <stdio.h>

static ErrCode run(Arena *arena, char **paths, const char *options_path, ViolationVec *violations, Err *err) {
    DocumentVec manifests = {0};
    Value catalog, plan, options = value_map();
    CheckOptions decoded;

    TRY(case_read_manifests(arena, paths[0], &manifests, err));
    TRY(case_read_document(arena, paths[1], &catalog, err));
    TRY(case_read_document(arena, paths[2], &plan, err));
    if (options_path)
        TRY(case_read_document(arena, options_path, &options, err));
    decoded = check_options_read(&options);
    return check_plan(arena, &manifests, &catalog, &plan, &decoded, violations, err);
}

int main(int argc, char **argv) {
    char *paths[3];
    const char *options_path = NULL;
    int path_count = 0;
    Arena arena = {0};
    ViolationVec violations = {0};
    Err err;

    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--options") == 0 && i + 1 < argc)
            options_path = argv[++i];
        else if (path_count < 3)
            paths[path_count++] = argv[i];
        else
            path_count = 4;
    }
    if (path_count != 3) {
        fprintf(stderr, "usage: check_plan MANIFESTS CATALOG PLAN [--options FILE]\n");
        return 2;
    }
    if (run(&arena, paths, options_path, &violations, &err) != OK) {
        fprintf(stderr, "error: %s\n", err.text);
        return 2;
    }
    for (vec_each(Violation, violation, &violations))
        printf("violation: %.*s: %.*s: %.*s\n", SLICE_ARG(violation->kind), SLICE_ARG(violation->pod),
               SLICE_ARG(violation->text));
    arena_free(&arena);
    return violations.count ? 1 : 0;
}
