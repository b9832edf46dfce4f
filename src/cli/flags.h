// FlagTable: the flags of a command, for parsing its arguments and printing its --help.
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

// Handles a flag; `value` is NULL for a flag without a value.
typedef ErrCode (*FlagTake)(void *context, const char *value, Err *err);

typedef struct {
    const char *name, *short_name; // "--output", "-o" or NULL
    const char *value;             // name of its value ("FILE"); NULL: it has none
    const char *help;
    FlagTake take;
} Flag;

typedef struct {
    const char *command, *usage, *about;
    const Flag *flags;
    size_t count;
    const char *footer; // printed below the flags; may be NULL
    FlagTake operand;   // handles each argument that is not a flag; NULL: none is allowed
} FlagTable;

// Parses "--flag value" and "--flag=value" in order. ret_help: --help or -h was found (the rest is not parsed).
// ERR_INVALID: an unknown flag, a missing value, or an error of a flag.
ErrCode flags_take(const FlagTable *table, int argc, char **argv, void *context, bool *ret_help, Err *err);
void flags_print_help(const FlagTable *table);
