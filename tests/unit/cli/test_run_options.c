// Options of `tenon run`: defaults, environment, flags, and their precedence.

#include "base/time.h"
#include "cli/run/manager_options.h"
#include "harness/test.h"

#include <stdlib.h>

static const char *const *environment; // name, value, …, NULL

static char *variable(const char *name) {
    for (size_t i = 0; environment && environment[i]; i += 2) {
        if (strcmp(environment[i], name) == 0)
            return (char *)(uintptr_t)environment[i + 1];
    }
    return NULL;
}

typedef struct {
    ManagerOptions options;
    bool help;
    Err err;
} Reading;

#define READ(reading, ...) read_arguments((reading), (const char *[]){"run", ##__VA_ARGS__, NULL})

static ErrCode read_arguments(Reading *reading, const char **arguments) {
    int count = 0;

    while (arguments[count])
        count++;
    *reading = (Reading){0};
    return manager_options_read(&reading->options, count, (char **)(uintptr_t)arguments, variable, &reading->help,
                                &reading->err);
}

static void end(Reading *reading) {
    manager_options_free(&reading->options);
    environment = NULL;
}

#define assert_slice(slice, text) assert_true(slice_eq_text((slice), (text)))

TEST(defaults_are_karpenters) {
    Reading reading;
    const ManagerOptions *options = &reading.options;

    assert_int_equal(READ(&reading), OK);
    assert_int_equal(options->metrics_port, 8080);
    assert_int_equal(options->health_probe_port, 8081);
    assert_int_equal(options->kube_client_qps, 200);
    assert_int_equal(options->kube_client_burst, 300);
    assert_int_equal(options->memory_limit, -1);
    assert_int_equal(options->cpu_requests, 1000);
    assert_false(options->enable_profiling);
    assert_false(options->disable_leader_election);
    assert_false(options->disable_cluster_state_observability);
    assert_true(options->disable_controller_warmup);
    assert_true(options->ignore_dra_requests);
    assert_slice(options->leader_election_name, "karpenter-leader-election");
    assert_slice(options->leader_election_namespace, "");
    assert_slice(options->log_level, "info");
    assert_slice(options->log_output_paths, "stdout");
    assert_slice(options->log_error_output_paths, "stderr");
    assert_slice(options->provider, "kwok");
    assert_int_equal(options->settings.batch_idle_ns, NS_PER_S);
    assert_int_equal(options->settings.batch_max_ns, 10 * NS_PER_S);
    assert_int_equal(options->warnings.count, 0);
    end(&reading);
}

TEST(variables_are_read) {
    static const char *const variables[] = {"METRICS_PORT",
                                            "0",
                                            "DISABLE_LEADER_ELECTION",
                                            "true",
                                            "LEADER_ELECTION_NAMESPACE",
                                            "karpenter",
                                            "BATCH_IDLE_DURATION",
                                            "2s",
                                            "FEATURE_GATES",
                                            "NodeRepair=true,NodeOverlay=true",
                                            "PREFERENCE_POLICY",
                                            "Ignore",
                                            NULL};
    Reading reading;

    environment = variables;
    assert_int_equal(READ(&reading), OK);
    assert_int_equal(reading.options.metrics_port, 0);
    assert_true(reading.options.disable_leader_election);
    assert_slice(reading.options.leader_election_namespace, "karpenter");
    assert_int_equal(reading.options.settings.batch_idle_ns, 2000000000);
    assert_true(reading.options.settings.gate_node_repair);
    assert_int_equal(reading.options.settings.preferences, PREFERENCES_IGNORE);
    end(&reading);
}

TEST(preferences_can_be_weighed) {
    static const char *const variables[] = {"PREFERENCE_POLICY", "Weigh", NULL};
    Reading reading;

    environment = variables;
    assert_int_equal(READ(&reading), OK);
    assert_int_equal(reading.options.settings.preferences, PREFERENCES_WEIGH);
    end(&reading);
}

TEST(flags_win) {
    static const char *const variables[] = {"METRICS_PORT", "1", "BATCH_IDLE_DURATION", "2s", NULL};
    Reading reading;

    environment = variables;
    assert_int_equal(READ(&reading, "--metrics-port", "2", "--batch-idle-duration=3s"), OK);
    assert_int_equal(reading.options.metrics_port, 2);
    assert_int_equal(reading.options.settings.batch_idle_ns, 3000000000);
    end(&reading);
}

TEST(gos_forms_are_understood) {
    Reading reading;

    assert_int_equal(READ(&reading, "-disable-leader-election", "--enable-profiling", "-metrics-port=9",
                          "--ignore-dra-requests=false", "--memory-limit", "-1"),
                     OK);
    assert_true(reading.options.disable_leader_election);
    assert_true(reading.options.enable_profiling);
    assert_int_equal(reading.options.metrics_port, 9);
    assert_false(reading.options.ignore_dra_requests);
    end(&reading);
}

// As in Karpenter the default is used, but here with a warning.
TEST(unreadable_numbers_of_the_environment_count_as_not_set) {
    static const char *const variables[] = {
        "METRICS_PORT", "http", "ENABLE_PROFILING", "yes", "BATCH_MAX_DURATION", "soon", "KUBE_CLIENT_QPS", "", NULL};
    Reading reading;

    environment = variables;
    assert_int_equal(READ(&reading), OK);
    assert_int_equal(reading.options.metrics_port, 8080);
    assert_false(reading.options.enable_profiling);
    assert_int_equal(reading.options.kube_client_qps, 200);
    assert_int_equal(reading.options.settings.batch_max_ns, 10 * NS_PER_S);
    assert_int_equal(reading.options.warnings.count, 4);
    assert_slice(reading.options.warnings.items[1], "METRICS_PORT: cannot read \"http\", using the default 8080");
    end(&reading);
}

static void assert_refused(const char *const *variables, const char **arguments, const char *text) {
    Reading reading;

    environment = variables;
    assert_int_equal(read_arguments(&reading, arguments), ERR_INVALID);
    assert_string_equal(reading.err.text, text);
    end(&reading);
}

TEST(mistakes_name_the_flag_and_what_was_expected) {
    assert_refused(NULL, (const char *[]){"run", "--metrics-port=70000", NULL},
                   "--metrics-port: expected a whole number from 0 to 65535, got \"70000\"");
    assert_refused(NULL, (const char *[]){"run", "--enable-profiling=yes", NULL},
                   "--enable-profiling: expected true or false, got \"yes\"");
    assert_refused(NULL, (const char *[]){"run", "--no-such", NULL},
                   "unknown argument --no-such; see tenon run --help");
    assert_refused(NULL, (const char *[]){"run", "pools.yaml", NULL},
                   "unknown argument pools.yaml; see tenon run --help");
    assert_refused(
        (const char *const[]){"PREFERENCE_POLICY", "Maybe", NULL}, (const char *[]){"run", NULL},
        "validating cli flags / env vars, PREFERENCE_POLICY: preference-policy: expected Respect, Ignore or Weigh, "
        "got \"Maybe\"");
}

TEST(help_is_asked_for) {
    Reading reading;

    assert_int_equal(READ(&reading, "--help"), OK);
    assert_true(reading.help);
    end(&reading);
}
