// Starting threads. That the system gives none is no bug but a limit of the place: it is passed on as an error.
#pragma once

#include "base/err.h"

#include <pthread.h>
#include <stddef.h>

// `name`: for people who look at threads; the first 15 letters are shown. `stack_bytes` 0: the system's (8 MiB).
// ERR_IO: refused; the text says what to look at. The thread is to be joined.
ErrCode thread_start(pthread_t *ret_thread, const char *name, size_t stack_bytes, void *(*run)(void *context),
                     void *context, Err *err);
