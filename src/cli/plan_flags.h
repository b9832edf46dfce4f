// Flags that `tenon plan` and `tenon explain` have in common: what is read, and the instance types.
#pragma once

#include "cli/plan.h"

// What a command line asks for; the options' texts are in the arena.
typedef struct {
    PlanOptions options;
    Arena arena;
} PlanInvocation;

// FlagTake of -f, --catalog and --region; `context` is a PlanInvocation.
ErrCode plan_take_file(void *context, const char *value, Err *err);
ErrCode plan_take_catalogue(void *context, const char *value, Err *err);
ErrCode plan_take_region(void *context, const char *value, Err *err);

// Runs the plan now, and prints it and its messages. Returns the exit status.
int plan_and_print(PlanInvocation *invocation);
