// Checks of AWS's options, its feature gates, and the choice of the provider.
#include "cli/run/aws_options.h"

#include "base/time.h"
#include "ctl/settings_flags.h"
#include "net/base64.h"

enum { REFRESH_LEAST_S = 60 };

bool aws_options_are_used(const ManagerOptions *options) {
    return slice_eq_text(options->provider, "aws");
}

// --- the provider

// Somebody who sets these means AWS, and would be surprised by nodes without machines.
static const char *first_of_aws(const ManagerOptions *options) {
    if (options->cluster_endpoint.len)
        return "cluster-endpoint";
    if (options->cluster_ca_bundle.len)
        return "cluster-ca-bundle";
    if (options->isolated_vpc)
        return "isolated-vpc";
    if (options->eks_control_plane)
        return "eks-control-plane";
    return options->enable_zonal_shift ? "enable-zonal-shift" : NULL;
}

static ErrCode choose_provider(ManagerOptions *options, Err *err) {
    const char *meant = first_of_aws(options);

    if (!options->provider.len && !options->cluster_name.len && meant)
        return err_set(err, ERR_INVALID,
                       "--%s is for AWS, and the cluster has no name: set --cluster-name (CLUSTER_NAME), or --provider "
                       "kwok for nodes without machines",
                       meant);
    if (!options->provider.len)
        options->provider = options->cluster_name.len ? SLICE("aws") : SLICE("kwok");
    if (aws_options_are_used(options) || slice_eq_text(options->provider, "kwok"))
        return OK;
    return err_set(err, ERR_INVALID, "--provider: expected aws or kwok, got \"%.*s\"", SLICE_ARG(options->provider));
}

// --- values

// The host of an absolute URL; empty: it is none.
static Slice host_of(Slice url) {
    static const char *const schemes[] = {"https://", "http://"};
    Slice rest = {0};
    size_t end = 0;

    for (size_t i = 0; i < sizeof schemes / sizeof *schemes && !rest.len; i++) {
        if (slice_starts_with(url, slice_of(schemes[i])))
            rest = slice_from(url, strlen(schemes[i]));
    }
    while (end < rest.len && !strchr("/:?#", rest.ptr[end]))
        end++;
    return slice_first(rest, end);
}

static ErrCode check_cluster(const ManagerOptions *options, Err *err) {
    Arena arena = {0};
    Slice bytes;
    ErrCode code;

    if (options->cluster_endpoint.len && !host_of(options->cluster_endpoint).len)
        return err_set(err, ERR_INVALID,
                       "--cluster-endpoint (CLUSTER_ENDPOINT): expected an absolute URL as https://10.0.0.1:6443, got "
                       "\"%.*s\"",
                       SLICE_ARG(options->cluster_endpoint));
    code = base64_decode(&arena, options->cluster_ca_bundle, &bytes, err);
    arena_free(&arena);
    if (code != OK)
        err_prefix(err, "--cluster-ca-bundle (CLUSTER_CA_BUNDLE)");
    return code;
}

static ErrCode check_queue(Slice queue, Err *err) {
    if (slice_find(queue, '/') < 0 && slice_find(queue, ':') < 0)
        return OK;
    return err_set(err, ERR_INVALID,
                   "--interruption-queue (INTERRUPTION_QUEUE): expected the queue's name, not its URL or ARN, got "
                   "\"%.*s\"",
                   SLICE_ARG(queue));
}

static ErrCode check_numbers(const ManagerOptions *options, Err *err) {
    double overhead = options->vm_memory_overhead_percent;

    if (overhead < 0 || overhead >= 1)
        return err_set(err, ERR_INVALID,
                       "--vm-memory-overhead-percent (VM_MEMORY_OVERHEAD_PERCENT): expected a part from 0 to below 1, "
                       "as 0.075, got %g",
                       overhead);
    if (options->reserved_enis < 0 || options->reserved_enis > INT32_MAX)
        return err_set(err, ERR_INVALID,
                       "--reserved-enis (RESERVED_ENIS): expected a whole number that is not negative, got %lld",
                       (long long)options->reserved_enis);
    return OK;
}

static ErrCode check_refreshes(const ManagerOptions *options, Err *err) {
    const struct {
        const char *flag, *variable;
        int64_t ns;
    } refreshes[] = {
        {"ami-refresh-interval", "AMI_REFRESH_INTERVAL", options->ami_refresh_ns},
        {"subnet-refresh-interval", "SUBNET_REFRESH_INTERVAL", options->subnet_refresh_ns},
        {"security-group-refresh-interval", "SECURITY_GROUP_REFRESH_INTERVAL", options->security_group_refresh_ns},
    };

    for (size_t i = 0; i < sizeof refreshes / sizeof *refreshes; i++) {
        if (refreshes[i].ns < REFRESH_LEAST_S * NS_PER_S)
            return err_set(err, ERR_INVALID, "--%s (%s): expected a duration of at least 1m, got %g s",
                           refreshes[i].flag, refreshes[i].variable, ns_to_s(refreshes[i].ns));
    }
    return OK;
}

// --- feature gates

static void note_gate(ManagerOptions *options, Slice name, const char *why) {
    vec_push(&options->arena, &options->idle_gates, arena_printf(&options->arena, "%.*s %s", SLICE_ARG(name), why));
}

static void set_gate(ManagerOptions *options, Slice name, bool on) {
    bool is_dra = slice_eq_text(name, "DRANVIDIAGPU") || slice_eq_text(name, "DRAEFA");

    if (slice_eq_text(name, "NodeClassCEL"))
        options->node_class_cel = on;
    else if (slice_eq_text(name, "RebootForRepair"))
        options->settings.gate_reboot = on;
    else if (!is_dra)
        note_gate(options, name, "is unknown as a gate of AWS");
    else if (on)
        note_gate(options, name, "is known, and tenon leaves pods with resource claims alone");
}

static ErrCode set_gates(ManagerOptions *options, Err *err) {
    Slice list = options->aws_feature_gates;

    while (list.len) {
        Slice name;
        bool on;
        ErrCode code = settings_take_gate(&list, &name, &on, err);

        if (code != OK)
            err_prefix(err, "--aws-feature-gates (AWS_FEATURE_GATES)");
        TRY(code);
        set_gate(options, name, on);
    }
    return OK;
}

ErrCode aws_options_check_values(const ManagerOptions *options, Err *err) {
    TRY(check_cluster(options, err));
    TRY(check_queue(options->interruption_queue, err));
    TRY(check_numbers(options, err));
    return check_refreshes(options, err);
}

ErrCode aws_options_check(ManagerOptions *options, Err *err) {
    TRY(choose_provider(options, err));
    if (!aws_options_are_used(options))
        return OK;
    if (!options->cluster_name.len)
        return err_set(err, ERR_INVALID,
                       "--provider aws needs the name of the cluster: set --cluster-name (CLUSTER_NAME), as aws eks "
                       "list-clusters has it");
    TRY(aws_options_check_values(options, err));
    return set_gates(options, err);
}

AwsProviderSettings aws_options_settings(const ManagerOptions *options) {
    return (AwsProviderSettings){
        .cluster_name = options->cluster_name,
        .cluster_endpoint = options->cluster_endpoint,
        .cluster_ca_bundle = options->cluster_ca_bundle,
        .isolated_vpc = options->isolated_vpc,
        .eks_control_plane = options->eks_control_plane,
        .disable_dry_run = options->disable_dry_run,
        .enable_zonal_shift = options->enable_zonal_shift,
        .vm_memory_overhead_percent = options->vm_memory_overhead_percent,
        .interruption_queue = options->interruption_queue,
        .reserved_enis = (int32_t)options->reserved_enis,
        .ami_refresh_ns = options->ami_refresh_ns,
        .subnet_refresh_ns = options->subnet_refresh_ns,
        .security_group_refresh_ns = options->security_group_refresh_ns,
        .node_class_cel = options->node_class_cel,
        .reserved_capacity = options->settings.gate_reserved_capacity,
        .min_values_strict = options->settings.min_values == MIN_VALUES_STRICT,
        .plain_capacity_memory = options->plain_capacity_memory,
    };
}
