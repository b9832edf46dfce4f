// The terminal of a live view: how wide it is, and the key that ends the run.
#pragma once

#include <stdbool.h>
#include <stdint.h>

// Columns of the terminal behind a descriptor, asked anew each time; 80 where it does not say.
uint32_t terminal_columns(int fd);

// Keys come without Enter and are not shown from here on, when standard input is a terminal of ours in the foreground.
// What it was like before is put back by terminal_release, and when SIGINT, SIGTERM or SIGHUP ends the process.
// False: it is none.
bool terminal_grab(void);
void terminal_release(void);
// Whether q was pressed since it was grabbed. Never waits.
bool terminal_quit_asked(void);
