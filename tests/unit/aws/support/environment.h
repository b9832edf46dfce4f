// An environment of a test's own: variables and files.
#pragma once

#include "aws/settings/environment.h"
#include "base/vec.h"
#include "harness/test.h"

typedef struct {
    const char *name, *value;
} TestVariable;

typedef struct {
    Arena arena;
    Vec(TestVariable) variables;
    Vec(TestVariable) files;
    uint32_t reads; // of files that are there
    AwsEnvironment environment;
} TestEnvironment;

TestEnvironment *environment_new(void);
void environment_free(TestEnvironment *environment);

// Sets a variable or a file; the value NULL removes it. Not copied.
void environment_set(TestEnvironment *environment, const char *name, const char *value);
void environment_file(TestEnvironment *environment, const char *path, const char *text);
