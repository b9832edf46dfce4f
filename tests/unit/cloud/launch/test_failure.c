// Reasons of failed launches, and of classes that cannot be launched with: upstream's area "cloud provider"
// (pkg/errors/errors_test.go, pkg/cloudprovider/suite_test.go). Reference aws.md 2.6, 3.1.
#include "cloud/aws/launch/class_gate.h"
#include "cloud/aws/launch/failure.h"
#include "cloud/support/class.h"
#include "harness/test.h"

typedef struct {
    const char *name, *text, *reason;
} ReasonRow;

#define REASON "cloud provider: reasons: "

static const ReasonRow reason_rows[] = {
    {REASON "spot role", "AuthFailure.ServiceLinkedRoleCreationNotPermitted: no", "SpotSLRCreationFailed"},
    {REASON "not authorized", "UnauthorizedOperation: no identity-based policy allows it", "Unauthorized"},
    {REASON "access denied", "AccessDenied: no", "Unauthorized"},
    {REASON "authentication", "AuthFailure: no", "Unauthorized"},
    {REASON "images that are not shared", "AuthFailure: Not authorized for images: [ami-1]", "AMIAuthorizationFailure"},
    {REASON "images behind a service control policy",
     "UnauthorizedOperation: Not authorized for images, in a service control policy", "Unauthorized"},
    {REASON "networks", "InvalidParameter: sg-1 and subnet-1 belong to different networks",
     "SecurityGroupSubnetVPCMismatch"},
    {REASON "another parameter", "InvalidParameter: no", "LaunchFailed"},
    {REASON "profile's name", "InvalidParameterValue: Value (x) for parameter iamInstanceProfile.name is invalid.",
     "InstanceProfileNameInvalid"},
    {REASON "launch template", "InvalidLaunchTemplateId.NotFound: no", "LaunchTemplateNotFound"},
    {REASON "user data", "InvalidUserData.Malformed: User data is limited to 16384 bytes", "UserDataSizeLimitExceeded"},
    {REASON "malformed image", "InvalidAMIID.Malformed: no", "InvalidAMIID"},
    {REASON "missing image", "InvalidAMIID.NotFound: no", "AMINotFound"},
    {REASON "throttled", "RequestLimitExceeded: slower", "RequestLimitExceeded"},
    {REASON "internal", "InternalError: sorry", "InternalError"},
    {REASON "free tier", "InvalidParameterCombination: The type is not eligible for Free Tier", "FreeTierIneligible"},
    {REASON "fleets", "MaxFleetCountExceeded: no", "FleetQuotaExceeded"},
    {REASON "account", "PendingVerification: no", "AccountPendingVerification"},
    {REASON "spot quota", "MaxSpotInstanceCountExceeded: no", "SpotQuotaExceeded"},
    {REASON "vCPUs", "VcpuLimitExceeded: no", "VCPULimitExceeded"},
    {REASON "addresses", "InsufficientFreeAddressesInSubnet: no", "InsufficientFreeAddressesInSubnet"},
    {REASON "want of capacity has none of its own", "InsufficientInstanceCapacity: no", "LaunchFailed"},
    {REASON "the table's order decides", "VcpuLimitExceeded: no; RequestLimitExceeded: no", "RequestLimitExceeded"},
    {REASON "nothing known", "Weird: no", "LaunchFailed"},
};

static void list_reasons(TestCases *cases) {
    for (size_t i = 0; i < sizeof reason_rows / sizeof *reason_rows; i++)
        test_case(cases, reason_rows[i].name, (void *)(uintptr_t)&reason_rows[i]);
}

TEST_EACH(const ReasonRow, row, failures_have_reasons, list_reasons) {
    assert_string_equal(launch_failure_reason(slice_of(row->text)), row->reason);
}

TEST(a_launch_to_be_tried_again_has_no_code_that_ends_a_claim) {
    CloudError error;

    assert_int_equal(launch_failure(&error, ERR_CAPACITY, SLICE("VcpuLimitExceeded: no")), ERR_INVALID);
    assert_string_equal(error.reason, "VCPULimitExceeded");
    assert_int_equal(launch_failure(&error, ERR_NOT_FOUND, SLICE("x")), ERR_INVALID);
    assert_int_equal(launch_failure(&error, ERR_THROTTLED, SLICE("RequestLimitExceeded: x")), ERR_THROTTLED);
    assert_int_equal(launch_failure(&error, ERR_DENIED, SLICE("x")), ERR_DENIED);
}

// --- classes

#define READY(status, generation)                                                                                      \
    "status: {conditions: [{type: Ready, status: '" status "', reason: SubnetsReady, message: none match, "            \
    "observedGeneration: " generation ", lastTransitionTime: '2026-11-23T00:00:00Z'}]}\n"

typedef struct {
    const char *name, *lines;
    ErrCode code;
    bool not_ready;
    const char *reason, *words;
} GateRow;

#define GATE "cloud provider: class: "

static const GateRow gate_rows[] = {
    {GATE "ready", READY("True", "1"), OK, false, "", ""},
    {GATE "not ready", READY("False", "1"), ERR_INVALID, true, "", "none match"},
    {GATE "readiness unknown", READY("Unknown", "1"), ERR_INVALID, false, "NodeClassReadinessUnknown", "not known"},
    {GATE "no condition", "", ERR_INVALID, false, "NodeClassReadinessUnknown", "not known"},
    {GATE "ready as it was before", READY("True", "2"), ERR_INVALID, true, "", "generation 2"},
    {GATE "tags that are refused", "  tags: {karpenter.sh/nodepool: x}\n" READY("True", "1"), ERR_INVALID, true, "",
     "karpenter.sh/nodepool"},
    {GATE "R145: tags of the user", "  tags: {team: x}\n" READY("True", "1"), OK, false, "", ""},
};

static void list_gates(TestCases *cases) {
    for (size_t i = 0; i < sizeof gate_rows / sizeof *gate_rows; i++)
        test_case(cases, gate_rows[i].name, (void *)(uintptr_t)&gate_rows[i]);
}

TEST_EACH(const GateRow, row, classes_are_checked_before_a_launch, list_gates) {
    TestClass *test = test_class(row->lines);
    CloudError error = {0};

    assert_int_equal(class_gate(&test->arena, &test->symbols, &test->class, &error), row->code);
    assert_int_equal(error.class_not_ready, row->not_ready);
    assert_string_equal(error.reason, row->reason);
    assert_true(slice_contains(slice_of(error.err.text), slice_of(row->words)));
    test_class_free(test);
}

TEST(cloud_provider_a_class_that_is_gone_or_going_ends_the_claim) {
    TestClass *test = test_class(READY("True", "1"));

    assert_int_equal(class_gate(&test->arena, &test->symbols, NULL, NULL), ERR_CAPACITY);
    test->class.meta.deleting = true;
    assert_int_equal(class_gate(&test->arena, &test->symbols, &test->class, NULL), ERR_CAPACITY);
    test_class_free(test);
}
