// What the client is told from outside: environment variables and files. A test or a simulation brings its own.
#pragma once

#include "base/arena.h"
#include "base/err.h"

typedef struct {
    // The value of a variable; NULL: not set. It lives as long as the environment.
    const char *(*variable)(void *context, const char *name);
    // Reads a whole file into `arena`. ERR_NOT_FOUND; ERR_TOO_LARGE: more than 1 MiB; ERR_IO. The message names the
    // path.
    ErrCode (*read_file)(void *context, Arena *arena, Slice path, Slice *ret_text, Err *err);
    void *context;
} AwsEnvironment;

// The process's own.
extern const AwsEnvironment aws_environment_system;

// The value of a variable without spaces at its ends; not set: empty.
Slice aws_variable(const AwsEnvironment *environment, const char *name);
