// karpenter-global-settings as options of `tenon run`. Reference legacy.md 5.5; R127, R128, R154.
#include "cli/run/old_settings.h"

#include "base/time.h"
#include "text/yaml.h"

#include "harness/test.h"

static const char *endpoint_variable;

static char *variable(const char *name) {
    return strcmp(name, "CLUSTER_ENDPOINT") == 0 ? (char *)(uintptr_t)endpoint_variable : NULL;
}

typedef struct {
    ManagerOptions options;
    SliceVec bad, idle;
    ErrCode code;
    Err err;
} Taken;

// Options of these arguments, with a ConfigMap of this data ("{key: value}").
static Taken take(const char *data, const char *flag, const char *value) {
    const char *arguments[] = {"run", flag, value};
    DocumentVec documents = {0};
    WarningVec warnings = {0};
    Taken taken = {0};
    bool help;

    assert_int_equal(
        manager_options_read(&taken.options, flag ? 3 : 1, (char **)(uintptr_t)arguments, variable, &help, &taken.err),
        OK);
    assert_int_equal(
        yaml_parse(&taken.options.arena, SLICE("cm.yaml"),
                   arena_printf(&taken.options.arena, "{metadata: {name: karpenter-global-settings}, data: %s}", data),
                   &(ParseOptions){0}, &documents, &warnings, &taken.err),
        OK);
    taken.code = old_settings_take(&taken.options, &documents.items[0].root, &taken.bad, &taken.idle, &taken.err);
    return taken;
}

#define assert_slice(slice, text) assert_string_equal(arena_text(&taken.options.arena, (slice)), (text))

TEST(r127_r154_keys_of_the_config_map_are_options) {
    Taken taken = take("{batchMaxDuration: 20s, batchIdleDuration: 2s, aws.clusterName: shop, "
                       "aws.clusterEndpoint: 'https://10.0.0.1', aws.isolatedVPC: 'true', "
                       "aws.vmMemoryOverheadPercent: '0.1', aws.interruptionQueueName: events, aws.reservedENIs: '1', "
                       "aws.clusterCABundle: QUJD, unknown: x}",
                       NULL, NULL);

    assert_int_equal(taken.code, OK);
    assert_int_equal(taken.bad.count, 0);
    assert_int_equal(taken.idle.count, 0);
    assert_int_equal(taken.options.settings.batch_max_ns, 20 * NS_PER_S);
    assert_int_equal(taken.options.settings.batch_idle_ns, 2 * NS_PER_S);
    assert_slice(taken.options.cluster_name, "shop");
    assert_slice(taken.options.provider, "aws"); // because of the name
    assert_slice(taken.options.cluster_endpoint, "https://10.0.0.1");
    assert_slice(taken.options.cluster_ca_bundle, "QUJD");
    assert_true(taken.options.isolated_vpc);
    assert_true(taken.options.vm_memory_overhead_percent == 0.1);
    assert_slice(taken.options.interruption_queue, "events");
    assert_int_equal(taken.options.reserved_enis, 1);
    manager_options_free(&taken.options);
}

TEST(flags_and_variables_weigh_more_than_the_config_map) {
    Taken taken;

    endpoint_variable = "https://10.0.0.2";
    taken = take("{aws.clusterName: shop, aws.clusterEndpoint: 'https://10.0.0.1', batchMaxDuration: 20s}",
                 "--cluster-name", "mine");
    endpoint_variable = NULL;
    assert_int_equal(taken.code, OK);
    assert_slice(taken.options.cluster_name, "mine");
    assert_slice(taken.options.cluster_endpoint, "https://10.0.0.2");
    assert_int_equal(taken.options.settings.batch_max_ns, 20 * NS_PER_S);
    manager_options_free(&taken.options);

    taken = take("{aws.clusterName: shop}", "--provider", "kwok");
    assert_int_equal(taken.code, OK);
    assert_slice(taken.options.provider, "kwok");
    manager_options_free(&taken.options);
}

TEST(a_value_that_cannot_be_read_leaves_the_option_as_it_was) {
    static const struct {
        const char *data, *said;
    } rows[] = {
        {"{batchMaxDuration: soon}", "batchMaxDuration: expected a duration of at least 1s, got \"soon\""},
        {"{batchIdleDuration: 500ms}", "batchIdleDuration: expected a duration of at least 1s, got \"500ms\""},
        {"{aws.isolatedVPC: 'yes'}", "aws.isolatedVPC: expected true or false, got \"yes\""},
        {"{aws.vmMemoryOverheadPercent: '-1'}",
         "aws.vmMemoryOverheadPercent: --vm-memory-overhead-percent (VM_MEMORY_OVERHEAD_PERCENT): expected a part from "
         "0 to below 1, as 0.075, got -1"},
        {"{aws.reservedENIs: many}",
         "aws.reservedENIs: expected a whole number from -9223372036854775808 to 9223372036854775807, got \"many\""},
        {"{aws.clusterEndpoint: 10.0.0.1}",
         "aws.clusterEndpoint: --cluster-endpoint (CLUSTER_ENDPOINT): expected an absolute URL as "
         "https://10.0.0.1:6443, got \"10.0.0.1\""},
        {"{aws.interruptionQueueName: 'https://sqs/q'}",
         "aws.interruptionQueueName: --interruption-queue (INTERRUPTION_QUEUE): expected the queue's name, not its URL "
         "or ARN, got \"https://sqs/q\""},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Taken taken = take(rows[i].data, "--cluster-name", "mine");

        assert_int_equal(taken.code, OK);
        assert_int_equal(taken.bad.count, 1);
        assert_slice(taken.bad.items[0], rows[i].said);
        assert_int_equal(taken.options.settings.batch_max_ns, 10 * NS_PER_S);
        assert_int_equal(taken.options.settings.batch_idle_ns, NS_PER_S);
        assert_false(taken.options.isolated_vpc);
        assert_true(taken.options.vm_memory_overhead_percent == 0.075);
        assert_int_equal(taken.options.reserved_enis, 0);
        assert_slice(taken.options.cluster_endpoint, "");
        assert_slice(taken.options.interruption_queue, "");
        manager_options_free(&taken.options);
    }
}

TEST(keys_without_effect_say_why_unless_nobody_misses_them) {
    Taken taken = take("{aws.enablePodENI: 'true', aws.nodeNameConvention: ip-name, aws.assumeRoleDuration: 15m, "
                       "aws.assumeRoleARN: 'arn:aws:iam::1:role/r', ttlAfterNotRegistered: 30m}",
                       NULL, NULL);

    assert_int_equal(taken.idle.count, 3);
    assert_slice(taken.idle.items[0],
                 "aws.enablePodENI: types with branch interfaces offer vpc.amazonaws.com/pod-eni always");
    assert_true(slice_starts_with(taken.idle.items[1], SLICE("aws.assumeRoleARN: ")));
    assert_slice(taken.idle.items[2], "ttlAfterNotRegistered: a Machine that does not register goes after 15m");
    manager_options_free(&taken.options);
}

TEST(options_that_do_not_fit_together_are_an_error) {
    Taken taken = take("{aws.isolatedVPC: 'true'}", NULL, NULL);

    assert_int_equal(taken.code, OK); // kwok: nothing chose AWS
    assert_slice(taken.options.provider, "kwok");
    manager_options_free(&taken.options);
    taken = take("{aws.clusterName: shop}", "--aws-feature-gates", "nonsense");
    assert_int_equal(taken.code, ERR_INVALID);
    assert_true(slice_contains(slice_of(taken.err.text), SLICE("--aws-feature-gates")));
    manager_options_free(&taken.options);
}
