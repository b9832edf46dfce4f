// Whether the place has what a process needs at its busiest: file descriptors, threads, address space.
//
// Looked at before anything is begun, above all before the Lease is taken: a leader that can do no work keeps everybody
// else from it. Threads are rehearsed (made, counted, ended), since no limit says how many are left of it.
#pragma once

#include "base/err.h"

#include <stdint.h>

// For so many calls at once. Raises the soft limit of descriptors where the hard one allows it. ERR_IO: one sentence
// that says what is missing and what to do.
ErrCode limits_check(uint32_t workers, Err *err);

// What limits_check asks for.
uint32_t limits_descriptors(uint32_t workers);
uint32_t limits_threads(uint32_t workers);
