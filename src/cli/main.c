// tenon: one program, its commands.
#include "base/descriptors.h"
#include "cli/commands.h"
#include "cli/version.h"

#include <stdio.h>
#include <string.h>

typedef struct {
    const char *name;
    const char *help;
    int (*run)(int argc, char **argv);
} Command;

static const Command commands[] = {
    {"run", "gives a cluster its nodes, until it is told to stop", command_run},
    {"plan", "which nodes would be opened for the pods of given manifests, and what it costs", command_plan},
    {"sim", "days of a cluster's life in seconds: scenarios, faults, what-if", command_sim},
    {"catalog", "the instance types that a NodePool can launch, with room and prices", command_catalog},
    {"crds", "the CustomResourceDefinitions that tenon serves, for kubectl apply", command_crds},
    {"metrics", "the metrics that tenon run exposes", command_metrics},
};

static void print_help(FILE *stream) {
    fprintf(stream,
            "tenon gives a Kubernetes cluster the nodes that its pods need.\n\nUsage: tenon COMMAND [flags]\n\n");
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        fprintf(stream, "  %-8s %s\n", commands[i].name, commands[i].help);
    fprintf(stream, "\ntenon COMMAND --help says more; tenon --version prints the version.\n");
}

int main(int argc, char **argv) {
    descriptors_open_standard();
    if (argc > 1) {
        for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
            if (strcmp(argv[1], commands[i].name) == 0)
                return commands[i].run(argc - 1, argv + 1);
        }
        if (strcmp(argv[1], "--version") == 0) {
            printf("tenon %s%s%s\n", TENON_VERSION, *tenon_commit() ? " " : "", tenon_commit());
            return 0;
        }
        if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
            print_help(stdout);
            return 0;
        }
        fprintf(stderr, "error: unknown command %s\n\n", argv[1]);
    }
    print_help(stderr);
    return 2;
}
