// `tenon iam-policy`: the smallest IAM policy that tenon works with.
#include "cli/aws/commands.h"
#include "cli/aws/policy.h"
#include "cli/flags.h"
#include "cli/plan.h"

#include <stdio.h>

typedef struct {
    PolicyFacts facts;
    Arena arena;
} Invocation;

#define TAKE_TEXT(name)                                                                                                \
    static ErrCode take_##name(void *context, const char *value, Err *err) {                                           \
        (void)err;                                                                                                     \
        ((Invocation *)context)->facts.name = slice_of(value);                                                         \
        return OK;                                                                                                     \
    }
TAKE_TEXT(cluster)
TAKE_TEXT(region)
TAKE_TEXT(account)
TAKE_TEXT(partition)
TAKE_TEXT(queue)

#define TAKE_ONE_MORE(name)                                                                                            \
    static ErrCode take_##name(void *context, const char *value, Err *err) {                                           \
        Invocation *invocation = context;                                                                              \
                                                                                                                       \
        (void)err;                                                                                                     \
        vec_push(&invocation->arena, &invocation->facts.name, slice_of(value));                                        \
        return OK;                                                                                                     \
    }
TAKE_ONE_MORE(node_roles)
TAKE_ONE_MORE(ssm_parameters)

static ErrCode take_isolated_vpc(void *context, const char *value, Err *err) {
    (void)value, (void)err;
    ((Invocation *)context)->facts.isolated_vpc = true;
    return OK;
}

static ErrCode take_zonal_shift(void *context, const char *value, Err *err) {
    (void)value, (void)err;
    ((Invocation *)context)->facts.zonal_shift = true;
    return OK;
}

static ErrCode take_legacy(void *context, const char *value, Err *err) {
    (void)value, (void)err;
    ((Invocation *)context)->facts.old_nodes = true;
    return OK;
}

static ErrCode take_group(void *context, const char *value, Err *err) {
    PolicyGroup group = policy_group_of(slice_of(value));

#define X(name, text) " " text
    if (group == POLICY_GROUP_COUNT)
        return err_set(err, ERR_INVALID, "--group: expected one of" POLICY_GROUPS(X) ", got %s", value);
#undef X
    ((Invocation *)context)->facts.group = group;
    return OK;
}

static const Flag flags[] = {
    {"--cluster-name", NULL, "NAME", "the cluster, as --cluster-name of tenon run (needed)", take_cluster},
    {"--region", NULL, "REGION", "its region (needed)", take_region},
    {"--account", NULL, "ACCOUNT", "its account, 12 digits (needed)", take_account},
    {"--partition", NULL, "NAME", "aws, aws-cn, aws-us-gov, … (default: that of the region)", take_partition},
    {"--node-role", NULL, "NAME", "role of the nodes (repeatable; default: KarpenterNodeRole-<cluster>)",
     take_node_roles},
    {"--interruption-queue", NULL, "NAME", "the queue, as --interruption-queue of tenon run", take_queue},
    {"--enable-zonal-shift", NULL, NULL, "as of tenon run", take_zonal_shift},
    {"--legacy", NULL, NULL, "nodes of Karpenter up to 0.27 get Machines: their instances are tagged", take_legacy},
    {"--isolated-vpc", NULL, NULL, "as of tenon run: without what IAM and price lists need", take_isolated_vpc},
    {"--ssm-parameter", NULL, "NAME", "parameter of your own that an ssmParameter term names (repeatable)",
     take_ssm_parameters},
    {"--group", NULL, "GROUP", "only one of Karpenter's policies, as NodeLifecycle or ResourceDiscovery", take_group},
};

static const FlagTable table = {
    .command = "iam-policy",
    .usage = "--cluster-name NAME --region REGION --account ACCOUNT [flags]",
    .about = "Prints the IAM policy for the role that tenon runs with: every call that it makes, and no other, each\n"
             "as narrow as it can be.",
    .flags = flags,
    .count = sizeof flags / sizeof *flags,
    .footer = "To give a role these rights:\n"
              "  tenon iam-policy … >policy.json\n"
              "  aws iam put-role-policy --role-name ROLE --policy-name tenon --policy-document file://policy.json\n"
              "A managed policy may have 6,144 characters, so there it takes several: one with each --group.",
};

int command_iam_policy(int argc, char **argv) {
    Invocation invocation = {.facts = {.group = POLICY_GROUP_COUNT}};
    Buffer out = {0};
    Err err = {0};
    bool help;
    ErrCode code = flags_take(&table, argc, argv, &invocation, &help, &err);

    if (code == OK && help)
        flags_print_help(&table);
    else if (code == OK)
        code = policy_print(&out, &invocation.facts, &err);
    fwrite(out.bytes, 1, out.len, stdout);
    if (code != OK)
        fprintf(stderr, "error: %s\n", err.text);
    buffer_free(&out);
    arena_free(&invocation.arena);
    return code == OK ? 0 : EXIT_BAD_INPUT;
}
