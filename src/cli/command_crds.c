// `tenon crds`: the CustomResourceDefinitions of tenon's kinds, for `kubectl apply`.
#include "cli/commands.h"
#include "cli/flags.h"
#include "cli/plan.h"

#include "kube/crds/crds.h"

#include "base/buffer.h"

#include <stdio.h>

typedef struct {
    Buffer out;
    bool legacy;
} Invocation;

static void put_crd(Invocation *invocation, Crd crd) {
    if (invocation->out.len)
        buffer_append(&invocation->out, SLICE("---\n"));
    buffer_append(&invocation->out, crd.text);
}

static ErrCode unknown_name(const char *name, Err *err) {
    Buffer known = {0};
    ErrCode code;

    for (size_t i = 0; i < crds_count(); i++) {
        buffer_append(&known, i ? SLICE(", ") : SLICE(""));
        buffer_append(&known, crds_at(i).kind->plural);
    }
    code = err_set(err, ERR_INVALID, "%s: no such definition; expected one of %.*s", name, (int)known.len, known.bytes);
    buffer_free(&known);
    return code;
}

static ErrCode take_name(void *context, const char *value, Err *err) {
    Crd crd;

    if (!crds_find(slice_of(value), &crd))
        return unknown_name(value, err);
    put_crd(context, crd);
    return OK;
}

static ErrCode take_legacy(void *context, const char *value, Err *err) {
    Invocation *invocation = context;

    (void)value;
    (void)err;
    invocation->legacy = true;
    return OK;
}

static const Flag flags[] = {
    {"--legacy", NULL, NULL, "also those of 2023: Provisioner, Machine, AWSNodeTemplate", take_legacy},
};

static const FlagTable table = {
    .command = "crds",
    .usage = "[--legacy] [NAME...]",
    .about =
        "Prints the CustomResourceDefinitions of the named kinds, or of all of today's, as YAML. A name is a kind\n"
        "(NodePool), its plural (nodepools) or the definition's own name (nodepools.karpenter.sh).",
    .flags = flags,
    .count = sizeof flags / sizeof *flags,
    .footer = "To install or renew them:  tenon crds | kubectl apply --server-side --force-conflicts -f -",
    .operand = take_name,
};

static void put_all(Invocation *invocation) {
    for (size_t i = 0; i < crds_count(); i++) {
        if (!crds_at(i).is_legacy || invocation->legacy)
            put_crd(invocation, crds_at(i));
    }
}

int command_crds(int argc, char **argv) {
    Invocation invocation = {0};
    Err err = {0};
    bool help;
    ErrCode code = flags_take(&table, argc, argv, &invocation, &help, &err);

    if (code == OK && help)
        flags_print_help(&table);
    else if (code == OK) {
        if (!invocation.out.len)
            put_all(&invocation);
        fwrite(invocation.out.bytes, 1, invocation.out.len, stdout);
    }
    if (code != OK)
        fprintf(stderr, "error: %s\n", err.text);
    buffer_free(&invocation.out);
    return code == OK ? 0 : EXIT_BAD_INPUT;
}
