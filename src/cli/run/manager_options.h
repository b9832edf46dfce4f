// ManagerOptions: the options of `tenon run` besides the controllers' settings (ctl/settings_flags.h). One table, for
// parsing the command line and the environment and for printing help and documentation.
//
// Names, variables and defaults are Karpenter's (reference lifecycle.md 7.4), so its Helm chart starts tenon unchanged.
// Flags override the environment. A variable with a number, bool or duration that cannot be parsed is ignored, as in
// Karpenter, with a warning; a flag that cannot be parsed is an error.
#pragma once

#include "base/buffer.h"
#include "ctl/settings.h"

// X(FIELD, TYPE, field, "flag", "VARIABLE", "default", "help"); TYPE: TEXT, NUMBER (not negative, except -1), PORT,
// COUNT (not negative), FRACTION (a decimal number), DURATION, BOOL. In the order of --help; manager_options_print.c
// has the titles of its sections. Those of EC2 are held to more in aws_options.h.
#define MANAGER_OPTIONS(X)                                                                                             \
    X(KUBECONFIG, TEXT, kubeconfig, "kubeconfig", "", "",                                                              \
      "file that says where the cluster is; without it $KUBECONFIG, then the pod's own service account, then "         \
      "~/.kube/config")                                                                                                \
    X(CONTEXT, TEXT, context, "context", "", "", "context of the kubeconfig; without it the current one")              \
    X(QPS, NUMBER, kube_client_qps, "kube-client-qps", "KUBE_CLIENT_QPS", "200",                                       \
      "calls to the API server per second in the long run; -1: no limit. The lease is not counted")                    \
    X(BURST, NUMBER, kube_client_burst, "kube-client-burst", "KUBE_CLIENT_BURST", "300",                               \
      "calls to the API server at once")                                                                               \
    X(PROVIDER, TEXT, provider, "provider", "PROVIDER", "",                                                            \
      "where nodes come from: aws or kwok; without it aws when a cluster name is set, else kwok")                      \
    X(INSTANCE_TYPES, TEXT, instance_types_path, "instance-types-file-path", "INSTANCE_TYPES_FILE_PATH", "",           \
      "kwok: file with a JSON list of instance types instead of the 144 inside")                                       \
    X(CPU_REQUESTS, NUMBER, cpu_requests, "cpu-requests", "CPU_REQUESTS", "1000",                                      \
      "milli-CPUs that the process has: 16 calls are under way at once for each 1000, 64 at most")                     \
    X(SCHEDULER_CONFIG, TEXT, scheduler_config, "scheduler-config", "SCHEDULER_CONFIG", "",                            \
      "file with podTopologySpread.defaultConstraints, as kube-scheduler has them, YAML or JSON")                      \
    X(CLUSTER_NAME, TEXT, cluster_name, "cluster-name", "CLUSTER_NAME", "",                                            \
      "name of the cluster that instances join, in EKS and in their tags; aws needs it")                               \
    X(CLUSTER_ENDPOINT, TEXT, cluster_endpoint, "cluster-endpoint", "CLUSTER_ENDPOINT", "",                            \
      "URL of the API server for the nodes; without it EKS is asked")                                                  \
    X(CLUSTER_CA_BUNDLE, TEXT, cluster_ca_bundle, "cluster-ca-bundle", "CLUSTER_CA_BUNDLE", "",                        \
      "certificates of the API server for the nodes, in Base64; without it those of the kubeconfig or the pod")        \
    X(ISOLATED_VPC, BOOL, isolated_vpc, "isolated-vpc", "ISOLATED_VPC", "false",                                       \
      "the VPC has no way out: IAM is left alone, and on-demand prices are those inside")                              \
    X(EKS_CONTROL_PLANE, BOOL, eks_control_plane, "eks-control-plane", "EKS_CONTROL_PLANE", "false",                   \
      "ask EKS for the version of Kubernetes instead of the API server")                                               \
    X(VM_MEMORY_OVERHEAD, FRACTION, vm_memory_overhead_percent, "vm-memory-overhead-percent",                          \
      "VM_MEMORY_OVERHEAD_PERCENT", "0.075",                                                                           \
      "part of the memory that the hypervisor takes, until a node has shown it")                                       \
    X(RESERVED_ENIS, COUNT, reserved_enis, "reserved-enis", "RESERVED_ENIS", "0",                                      \
      "network interfaces of each instance that are not for pods")                                                     \
    X(NO_DRY_RUN, BOOL, disable_dry_run, "disable-dry-run", "DISABLE_DRY_RUN", "false",                                \
      "find out by launches, not by dry runs, whether an EC2NodeClass may be launched with")                           \
    X(ZONAL_SHIFT, BOOL, enable_zonal_shift, "enable-zonal-shift", "ENABLE_ZONAL_SHIFT", "false",                      \
      "launch nothing in zones that the cluster is shifted away from (ARC zonal shift)")                               \
    X(PLAIN_CAPACITY, BOOL, plain_capacity_memory, "plain-capacity-memory", "PLAIN_CAPACITY_MEMORY", "false",          \
      "try what had no capacity again every 3m with any number of launches, as Karpenter; without it the time "        \
      "doubles up to 30m while it fails, and launches have budgets")                                                   \
    X(AMI_REFRESH, DURATION, ami_refresh_ns, "ami-refresh-interval", "AMI_REFRESH_INTERVAL", "1m",                     \
      "how long images that were found count as found, at least 1m")                                                   \
    X(SUBNET_REFRESH, DURATION, subnet_refresh_ns, "subnet-refresh-interval", "SUBNET_REFRESH_INTERVAL", "1m",         \
      "the same of subnets")                                                                                           \
    X(GROUP_REFRESH, DURATION, security_group_refresh_ns, "security-group-refresh-interval",                           \
      "SECURITY_GROUP_REFRESH_INTERVAL", "1m", "the same of security groups")                                          \
    X(AWS_GATES, TEXT, aws_feature_gates, "aws-feature-gates", "AWS_FEATURE_GATES", "NodeClassCEL=false",              \
      "NodeClassCEL, RebootForRepair (also one of --feature-gates)")                                                   \
    X(NO_ELECTION, BOOL, disable_leader_election, "disable-leader-election", "DISABLE_LEADER_ELECTION", "false",       \
      "lead without asking: for a process that is alone")                                                              \
    X(ELECTION_NAME, TEXT, leader_election_name, "leader-election-name", "LEADER_ELECTION_NAME",                       \
      "karpenter-leader-election", "name of the Lease")                                                                \
    X(ELECTION_NAMESPACE, TEXT, leader_election_namespace, "leader-election-namespace", "LEADER_ELECTION_NAMESPACE",   \
      "", "namespace of the Lease; without it $SYSTEM_NAMESPACE, then the pod's own or the context's")                 \
    X(METRICS_PORT, PORT, metrics_port, "metrics-port", "METRICS_PORT", "8080", "port of /metrics; 0: none")           \
    X(METRICS_ADDRESS, TEXT, metrics_address, "metrics-address", "METRICS_ADDRESS", "",                                \
      "address of that port, as 127.0.0.1 or ::1; without it all")                                                     \
    X(HEALTH_PORT, PORT, health_probe_port, "health-probe-port", "HEALTH_PROBE_PORT", "8081",                          \
      "port of /healthz and /readyz; 0: none")                                                                         \
    X(HEALTH_ADDRESS, TEXT, health_probe_address, "health-probe-address", "HEALTH_PROBE_ADDRESS", "",                  \
      "address of that port, likewise; the kubelet asks the pod's address")                                            \
    X(PROFILING, BOOL, enable_profiling, "enable-profiling", "ENABLE_PROFILING", "false",                              \
      "figures of memory and threads, below /debug/pprof/ of the metrics port")                                        \
    X(NO_OBSERVABILITY, BOOL, disable_cluster_state_observability, "disable-cluster-state-observability",              \
      "DISABLE_CLUSTER_STATE_OBSERVABILITY", "false", "no metrics of single pods, nodes and NodePools")                \
    X(LOG_LEVEL, TEXT, log_level, "log-level", "LOG_LEVEL", "info", "debug, info, warn or error")                      \
    X(LOG_OUTPUTS, TEXT, log_output_paths, "log-output-paths", "LOG_OUTPUT_PATHS", "stdout",                           \
      "where the log goes: stdout, stderr, files, with commas between")                                                \
    X(LOG_ERRORS, TEXT, log_error_output_paths, "log-error-output-paths", "LOG_ERROR_OUTPUT_PATHS", "stderr",          \
      "where the log's own failures go, likewise")                                                                     \
    X(IGNORE_DRA, BOOL, ignore_dra_requests, "ignore-dra-requests", "IGNORE_DRA_REQUESTS", "true",                     \
      "pods with resource claims are always left alone")                                                               \
    X(NO_WARMUP, BOOL, disable_controller_warmup, "disable-controller-warmup", "DISABLE_CONTROLLER_WARMUP", "true",    \
      "nothing is watched before the lease is held")                                                                   \
    X(MEMORY_LIMIT, NUMBER, memory_limit, "memory-limit", "MEMORY_LIMIT", "-1", "there is no garbage to collect")      \
    X(LEGACY_WEBHOOKS, BOOL, legacy_webhooks, "legacy-webhooks", "LEGACY_WEBHOOKS", "false",                           \
      "serve the webhooks of Provisioners and AWSNodeTemplates, on every replica")                                     \
    X(WEBHOOK_PORT, PORT, webhook_port, "webhook-port", "WEBHOOK_PORT", "8443", "port of these webhooks")              \
    X(SERVICE, TEXT, karpenter_service, "karpenter-service", "KARPENTER_SERVICE", "karpenter",                         \
      "name of the Service in front of them, beside the Lease; their certificate is in the Secret NAME-cert there")

typedef Slice OptionTEXT;
typedef int64_t OptionNUMBER, OptionPORT, OptionCOUNT, OptionDURATION;
typedef double OptionFRACTION;
typedef bool OptionBOOL;

typedef struct {
    Arena arena; // of texts and warnings
#define X(FIELD, TYPE, field, ...) Option##TYPE field;
    MANAGER_OPTIONS(X)
#undef X
    Settings settings;
    Slice interruption_queue; // its name; a setting is whether there is one
    bool node_class_cel;      // of aws_feature_gates
    SliceVec warnings;        // variables that cannot be parsed, to be logged once the log is open
    SliceVec idle_gates;      // feature gates without effect, likewise
    SliceVec given;           // flags that the command line or the environment has set
} ManagerOptions;

// Reads the defaults, then the environment, then the arguments (argv[0] is the command's name). `variable` returns the
// value of an environment variable or NULL (getenv). ret_help: --help was found. Go's syntax is accepted, too: a single
// dash, and a bool flag without a value. Afterwards `provider` is "aws" or "kwok". ERR_INVALID: the text names flag or
// variable and what was expected. Call manager_options_free in any case.
ErrCode manager_options_read(ManagerOptions *options, int argc, char **argv, char *(*variable)(const char *name),
                             bool *ret_help, Err *err);
void manager_options_free(ManagerOptions *options);

// Whether the command line or the environment has set a flag (named without dashes). O(flags).
bool manager_options_are_given(const ManagerOptions *options, const char *flag);
// Sets a flag's option, as its variable would. ERR_INVALID: the text says what was expected. O(flags).
ErrCode manager_options_set(ManagerOptions *options, const char *flag, Slice text, Err *err);

// --- documentation

// An option as texts; includes the controllers' settings.
typedef struct {
    const char *flag, *variable; // variable "": none
    const char *value, *preset, *help;
} ManagerOption;

// The option of that number; false: there is none.
bool manager_option_at(uint32_t number, ManagerOption *ret_option);
void manager_options_print_help(Buffer *text);     // of --help
void manager_options_print_markdown(Buffer *text); // the tables of docs/run.md
