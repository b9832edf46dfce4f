// The terminal of a live view: its width, and the key that ends the run.
#pragma once

#include <stdbool.h>
#include <stdint.h>

// Columns of the terminal of a descriptor, read anew at each call; 80 if unknown.
uint32_t terminal_columns(int fd);

// Switches standard input to keys without Enter and echo, if it is a terminal with this process in the foreground (else
// false). terminal_release, and the end of the process by SIGINT, SIGTERM or SIGHUP, restore the former mode.
bool terminal_grab(void);
void terminal_release(void);
// Whether q was pressed since terminal_grab. Does not block.
bool terminal_quit_asked(void);
