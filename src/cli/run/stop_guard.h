// StopGuard: lets a process be stopped while its main thread is in calls that only end by themselves.
//
// A thread waits for the request to stop, and then ends the calls. For what is done before anything else runs; later
// the manager waits for the request itself.
#pragma once

#include "base/err.h"

#include <pthread.h>
#include <stdbool.h>

typedef struct {
    int stop_fd; // becomes readable when the process is to stop; is not read
    void (*stop)(void *context);
    void *context;
    int over_fd;
    pthread_t thread;
} StopGuard;

// Whether the process was asked to stop.
bool stop_is_asked(int stop_fd);

// Begins to wait; stop_fd, stop and context are set. The guard stays where it is until stop_guard_end. ERR_IO: no
// thread could be started.
ErrCode stop_guard_begin(StopGuard *guard, Err *err);
void stop_guard_end(StopGuard *guard);
