// Limits: checks that the system has enough file descriptors, threads and address space for the process at its busiest.
//
// To be called before anything is started, above all before the Lease is taken: a leader that cannot work blocks all
// other candidates. Threads are actually started and ended, since no limit says how many are available.
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

// Checks the limits for that many concurrent calls, some of which may be AWS's. Raises the soft limit of descriptors
// where the hard one allows it. ERR_IO: a sentence that says what is missing and what to do.
ErrCode limits_check(uint32_t workers, bool calls_aws, Err *err);

// The numbers that limits_check requires.
uint32_t limits_descriptors(uint32_t workers, bool calls_aws);
uint32_t limits_threads(uint32_t workers);
