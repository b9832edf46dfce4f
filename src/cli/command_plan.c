// The command line of `tenon plan`. One table of flags is used for parsing and --help.
#include "base/time.h"
#include "cli/commands.h"
#include "cli/files.h"
#include "cli/flags.h"
#include "cli/plan_flags.h"

#include <stdio.h>

static ErrCode take_scheduler_config(void *context, const char *value, Err *err) {
    PlanInvocation *invocation = context;

    return file_read(&invocation->arena, value, &invocation->options.scheduler_config, err);
}

static ErrCode take_preferences(void *context, const char *value, Err *err) {
    static const char *const names[] = {
        [PREFERENCES_RESPECT] = "Respect", [PREFERENCES_IGNORE] = "Ignore", [PREFERENCES_WEIGH] = "Weigh"};
    PlanInvocation *invocation = context;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(value, names[i]) == 0) {
            invocation->options.preferences = (PreferencePolicy)i;
            return OK;
        }
    }
    return err_set(err, ERR_INVALID, "--preference-policy: expected Respect, Ignore or Weigh, got %s", value);
}

static ErrCode take_min_values(void *context, const char *value, Err *err) {
    PlanInvocation *invocation = context;

    bool strict = strcmp(value, "Strict") == 0;

    if (!strict && strcmp(value, "BestEffort") != 0)
        return err_set(err, ERR_INVALID, "--min-values-policy: expected Strict or BestEffort, got %s", value);
    invocation->options.min_values = strict ? MIN_VALUES_STRICT : MIN_VALUES_BEST_EFFORT;
    return OK;
}

static ErrCode take_explain(void *context, const char *value, Err *err) {
    PlanInvocation *invocation = context;

    (void)err;
    invocation->options.explain = slice_of(value);
    return OK;
}

static ErrCode take_output(void *context, const char *value, Err *err) {
    PlanInvocation *invocation = context;

    static const char *const names[] = {"table", "wide", "json", "yaml"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(value, names[i]) == 0) {
            invocation->options.format = (OutputFormat)i;
            return OK;
        }
    }
    return err_set(err, ERR_INVALID, "--output: expected table, wide, json or yaml, got %s", value);
}

static ErrCode take_effort(void *context, const char *value, Err *err) {
    static const char *const names[] = {[EFFORT_NORMAL] = "normal", [EFFORT_FAST] = "fast", [EFFORT_BEST] = "best"};
    enum { MILLISECONDS_MAX = 600000 };
    PlanInvocation *invocation = context;
    int64_t milliseconds;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(value, names[i]) == 0) {
            invocation->options.effort = (Effort)i;
            return OK;
        }
    }
    if (!slice_to_int64(slice_of(value), &milliseconds) || milliseconds < 1 || milliseconds > MILLISECONDS_MAX)
        return err_set(err, ERR_INVALID, "--effort: expected fast, normal, best or milliseconds from 1 to %d, got %s",
                       MILLISECONDS_MAX, value);
    invocation->options.effort = EFFORT_BEST;
    invocation->options.budget_ns = milliseconds * NS_PER_MS;
    return OK;
}

static ErrCode take_strategy(void *context, const char *value, Err *err) {
    PlanInvocation *invocation = context;

    for (Strategy strategy = 0; strategy < STRATEGY_COUNT; strategy++) {
        if (strcmp(value, strategy_text(strategy)) == 0) {
            invocation->options.strategies |= 1U << strategy;
            return OK;
        }
    }
    return err_set(err, ERR_INVALID,
                   "--strategy: expected first-fit, emptiest-first, marginal-price or patterns, got %s", value);
}

static ErrCode take_timings(void *context, const char *value, Err *err) {
    PlanInvocation *invocation = context;

    (void)value, (void)err;
    invocation->options.timings = true;
    return OK;
}

static ErrCode take_compare(void *context, const char *value, Err *err) {
    PlanInvocation *invocation = context;

    (void)value, (void)err;
    invocation->options.compare = true;
    return OK;
}

static ErrCode take_strict(void *context, const char *value, Err *err) {
    PlanInvocation *invocation = context;

    (void)value, (void)err;
    invocation->options.strict = true;
    return OK;
}

static ErrCode take_consolidate(void *context, const char *value, Err *err) {
    PlanInvocation *invocation = context;

    (void)value, (void)err;
    invocation->options.consolidate = true;
    return OK;
}

static ErrCode take_budgets(void *context, const char *value, Err *err) {
    PlanInvocation *invocation = context;

    if (strcmp(value, "respect") != 0 && strcmp(value, "lift") != 0)
        return err_set(err, ERR_INVALID, "--budgets: expected lift or respect, got %s", value);
    invocation->options.respects_budgets = strcmp(value, "respect") == 0;
    return OK;
}

static const Flag flags[] = {
    {"--filename", "-f", "FILE|DIR|-", "manifests to read, YAML or JSON (repeatable; a folder: all below it)",
     plan_take_file},
    {"--output", "-o", "FORMAT", "table (default), wide, json (docs/plan-json.md) or yaml (the NodeClaims)",
     take_output},
    {"--explain", NULL, "POD", "where this pod goes, or why nowhere (NAME or NAMESPACE/NAME)", take_explain},
    {"--consolidate", NULL, NULL, "what the nodes that are there cost, and would cost once consolidated",
     take_consolidate},
    {"--budgets", NULL, "lift|respect", "with --consolidate: respect shows only the next step within the budgets",
     take_budgets},
    {"--region", NULL, "REGION", "AWS region of types and prices (default: what the input shows, else us-east-1)",
     plan_take_region},
    {"--catalog", NULL, "FILE", "instance types as JSON instead of the built-in ones (docs/plan.md)",
     plan_take_catalogue},
    {"--preference-policy", NULL, "POLICY", "Respect (default), Ignore or Weigh preferred rules of pods (docs/plan.md)",
     take_preferences},
    {"--min-values-policy", NULL, "POLICY", "Strict (default) or BestEffort for minValues of NodePools",
     take_min_values},
    {"--scheduler-config", NULL, "FILE", "default topology spread: podTopologySpread.defaultConstraints",
     take_scheduler_config},
    {"--effort", NULL, "EFFORT", "how hard to look for a cheap plan: fast, normal (default) or best; or milliseconds",
     take_effort},
    {"--strategy", NULL, "NAME", "only this way to place pods (repeatable): docs/plan.md", take_strategy},
    {"--compare", NULL, NULL, "say what the pods cost in Karpenter's manner also when they are over 1,000",
     take_compare},
    {"--timings", NULL, NULL, "say on standard error where the time of the solve went", take_timings},
    {"--strict", NULL, NULL, "refuse what is only warned of else: unknown fields, keys given twice, unreadable pods",
     take_strict},
};

static const FlagTable table = {
    .command = "plan",
    .usage = "-f FILE|DIR|- [flags]",
    .about = "Says which nodes would be opened for the pending pods of the given manifests, which pods go where,\n"
             "what it costs, and why a pod fits nowhere. Reads only; needs no cluster and no cloud account.",
    .flags = flags,
    .count = sizeof flags / sizeof *flags,
    .footer = "Exit status: 0 every pod has a home, 3 some have none, 2 the input is wrong.",
};

int command_plan(int argc, char **argv) {
    PlanInvocation invocation = {0};
    Err err = {0};
    bool help;
    int status = EXIT_BAD_INPUT;
    ErrCode code = flags_take(&table, argc, argv, &invocation, &help, &err);

    if (code == OK && help) {
        flags_print_help(&table);
        status = 0;
    } else if (code == OK && !invocation.options.inputs.count) {
        code = err_set(&err, ERR_INVALID, "no manifests: name a file or folder with -f; see tenon plan --help");
    } else if (code == OK) {
        status = plan_and_print(&invocation);
    }
    if (code != OK)
        fprintf(stderr, "error: %s\n", err.text);
    arena_free(&invocation.arena);
    return status;
}
