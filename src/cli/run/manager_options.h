// What `tenon run` can be told, beside the controllers' settings (ctl/settings_flags.h): one table, from which the
// command line and the environment are read and the help and the documentation are made.
//
// Names, variables and defaults are Karpenter's (reference lifecycle.md 7.4), so its Helm chart starts tenon unchanged.
// Flags win over the environment. A variable whose number, bool or duration cannot be read counts as not set, as there,
// but a warning says so; a flag that cannot be read is an error.
#pragma once

#include "ctl/settings.h"

// X(FIELD, TYPE, field, "flag", "VARIABLE", "default", "help"); TYPE: TEXT, NUMBER (not negative but for -1), PORT,
// BOOL
#define MANAGER_OPTIONS(X)                                                                                             \
    X(PROVIDER, TEXT, provider, "provider", "PROVIDER", "kwok", "where nodes come from: kwok")                         \
    X(KUBECONFIG, TEXT, kubeconfig, "kubeconfig", "", "",                                                              \
      "the cluster; without it $KUBECONFIG, the pod's service account, ~/.kube/config")                                \
    X(CONTEXT, TEXT, context, "context", "", "", "of the kubeconfig; without it the current one")                      \
    X(INSTANCE_TYPES, TEXT, instance_types_path, "instance-types-file-path", "INSTANCE_TYPES_FILE_PATH", "",           \
      "kwok: a JSON list of instance types instead of the 144 inside")                                                 \
    X(LOG_LEVEL, TEXT, log_level, "log-level", "LOG_LEVEL", "info", "debug, info or error")                            \
    X(LOG_OUTPUTS, TEXT, log_output_paths, "log-output-paths", "LOG_OUTPUT_PATHS", "stdout",                           \
      "where the log goes: stdout, stderr, files, with commas between")                                                \
    X(LOG_ERRORS, TEXT, log_error_output_paths, "log-error-output-paths", "LOG_ERROR_OUTPUT_PATHS", "stderr",          \
      "where the log's own failures go")                                                                               \
    X(METRICS_PORT, PORT, metrics_port, "metrics-port", "METRICS_PORT", "8080", "of /metrics; 0: none")                \
    X(HEALTH_PORT, PORT, health_probe_port, "health-probe-port", "HEALTH_PROBE_PORT", "8081",                          \
      "of /healthz and /readyz; 0: none")                                                                              \
    X(PROFILING, BOOL, enable_profiling, "enable-profiling", "ENABLE_PROFILING", "false",                              \
      "profiles on the metrics port")                                                                                  \
    X(QPS, NUMBER, kube_client_qps, "kube-client-qps", "KUBE_CLIENT_QPS", "200",                                       \
      "calls to the API server per second in the long run; -1: no limit")                                              \
    X(BURST, NUMBER, kube_client_burst, "kube-client-burst", "KUBE_CLIENT_BURST", "300", "and at once")                \
    X(NO_ELECTION, BOOL, disable_leader_election, "disable-leader-election", "DISABLE_LEADER_ELECTION", "false",       \
      "lead without asking: for a lone process")                                                                       \
    X(ELECTION_NAME, TEXT, leader_election_name, "leader-election-name", "LEADER_ELECTION_NAME",                       \
      "karpenter-leader-election", "of the Lease")                                                                     \
    X(ELECTION_NAMESPACE, TEXT, leader_election_namespace, "leader-election-namespace", "LEADER_ELECTION_NAMESPACE",   \
      "", "of the Lease; without it $SYSTEM_NAMESPACE, then the pod's own")                                            \
    X(NO_OBSERVABILITY, BOOL, disable_cluster_state_observability, "disable-cluster-state-observability",              \
      "DISABLE_CLUSTER_STATE_OBSERVABILITY", "false", "no metrics of single pods, nodes and pools")                    \
    X(CPU_REQUESTS, NUMBER, cpu_requests, "cpu-requests", "CPU_REQUESTS", "1000",                                      \
      "milli-CPUs that the process has: how many calls are under way at once")                                         \
    X(SCHEDULER_CONFIG, TEXT, scheduler_config, "scheduler-config", "SCHEDULER_CONFIG", "",                            \
      "YAML or JSON with podTopologySpread.defaultConstraints")                                                        \
    X(IGNORE_DRA, BOOL, ignore_dra_requests, "ignore-dra-requests", "IGNORE_DRA_REQUESTS", "true",                     \
      "leave pods with resource claims alone (nothing else is offered yet)")                                           \
    X(NO_WARMUP, BOOL, disable_controller_warmup, "disable-controller-warmup", "DISABLE_CONTROLLER_WARMUP", "true",    \
      "taken for Karpenter's sake, without effect")                                                                    \
    X(MEMORY_LIMIT, NUMBER, memory_limit, "memory-limit", "MEMORY_LIMIT", "-1",                                        \
      "taken for Karpenter's sake, without effect: there is no garbage to collect")                                    \
    X(SERVICE, TEXT, karpenter_service, "karpenter-service", "KARPENTER_SERVICE", "",                                  \
      "taken for Karpenter's sake, without effect")

typedef Slice OptionTEXT;
typedef int64_t OptionNUMBER, OptionPORT;
typedef bool OptionBOOL;

typedef struct {
    Arena arena; // of texts and warnings
#define X(FIELD, TYPE, field, ...) Option##TYPE field;
    MANAGER_OPTIONS(X)
#undef X
    Settings settings;
    SliceVec warnings; // for the log, once there is one
} ManagerOptions;

// Reads defaults, then the environment, then the arguments (argv[0] is the command's name). `variable` gives the value
// of an environment variable or NULL (getenv). ret_help: --help was among the arguments.
// Also Go's forms are understood: one dash, and a flag of a bool without a value.
// ERR_INVALID: the text names flag or variable and what was expected. manager_options_free in any case.
ErrCode manager_options_read(ManagerOptions *options, int argc, char **argv, char *(*variable)(const char *name),
                             bool *ret_help, Err *err);
void manager_options_free(ManagerOptions *options);
void manager_options_print_help(void);
