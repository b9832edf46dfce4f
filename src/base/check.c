// A failed CHECK: prints its position and aborts.
#include "base/check.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void check_failed(const char *file, int line, const char *condition, const char *format, ...) {
    va_list args;

    fprintf(stderr, "tenon: bug at %s:%d: CHECK(%s) failed", file, line, condition);
    if (format[1]) { // CHECK puts a space before what its caller gave
        fprintf(stderr, ":");
        va_start(args, format);
        vfprintf(stderr, format, args);
        va_end(args);
    }
    fprintf(stderr, "\nPlease report this line at the project's issue tracker.\n");
    abort();
}
