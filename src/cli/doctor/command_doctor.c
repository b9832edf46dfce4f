// `tenon doctor`: what is wrong with manifests and what surrounds them, and what mends it.
#include "cli/doctor/commands.h"
#include "cli/doctor/doctor.h"
#include "cli/files.h"
#include "cli/flags.h"

#include <stdio.h>

typedef struct {
    Arena arena;
    DoctorOptions options;
    LiveOptions live;
    const char *live_flag; // the last one that is about a live cluster
} Consultation;

static ErrCode take_file(void *context, const char *value, Err *err) {
    Consultation *consultation = context;

    return configuration_read(&consultation->arena, value, &consultation->options.inputs, err);
}

static ErrCode take_strict(void *context, const char *value, Err *err) {
    (void)value, (void)err;
    ((Consultation *)context)->options.strict = true;
    return OK;
}

static ErrCode take_output(void *context, const char *value, Err *err) {
    bool json = strcmp(value, "json") == 0;

    if (!json && strcmp(value, "text") != 0)
        return err_set(err, ERR_INVALID, "--output: expected text or json, got %s", value);
    ((Consultation *)context)->options.json = json;
    return OK;
}

static ErrCode take_live(Consultation *consultation, const char *flag, Slice *setting, const char *value) {
    *setting = slice_of(value);
    consultation->live_flag = flag;
    return OK;
}

static ErrCode take_kubeconfig(void *context, const char *value, Err *err) {
    (void)err;
    return take_live(context, "--kubeconfig", &((Consultation *)context)->live.kubeconfig, value);
}

static ErrCode take_context(void *context, const char *value, Err *err) {
    (void)err;
    return take_live(context, "--context", &((Consultation *)context)->live.context, value);
}

static ErrCode take_as(void *context, const char *value, Err *err) {
    (void)err;
    return take_live(context, "--as", &((Consultation *)context)->live.as_user, value);
}

static ErrCode take_namespace(void *context, const char *value, Err *err) {
    (void)err;
    return take_live(context, "--namespace", &((Consultation *)context)->live.ns, value);
}

static ErrCode take_queue(void *context, const char *value, Err *err) {
    (void)err;
    return take_live(context, "--interruption-queue", &((Consultation *)context)->live.queue, value);
}

static const Flag flags[] = {
    {"--filename", "-f", "FILE|DIR|-", "manifests, Terraform, answers of the aws command line (repeatable)", take_file},
    {"--kubeconfig", NULL, "FILE", "without -f: of the cluster; default as for tenon run", take_kubeconfig},
    {"--context", NULL, "NAME", "of the kubeconfig; default: the current one", take_context},
    {"--as", NULL, "USER",
     "whose rights are looked at, system:serviceaccount:NAMESPACE:NAME for instance; default: your own", take_as},
    {"--namespace", "-n", "NAME", "where the Lease lies; default: kube-system", take_namespace},
    {"--interruption-queue", NULL, "NAME", "default: as the Deployment of Karpenter has it", take_queue},
    {"--strict", NULL, NULL, "warnings count as errors", take_strict},
    {"--output", "-o", "FORMAT", "text (default) or json", take_output},
};

static const FlagTable table = {
    .command = "doctor",
    .usage = "[-f FILE|DIR|-] [flags]",
    .about =
        "Looks at Provisioners, NodePools and their classes, and at what surrounds them: each check is ok, or says\n"
        "what is wrong and what mends it. With -f it reads files alone, and a check whose facts are not there says\n"
        "what to give; without -f it asks a live cluster, and AWS where the cluster has classes of it. It only reads.",
    .flags = flags,
    .count = sizeof flags / sizeof *flags,
    .footer = "Of folders all .yaml, .yml, .json and .tf below are read. What helps:\n"
              "  aws ec2 describe-subnets, aws ec2 describe-security-groups, aws iam list-roles (as JSON)\n"
              "  kubectl get nodes,deployments,configmaps -A -o yaml\n"
              "docs/doctor.md lists the checks. Exit status: 0 no errors, 1 errors, 2 the input is wrong.",
};

static int consult(Consultation *consultation) {
    Buffer out = {0}, messages = {0};
    int status;

    if (!consultation->live.ns.len)
        consultation->live.ns = SLICE("kube-system");
    if (!consultation->options.inputs.count)
        consultation->options.live = &consultation->live;
    status = doctor_run(&consultation->options, &out, &messages);

    fwrite(messages.bytes, 1, messages.len, stderr);
    fwrite(out.bytes, 1, out.len, stdout);
    buffer_free(&out);
    buffer_free(&messages);
    return status;
}

int command_doctor(int argc, char **argv) {
    Consultation consultation = {0};
    Err err = {0};
    bool help;
    int status = EXIT_BAD_INPUT;
    ErrCode code = flags_take(&table, argc, argv, &consultation, &help, &err);

    if (code == OK && help) {
        flags_print_help(&table);
        status = 0;
    } else if (code == OK && consultation.options.inputs.count && consultation.live_flag) {
        code = err_set(&err, ERR_INVALID, "%s is about a live cluster, which -f excludes", consultation.live_flag);
    } else if (code == OK) {
        status = consult(&consultation);
    }
    if (code != OK)
        fprintf(stderr, "error: %s\n", err.text);
    arena_free(&consultation.arena);
    return status;
}
