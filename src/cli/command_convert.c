// `tenon convert`: manifests of older Karpenters as today's.
#include "cli/commands.h"
#include "cli/files.h"
#include "cli/flags.h"
#include "cli/legacy/cluster_objects.h"
#include "cli/legacy/convert.h"

#include <stdio.h>

enum { EXIT_UNREADABLE = 1 };

typedef struct {
    Arena arena;
    ConvertOptions options;
    bool has_target, from_cluster;
    Slice kubeconfig, context; // empty: found as tenon run finds them
} Invocation;

static ErrCode take_file(void *context, const char *value, Err *err) {
    Invocation *invocation = context;

    return manifests_read(&invocation->arena, value, &invocation->options.inputs, err);
}

static ErrCode take_target(void *context, const char *value, Err *err) {
    Invocation *invocation = context;
    bool is_v1 = strcmp(value, "v1") == 0;

    if (!is_v1 && strcmp(value, "v1beta1") != 0)
        return err_set(err, ERR_INVALID, "--to: expected v1beta1 or v1, got %s", value);
    invocation->options.target = is_v1 ? CONVERT_TO_V1 : CONVERT_TO_V1BETA1;
    invocation->has_target = true;
    return OK;
}

static ErrCode take_settings(void *context, const char *value, Err *err) {
    Invocation *invocation = context;

    return manifests_read(&invocation->arena, value, &invocation->options.settings, err);
}

static ErrCode take_from_cluster(void *context, const char *value, Err *err) {
    (void)value, (void)err;
    ((Invocation *)context)->from_cluster = true;
    return OK;
}

static ErrCode take_kubeconfig(void *context, const char *value, Err *err) {
    (void)err;
    ((Invocation *)context)->kubeconfig = slice_of(value);
    return OK;
}

static ErrCode take_context(void *context, const char *value, Err *err) {
    (void)err;
    ((Invocation *)context)->context = slice_of(value);
    return OK;
}

static ErrCode take_ignore_defaults(void *context, const char *value, Err *err) {
    (void)value, (void)err;
    ((Invocation *)context)->options.ignores_defaults = true;
    return OK;
}

static ErrCode take_strict(void *context, const char *value, Err *err) {
    (void)value, (void)err;
    ((Invocation *)context)->options.strict = true;
    return OK;
}

static ErrCode take_output(void *context, const char *value, Err *err) {
    bool json = strcmp(value, "json") == 0;

    if (!json && strcmp(value, "yaml") != 0)
        return err_set(err, ERR_INVALID, "--output: expected yaml or json, got %s", value);
    ((Invocation *)context)->options.json = json;
    return OK;
}

static const Flag flags[] = {
    {"--filename", "-f", "FILE|DIR|-", "manifests to convert (repeatable)", take_file},
    {"--from-cluster", NULL, NULL, "convert the objects of a cluster, which is only read", take_from_cluster},
    {"--kubeconfig", NULL, "FILE", "of that cluster; default as for tenon run", take_kubeconfig},
    {"--context", NULL, "NAME", "of the kubeconfig; default: the current one", take_context},
    {"--to", NULL, "VERSION", "v1beta1 or v1", take_target},
    {"--settings", NULL, "FILE", "the ConfigMap karpenter-global-settings, which is not printed", take_settings},
    {"--ignore-defaults", NULL, NULL, "do not write the requirements that the webhook added", take_ignore_defaults},
    {"--strict", NULL, NULL, "refuse what would give a warning", take_strict},
    {"--output", "-o", "FORMAT", "yaml (default) or json", take_output},
};

static const FlagTable table = {
    .command = "convert",
    .usage = "(-f FILE|DIR|- | --from-cluster) --to v1beta1|v1 [flags]",
    .about =
        "Prints manifests with Provisioners and AWSNodeTemplates as NodePools and EC2NodeClasses, and those of "
        "v1beta1\n"
        "as v1. Other objects pass as they are. What has no equivalent, or means something else now, is a warning.",
    .flags = flags,
    .count = sizeof flags / sizeof *flags,
    .footer = "Files, folders (all .yaml, .yml and .json below) and standard input are read in the order given.\n"
              "docs/convert.md lists the warnings. Exit status: 0 converted, 2 not; 1 when the cluster cannot be read.",
};

static ErrCode check(const Invocation *invocation, Err *err) {
    if (!invocation->options.inputs.count && !invocation->from_cluster)
        return err_set(err, ERR_INVALID, "must specify -f; see tenon convert --help");
    if (!invocation->has_target)
        return err_set(err, ERR_INVALID, "must specify --to v1beta1 or --to v1; see tenon convert --help");
    return OK;
}

// Whatever fails here may change.
static ErrCode read_cluster(Invocation *invocation, Err *err) {
    ConvertOptions *options = &invocation->options;
    InputTextVec *settings = options->settings.count ? NULL : &options->settings;

    if (!invocation->from_cluster)
        return OK;
    return cluster_objects_read(&invocation->arena, invocation->kubeconfig, invocation->context, &options->inputs,
                                settings, err);
}

static int run(const Invocation *invocation) {
    Buffer out = {0}, messages = {0};
    int status = convert_run(&invocation->options, &out, &messages);

    fwrite(messages.bytes, 1, messages.len, stderr);
    fwrite(out.bytes, 1, out.len, stdout);
    buffer_free(&out);
    buffer_free(&messages);
    return status;
}

static int convert(Invocation *invocation, Err *err) {
    if (check(invocation, err) != OK)
        return EXIT_BAD_INPUT;
    return read_cluster(invocation, err) == OK ? run(invocation) : EXIT_UNREADABLE;
}

int command_convert(int argc, char **argv) {
    Invocation invocation = {0};
    Err err = {0};
    bool help;
    int status = EXIT_BAD_INPUT;
    ErrCode code = flags_take(&table, argc, argv, &invocation, &help, &err);

    if (code == OK && help) {
        flags_print_help(&table);
        status = 0;
    } else if (code == OK) {
        status = convert(&invocation, &err);
    }
    if (err.code != OK)
        fprintf(stderr, "error: %s\n", err.text);
    arena_free(&invocation.arena);
    return status;
}
