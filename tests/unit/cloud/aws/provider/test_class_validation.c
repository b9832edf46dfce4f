// The condition ValidationSucceeded. Upstream: pkg/controllers/nodeclass/validation.
#include "cloud/aws/provider/class/record.h"
#include "cloud/aws/provider/class_bed.h"

#include <stdio.h>

FIXTURE(ClassBed, bed_new, bed_free);

#define REST  "role: node-role, subnetSelectorTerms: [{tags: {d: c}}], securityGroupSelectorTerms: [{tags: {d: c}}]"
#define USUAL REST ", amiSelectorTerms: [{alias: al2023@latest}]"

// --- each reason

typedef struct {
    const char *spec;          // NULL: the usual one
    const char *action, *code; // a fault of this call; NULL: none
    const char *message;
    const char *expected; // of the condition
    const char *says;     // part of the condition's message, or, of "-", of the failure; NULL: anything
} ValidationRow;

static const ValidationRow rows[] = {
    {NULL, NULL, NULL, NULL, "True", NULL},
    // service CIDR
    {NULL, "DescribeCluster", "json AccessDeniedException", "", "False ClusterCIDRResolutionFailed", "AccessDenied"},
    {NULL, "DescribeCluster", "json ThrottlingException", "", "Unknown AwaitingReconciliation", NULL},
    {NULL, "DescribeCluster", "json ServerException", "", "False ClusterCIDRResolutionFailed", NULL},
    {"{" REST ", amiSelectorTerms: [{alias: bottlerocket@latest}]}", "DescribeCluster", "json AccessDeniedException",
     "", "True", NULL},
    // kubelet
    {"{" USUAL ", kubelet: {maxPod: 10}}", NULL, NULL, NULL, "False InvalidKubeletConfiguration", "maxPod"},
    {"{" USUAL ", kubelet: {registerWithTaints: []}}", NULL, NULL, NULL, "False InvalidKubeletConfiguration",
     "registerWithTaints"},
    {"{" USUAL ", kubelet: {maxPods: 'vcpus * 4'}}", NULL, NULL, NULL, "False KubeletExpressionsDisabled", NULL},
    {"{" REST ", amiSelectorTerms: [{alias: bottlerocket@latest}], kubelet: {podsPerCore: 4}}", NULL, NULL, NULL,
     "False UnsupportedKubeletConfiguration", "podsPerCore"},
    {"{" REST ", amiSelectorTerms: [{alias: bottlerocket@latest}], kubelet: {clusterDNS: [10.0.0.1, 10.0.0.2]}}", NULL,
     NULL, NULL, "False UnsupportedKubeletConfiguration", "clusterDNS"},
    // dependencies
    {"{" REST ", amiSelectorTerms: [{alias: al2@latest}]}", NULL, NULL, NULL, "False DependenciesNotReady", "Awaiting"},
    {NULL, "DescribeSubnets", "UnauthorizedOperation", "m", "Unknown DependenciesNotReady", "Awaiting"},
    {NULL, "DescribeSecurityGroups", "RequestLimitExceeded", "m", "Unknown DependenciesNotReady", "Awaiting"},
    {NULL, "CreateInstanceProfile", "AccessDenied", "m", "Unknown DependenciesNotReady", "Awaiting"},
    // tags
    {"{" USUAL ", tags: {'kubernetes.io/cluster/other': owned}}", NULL, NULL, NULL, "False TagValidationFailed",
     "kubernetes.io/cluster/other"},
    // launch template
    {NULL, "CreateLaunchTemplate", "UnauthorizedOperation", "not you", "False CreateLaunchTemplateAuthCheckFailed",
     "isn't authorized to call ec2:CreateLaunchTemplate: not you"},
    {NULL, "CreateLaunchTemplate", "RequestLimitExceeded", "m", "Unknown AwaitingReconciliation", NULL},
    {NULL, "CreateLaunchTemplate", "InternalError", "m", "Unknown AwaitingReconciliation", NULL},
    {NULL, "CreateLaunchTemplate", "InvalidLaunchTemplateName.AlreadyExistsException", "m", "True", NULL},
    {NULL, "CreateLaunchTemplate", "InvalidUserData.Malformed", "User data is limited to 16384 bytes",
     "False UserDataSizeLimitExceeded", NULL},
    {NULL, "CreateLaunchTemplate", "InvalidParameter", "bad disk", "Unknown AwaitingReconciliation", "bad disk"},
    // fleet
    {NULL, "CreateFleet", "UnauthorizedOperation", "not you", "False CreateFleetAuthCheckFailed",
     "isn't authorized to call ec2:CreateFleet: not you"},
    {NULL, "CreateFleet", "RequestLimitExceeded", "m", "Unknown AwaitingReconciliation", NULL},
    {NULL, "CreateFleet", "InvalidParameter", "bad fleet", "Unknown AwaitingReconciliation", "bad fleet"},
    // instances
    {NULL, "RunInstances", "UnauthorizedOperation", "not you", "False RunInstancesAuthCheckFailed",
     "isn't authorized to call ec2:RunInstances: not you"},
    {NULL, "RunInstances", "RequestLimitExceeded", "m", "Unknown AwaitingReconciliation", NULL},
    {NULL, "RunInstances", "InvalidParameterValue", "Value (p) for parameter x. Invalid IAM Instance Profile name",
     "Unknown AwaitingReconciliation", NULL}, // a profile of ours, which EC2 will see soon
    {"{instanceProfile: mine, amiSelectorTerms: [{alias: al2023@latest}], subnetSelectorTerms: [{tags: {d: c}}], "
     "securityGroupSelectorTerms: [{tags: {d: c}}]}",
     "RunInstances", "InvalidParameterValue", "Value (p) for parameter x. Invalid IAM Instance Profile name",
     "False InstanceProfileNotFound", "Invalid IAM Instance Profile name"},
    {NULL, "RunInstances", "InvalidParameterValue", "something", "Unknown AwaitingReconciliation", "something"},
};

static MemoryReply reply_of(ClassBed *bed, const ValidationRow *row) {
    if (strncmp(row->code, "json ", 5) == 0)
        return bed_json_fault(bed, row->code + 5);
    return bed_fault(bed, row->code, row->message);
}

static void list_reasons(TestCases *cases) {
    static char names[sizeof rows / sizeof *rows][64];

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        snprintf(names[i], sizeof *names, "row %zu: %s", i, rows[i].expected);
        test_case(cases, names[i], (void *)(uintptr_t)&rows[i]);
    }
}

TEST_EACH(const ValidationRow, row, each_reason, list_reasons) {
    ClassBed *bed = bed_new();
    const char *said;

    if (row->spec)
        bed_class(bed, row->spec);
    if (row->action)
        BED_RULE(bed, .action = row->action, .reply = reply_of(bed, row));
    assert_int_equal(bed_resolve(bed), OK);
    if (strcmp(bed_condition(bed, "ValidationSucceeded"), row->expected) != 0)
        fail_msg("%s (%s; %s) instead of %s", bed_condition(bed, "ValidationSucceeded"),
                 bed_message(bed, "ValidationSucceeded"), bed->class.failure.text, row->expected);
    said = strncmp(row->expected, "Unknown Await", 13) == 0 ? bed->class.failure.text
                                                            : bed_message(bed, "ValidationSucceeded");
    if (row->says && !strstr(said, row->says))
        fail_msg("\"%s\" without \"%s\"", said, row->says);
    // A template that was made is deleted again.
    assert_true(bed_calls(bed, "DeleteLaunchTemplate") == bed_calls(bed, "CreateFleet"));
    bed_free(bed);
}

TEST_F(ClassBed, bed, user_data_that_no_instance_takes) {
    Buffer spec = {0};

    buffer_printf(&spec, "{" USUAL ", userData: \"");
    for (int i = 0; i < 1700; i++)
        buffer_printf(&spec, "0123456789");
    buffer_printf(&spec, "\"}");
    bed_class(bed, arena_text(&bed->arena, buffer_slice(&spec)));
    buffer_free(&spec);
    assert_int_equal(bed_resolve(bed), OK);
    assert_string_equal(bed_condition(bed, "ValidationSucceeded"), "False UserDataSizeLimitExceeded");
    assert_int_equal(bed_calls(bed, "CreateLaunchTemplate"), 0);
}

// An old object that was none (legacy/present): what it was before is launched no more.
TEST_F(ClassBed, bed, what_an_old_object_refuses_is_looked_up_no_further) {
    assert_int_equal(bed_resolve(bed), OK);
    assert_string_equal(bed_condition(bed, "ValidationSucceeded"), "True");
    assert_non_null(provider_types(bed->provider, SLICE("default")));
    bed_forget_calls(bed);
    bed_patch_class(bed, KUBE_OBJECT, "{metadata: {annotations: {tenon.sh/refused: no subnets}}}");
    assert_int_equal(bed_resolve(bed), OK);
    assert_string_equal(bed_condition(bed, "ValidationSucceeded"), "False NodeClassRefused");
    assert_string_equal(bed_message(bed, "ValidationSucceeded"), "no subnets");
    assert_string_equal(bed_condition(bed, "SubnetsReady"), "-");
    assert_int_equal(bed->actions.len, 0);
    assert_null(provider_types(bed->provider, SLICE("default")));
    bed_patch_class(bed, KUBE_OBJECT, "{metadata: {annotations: {tenon.sh/refused: null}}}");
    assert_int_equal(bed_resolve(bed), OK);
    assert_string_equal(bed_condition(bed, "ValidationSucceeded"), "True");
    assert_non_null(provider_types(bed->provider, SLICE("default")));
}

TEST_F(ClassBed, bed, expressions_are_refused_with_the_gate_too) {
    bed_class(bed, "{" USUAL ", kubelet: {maxPods: 'vcpus * 4'}}");
    bed->config.settings.node_class_cel = true;
    bed_restart(bed);
    assert_int_equal(provider_version_refresh(bed->provider, NULL), OK);
    assert_int_equal(bed_resolve(bed), OK);
    assert_string_equal(bed_condition(bed, "ValidationSucceeded"), "False KubeletExpressionInvalid");
}

TEST_F(ClassBed, bed, without_dry_runs_ec2_is_not_asked) {
    bed->config.settings.disable_dry_run = true;
    bed_restart(bed);
    assert_int_equal(provider_version_refresh(bed->provider, NULL), OK);
    assert_int_equal(bed_resolve(bed), OK);
    assert_string_equal(bed_condition(bed, "ValidationSucceeded"), "True");
    assert_int_equal(bed_calls(bed, "CreateLaunchTemplate"), 0);
    assert_int_equal(bed_calls(bed, "CreateFleet"), 0);
}

// --- what is sent

TEST_F(ClassBed, bed, dry_runs_are_dry) {
    bed_class(bed, "{" USUAL ", tags: {team: a}}");
    assert_int_equal(bed_resolve(bed), OK);
    assert_string_equal(bed_condition(bed, "ValidationSucceeded"), "True");
    assert_int_equal(bed_calls(bed, "CreateLaunchTemplate"), 1);
    assert_int_equal(bed_calls(bed, "CreateFleet"), 1);
    assert_int_equal(bed_calls(bed, "RunInstances"), 1);
    assert_int_equal(bed_calls(bed, "DeleteLaunchTemplate"), 1);
    assert_non_null(strstr(bed_sent(bed, "CreateFleet"), "DryRun=true"));
    assert_null(strstr(bed_sent(bed, "CreateFleet"), "ClientToken"));
    assert_non_null(strstr(bed_sent(bed, "CreateFleet"), "DefaultTargetCapacityType=on-demand"));
    assert_non_null(strstr(bed_sent(bed, "RunInstances"), "DryRun=true"));
    assert_non_null(strstr(bed_sent(bed, "RunInstances"), "MinCount=1&MaxCount=1"));
    assert_non_null(strstr(bed_sent(bed, "RunInstances"), "SubnetId=subnet-a"));
    assert_non_null(strstr(bed_sent(bed, "RunInstances"), "ResourceType=network-interface"));
    assert_non_null(strstr(bed_sent(bed, "CreateLaunchTemplate"), "Key=team"));
    assert_non_null(strstr(bed_sent(bed, "CreateLaunchTemplate"), "Key=karpenter.sh%2Fnodepool"));
}

TEST_F(ClassBed, bed, without_pools_usual_types_are_tried) {
    assert_int_equal(bed_resolve(bed), OK);
    assert_non_null(strstr(bed_sent(bed, "RunInstances"), "InstanceType=m5.large"));
}

TEST_F(ClassBed, bed, types_of_a_pool_are_tried) {
    bed_create(bed, "{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: other}, spec: {template: {spec: "
                    "{nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: other}, requirements: [{key: "
                    "node.kubernetes.io/instance-type, operator: In, values: [t3.large]}]}}}}");
    bed_create(bed, "{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: pool}, spec: {template: {spec: "
                    "{nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}, requirements: "
                    "[{key: node.kubernetes.io/instance-type, operator: In, values: [c5.xlarge]}, {key: "
                    "karpenter.sh/capacity-type, operator: In, values: [spot]}, {key: "
                    "karpenter.k8s.aws/instance-tenancy, operator: In, values: [dedicated]}]}}}}");
    assert_int_equal(bed_resolve(bed), OK);
    assert_string_equal(bed->class.failure.text, "");
    assert_non_null(strstr(bed_sent(bed, "RunInstances"), "InstanceType=c5.xlarge"));
    assert_non_null(strstr(bed_sent(bed, "CreateLaunchTemplate"), "Tenancy=dedicated"));
}

TEST_F(ClassBed, bed, the_next_subnet_is_tried) {
    BED_RULE(bed, .action = "RunInstances", .match = "SubnetId=subnet-a",
             .reply = bed_fault(bed, "UnauthorizedOperation", "m"));
    assert_int_equal(bed_resolve(bed), OK);
    assert_string_equal(bed_condition(bed, "ValidationSucceeded"), "True");
    assert_int_equal(bed_calls(bed, "RunInstances"), 2);
}

TEST_F(ClassBed, bed, the_first_subnets_refusal_counts) {
    BED_RULE(bed, .action = "RunInstances", .match = "SubnetId=subnet-a",
             .reply = bed_fault(bed, "UnauthorizedOperation", "first"));
    BED_RULE(bed, .action = "RunInstances", .match = "SubnetId=subnet-b",
             .reply = bed_fault(bed, "InvalidParameterValue", "second"));
    assert_int_equal(bed_resolve(bed), OK);
    assert_string_equal(bed_condition(bed, "ValidationSucceeded"), "False RunInstancesAuthCheckFailed");
    assert_non_null(strstr(bed_message(bed, "ValidationSucceeded"), "first"));
}

TEST_F(ClassBed, bed, interfaces_are_repeated_with_the_subnet) {
    bed_class(bed, "{" USUAL ", networkInterfaces: [{networkCardIndex: 0, deviceIndex: 0, interfaceType: interface}, "
                   "{networkCardIndex: 1, deviceIndex: 1, interfaceType: efa-only}]}");
    assert_int_equal(bed_resolve(bed), OK);
    assert_non_null(strstr(bed_sent(bed, "RunInstances"), "NetworkInterface.2.InterfaceType=efa-only"));
    assert_non_null(strstr(bed_sent(bed, "RunInstances"), "NetworkInterface.2.SubnetId=subnet-a"));
}

TEST_F(ClassBed, bed, a_throttled_dry_run_is_not_repeated_at_once) {
    BED_RULE(bed, .action = "RunInstances", .reply = bed_fault(bed, "RequestLimitExceeded", "m"));
    assert_int_equal(bed_resolve(bed), OK);
    assert_int_equal(bed_calls(bed, "RunInstances"), 1);
    assert_int_equal(bed->class.after_ns, 10 * NS_PER_S);
}

TEST_F(ClassBed, bed, a_template_that_stays_is_no_failure) {
    BED_RULE(bed, .action = "DeleteLaunchTemplate", .reply = bed_fault(bed, "UnauthorizedOperation", "m"));
    assert_int_equal(bed_resolve(bed), OK);
    assert_string_equal(bed_condition(bed, "ValidationSucceeded"), "True");
    assert_non_null(strstr(buffer_slice(&bed->log).ptr, "launch template of a validation is left"));
}

// --- remembered

TEST_F(ClassBed, bed, an_answer_is_remembered) {
    assert_int_equal(bed_resolve(bed), OK);
    bed_write_back(bed);
    for (int i = 0; i < 24; i++) {
        bed_pass(bed, NS_PER_MIN);
        assert_int_equal(bed_resolve(bed), OK);
        assert_string_equal(bed_condition(bed, "ValidationSucceeded"), "True");
    }
    assert_int_equal(bed_calls(bed, "CreateFleet"), 1);
    bed_pass(bed, 12 * NS_PER_MIN); // 30 ± 5 minutes
    assert_int_equal(bed_resolve(bed), OK);
    assert_int_equal(bed_calls(bed, "CreateFleet"), 2);
}

TEST_F(ClassBed, bed, a_refusal_is_remembered_for_ten_minutes) {
    BED_RULE(bed, .action = "CreateFleet", .reply = bed_fault(bed, "UnauthorizedOperation", "m"));
    assert_int_equal(bed_resolve(bed), OK);
    bed_write_back(bed);
    bed_pass(bed, 9 * NS_PER_MIN);
    assert_int_equal(bed_resolve(bed), OK);
    assert_string_equal(bed_condition(bed, "ValidationSucceeded"), "False CreateFleetAuthCheckFailed");
    assert_int_equal(bed_calls(bed, "CreateFleet"), 1);
    bed_clear_rules(bed);
    bed_pass(bed, NS_PER_MIN);
    assert_int_equal(bed_resolve(bed), OK);
    assert_string_equal(bed_condition(bed, "ValidationSucceeded"), "True");
}

TEST(a_change_is_tried_at_once) {
    static const char *const changes[] = {
        "{spec: {tags: {team: b}}}",
        "{spec: {userData: 'echo 1'}}",
        "{spec: {detailedMonitoring: true}}",
    };

    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        ClassBed *bed = bed_new();

        assert_int_equal(bed_resolve(bed), OK);
        bed_write_back(bed);
        bed_patch_class(bed, KUBE_OBJECT, changes[i]);
        assert_int_equal(bed_resolve(bed), OK);
        assert_int_equal(bed_calls(bed, "CreateFleet"), 2);
        bed_free(bed);
    }
}

TEST_F(ClassBed, bed, a_new_image_is_tried_at_once) {
    assert_int_equal(bed_resolve(bed), OK);
    bed_write_back(bed);
    BED_RULE(bed, .action = "DescribeImages",
             .reply = {.body = "<DescribeImagesResponse><imagesSet><item><imageId>ami-x</imageId><name>renamed</name>"
                               "<architecture>x86_64</architecture></item></imagesSet></DescribeImagesResponse>"});
    bed_pass(bed, NS_PER_MIN);
    assert_int_equal(bed_resolve(bed), OK);
    assert_int_equal(bed_calls(bed, "CreateFleet"), 2);
}

// What EC2 does not say now leaves a class that works as it is.
TEST_F(ClassBed, bed, a_throttled_validation_keeps_the_class) {
    assert_int_equal(bed_resolve(bed), OK);
    bed_write_back(bed);
    BED_RULE(bed, .action = "CreateFleet", .reply = bed_fault(bed, "RequestLimitExceeded", "m"));
    bed_pass(bed, 36 * NS_PER_MIN);
    assert_int_equal(bed_resolve(bed), OK);
    assert_string_equal(bed_condition(bed, "ValidationSucceeded"), "True");
    assert_int_equal(bed->class.failure.code, OK);
    assert_int_equal(bed->class.after_ns, 10 * NS_PER_S);
}

TEST_F(ClassBed, bed, two_lookups_of_one_class_at_a_time_are_one_too_many) {
    AwsProvider *provider = bed->provider;
    ClassRecord *record = class_record_take(provider->classes, SLICE("default"));

    assert_non_null(record);
    assert_int_equal(bed_resolve(bed), ERR_CONFLICT);
    assert_int_equal(provider_class_finalize(provider, SLICE("default"), &bed->error), ERR_CONFLICT);
    class_record_give_back(provider->classes, record);
    assert_int_equal(bed_resolve(bed), OK);
}
