// Starting threads. When the system refuses, that is an error for the caller, not a bug.
#pragma once

#include "base/err.h"

#include <pthread.h>
#include <stddef.h>

// `name` is shown by tools like top; the first 15 letters count. `stack_bytes` 0: the system's default (8 MiB). ERR_IO:
// refused; the text says which limit to check. The thread must be joined.
ErrCode thread_start(pthread_t *ret_thread, const char *name, size_t stack_bytes, void *(*run)(void *context),
                     void *context, Err *err);
