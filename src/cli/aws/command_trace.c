// `tenon trace`: what a launch sends to EC2.
#include "cli/aws/commands.h"
#include "cli/aws/trace.h"
#include "cli/files.h"
#include "cli/flags.h"

#include <stdio.h>

typedef struct {
    TraceOptions options;
    Arena arena;
    uint32_t words; // operands so far
} Invocation;

static ErrCode take_word(void *context, const char *value, Err *err) {
    Invocation *invocation = context;

    invocation->words++;
    if (invocation->words == 1 && strcmp(value, "launch") != 0)
        return err_set(err, ERR_INVALID, "what is to be traced? Expected launch, got %s", value);
    if (invocation->words > 2)
        return err_set(err, ERR_INVALID, "expected one NodeClaim, got %s as well", value);
    if (invocation->words == 2)
        invocation->options.claim = slice_of(value);
    return OK;
}

static ErrCode take_file(void *context, const char *value, Err *err) {
    Invocation *invocation = context;

    return manifests_read(&invocation->arena, value, &invocation->options.inputs, err);
}

static ErrCode take_output(void *context, const char *value, Err *err) {
    bool json = strcmp(value, "json") == 0;

    if (!json && strcmp(value, "text") != 0)
        return err_set(err, ERR_INVALID, "--output: expected text or json, got %s", value);
    ((Invocation *)context)->options.json = json;
    return OK;
}

#define TAKE_TEXT(name)                                                                                                \
    static ErrCode take_##name(void *context, const char *value, Err *err) {                                           \
        (void)err;                                                                                                     \
        ((Invocation *)context)->options.name = slice_of(value);                                                       \
        return OK;                                                                                                     \
    }
TAKE_TEXT(region)
TAKE_TEXT(cluster_name)
TAKE_TEXT(cluster_endpoint)
TAKE_TEXT(cluster_ca_bundle)
TAKE_TEXT(service_cidr)
TAKE_TEXT(dns_ip)

static const Flag flags[] = {
    {"--filename", "-f", "FILE|DIR|-", "manifests with the NodeClaim and its EC2NodeClass with status (repeatable)",
     take_file},
    {"--output", "-o", "FORMAT", "text (default) or json", take_output},
    {"--region", NULL, "REGION", "AWS region (default: that of the class's subnets)", take_region},
    {"--cluster-name", NULL, "NAME", "as of tenon run", take_cluster_name},
    {"--cluster-endpoint", NULL, "URL", "as of tenon run", take_cluster_endpoint},
    {"--cluster-ca-bundle", NULL, "BASE64", "as of tenon run", take_cluster_ca_bundle},
    {"--service-cidr", NULL, "CIDR", "addresses of Services, for nodes of AL2023", take_service_cidr},
    {"--dns-ip", NULL, "ADDRESS", "address of the Service kube-dns", take_dns_ip},
};

static const FlagTable table = {
    .command = "trace",
    .usage = "launch [NODECLAIM] -f FILE|DIR|- [flags]",
    .about = "Prints what is sent to EC2 for a NodeClaim, field by field: launch templates with their user data, and\n"
             "the fleet with its overrides. It asks neither EC2 nor the cluster.",
    .flags = flags,
    .count = sizeof flags / sizeof *flags,
    .footer = "For a NodeClaim of a cluster:\n"
              "  kubectl get -o yaml nodeclaims,ec2nodeclasses | tenon trace launch NODECLAIM -f -",
    .operand = take_word,
};

static ErrCode run(const Invocation *invocation, Buffer *out, Err *err) {
    if (!invocation->words)
        return err_set(err, ERR_INVALID, "what is to be traced? See tenon trace --help");
    if (!invocation->options.inputs.count)
        return err_set(err, ERR_INVALID, "no manifests: name a file or folder with -f; see tenon trace --help");
    return trace_run(&invocation->options, out, err);
}

int command_trace(int argc, char **argv) {
    Invocation invocation = {.options = {.vm_memory_overhead_percent = 0.075}};
    Buffer out = {0};
    Err err = {0};
    bool help;
    ErrCode code = flags_take(&table, argc, argv, &invocation, &help, &err);

    if (code == OK && help)
        flags_print_help(&table);
    else if (code == OK)
        code = run(&invocation, &out, &err);
    fwrite(out.bytes, 1, out.len, stdout);
    if (code != OK)
        fprintf(stderr, "error: %s\n", err.text);
    buffer_free(&out);
    arena_free(&invocation.arena);
    return code == OK ? 0 : EXIT_BAD_INPUT;
}
