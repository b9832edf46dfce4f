// Parsing flags and printing their help.
#include "cli/flags.h"

#include "base/slice.h"

#include <stdio.h>

static const Flag *find_flag(const FlagTable *table, Slice name) {
    for (size_t i = 0; i < table->count; i++) {
        const Flag *flag = &table->flags[i];

        if (slice_eq_text(name, flag->name) || (flag->short_name && slice_eq_text(name, flag->short_name)))
            return flag;
    }
    return NULL;
}

// Passes the value to the flag; its error begins with the flag's name.
static ErrCode take_value(const Flag *flag, const char *value, void *context, Err *err) {
    ErrCode code = flag->take(context, value, err);

    if (code != OK && err && strncmp(err->text, flag->name, strlen(flag->name)) != 0)
        err_prefix(err, "%s", flag->name);
    return code;
}

// Handles the flag at *at and its value, and advances past them.
static ErrCode take_flag(const FlagTable *table, int argc, char **argv, int *at, void *context, Err *err) {
    Slice argument = slice_of(argv[*at]);
    ptrdiff_t equals = slice_starts_with(argument, SLICE("--")) ? slice_find(argument, '=') : -1;
    const Flag *flag = find_flag(table, equals >= 0 ? slice_first(argument, (size_t)equals) : argument);
    const char *value = NULL;

    if (!flag)
        return err_set(err, ERR_INVALID, "unknown argument %s; see tenon %s --help", argv[*at], table->command);
    if (equals >= 0)
        value = argument.ptr + equals + 1;
    else if (flag->value)
        value = ++*at < argc ? argv[*at] : NULL;
    if (!flag->value != !value)
        return err_set(err, ERR_INVALID, "%s: expected %s", flag->name, flag->value ? flag->value : "no value");
    ++*at;
    return take_value(flag, value, context, err);
}

static ErrCode take_one(const FlagTable *table, int argc, char **argv, int *at, void *context, Err *err) {
    const char *argument = argv[*at];

    if (table->operand && (argument[0] != '-' || !argument[1])) {
        ++*at;
        return table->operand(context, argument, err);
    }
    return take_flag(table, argc, argv, at, context, err);
}

ErrCode flags_take(const FlagTable *table, int argc, char **argv, void *context, bool *ret_help, Err *err) {
    *ret_help = false;
    for (int at = 1; at < argc;) {
        if (strcmp(argv[at], "--help") == 0 || strcmp(argv[at], "-h") == 0) {
            *ret_help = true;
            return OK;
        }
        TRY(take_one(table, argc, argv, &at, context, err));
    }
    return OK;
}

static void print_flag(const char *short_name, const char *name, const char *value, const char *help) {
    char left[64];

    snprintf(left, sizeof left, "%s%s%s %s", short_name ? short_name : "", short_name ? ", " : "", name,
             value ? value : "");
    printf("  %-30s %s\n", left, help);
}

void flags_print_help(const FlagTable *table) {
    printf("Usage: tenon %s %s\n\n%s\n\n", table->command, table->usage, table->about);
    for (size_t i = 0; i < table->count; i++)
        print_flag(table->flags[i].short_name, table->flags[i].name, table->flags[i].value, table->flags[i].help);
    print_flag("-h", "--help", NULL, "this text");
    if (table->footer)
        printf("\n%s\n", table->footer);
}
