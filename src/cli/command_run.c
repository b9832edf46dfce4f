// `tenon run`: from flags to a running process, whose work is in cli/run/manager.h.
#include "cli/commands.h"
#include "cli/files.h"
#include "cli/run/asker.h"
#include "cli/run/aws_cloud.h"
#include "cli/run/aws_options.h"
#include "cli/run/kwok_cloud.h"
#include "cli/run/limits.h"
#include "cli/run/manager.h"
#include "cli/run/old_kinds.h"
#include "cli/run/old_settings.h"
#include "cli/run/stop_guard.h"
#include "cli/webhook/webhooks.h"
#include "ctl/settings_flags.h"
#include "engine/lease/lease.h"
#include "kube/rest/rest.h"

#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <unistd.h>

enum { RUN_STOPPED = 0, RUN_FAILED = 1, RUN_BAD_INPUT = 2 };
enum { LARGE_BYTES = 256 << 10, HEAPS = 4, TRIM_EVERY_S = 60, LEASE_ANSWERS_BYTES = 16 << 20 };
// Calls for the Lease: half of controller-runtime's renew deadline. Shutdown: controller-runtime's graceful period. The
// last lines of the log: a second.
enum { LEASE_CALL_S = 5, GRACE_S = 30, LAST_WORDS_S = 1 };

typedef struct {
    Arena arena;
    ManagerOptions options;
    JsonLog *log;
    KubeConfig config;
    KubeRest *rest, *lease_rest, *hook_rest; // the last one NULL: no webhooks
    OldKinds old;
    Slice lease_namespace, identity;
    uint64_t random[4];
    KwokCloud kwok;
    AwsCloud aws;
    Manager *manager;
    Webhooks *webhooks; // NULL: not served
    Asker *trimmer;     // gives memory back
    int stop_fd;        // 0: none yet
} Process;

static void say_to_log(Process *process, LogLevel level, const char *message, const char *key, Slice value) {
    json_log_say(process->log, clock_system_wall_ns(), level, message, key, value, NULL);
}

static void say_of_settings(Process *process, LogLevel level, const char *message, Slice error) {
    json_log_say(process->log, clock_system_wall_ns(), level, message, "settings", process->old.name, "error", error,
                 NULL);
}

// --- opening

// Asked for each write, to Kubernetes or AWS, that has waited for a connection or for its turn, before it is sent.
static bool may_write(void *context) {
    const Process *process = context;

    return process->manager && manager_may_write(process->manager);
}

static ErrCode open_clients(Process *process, Err *err) {
    const ManagerOptions *options = &process->options;
    KubeRestOptions bulk = {.qps = (double)options->kube_client_qps,
                            .burst =
                                (uint32_t)(options->kube_client_burst > 0 && options->kube_client_burst <= UINT32_MAX
                                               ? options->kube_client_burst
                                               : 0),
                            .gate = {may_write, process}};
    KubeRestOptions lease = {
        .qps = -1, .call_timeout_ns = LEASE_CALL_S * NS_PER_S, .answers_bytes_max = LEASE_ANSWERS_BYTES};

    TRY(kube_config_load(&process->arena, options->kubeconfig, options->context, &process->config, err));
    TRY(kube_rest_open(&process->config, &bulk, &process->rest, err));
    return kube_rest_open(&process->config, &lease, &process->lease_rest, err);
}

static void end_calls_within(void *rest, int64_t rest_ns) {
    kube_rest_end_within(rest, rest_ns);
}

// Of the API server and of AWS.
static void end_work_within(void *context, int64_t rest_ns) {
    Process *process = context;

    kube_rest_end_within(process->rest, rest_ns);
    aws_cloud_end_within(&process->aws, rest_ns);
}

// Namespace of the Lease and of what tenon keeps: as configured, else where Karpenter's chart runs it, else the pod's.
static ErrCode find_lease(Process *process, Err *err) {
    char host[256] = "";

    process->lease_namespace = process->options.leader_election_namespace;
    if (!process->lease_namespace.len)
        process->lease_namespace = slice_of(getenv("SYSTEM_NAMESPACE"));
    if (!process->lease_namespace.len)
        process->lease_namespace = process->config.ns;
    if (process->options.disable_leader_election)
        return OK;
    if (!process->lease_namespace.len)
        return err_set(err, ERR_INVALID,
                       "no namespace for the leader lease: not in a pod, so set --leader-election-namespace, or "
                       "--disable-leader-election when this is the only process");
    gethostname(host, sizeof host - 1);
    process->identity = lease_identity(&process->arena, slice_of(host), process->random[0], process->random[1]);
    return OK;
}

static ErrCode read_types(Process *process, Err *err) {
    Slice path = process->options.instance_types_path;
    InputText text;

    if (!path.len)
        return OK;
    if (file_read(&process->arena, arena_text(&process->arena, path), &text, err) != OK) {
        err_prefix(err, "--instance-types-file-path");
        return err->code;
    }
    process->kwok.types_file = text.file;
    process->kwok.types_text = text.text;
    return OK;
}

static ErrCode open_kwok(Process *process, ManagerCloud *ret_cloud, Err *err) {
    TRY(read_types(process, err));
    settings_serve_kwok(&process->options.settings);
    process->kwok.log = process->log;
    *ret_cloud = kwok_cloud(&process->kwok);
    return OK;
}

static ErrCode open_aws(Process *process, ManagerCloud *ret_cloud, Err *err) {
    process->options.settings.looks_up_classes = true;
    process->aws.settings = aws_options_settings(&process->options);
    process->aws.log = process->log;
    process->aws.rest = process->rest;
    process->aws.ns = process->lease_namespace;
    process->aws.stop_fd = process->stop_fd;
    process->aws.gate = (HttpGate){may_write, process};
    TRY(aws_cloud_open(&process->aws, &process->arena, &process->config, process->random[3], err));
    *ret_cloud = aws_cloud(&process->aws);
    return OK;
}

static ErrCode open_provider(Process *process, ManagerCloud *ret_cloud, Err *err) {
    return aws_options_are_used(&process->options) ? open_aws(process, ret_cloud, err)
                                                   : open_kwok(process, ret_cloud, err);
}

// Receives signals through a file descriptor; threads that are started later have them blocked as well.
static ErrCode open_signals(Process *process, Err *err) {
    sigset_t signals;

    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    process->stop_fd = signalfd(-1, &signals, SFD_CLOEXEC);
    if (process->stop_fd < 0)
        return err_set(err, ERR_IO, "signalfd: %s", strerror(errno));
    return OK;
}

static ErrCode open_random(Process *process, Err *err) {
    if (getrandom(process->random, sizeof process->random, 0) != (ssize_t)sizeof process->random)
        return err_set(err, ERR_IO, "getrandom: %s", strerror(errno));
    return OK;
}

// Port 0 means not served.
static DisplayPorts ports_of(const ManagerOptions *options) {
    return (DisplayPorts){.metrics = options->metrics_port ? (int32_t)options->metrics_port : -1,
                          .health = options->health_probe_port ? (int32_t)options->health_probe_port : -1,
                          .metrics_address = options->metrics_address,
                          .health_address = options->health_probe_address};
}

// Makes malloc return memory to the system. Large allocations (lists, pages of metrics) are mapped and unmapped: by
// default malloc learns to keep them, and each page of a large cluster's metrics leaves a hole that the next one does
// not fit into. Threads share a few heaps: with one per thread, memory of a burst of calls would stay in all of them.
static void give_memory_back(void) {
    mallopt(M_ARENA_MAX, HEAPS);
    mallopt(M_MMAP_THRESHOLD, LARGE_BYTES);
    mallopt(M_TRIM_THRESHOLD, LARGE_BYTES);
}

// What lies free between what is used, which by itself malloc keeps for ever: of 5,000 nodes' first lists 70 MB.
static int give_holes_back(void *context) {
    (void)context;
    malloc_trim(0);
    return TRIM_EVERY_S;
}

static void webhooks_are_served(void *context) {
    manager_serves_webhooks(((Process *)context)->manager);
}

// Outside of the Lease, and with a client of its own whose writes pass no fence: standbys serve, too.
static ErrCode open_webhooks(Process *process, Err *err) {
    const ManagerOptions *options = &process->options;
    KubeRestOptions client = {
        .qps = -1, .call_timeout_ns = LEASE_CALL_S * NS_PER_S, .answers_bytes_max = LEASE_ANSWERS_BYTES};

    if (!options->legacy_webhooks)
        return OK;
    TRY(kube_rest_open(&process->config, &client, &process->hook_rest, err));
    return webhooks_start(&(WebhooksConfig){.kube = kube_rest_kube(process->hook_rest),
                                            .service = {process->lease_namespace, options->karpenter_service},
                                            .port = (uint16_t)options->webhook_port,
                                            .log = process->log,
                                            .served = webhooks_are_served,
                                            .self = process},
                          &process->webhooks, err);
}

// The ConfigMap of 2023 is about a process that has Provisioners to serve.
static ErrCode open_old_kinds(Process *process, Err *err) {
    OldKinds *old = &process->old;
    SliceVec bad = {0}, idle = {0};
    ErrCode code;

    TRY(old_kinds_open(old, kube_rest_kube(process->rest), kube_rest_kube(process->lease_rest),
                       process->lease_namespace, process->log, err));
    process->options.settings.machines_are_hidden = &old->hides_machines;
    if (!old_kinds_are_there(old))
        return OK;
    code = old_settings_take(&process->options, &old->settings, &bad, &idle, err);
    for (vec_each(const Slice, text, &bad))
        say_of_settings(process, LOG_ERROR, "ignoring setting", *text);
    for (vec_each(const Slice, text, &idle))
        say_of_settings(process, LOG_WARN, "setting without effect", *text);
    return code;
}

static ErrCode open_manager(Process *process, Err *err) {
    const ManagerOptions *options = &process->options;
    ManagerCloud cloud;

    TRY(open_provider(process, &cloud, err));
    return manager_new(&(ManagerConfig){.kube = process->old.kube,
                                        .lease_kube = kube_rest_kube(process->lease_rest),
                                        .calls = {end_work_within, process},
                                        .lease_calls = {end_calls_within, process->lease_rest},
                                        .cloud = cloud,
                                        .options = options,
                                        .lease_namespace = process->lease_namespace,
                                        .identity = process->identity,
                                        .seed = process->random[2],
                                        .ports = ports_of(options),
                                        .log = process->log,
                                        .stop_fd = process->stop_fd},
                       &process->manager, err);
}

static ErrCode open_log(Process *process, Err *err) {
    const ManagerOptions *options = &process->options;

    TRY(json_log_open(options->log_level, options->log_output_paths, options->log_error_output_paths, &process->log,
                      err));
    for (vec_each(const Slice, warning, &options->warnings))
        say_to_log(process, LOG_ERROR, "ignoring environment variable", "error", *warning);
    for (vec_each(const Slice, text, &options->idle_gates))
        say_to_log(process, LOG_WARN, "feature gate without effect", "gate", *text);
    return OK;
}

static ErrCode open_process(Process *process, Err *err) {
    const ManagerOptions *options = &process->options;

    give_memory_back();
    signal(SIGPIPE, SIG_IGN); // writing to a closed pipe is an error of the write
    signal(SIGXFSZ, SIG_IGN);
    TRY(open_log(process, err));
    TRY(open_random(process, err));
    TRY(open_clients(process, err));
    TRY(find_lease(process, err));
    TRY(open_signals(process, err));
    TRY(open_old_kinds(process, err));
    TRY(limits_check(manager_workers(options), aws_options_are_used(options), err));
    TRY(open_manager(process, err));
    TRY(asker_new("memory", TRIM_EVERY_S, give_holes_back, NULL, &process->trimmer, err));
    return open_webhooks(process, err);
}

// --- ending

static void end_now(int signal_number) {
    (void)signal_number;
    _exit(RUN_FAILED);
}

// Ends the process by then even if something hangs: that is a harmless crash.
static void end_process_within(unsigned seconds) {
    struct sigaction action = {.sa_handler = end_now};

    sigaction(SIGALRM, &action, NULL);
    alarm(seconds);
}

// From here on a second signal, or half a minute, ends the process at once.
static void limit_grace(const Process *process) {
    struct sigaction action = {.sa_handler = end_now};
    struct signalfd_siginfo first; // consumes the first signal, so that it does not count as the second
    sigset_t none;

    end_process_within(GRACE_S);
    if (read(process->stop_fd, &first, sizeof first) < 0)
        end_now(0);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGINT, &action, NULL);
    sigemptyset(&none);
    pthread_sigmask(SIG_SETMASK, &none, NULL);
}

static void close_webhooks(Process *process) {
    if (process->hook_rest)
        kube_rest_end_within(process->hook_rest, 0);
    webhooks_stop(process->webhooks);
    kube_rest_close(process->hook_rest);
}

static void close_process(Process *process) {
    asker_free(process->trimmer);
    close_webhooks(process);
    manager_free(process->manager);
    aws_cloud_close(&process->aws);
    old_kinds_close(&process->old);
    kube_rest_close(process->lease_rest);
    kube_rest_close(process->rest);
    json_log_close(process->log);
    if (process->stop_fd > 0)
        close(process->stop_fd);
    manager_options_free(&process->options);
    arena_free(&process->arena);
}

static int live(Process *process) {
    ManagerEnd end = manager_live(process->manager);

    if (end == MANAGER_LOST) {
        end_process_within(LAST_WORDS_S);
        say_to_log(process, LOG_ERROR, "leader election lost", NULL, (Slice){0});
        end_now(0); // another process leads: end at once
    }
    if (end == MANAGER_FAILED) {
        end_process_within(GRACE_S);
        return RUN_FAILED;
    }
    limit_grace(process);
    say_to_log(process, LOG_INFO, "stopping", NULL, (Slice){0});
    return RUN_STOPPED;
}

// Exit status: 2 for wrong flags; 1 for a cluster or AWS that cannot be reached or a file that cannot be read, which
// may change; 0 for a start that was ended as asked.
static int fail(Process *process, const Err *err) {
    if (process->stop_fd > 0 && stop_is_asked(process->stop_fd)) {
        say_to_log(process, LOG_INFO, "stopping", NULL, (Slice){0});
        return RUN_STOPPED;
    }
    if (process->log)
        say_to_log(process, LOG_ERROR, "cannot start", "error", slice_of(err->text));
    else
        fprintf(stderr, "error: %s\n", err->text);
    return err->code == ERR_INVALID ? RUN_BAD_INPUT : RUN_FAILED;
}

static void print_help(void) {
    Buffer text = {0};

    manager_options_print_help(&text);
    fwrite(text.bytes, 1, text.len, stdout);
    buffer_free(&text);
}

int command_run(int argc, char **argv) {
    Process process = {0};
    Err err = {0};
    bool help = false;
    int status = RUN_STOPPED;
    ErrCode code = manager_options_read(&process.options, argc, argv, getenv, &help, &err);

    if (code == OK && help)
        print_help();
    else if (code == OK)
        code = open_process(&process, &err);
    if (code == OK && !help)
        status = live(&process);
    if (code != OK)
        status = fail(&process, &err);
    close_process(&process);
    return status;
}
