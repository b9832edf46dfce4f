// Options of `tenon run` that are about AWS. Names, variables, defaults and bounds: karpenter-provider-aws,
// pkg/operator/options (reference aws.md 9); gates of 1.15.1 (changes.md 7). Which provider is chosen is tenon's own.

#include "base/time.h"
#include "cli/run/aws_options.h"
#include "harness/test.h"

enum { WORDS_MAX = 12 };

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
    Err err;
} Reading;

static ErrCode read_words(Reading *reading, const char *const *words, const char *const *variables) {
    const char *arguments[WORDS_MAX + 2] = {"run"};
    bool help;
    int count = 1;

    for (; words[count - 1]; count++)
        arguments[count] = words[count - 1];
    *reading = (Reading){0};
    environment = variables;
    return manager_options_read(&reading->options, count, (char **)(uintptr_t)arguments, variable, &help,
                                &reading->err);
}

#define assert_slice(slice, text) assert_true(slice_eq_text((slice), (text)))

// --- the provider

TEST(a_cluster_name_or_the_flag_decides_on_the_provider) {
    static const struct {
        const char *words[WORDS_MAX], *variables[WORDS_MAX], *provider;
    } rows[] = {
        {{NULL}, {NULL}, "kwok"},
        {{"--cluster-name=prod"}, {NULL}, "aws"},
        {{NULL}, {"CLUSTER_NAME", "prod"}, "aws"},
        {{NULL}, {"CLUSTER_NAME", ""}, "kwok"},
        {{"--provider=kwok"}, {"CLUSTER_NAME", "prod"}, "kwok"},
        {{"--cluster-name=prod", "--provider=aws"}, {NULL}, "aws"},
        {{"--cluster-name=prod"}, {"PROVIDER", "kwok"}, "kwok"},
        {{"--provider=aws"}, {"PROVIDER", "kwok", "CLUSTER_NAME", "prod"}, "aws"},
        {{"--interruption-queue=q"}, {NULL}, "kwok"},
        {{"--provider=kwok", "--isolated-vpc"}, {NULL}, "kwok"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Reading reading;

        assert_int_equal(read_words(&reading, rows[i].words, rows[i].variables), OK);
        assert_slice(reading.options.provider, rows[i].provider);
        assert_int_equal(aws_options_are_used(&reading.options), strcmp(rows[i].provider, "aws") == 0);
        manager_options_free(&reading.options);
    }
}

// --- values

TEST(defaults_are_karpenters) {
    static const char *const words[] = {"--cluster-name=prod", NULL};
    const AwsProviderSettings expected = AWS_PROVIDER_SETTINGS;
    AwsProviderSettings settings;
    Reading reading;

    assert_int_equal(read_words(&reading, words, NULL), OK);
    settings = aws_options_settings(&reading.options);
    assert_slice(settings.cluster_name, "prod");
    assert_int_equal(settings.cluster_endpoint.len + settings.cluster_ca_bundle.len + settings.interruption_queue.len,
                     0);
    assert_false(settings.isolated_vpc || settings.eks_control_plane || settings.disable_dry_run ||
                 settings.enable_zonal_shift || settings.node_class_cel || settings.plain_capacity_memory);
    assert_true(settings.vm_memory_overhead_percent == expected.vm_memory_overhead_percent);
    assert_int_equal(settings.reserved_enis, 0);
    assert_int_equal(settings.ami_refresh_ns, expected.ami_refresh_ns);
    assert_int_equal(settings.subnet_refresh_ns, expected.subnet_refresh_ns);
    assert_int_equal(settings.security_group_refresh_ns, expected.security_group_refresh_ns);
    assert_true(settings.reserved_capacity && settings.min_values_strict);
    assert_int_equal(reading.options.warnings.count + reading.options.idle_gates.count, 0);
    manager_options_free(&reading.options);
}

static void assert_everything_is_set(const AwsProviderSettings *settings) {
    assert_slice(settings->cluster_name, "prod");
    assert_slice(settings->cluster_endpoint, "https://ABC.gr7.eu-west-1.eks.amazonaws.com");
    assert_slice(settings->cluster_ca_bundle, "Y2VydA==");
    assert_slice(settings->interruption_queue, "prod-queue");
    assert_true(settings->isolated_vpc && settings->eks_control_plane && settings->disable_dry_run &&
                settings->enable_zonal_shift && settings->node_class_cel && settings->plain_capacity_memory);
    assert_true(settings->vm_memory_overhead_percent == 0.1);
    assert_int_equal(settings->reserved_enis, 2);
    assert_int_equal(settings->ami_refresh_ns, 90 * NS_PER_S);
    assert_int_equal(settings->subnet_refresh_ns, 2 * NS_PER_MIN);
    assert_int_equal(settings->security_group_refresh_ns, 3 * NS_PER_MIN);
    assert_false(settings->reserved_capacity || settings->min_values_strict);
}

// R169: CLUSTER_NAME and its like.
TEST(variables_reach_the_provider) {
    static const char *const none[] = {NULL};
    static const char *const variables[] = {"CLUSTER_NAME",
                                            "prod",
                                            "CLUSTER_ENDPOINT",
                                            "https://ABC.gr7.eu-west-1.eks.amazonaws.com",
                                            "CLUSTER_CA_BUNDLE",
                                            "Y2VydA==",
                                            "ISOLATED_VPC",
                                            "true",
                                            "EKS_CONTROL_PLANE",
                                            "true",
                                            "VM_MEMORY_OVERHEAD_PERCENT",
                                            "0.1",
                                            "INTERRUPTION_QUEUE",
                                            "prod-queue",
                                            "RESERVED_ENIS",
                                            "2",
                                            "DISABLE_DRY_RUN",
                                            "true",
                                            "ENABLE_ZONAL_SHIFT",
                                            "true",
                                            "PLAIN_CAPACITY_MEMORY",
                                            "true",
                                            "AMI_REFRESH_INTERVAL",
                                            "1m30s",
                                            "SUBNET_REFRESH_INTERVAL",
                                            "2m",
                                            "SECURITY_GROUP_REFRESH_INTERVAL",
                                            "3m",
                                            "AWS_FEATURE_GATES",
                                            "NodeClassCEL=true",
                                            "FEATURE_GATES",
                                            "ReservedCapacity=false",
                                            "MIN_VALUES_POLICY",
                                            "BestEffort",
                                            NULL};
    AwsProviderSettings settings;
    Reading reading;

    assert_int_equal(read_words(&reading, none, variables), OK);
    settings = aws_options_settings(&reading.options);
    assert_everything_is_set(&settings);
    assert_true(reading.options.settings.has_interruption_queue);
    manager_options_free(&reading.options);
}

TEST(flags_win_over_variables) {
    static const char *const words[] = {"--cluster-name=b",
                                        "--interruption-queue=r",
                                        "--reserved-enis=3",
                                        "--isolated-vpc=false",
                                        "--ami-refresh-interval",
                                        "5m",
                                        NULL};
    static const char *const variables[] = {"CLUSTER_NAME",
                                            "a",
                                            "INTERRUPTION_QUEUE",
                                            "q",
                                            "RESERVED_ENIS",
                                            "1",
                                            "ISOLATED_VPC",
                                            "true",
                                            "AMI_REFRESH_INTERVAL",
                                            "10m",
                                            NULL};
    AwsProviderSettings settings;
    Reading reading;

    assert_int_equal(read_words(&reading, words, variables), OK);
    settings = aws_options_settings(&reading.options);
    assert_slice(settings.cluster_name, "b");
    assert_slice(settings.interruption_queue, "r");
    assert_int_equal(settings.reserved_enis, 3);
    assert_false(settings.isolated_vpc);
    assert_int_equal(settings.ami_refresh_ns, 5 * NS_PER_MIN);
    manager_options_free(&reading.options);
}

// As in Karpenter, whose option keeps its default (aws.md 9: "unparsable env → default"); here with a warning.
TEST(unreadable_variables_count_as_not_set) {
    static const char *const none[] = {NULL};
    static const struct {
        const char *variable, *value;
    } rows[] = {
        {"VM_MEMORY_OVERHEAD_PERCENT", "seven"},
        {"VM_MEMORY_OVERHEAD_PERCENT", "7%"},
        {"VM_MEMORY_OVERHEAD_PERCENT", "nan"},
        {"VM_MEMORY_OVERHEAD_PERCENT", "inf"},
        {"VM_MEMORY_OVERHEAD_PERCENT", ""},
        {"RESERVED_ENIS", "two"},
        {"RESERVED_ENIS", "1.5"},
        {"ISOLATED_VPC", "yes"},
        {"AMI_REFRESH_INTERVAL", "soon"},
        {"SUBNET_REFRESH_INTERVAL", ""},
    };
    const AwsProviderSettings expected = AWS_PROVIDER_SETTINGS;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *const variables[] = {"CLUSTER_NAME", "prod", rows[i].variable, rows[i].value, NULL};
        AwsProviderSettings settings;
        Reading reading;

        assert_int_equal(read_words(&reading, none, variables), OK);
        settings = aws_options_settings(&reading.options);
        assert_int_equal(reading.options.warnings.count, 1);
        assert_true(settings.vm_memory_overhead_percent == expected.vm_memory_overhead_percent);
        assert_int_equal(settings.reserved_enis, 0);
        assert_false(settings.isolated_vpc);
        assert_int_equal(settings.ami_refresh_ns, NS_PER_MIN);
        assert_int_equal(settings.subnet_refresh_ns, NS_PER_MIN);
        manager_options_free(&reading.options);
    }
}

// --- mistakes

TEST(mistakes_name_flag_and_variable_and_what_was_expected) {
    static const struct {
        const char *words[WORDS_MAX], *variables[WORDS_MAX], *text; // that the message contains
    } rows[] = {
        {{"--provider=gcp"}, {NULL}, "--provider: expected aws or kwok, got \"gcp\""},
        {{"--provider=AWS", "--cluster-name=c"}, {NULL}, "expected aws or kwok, got \"AWS\""},
        {{NULL}, {"PROVIDER", "ec2"}, "expected aws or kwok, got \"ec2\""},
        {{"--provider=aws"}, {NULL}, "set --cluster-name (CLUSTER_NAME)"},
        {{"--provider=aws"}, {"CLUSTER_NAME", ""}, "set --cluster-name (CLUSTER_NAME)"},
        // AWS is meant, and nothing says which cluster
        {{"--isolated-vpc"}, {NULL}, "--isolated-vpc is for AWS, and the cluster has no name: set --cluster-name"},
        {{"--enable-zonal-shift"}, {NULL}, "--enable-zonal-shift is for AWS"},
        {{"--eks-control-plane"}, {NULL}, "--eks-control-plane is for AWS"},
        {{NULL}, {"CLUSTER_ENDPOINT", "https://a"}, "--cluster-endpoint is for AWS"},
        {{NULL}, {"CLUSTER_CA_BUNDLE", "YQ=="}, "--cluster-ca-bundle is for AWS"},
        // the endpoint: an absolute URL with a host
        {{"--cluster-name=c", "--cluster-endpoint=10.0.0.1"},
         {NULL},
         "--cluster-endpoint (CLUSTER_ENDPOINT): expected"},
        {{"--cluster-name=c", "--cluster-endpoint=https://"}, {NULL}, "expected an absolute URL"},
        {{"--cluster-name=c", "--cluster-endpoint=https:///path"}, {NULL}, "expected an absolute URL"},
        {{"--cluster-name=c", "--cluster-endpoint=https://:443"}, {NULL}, "expected an absolute URL"},
        {{"--cluster-name=c", "--cluster-endpoint=ftp://host"}, {NULL}, "expected an absolute URL"},
        {{"--cluster-name=c"}, {"CLUSTER_ENDPOINT", "/path"}, "got \"/path\""},
        {{"--cluster-name=c", "--cluster-ca-bundle=-----BEGIN"}, {NULL}, "--cluster-ca-bundle (CLUSTER_CA_BUNDLE)"},
        // numbers
        {{"--cluster-name=c", "--vm-memory-overhead-percent=-0.1"}, {NULL}, "expected a part from 0 to below 1"},
        {{"--cluster-name=c", "--vm-memory-overhead-percent=7.5"}, {NULL}, "got 7.5"},
        {{"--cluster-name=c"}, {"VM_MEMORY_OVERHEAD_PERCENT", "-1"}, "(VM_MEMORY_OVERHEAD_PERCENT)"},
        {{"--cluster-name=c", "--vm-memory-overhead-percent=x"}, {NULL}, "expected a decimal number, got \"x\""},
        {{"--cluster-name=c", "--reserved-enis=-1"}, {NULL}, "--reserved-enis (RESERVED_ENIS)"},
        {{"--cluster-name=c", "--reserved-enis=2147483648"}, {NULL}, "got 2147483648"},
        {{"--cluster-name=c"}, {"RESERVED_ENIS", "-5"}, "that is not negative, got -5"},
        {{"--cluster-name=c", "--reserved-enis=x"}, {NULL}, "--reserved-enis: expected a whole number"},
        // periods: at least a minute
        {{"--cluster-name=c", "--ami-refresh-interval=59s"}, {NULL}, "--ami-refresh-interval (AMI_REFRESH_INTERVAL)"},
        {{"--cluster-name=c", "--subnet-refresh-interval=0"}, {NULL}, "expected a duration of at least 1m, got 0 s"},
        {{"--cluster-name=c"}, {"SECURITY_GROUP_REFRESH_INTERVAL", "-1m"}, "(SECURITY_GROUP_REFRESH_INTERVAL)"},
        {{"--cluster-name=c", "--ami-refresh-interval=x"}, {NULL}, "--ami-refresh-interval"},
        // the queue is a name
        {{"--cluster-name=c", "--interruption-queue=https://sqs.eu-west-1.amazonaws.com/1/q"},
         {NULL},
         "expected the queue's name, not its URL or ARN"},
        {{"--cluster-name=c"}, {"INTERRUPTION_QUEUE", "arn:aws:sqs:eu-west-1:1:q"}, "not its URL or ARN"},
        // gates
        {{"--cluster-name=c", "--aws-feature-gates=NodeClassCEL"}, {NULL}, "--aws-feature-gates (AWS_FEATURE_GATES)"},
        {{"--cluster-name=c"}, {"AWS_FEATURE_GATES", "NodeClassCEL=1"}, "NodeClassCEL=true or NodeClassCEL=false"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Reading reading;
        ErrCode code = read_words(&reading, rows[i].words, rows[i].variables);

        if (code != ERR_INVALID || !strstr(reading.err.text, rows[i].text))
            fail_msg("row %zu: code %d, \"%s\" has no \"%s\"", i, code, reading.err.text, rows[i].text);
        manager_options_free(&reading.options);
    }
}

// Nobody who runs KWOK has to mend what is for AWS.
TEST(kwok_is_not_held_up_by_settings_of_aws) {
    static const char *const words[] = {"--provider=kwok", "--reserved-enis=-1", "--ami-refresh-interval=1s", NULL};
    Reading reading;

    assert_int_equal(read_words(&reading, words, NULL), OK);
    manager_options_free(&reading.options);
}

// --- gates

TEST(gates_of_aws) {
    static const struct {
        const char *list;
        bool cel, reboot;
        uint32_t idle;
        const char *text; // of the first gate without effect; NULL: none
    } rows[] = {
        {"", false, false, 0, NULL},
        {"NodeClassCEL=true", true, false, 0, NULL},
        {"NodeClassCEL=false", false, false, 0, NULL},
        {"RebootForRepair=true", false, true, 0, NULL},
        {"NodeClassCEL=true, RebootForRepair=true", true, true, 0, NULL},
        {"DRAEFA=true,DRANVIDIAGPU=true", false, false, 2,
         "DRAEFA is known, and tenon leaves pods with resource claims alone"},
        {"DRAEFA=false", false, false, 0, NULL},
        {"Other=true,NodeClassCEL=true", true, false, 1, "Other is unknown as a gate of AWS"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        static const char *const none[] = {NULL};
        const char *const variables[] = {"CLUSTER_NAME", "prod", "AWS_FEATURE_GATES", rows[i].list, NULL};
        Reading reading;

        assert_int_equal(read_words(&reading, none, variables), OK);
        assert_int_equal(reading.options.node_class_cel, rows[i].cel);
        assert_int_equal(reading.options.settings.gate_reboot, rows[i].reboot);
        assert_int_equal(reading.options.idle_gates.count, rows[i].idle);
        if (rows[i].text)
            assert_slice(reading.options.idle_gates.items[0], rows[i].text);
        manager_options_free(&reading.options);
    }
}
