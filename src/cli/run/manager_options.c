// Reading the options of `tenon run`.
#include "cli/run/manager_options.h"

#include "cli/flags.h"
#include "cli/run/aws_options.h"
#include "ctl/settings_flags.h"
#include "text/duration.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef enum { TYPE_TEXT, TYPE_NUMBER, TYPE_PORT, TYPE_COUNT, TYPE_FRACTION, TYPE_DURATION, TYPE_BOOL } OptionType;

static const struct {
    const char *flag, *variable, *preset, *help;
    OptionType type;
    size_t offset;
} rows[] = {
#define X(FIELD, TYPE, field, flag, variable, preset, help)                                                            \
    {flag, variable, preset, help, TYPE_##TYPE, offsetof(ManagerOptions, field)},
    MANAGER_OPTIONS(X)
#undef X
};

enum { ROWS = sizeof rows / sizeof *rows };

// --- values

static ErrCode set_number(int64_t *ret_number, Slice text, int64_t least, int64_t most, Err *err) {
    int64_t number;

    if (!slice_to_int64(text, &number) || number < least || number > most)
        return err_set(err, ERR_INVALID, "expected a whole number from %lld to %lld, got \"%.*s\"", (long long)least,
                       (long long)most, SLICE_ARG(text));
    *ret_number = number;
    return OK;
}

static ErrCode set_fraction(double *ret_number, Slice text, Err *err) {
    char copy[64], *end;
    double number;

    snprintf(copy, sizeof copy, "%.*s", SLICE_ARG(text));
    number = strtod(copy, &end);
    if (!text.len || text.len >= sizeof copy || *end || !isfinite(number))
        return err_set(err, ERR_INVALID, "expected a decimal number, got \"%.*s\"", SLICE_ARG(text));
    *ret_number = number;
    return OK;
}

static ErrCode set_row(ManagerOptions *options, size_t row, Slice text, Err *err) {
    char *field = (char *)options + rows[row].offset;

    switch (rows[row].type) {
    case TYPE_TEXT:
        *(Slice *)(void *)field = arena_slice(&options->arena, text);
        return OK;
    case TYPE_NUMBER:
        return set_number((int64_t *)(void *)field, text, -1, INT64_MAX, err);
    case TYPE_PORT:
        return set_number((int64_t *)(void *)field, text, 0, 65535, err);
    case TYPE_COUNT:
        return set_number((int64_t *)(void *)field, text, INT64_MIN, INT64_MAX, err); // bounds: aws_options_check
    case TYPE_FRACTION:
        return set_fraction((double *)(void *)field, text, err);
    case TYPE_DURATION:
        return duration_parse(text, (int64_t *)(void *)field, err);
    case TYPE_BOOL:
        if (!slice_eq_text(text, "true") && !slice_eq_text(text, "false"))
            return err_set(err, ERR_INVALID, "expected true or false, got \"%.*s\"", SLICE_ARG(text));
        *(bool *)(void *)field = slice_eq_text(text, "true");
        return OK;
    }
    return OK;
}

static void note_given(ManagerOptions *options, const char *flag) {
    vec_push(&options->arena, &options->given, slice_of(flag));
}

static ErrCode set_flag(ManagerOptions *options, size_t row, const char *text, Err *err) {
    ErrCode code = set_row(options, row, slice_of(text), err);

    note_given(options, rows[row].flag);

    if (code != OK)
        err_prefix(err, "--%s", rows[row].flag);
    return code;
}

static ErrCode set_any(ManagerOptions *options, const char *flag, const char *text, Err *err) {
    TRY(settings_set(&options->settings, slice_of(flag), slice_of(text), err));
    if (strcmp(flag, "interruption-queue") == 0)
        options->interruption_queue = arena_slice(&options->arena, slice_of(text));
    if (strcmp(flag, "feature-gates") == 0)
        options->idle_gates = settings_idle_gates(&options->arena, slice_of(text));
    return OK;
}

static ErrCode set_setting(ManagerOptions *options, const char *flag, const char *text, Err *err) {
    Err why; // begins with the setting's name
    ErrCode code = set_any(options, flag, text, &why);

    note_given(options, flag);
    return code == OK ? OK : err_set(err, code, "--%s", why.text);
}

bool manager_options_are_given(const ManagerOptions *options, const char *flag) {
    for (vec_each(const Slice, given, &options->given)) {
        if (slice_eq_text(*given, flag))
            return true;
    }
    return false;
}

ErrCode manager_options_set(ManagerOptions *options, const char *flag, Slice text, Err *err) {
    for (size_t i = 0; i < ROWS; i++) {
        if (strcmp(rows[i].flag, flag) == 0)
            return set_row(options, i, text, err);
    }
    return set_any(options, flag, arena_text(&options->arena, text), err);
}

// --- the environment

static void warn(ManagerOptions *options, const char *variable, const char *text, const char *preset) {
    vec_push(&options->arena, &options->warnings,
             arena_printf(&options->arena, "%s: cannot read \"%s\", using the default %s", variable, text, preset));
}

static ErrCode refuse(Err *err, const char *variable) {
    err_prefix(err, "validating cli flags / env vars, %s", variable);
    return ERR_INVALID;
}

static ErrCode read_variables(ManagerOptions *options, char *(*variable)(const char *name), Err *err) {
    const char *text;

    for (size_t i = 0; i < ROWS; i++) {
        text = *rows[i].variable ? variable(rows[i].variable) : NULL;
        if (!text)
            continue;
        note_given(options, rows[i].flag);
        if (set_row(options, i, slice_of(text), err) != OK)
            warn(options, rows[i].variable, text, rows[i].preset);
    }
    for (uint32_t i = 0; i < settings_flag_count; i++) {
        const SettingsFlag *setting = &settings_flags[i];

        text = variable(setting->variable);
        if (text)
            note_given(options, setting->flag);
        if (!text || set_any(options, setting->flag, text, err) == OK)
            continue;
        if (strcmp(setting->value, "DURATION") != 0)
            return refuse(err, setting->variable);
        warn(options, setting->variable, text, setting->preset);
    }
    return OK;
}

// --- the command line

#define X(FIELD, TYPE, field, ...) static ErrCode take_##field(void *context, const char *value, Err *err);
MANAGER_OPTIONS(X)
#undef X

enum {
#define X(FIELD, ...) ROW_##FIELD,
    MANAGER_OPTIONS(X)
#undef X
};

#define X(FIELD, TYPE, field, ...)                                                                                     \
    static ErrCode take_##field(void *context, const char *value, Err *err) {                                          \
        return set_flag(context, ROW_##FIELD, value, err);                                                             \
    }
MANAGER_OPTIONS(X)
#undef X

#define X(FIELD, flag, ...)                                                                                            \
    static ErrCode take_setting_##FIELD(void *context, const char *value, Err *err) {                                  \
        return set_setting(context, flag, value, err);                                                                 \
    }
SETTINGS_FLAGS(X)
#undef X

#define VALUE_TEXT     "TEXT"
#define VALUE_NUMBER   "NUMBER"
#define VALUE_PORT     "PORT"
#define VALUE_COUNT    "NUMBER"
#define VALUE_FRACTION "NUMBER"
#define VALUE_DURATION "DURATION"
#define VALUE_BOOL     "BOOL"

static const Flag flags[] = {
#define X(FIELD, TYPE, field, flag, variable, preset, help) {"--" flag, NULL, VALUE_##TYPE, help, take_##field},
    MANAGER_OPTIONS(X)
#undef X
#define X(FIELD, flag, variable, value, preset, help) {"--" flag, NULL, value, help, take_setting_##FIELD},
        SETTINGS_FLAGS(X)
#undef X
};

static const FlagTable table = {.command = "run", .flags = flags, .count = sizeof flags / sizeof *flags};

static ManagerOption option_of_row(uint32_t row) {
    return (ManagerOption){rows[row].flag, rows[row].variable, flags[row].value, rows[row].preset, rows[row].help};
}

// The controllers' settings come between the options about nodes and those about the process.
bool manager_option_at(uint32_t number, ManagerOption *ret_option) {
    const SettingsFlag *setting;

    if (number >= ROWS + settings_flag_count)
        return false;
    if (number < ROW_NO_ELECTION) {
        *ret_option = option_of_row(number);
    } else if (number >= ROW_NO_ELECTION + settings_flag_count) {
        *ret_option = option_of_row(number - settings_flag_count);
    } else {
        setting = &settings_flags[number - ROW_NO_ELECTION];
        *ret_option = (ManagerOption){setting->flag, setting->variable, setting->value, setting->preset, setting->help};
    }
    return true;
}

static bool is_bool_flag(Slice name) {
    for (size_t i = 0; i < ROWS; i++) {
        if (rows[i].type == TYPE_BOOL && slice_eq_text(name, rows[i].flag))
            return true;
    }
    return false;
}

// Rewrites Go's syntax: "-name" as "--name", a bool without value as "=true". Values in arguments of their own are
// kept.
static char *read_go_form(Arena *arena, const char *argument) {
    Slice text = slice_of(argument), name;
    const char *value = "";

    if (text.len < 3 || text.ptr[0] != '-')
        return (char *)(uintptr_t)argument;
    name = slice_from(text, text.ptr[1] == '-' ? 2 : 1);
    if (is_bool_flag(name))
        value = "=true";
    return (char *)(uintptr_t)arena_printf(arena, "--%.*s%s%c", SLICE_ARG(name), value, '\0').ptr;
}

ErrCode manager_options_read(ManagerOptions *options, int argc, char **argv, char *(*variable)(const char *name),
                             bool *ret_help, Err *err) {
    char **arguments;

    *options = (ManagerOptions){.settings = settings_default()};
    arguments = arena_array(&options->arena, char *, (size_t)argc + 1);
    for (size_t i = 0; i < ROWS; i++)
        TRY(set_row(options, i, slice_of(rows[i].preset), err));
    TRY(read_variables(options, variable, err));
    for (int i = 0; i < argc; i++)
        arguments[i] = read_go_form(&options->arena, argv[i]);
    TRY(flags_take(&table, argc, arguments, options, ret_help, err));
    return *ret_help ? OK : aws_options_check(options, err);
}

void manager_options_free(ManagerOptions *options) {
    arena_free(&options->arena);
}
