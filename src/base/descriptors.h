// File descriptors: the process's limit of them.
#pragma once

#include <stdbool.h>
#include <stdint.h>

// Opens /dev/null in place of a closed standard input, output or error. Otherwise the next file or connection would get
// its number, and output would go there.
void descriptors_open_standard(void);

// The limit of the process (RLIMIT_NOFILE); and raising it to `wanted`, or as far as the hard limit allows.
uint64_t descriptors_allowed(void);
uint64_t descriptors_raise(uint64_t wanted);

// Whether another descriptor can be opened at this moment.
bool descriptors_are_left(void);
