// The keys, and the flags that they are today.
#include "cli/run/old_settings.h"

#include "base/time.h"
#include "cli/run/aws_options.h"
#include "legacy/global_settings.h"
#include "text/duration.h"

static const struct {
    const char *key, *flag;
} rows[] = {
    {"batchMaxDuration", "batch-max-duration"},
    {"batchIdleDuration", "batch-idle-duration"},
    {"aws.clusterName", "cluster-name"},
    {"aws.clusterEndpoint", "cluster-endpoint"},
    {"aws.clusterCABundle", "cluster-ca-bundle"},
    {"aws.isolatedVPC", "isolated-vpc"},
    {"aws.vmMemoryOverheadPercent", "vm-memory-overhead-percent"},
    {"aws.interruptionQueueName", "interruption-queue"},
    {"aws.reservedENIs", "reserved-enis"},
};

// Keys without effect. `plain`: the value with which nobody misses it.
static const struct {
    const char *key, *plain, *why;
} idle_keys[] = {
    {"aws.enablePodENI", "", "types with branch interfaces offer vpc.amazonaws.com/pod-eni always"},
    {"aws.nodeNameConvention", "ip-name", "the kubelet names its Node"},
    {"aws.assumeRoleARN", "", "the role is that of the process's own credentials (role_arn of an AWS profile)"},
    {"aws.assumeRoleDuration", "15m", "the role is that of the process's own credentials"},
    {"ttlAfterNotRegistered", "15m", "a Machine that does not register goes after 15m"},
};

// Since v0.30 a batch took a second at least.
static ErrCode check_duration(const char *flag, Slice text, Err *err) {
    int64_t ns = 0;

    if (!slice_starts_with(slice_of(flag), SLICE("batch-")))
        return OK;
    if (duration_parse(text, &ns, NULL) != OK || ns < NS_PER_S)
        return err_set(err, ERR_INVALID, "expected a duration of at least 1s, got \"%.*s\"", SLICE_ARG(text));
    return OK;
}

// Tried on a copy, so that what cannot be taken changes nothing.
static ErrCode take_row(ManagerOptions *options, const char *flag, Slice text, Err *err) {
    ManagerOptions trial = *options;

    TRY(check_duration(flag, text, err));
    TRY(manager_options_set(&trial, flag, text, err));
    TRY(aws_options_check_values(&trial, err));
    *options = trial;
    return OK;
}

static void take_rows(ManagerOptions *options, const Value *config_map, SliceVec *bad) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Slice text = global_setting(config_map, rows[i].key);
        Err why = {0};

        if (!text.len || manager_options_are_given(options, rows[i].flag))
            continue;
        if (take_row(options, rows[i].flag, text, &why) != OK)
            vec_push(&options->arena, bad, arena_printf(&options->arena, "%s: %s", rows[i].key, why.text));
    }
}

static void note_idle(ManagerOptions *options, const Value *config_map, SliceVec *idle) {
    for (size_t i = 0; i < sizeof idle_keys / sizeof *idle_keys; i++) {
        Slice text = global_setting(config_map, idle_keys[i].key);

        if (text.len && !slice_eq_text(text, idle_keys[i].plain))
            vec_push(&options->arena, idle,
                     arena_printf(&options->arena, "%s: %s", idle_keys[i].key, idle_keys[i].why));
    }
}

ErrCode old_settings_take(ManagerOptions *options, const Value *config_map, SliceVec *bad, SliceVec *idle, Err *err) {
    take_rows(options, config_map, bad);
    note_idle(options, config_map, idle);
    if (!options->cluster_name.len || aws_options_are_used(options) || manager_options_are_given(options, "provider"))
        return OK;
    options->provider = SLICE("");
    return aws_options_check(options, err);
}
