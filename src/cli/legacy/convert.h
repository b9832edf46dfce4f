// `tenon convert` without its command line: texts in, manifests out. Pure.
#pragma once

#include "cli/plan.h"
#include "legacy/convert.h"

typedef struct {
    InputTextVec inputs;   // manifests, YAML or JSON
    InputTextVec settings; // karpenter-global-settings, which is not printed
    ConvertTarget target;
    bool json;             // else YAML
    bool strict;           // a warning is an error
    bool ignores_defaults; // of the defaulting webhook
} ConvertOptions;

// Prints the converted objects to `out`, warnings and errors (one line each) to `messages`. Returns 0 or
// EXIT_BAD_INPUT, with which `out` is unchanged.
int convert_run(const ConvertOptions *options, Buffer *out, Buffer *messages);
