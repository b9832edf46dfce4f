// The command line of `tenon plan`. The flags stand once, in a table: parsing and --help are made from it.
#include "cli/commands.h"
#include "cli/files.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef struct {
    PlanOptions options;
    Arena arena;
    bool help;
} Invocation;

typedef ErrCode (*FlagTake)(Invocation *invocation, const char *value, Err *err);

typedef struct {
    const char *name, *short_name, *value; // value NULL: the flag takes none
    const char *help;
    FlagTake take;
} Flag;

static ErrCode take_file(Invocation *invocation, const char *value, Err *err) {
    return files_read(&invocation->arena, value, &invocation->options.inputs, err);
}

static ErrCode take_catalogue(Invocation *invocation, const char *value, Err *err) {
    TRY(file_read(&invocation->arena, value, &invocation->options.catalogue, err));
    if (!invocation->options.catalogue.text.len)
        return err_set(err, ERR_INVALID, "%s: expected a list of instance types, got an empty file", value);
    return OK;
}

static ErrCode take_scheduler_config(Invocation *invocation, const char *value, Err *err) {
    return file_read(&invocation->arena, value, &invocation->options.scheduler_config, err);
}

static ErrCode take_region(Invocation *invocation, const char *value, Err *err) {
    (void)err;
    invocation->options.region = slice_of(value);
    return OK;
}

static ErrCode take_preferences(Invocation *invocation, const char *value, Err *err) {
    bool respect = strcmp(value, "Respect") == 0;

    if (!respect && strcmp(value, "Ignore") != 0)
        return err_set(err, ERR_INVALID, "--preference-policy: expected Respect or Ignore, got %s", value);
    invocation->options.preferences = respect ? PREFERENCES_RESPECT : PREFERENCES_IGNORE;
    return OK;
}

static ErrCode take_min_values(Invocation *invocation, const char *value, Err *err) {
    bool strict = strcmp(value, "Strict") == 0;

    if (!strict && strcmp(value, "BestEffort") != 0)
        return err_set(err, ERR_INVALID, "--min-values-policy: expected Strict or BestEffort, got %s", value);
    invocation->options.min_values = strict ? MIN_VALUES_STRICT : MIN_VALUES_BEST_EFFORT;
    return OK;
}

static ErrCode take_explain(Invocation *invocation, const char *value, Err *err) {
    (void)err;
    invocation->options.explain = slice_of(value);
    return OK;
}

static ErrCode take_output(Invocation *invocation, const char *value, Err *err) {
    static const char *const names[] = {"table", "wide", "json", "yaml"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(value, names[i]) == 0) {
            invocation->options.format = (OutputFormat)i;
            return OK;
        }
    }
    return err_set(err, ERR_INVALID, "--output: expected table, wide, json or yaml, got %s", value);
}

static ErrCode take_strict(Invocation *invocation, const char *value, Err *err) {
    (void)value, (void)err;
    invocation->options.strict = true;
    return OK;
}

static ErrCode take_help(Invocation *invocation, const char *value, Err *err) {
    (void)value, (void)err;
    invocation->help = true;
    return OK;
}

static const Flag flags[] = {
    {"--filename", "-f", "FILE|DIR|-", "manifests to read, YAML or JSON (repeatable; a folder: all below it)",
     take_file},
    {"--output", "-o", "FORMAT", "table (default), wide, json (docs/plan-json.md) or yaml (the NodeClaims)",
     take_output},
    {"--explain", NULL, "POD", "where this pod goes, or why nowhere (NAME or NAMESPACE/NAME)", take_explain},
    {"--region", NULL, "REGION", "AWS region of types and prices (default: what the input shows, else us-east-1)",
     take_region},
    {"--catalog", NULL, "FILE", "instance types as JSON instead of the built-in ones (docs/plan.md)", take_catalogue},
    {"--preference-policy", NULL, "POLICY", "Respect (default) or Ignore preferred rules of pods", take_preferences},
    {"--min-values-policy", NULL, "POLICY", "Strict (default) or BestEffort for minValues of NodePools",
     take_min_values},
    {"--scheduler-config", NULL, "FILE", "default topology spread: podTopologySpread.defaultConstraints",
     take_scheduler_config},
    {"--strict", NULL, NULL, "refuse keys that are given twice", take_strict},
    {"--help", "-h", NULL, "this text", take_help},
};

static void print_help(void) {
    printf("Usage: tenon plan -f FILE|DIR|- [flags]\n\n"
           "Says which nodes would be opened for the pending pods of the given manifests, which pods go where,\n"
           "what it costs, and why a pod fits nowhere. Reads only; needs no cluster and no cloud account.\n\n");
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        char name[64];

        snprintf(name, sizeof name, "%s%s%s %s", flags[i].short_name ? flags[i].short_name : "",
                 flags[i].short_name ? ", " : "", flags[i].name, flags[i].value ? flags[i].value : "");
        printf("  %-30s %s\n", name, flags[i].help);
    }
    printf("\nExit status: 0 every pod has a home, 3 some have none, 2 the input is wrong.\n");
}

static const Flag *find_flag(Slice name) {
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        if (slice_eq_text(name, flags[i].name) || (flags[i].short_name && slice_eq_text(name, flags[i].short_name)))
            return &flags[i];
    }
    return NULL;
}

// Takes one argument and its value, "--flag value" or "--flag=value"; advances *at past them.
static ErrCode take_argument(Invocation *invocation, int argc, char **argv, int *at, Err *err) {
    Slice argument = slice_of(argv[*at]);
    ptrdiff_t equals = slice_starts_with(argument, SLICE("--")) ? slice_find(argument, '=') : -1;
    Slice name = equals >= 0 ? slice_first(argument, (size_t)equals) : argument;
    const Flag *flag = find_flag(name);
    const char *value = NULL;

    if (!flag)
        return err_set(err, ERR_INVALID, "unknown argument %s; see tenon plan --help", argv[*at]);
    if (equals >= 0)
        value = argument.ptr + equals + 1;
    else if (flag->value)
        value = ++*at < argc ? argv[*at] : NULL;
    if (!flag->value != !value)
        return err_set(err, ERR_INVALID, "%s: expected %s", flag->name, flag->value ? flag->value : "no value");
    ++*at;
    return flag->take(invocation, value, err);
}

static ErrCode take_arguments(Invocation *invocation, int argc, char **argv, Err *err) {
    struct timespec now;

    for (int at = 1; at < argc && !invocation->help;)
        TRY(take_argument(invocation, argc, argv, &at, err));
    if (!invocation->help && !invocation->options.inputs.count)
        return err_set(err, ERR_INVALID, "no manifests: name a file or folder with -f; see tenon plan --help");
    clock_gettime(CLOCK_REALTIME, &now);
    invocation->options.now_ns = now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
    return OK;
}

int command_plan(int argc, char **argv) {
    Invocation invocation = {0};
    Buffer out = {0}, messages = {0};
    Err err = {0};
    int status = EXIT_BAD_INPUT;

    if (take_arguments(&invocation, argc, argv, &err) != OK) {
        fprintf(stderr, "error: %s\n", err.text);
    } else if (invocation.help) {
        print_help();
        status = 0;
    } else {
        status = plan_run(&invocation.options, &out, &messages);
        fwrite(messages.bytes, 1, messages.len, stderr);
        fwrite(out.bytes, 1, out.len, stdout);
    }
    buffer_free(&out);
    buffer_free(&messages);
    arena_free(&invocation.arena);
    return status;
}
