// File descriptors as a means that can run out.
#pragma once

#include <stdbool.h>
#include <stdint.h>

// Opens /dev/null where standard input, output or error is closed: else the next file or connection would get its
// number, and what is printed would go there.
void descriptors_open_standard(void);

// How many the process may have (RLIMIT_NOFILE); and raises that to `wanted`, or as far as the hard limit goes.
uint64_t descriptors_allowed(void);
uint64_t descriptors_raise(uint64_t wanted);

// Whether another one can be had at this moment.
bool descriptors_are_left(void);
