// The command line of `tenon explain node NAME`.
#include "cli/commands.h"
#include "cli/flags.h"
#include "cli/plan_flags.h"

#include <stdio.h>

typedef struct {
    PlanInvocation plan; // first: the common flags take it
    uint32_t words;
} Question;

static ErrCode take_word(void *context, const char *value, Err *err) {
    Question *question = context;

    if (question->words == 0 && strcmp(value, "node") != 0)
        return err_set(err, ERR_INVALID, "expected node NAME, got %s", value);
    if (question->words == 2)
        return err_set(err, ERR_INVALID, "expected one node, got also %s", value);
    if (question->words++ == 1)
        question->plan.options.explain_node = slice_of(value);
    return OK;
}

static const Flag flags[] = {
    {"--filename", "-f", "FILE|DIR|-", "the dump of a cluster (docs/plan.md)", plan_take_file},
    {"--region", NULL, "REGION", "AWS region of types and prices", plan_take_region},
    {"--catalog", NULL, "FILE", "instance types as JSON instead of the built-in ones", plan_take_catalogue},
};

static const FlagTable table = {
    .command = "explain",
    .usage = "node NAME -f FILE|DIR|- [flags]",
    .about = "Says why a node of a cluster's dump stays, or that it can go. Reads only.",
    .flags = flags,
    .count = sizeof flags / sizeof *flags,
    .operand = take_word,
};

int command_explain(int argc, char **argv) {
    Question question = {.plan.options.consolidate = true};
    Err err = {0};
    bool help;
    int status = EXIT_BAD_INPUT;
    ErrCode code = flags_take(&table, argc, argv, &question, &help, &err);

    if (code == OK && help) {
        flags_print_help(&table);
        status = 0;
    } else if (code == OK && !question.plan.options.explain_node.len) {
        code = err_set(&err, ERR_INVALID, "expected node NAME; see tenon explain --help");
    } else if (code == OK && !question.plan.options.inputs.count) {
        code = err_set(&err, ERR_INVALID, "no manifests: name the dump of a cluster with -f");
    } else if (code == OK) {
        status = plan_and_print(&question.plan);
    }
    if (code != OK)
        fprintf(stderr, "error: %s\n", err.text);
    arena_free(&question.plan.arena);
    return status;
}
