// generate_case --seed S --out DIR [--profile karpenter|full|small|fleet] [--heavy yes]: writes DIR/manifests.json,
// catalog.json, options.json.
#include "files.h"
#include "generator/generate.h"

#include <stdio.h>
#include <stdlib.h>

static ErrCode write_part(const char *folder, const char *name, const Buffer *buffer, Err *err) {
    Buffer path = {0};
    ErrCode code;

    buffer_printf(&path, "%s/%s%c", folder, name, '\0');
    code = case_write_text(path.bytes, buffer_slice(buffer), err);
    buffer_free(&path);
    return code;
}

static ErrCode write_case(const GeneratedCase *generated, const char *folder, Err *err) {
    TRY(case_make_folder(folder, err));
    TRY(write_part(folder, "manifests.json", &generated->manifests, err));
    TRY(write_part(folder, "catalog.json", &generated->catalog, err));
    return write_part(folder, "options.json", &generated->options, err);
}

int main(int argc, char **argv) {
    GenerateProfile profile = GENERATE_KARPENTER;
    GeneratedCase generated;
    const char *folder = NULL;
    uint64_t seed = 1;
    bool heavy = false;
    ErrCode code;
    Err err;

    for (int i = 1; i < argc; i += 2) {
        if (i + 1 == argc)
            folder = NULL;
        else if (strcmp(argv[i], "--seed") == 0)
            seed = strtoull(argv[i + 1], NULL, 10);
        else if (strcmp(argv[i], "--out") == 0)
            folder = argv[i + 1];
        else if (strcmp(argv[i], "--heavy") == 0)
            heavy = strcmp(argv[i + 1], "yes") == 0;
        else if (strcmp(argv[i], "--profile") == 0 && strcmp(argv[i + 1], "full") == 0)
            profile = GENERATE_FULL;
        else if (strcmp(argv[i], "--profile") == 0 && strcmp(argv[i + 1], "small") == 0)
            profile = GENERATE_SMALL;
        else if (strcmp(argv[i], "--profile") == 0 && strcmp(argv[i + 1], "fleet") == 0)
            profile = GENERATE_FLEET;
        else if (strcmp(argv[i], "--profile") != 0 || strcmp(argv[i + 1], "karpenter") != 0)
            argc = 0;
    }
    if (!folder || argc == 0) {
        fprintf(stderr,
                "usage: generate_case --seed S --out DIR [--profile karpenter|full|small|fleet] [--heavy yes|no]\n");
        return 2;
    }
    generate_case(seed, profile, heavy, &generated);
    code = write_case(&generated, folder, &err);
    generated_case_free(&generated);
    if (code != OK)
        fprintf(stderr, "error: %s\n", err.text);
    return code == OK ? 0 : 2;
}
