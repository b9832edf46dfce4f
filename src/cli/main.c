// tenon: one program with several commands.
#include "base/descriptors.h"
#include "cli/aws/commands.h"
#include "cli/commands.h"
#include "cli/doctor/commands.h"
#include "cli/plan.h"
#include "cli/version.h"

#include <stdio.h>
#include <string.h>

typedef struct {
    const char *name;
    const char *help;
    int (*run)(int argc, char **argv);
} Command;

static int command_version(int argc, char **argv);
static int command_help(int argc, char **argv);

static const Command commands[] = {
    {"run", "gives a cluster its nodes, until it is told to stop", command_run},
    {"plan", "which nodes would be opened for the pods of given manifests, and what it costs", command_plan},
    {"explain", "why a node of a cluster stays, or that it can go", command_explain},
    {"sim", "days of a cluster's life in seconds: scenarios, faults, what-if", command_sim},
    {"catalog", "the instance types that a NodePool can launch, with room and prices", command_catalog},
    {"convert", "manifests of older Karpenters as v1beta1 or v1, and what has no equivalent", command_convert},
    {"doctor", "what is wrong with manifests, Terraform and AWS around them, and what mends it", command_doctor},
    {"crds", "the CustomResourceDefinitions that tenon serves, for kubectl apply", command_crds},
    {"trace", "what a launch of a NodeClaim sends to EC2, field by field", command_trace},
    {"iam-policy", "the rights that tenon run needs in AWS, as an IAM policy", command_iam_policy},
    {"metrics", "the metrics that tenon run exposes", command_metrics},
    {"version", "prints the version and the commit that it was built from", command_version},
    {"help", "says more about a command", command_help},
};

static const Command *find_command(const char *name) {
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        if (strcmp(name, commands[i].name) == 0)
            return &commands[i];
    }
    return NULL;
}

static void print_help(FILE *stream) {
    fprintf(stream,
            "tenon gives a Kubernetes cluster the nodes that its pods need.\n\nUsage: tenon COMMAND [flags]\n\n");
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        fprintf(stream, "  %-10s %s\n", commands[i].name, commands[i].help);
    fprintf(stream, "\ntenon help COMMAND, or tenon COMMAND --help, says more.\n");
}

static int refuse(const char *message, const char *argument) {
    fprintf(stderr, "error: %s %s\n\n", message, argument);
    print_help(stderr);
    return EXIT_BAD_INPUT;
}

static int command_version(int argc, char **argv) {
    if (argc > 1 && strcmp(argv[1], "--help") != 0 && strcmp(argv[1], "-h") != 0)
        return refuse("tenon version takes no", argv[1]);
    if (argc > 1)
        printf("Usage: tenon version\n\nPrints the version and the commit that it was built from.\n");
    else
        printf("tenon %s%s%s\n", TENON_VERSION, *tenon_commit() ? " " : "", tenon_commit());
    return 0;
}

// Treats "help plan" as "plan --help".
static int command_help(int argc, char **argv) {
    const Command *command = argc > 1 ? find_command(argv[1]) : NULL;
    char flag[] = "--help", *arguments[] = {argc > 1 ? argv[1] : NULL, flag, NULL};

    if (argc > 1 && !command)
        return refuse("unknown command", argv[1]);
    if (command && command->run != command_help)
        return command->run(2, arguments);
    print_help(stdout);
    return 0;
}

static int run(int argc, char **argv) {
    const Command *command = argc > 1 ? find_command(argv[1]) : NULL;

    if (command)
        return command->run(argc - 1, argv + 1);
    if (argc > 1 && strcmp(argv[1], "--version") == 0)
        return command_version(1, argv);
    if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0))
        return command_help(1, argv);
    if (argc > 1)
        return refuse("unknown command", argv[1]);
    print_help(stderr);
    return EXIT_BAD_INPUT;
}

// Fails when the output of a command could not be written, for example on a full disk.
int main(int argc, char **argv) {
    int status;

    descriptors_open_standard();
    status = run(argc, argv);
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    fprintf(stderr, "error: standard output cannot be written to\n");
    return EXIT_BAD_INPUT;
}
