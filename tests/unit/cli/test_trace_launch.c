// `tenon trace launch`: S4 of the reference (docs/reference/legacy.md), the launch of the second seed's AWSNodeTemplate
// as an EC2NodeClass. Upstream's areas: launch templates (pkg/providers/launchtemplate) and CreateFleet's input
// (pkg/providers/instance), reference aws.md 3.4, 3.5; the functions that write them have tests of their own.
#include "cli/aws/trace.h"
#include "harness/test.h"
#include "text/json.h"

#include <stdio.h>

typedef struct {
    Arena arena;
    TraceOptions options;
    Buffer out;
    Err err;
} Trace;

static Slice read_fixture(Arena *arena) {
    FILE *file = fopen(TENON_SOURCE_DIR "/tests/unit/cli/support/launch-s4.yaml", "r");
    char bytes[16384];
    size_t len;

    assert_non_null(file);
    len = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    return arena_slice(arena, (Slice){bytes, len});
}

// The text with the first `from` replaced.
static Slice with(Arena *arena, Slice text, const char *from, const char *to) {
    const char *whole = arena_text(arena, text), *at = strstr(whole, from);

    if (!at)
        fail_msg("the fixture has no \"%s\"", from);
    return arena_printf(arena, "%.*s%s%s", (int)(at - whole), whole, to, at + strlen(from));
}

// Traces the fixture, changed.
static ErrCode trace_changed(Trace *trace, const char *from, const char *to) {
    Slice text;

    *trace = (Trace){.options = {.vm_memory_overhead_percent = 0.075, .cluster_name = SLICE("main")}};
    text = read_fixture(&trace->arena);
    if (from)
        text = with(&trace->arena, text, from, to);
    vec_push(&trace->arena, &trace->options.inputs, ((InputText){SLICE("s4.yaml"), text}));
    return trace_run(&trace->options, &trace->out, &trace->err);
}

static void end(Trace *trace) {
    buffer_free(&trace->out);
    arena_free(&trace->arena);
}

static void assert_says(Trace *trace, const char *line) {
    if (!slice_contains(buffer_slice(&trace->out), slice_of(line)))
        fail_msg("no \"%s\" in\n%.*s", line, (int)trace->out.len, trace->out.bytes);
}

static void assert_says_not(Trace *trace, const char *text) {
    if (slice_contains(buffer_slice(&trace->out), slice_of(text)))
        fail_msg("\"%s\" in\n%.*s", text, (int)trace->out.len, trace->out.bytes);
}

// --- S4

// legacy.md S4; R065: what EC2's record of RunInstances names of the request.
TEST(s4_is_shown_field_by_field) {
    static const char *const lines[] = {
        "NodeClaim karpenter-default-x7k2p, EC2NodeClass karpenter-default, ap-northeast-2: 6 instance types, spot\n",
        "BlockDeviceMapping.1.DeviceName = /dev/xvda\n",
        "BlockDeviceMapping.1.Ebs.VolumeSize = 30\n",
        "BlockDeviceMapping.1.Ebs.VolumeType = gp3\n",
        "BlockDeviceMapping.1.Ebs.Iops = 3000\n",
        "BlockDeviceMapping.1.Ebs.Throughput = 125\n",
        "BlockDeviceMapping.1.Ebs.Encrypted = true\n",
        "Ebs.KmsKeyId = arn:aws:kms:ap-northeast-2:111122223333:key/00000000-0000-0000-0000-000000000000\n",
        "BlockDeviceMapping.1.Ebs.DeleteOnTermination = true\n",
        "LaunchTemplateData.Monitoring.Enabled = true\n",
        "LaunchTemplateData.IamInstanceProfile.Name = KarpenterInstanceProfile\n",
        "MetadataOptions.HttpPutResponseHopLimit = 2\n",
        "MetadataOptions.HttpTokens = required\n",
        "NetworkInterface.1.SecurityGroupId.1 = sg-0123456789abcdef0\n",
        "TagSpecification.1.ResourceType = launch-template\n",
        "TagSpecification.1.ResourceType = instance\n",
        "  TagSpecification.1.Tag.1: Name = karpenter-eks-main/karpenter-default\n",
        "  TagSpecification.1.Tag.2: auto-delete = no\n",
        "  TagSpecification.1.Tag.5: karpenter.sh/nodepool = karpenter-default\n",
        "  TagSpecification.1.Tag.6: kubernetes.io/cluster/main = owned\n",
        "    | /etc/eks/bootstrap.sh 'main' --apiserver-endpoint 'https://ENDPOINT'", // user data, decoded
        "--register-with-taints=\"team=web:NoSchedule,karpenter.sh/unregistered:NoExecute\"",
        "--eviction-max-pod-grace-period=60",
        "Overrides.1.SubnetId = subnet-0aaaaaaaaaaaaaaaa\n",
        "Overrides.1.InstanceType = ",
        "Overrides.2.AvailabilityZone = ap-northeast-2c\n",
        "TargetCapacitySpecification.TotalTargetCapacity = 1\n",
        "TargetCapacitySpecification.DefaultTargetCapacityType = spot\n",
        "SpotOptions.AllocationStrategy = price-capacity-optimized\n",
        "assumed: the endpoint of the cluster is https://ENDPOINT (--cluster-endpoint)\n",
    };
    Trace trace;

    assert_int_equal(trace_changed(&trace, NULL, NULL), OK);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        assert_says(&trace, lines[i]);
    assert_says_not(&trace, "warning:");
    assert_says_not(&trace, "ap-northeast-2b");
    assert_says_not(&trace, "DisableApi");            // neither termination nor stop is protected
    assert_says_not(&trace, "addresses of Services"); // AL2 is not told
    end(&trace);
}

TEST(a_claim_without_spot_is_launched_on_demand) {
    Trace trace;

    assert_int_equal(trace_changed(&trace,
                                   "  - {key: karpenter.sh/capacity-type, operator: In, values: [spot, on-demand]}\n"
                                   "  - {key: topology.kubernetes.io/zone, operator: In, values: "
                                   "[ap-northeast-2a, ap-northeast-2c]}\n  resources",
                                   "  - {key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}\n"
                                   "  - {key: topology.kubernetes.io/zone, operator: In, values: "
                                   "[ap-northeast-2c]}\n  resources"),
                     OK);
    assert_says(&trace, "on-demand\n");
    assert_says(&trace, "OnDemandOptions.AllocationStrategy = lowest-price\n");
    assert_says(&trace, "TargetCapacitySpecification.DefaultTargetCapacityType = on-demand\n");
    assert_says_not(&trace, "SpotOptions");
    assert_says_not(&trace, "spot-instances-request");
    assert_says_not(&trace, "subnet-0aaaaaaaaaaaaaaaa");
    end(&trace);
}

// "second identical launch creates no LT": templates are found again by their names.
TEST(equal_launches_have_equal_texts) {
    Trace first, second, other;

    assert_int_equal(trace_changed(&first, NULL, NULL), OK);
    assert_int_equal(trace_changed(&second, NULL, NULL), OK);
    assert_int_equal(trace_changed(&other, "volumeSize: 30Gi", "volumeSize: 31Gi"), OK);
    assert_true(slice_eq(buffer_slice(&first.out), buffer_slice(&second.out)));
    assert_false(slice_eq(buffer_slice(&first.out), buffer_slice(&other.out)));
    assert_says(&other, "Ebs.VolumeSize = 31\n");
    end(&first);
    end(&second);
    end(&other);
}

// --- JSON

static const Value *parse(Trace *trace) {
    DocumentVec documents = {0};
    WarningVec warnings = {0};

    assert_int_equal(
        json_parse(&trace->arena, SLICE("trace"), buffer_slice(&trace->out), NULL, &documents, &warnings, NULL), OK);
    assert_int_equal(documents.count, 1);
    return &documents.items[0].root;
}

TEST(programs_read_the_same) {
    const Value *root, *requests, *fleet, *template;
    Trace trace;

    assert_int_equal(trace_changed(&trace, NULL, NULL), OK);
    trace.out.len = 0;
    trace.options.json = true;
    assert_int_equal(trace_run(&trace.options, &trace.out, &trace.err), OK);
    root = parse(&trace);
    requests = value_get_text(root, "requests");
    assert_int_equal(requests->list.count, 5); // two architectures × two numbers of pods, and the fleet
    template = &requests->list.items[0];
    fleet = &requests->list.items[4];
    assert_true(slice_eq_text(value_get_text(root, "capacityType")->text, "spot"));
    assert_true(slice_eq_text(value_get_text(template, "action")->text, "CreateLaunchTemplate"));
    assert_true(slice_starts_with(value_get_text(template, "userData")->text, SLICE("MIME-Version: 1.0")));
    assert_true(slice_eq_text(
        value_at(template, "parameters", "LaunchTemplateData.BlockDeviceMapping.1.Ebs.Encrypted", NULL)->text, "true"));
    assert_true(slice_eq_text(value_get_text(fleet, "action")->text, "CreateFleet"));
    assert_true(slice_eq(
        value_at(fleet, "parameters", "LaunchTemplateConfigs.1.LaunchTemplateSpecification.LaunchTemplateName", NULL)
            ->text,
        value_at(template, "parameters", "LaunchTemplateName", NULL)->text));
    assert_null(value_get_text(fleet, "userData"));
    end(&trace);
}

// --- what is wrong

TEST(mistakes_say_what_helps) {
    static const struct {
        const char *from, *to;
        ErrCode code;
        const char *text;
    } rows[] = {
        {"  subnets:\n  - {id: subnet-0aaaaaaaaaaaaaaaa, zone: ap-northeast-2a, zoneID: apne2-az1}\n"
         "  - {id: subnet-0cccccccccccccccc, zone: ap-northeast-2c, zoneID: apne2-az3}\n",
         "", ERR_INVALID, "EC2NodeClass karpenter-default has no status.subnets: what tenon run has found"},
        {"  securityGroups:\n  - {id: sg-0123456789abcdef0, name: nodes}\n", "", ERR_INVALID,
         "has no status.securityGroups"},
        {"status:\n  instanceProfile", "status:\n  profile", ERR_INVALID, "has no status.instanceProfile"},
        {"status:", "was:", ERR_INVALID,
         "has no status.subnets, status.securityGroups, status.amis, status.instanceProfile"},
        {"kind: NodeClaim\n", "kind: Claim\n", ERR_INVALID, "which NodeClaim?"},
        {"kind: EC2NodeClass\n", "kind: Class\n", ERR_NOT_FOUND,
         "no EC2NodeClass karpenter-default in the manifests; there is none"},
        {"metadata: {name: karpenter-default, uid: 1b0f2f0e-0000-4000-8000-000000000001", "metadata: {name: other",
         ERR_NOT_FOUND, "no EC2NodeClass karpenter-default in the manifests; there is other"},
        {"values: [c5a.large, c6g.large", "values: [p99.large], x: [c6g.large", ERR_CAPACITY, "nothing is launched: "},
        {"amiFamily: AL2", "amiFamily: Plan9", ERR_INVALID, "Plan9"},
        {"volumeSize: 30Gi", "volumeSize: much", ERR_INVALID, "much"},
        {"apiVersion: karpenter.sh/v1\nkind: NodePool", "{\"a\": [}", ERR_INVALID, "s4.yaml"},
        {"expireAfter: 720h\n  taints", "nodeClassRef: {group: g, kind: KWOKNodeClass, name: other}\n  taints",
         ERR_INVALID, "is a KWOKNodeClass, which is not launched in EC2"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Trace trace;
        ErrCode code = trace_changed(&trace, rows[i].from, rows[i].to);

        if (code != rows[i].code || !strstr(trace.err.text, rows[i].text))
            fail_msg("row %zu: code %d, \"%s\" has no \"%s\"", i, code, trace.err.text, rows[i].text);
        assert_int_equal(trace.out.len, 0);
        end(&trace);
    }
}

TEST(a_claim_that_is_not_there) {
    Trace trace;

    assert_int_equal(trace_changed(&trace, NULL, NULL), OK);
    trace.out.len = 0;
    trace.options.claim = SLICE("x");
    assert_int_equal(trace_run(&trace.options, &trace.out, &trace.err), ERR_NOT_FOUND);
    assert_string_equal(trace.err.text, "no NodeClaim x in the manifests; there is karpenter-default-x7k2p");
    trace.options.claim = SLICE("karpenter-default-x7k2p");
    assert_int_equal(trace_run(&trace.options, &trace.out, &trace.err), OK);
    trace.options.region = SLICE("mars-1");
    assert_int_equal(trace_run(&trace.options, &trace.out, &trace.err), ERR_NOT_FOUND);
    end(&trace);
}

TEST(a_class_that_is_not_ready_is_traced_with_a_warning) {
    Trace trace;

    assert_int_equal(trace_changed(&trace, "{type: Ready, status: \"True\", reason: Ready, message: \"\"",
                                   "{type: Ready, status: \"False\", reason: X, message: AMIsReady=False"),
                     OK);
    assert_says(&trace, "warning: the EC2NodeClass is not ready, so nothing is launched: AMIsReady=False\n");
    end(&trace);
}

// kubectl get -o yaml prints a list.
TEST(lists_are_read) {
    Trace trace = {.options = {.vm_memory_overhead_percent = 0.075}};
    Slice text = read_fixture(&trace.arena), list = SLICE("apiVersion: v1\nkind: List\nitems:\n");

    while (text.len) { // each document is an item
        ptrdiff_t end = slice_find(text, '\n');
        Slice line = slice_first(text, (size_t)end);

        text = slice_from(text, (size_t)end + 1);
        if (slice_starts_with(line, SLICE("#")) || slice_eq_text(line, "---"))
            continue;
        list = arena_printf(&trace.arena, "%.*s%s%.*s\n", SLICE_ARG(list),
                            slice_starts_with(line, SLICE("apiVersion")) ? "- " : "  ", SLICE_ARG(line));
    }
    vec_push(&trace.arena, &trace.options.inputs, ((InputText){SLICE("-"), list}));
    assert_int_equal(trace_run(&trace.options, &trace.out, &trace.err), OK);
    assert_says(&trace, "6 instance types, spot");
    assert_says(&trace, "assumed: the name of the cluster is CLUSTER (--cluster-name)\n");
    end(&trace);
}

// Text of manifests breaks no terminal.
TEST(control_characters_are_escaped) {
    Trace trace;

    assert_int_equal(trace_changed(&trace, "auto-delete: \"no\"", "auto-delete: \"\\e[2J\""), OK);
    assert_says(&trace, "auto-delete = \\x1b[2J\n");
    end(&trace);
}

// Defaults of the definition count, as an API server would have set them.
TEST(defaults_are_set) {
    Trace trace;

    assert_int_equal(trace_changed(&trace,
                                   "  metadataOptions: {httpEndpoint: enabled, httpProtocolIPv6: disabled, "
                                   "httpPutResponseHopLimit: 2, httpTokens: required}\n",
                                   ""),
                     OK);
    assert_says(&trace, "MetadataOptions.HttpEndpoint = enabled\n");
    assert_says(&trace, "MetadataOptions.HttpPutResponseHopLimit = 1\n");
    end(&trace);
}

TEST(al2023_is_told_the_range_of_services) {
    Trace trace;

    assert_int_equal(trace_changed(&trace, "  amiFamily: AL2\n  amiSelectorTerms: [{alias: al2@latest}]\n",
                                   "  amiSelectorTerms: [{alias: al2023@latest}]\n"),
                     OK);
    assert_says(&trace, "assumed: the range of addresses of Services is 10.100.0.0/16 (--service-cidr)\n");
    assert_says(&trace, "cidr: 10.100.0.0/16");
    end(&trace);
}
