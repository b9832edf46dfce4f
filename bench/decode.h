// The case "decode": how fast a list of pods is read, and how much memory that takes.
#pragma once

#include "base/err.h"

#include <stdint.h>

#define DECODE_CASE "decode"
enum { DECODE_PODS = 100000 };

typedef struct {
    uint32_t pods;
    uint64_t seed;
    uint32_t repeat;        // of each part; the fastest counts
    uint32_t limit_seconds; // for one part; 0: none
} DecodeOptions;

// Writes the list to a temporary file, measures each part in a process of its own, and prints one line for each.
// ERR_IO: no room for the file. ERR_TIMEOUT: over the limit. Errors of the parts.
ErrCode decode_case_run(const DecodeOptions *options, Err *err);
