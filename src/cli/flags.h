// Flags of a command: one table from which arguments are parsed and --help is printed.
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

// `value` is NULL for a flag that takes none.
typedef ErrCode (*FlagTake)(void *context, const char *value, Err *err);

typedef struct {
    const char *name, *short_name; // "--output", "-o" or NULL
    const char *value;             // what it takes ("FILE"), NULL: nothing
    const char *help;
    FlagTake take;
} Flag;

typedef struct {
    const char *command, *usage, *about;
    const Flag *flags;
    size_t count;
    const char *footer; // printed below the flags; may be NULL
    FlagTake operand;   // takes each argument that is no flag; NULL: there must be none
} FlagTable;

// Takes "--flag value" and "--flag=value" in order. ret_help: --help or -h was among them (the rest is not read).
// ERR_INVALID: unknown flag, missing value, or what a flag said.
ErrCode flags_take(const FlagTable *table, int argc, char **argv, void *context, bool *ret_help, Err *err);
void flags_print_help(const FlagTable *table);
