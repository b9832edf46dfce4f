// A function run in a process of its own, so that what it does to memory is its own.
#pragma once

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

// Runs `run(context, ret_result)` in a child; its result of `size` bytes is copied back. ERR_TIMEOUT: over `seconds`
// (0: no limit). ERR_IO: the process ended by itself, and how. Else the code that `run` returned, with its `err`.
ErrCode child_run(ErrCode (*run)(const void *context, void *ret_result, Err *err), const void *context,
                  void *ret_result, size_t size, unsigned seconds, Err *err);

// Time of the processor that this process has had, of which a machine with other work on it takes little away.
int64_t cpu_now_ns(void);

// Bytes of this process: resident now, and the most that it ever had (a child begins with what its parent has).
uint64_t rss_now(void);
uint64_t rss_peak(void);
