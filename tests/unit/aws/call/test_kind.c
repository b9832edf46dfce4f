// Kinds of faults by code, message and status. Reference aws.md 2.6.
#include "aws/call/kind.h"
#include "harness/test.h"

static AwsFaultKind kind(const char *code, const char *message, int status) {
    return aws_fault_kind(slice_of(code), slice_of(message), status);
}

TEST(codes_have_kinds) {
    assert_int_equal(kind("InvalidInstanceID.NotFound", "", 400), AWS_NOT_FOUND);
    assert_int_equal(kind("InvalidLaunchTemplateName.NotFoundException", "", 400), AWS_NOT_FOUND);
    assert_int_equal(kind("EntityAlreadyExists", "", 409), AWS_ALREADY_EXISTS);
    assert_int_equal(kind("RequestLimitExceeded", "", 503), AWS_THROTTLED);
    assert_int_equal(kind("DryRunOperation", "", 412), AWS_DRY_RUN);
    assert_int_equal(kind("UnauthorizedOperation", "", 403), AWS_DENIED);
    assert_int_equal(kind("IdempotentParameterMismatch", "", 400), AWS_PARAMETERS_DIFFER);
    assert_int_equal(kind("ExpiredToken", "", 403), AWS_EXPIRED);
    assert_int_equal(kind("AuthFailure", "", 401), AWS_UNTRUSTED);
    assert_int_equal(kind("AuthFailure.ServiceLinkedRoleCreationNotPermitted", "", 0), AWS_SPOT_ROLE_DENIED);
}

TEST(what_a_fleet_lacks_is_capacity) {
    static const char *const codes[] = {
        "InsufficientInstanceCapacity",
        "MaxSpotInstanceCountExceeded",
        "VcpuLimitExceeded",
        "UnfulfillableCapacity",
        "Unsupported",
        "InsufficientFreeAddressesInSubnet",
        "MaxFleetCountExceeded",
        "ReservationCapacityExceeded",
        "SpotMaxPriceTooLow",
        "InvalidCapacityReservationState.Unavailable",
    };

    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        assert_int_equal(kind(codes[i], "", 0), AWS_CAPACITY);
    // The service is busy, not full: nothing is remembered as unavailable.
    assert_int_equal(kind("RequestLimitExceeded", "", 0), AWS_THROTTLED);
}

TEST(messages_tell_some_kinds_apart) {
    assert_int_equal(kind("InvalidParameterValue",
                          "Value (x) for parameter iamInstanceProfile.name is invalid. Invalid "
                          "IAM Instance Profile name",
                          400),
                     AWS_PROFILE_MISSING);
    assert_int_equal(kind("InvalidParameterValue", "another", 400), AWS_OTHER);
    assert_int_equal(kind("InvalidUserData.Malformed", "User data is limited to 16384 bytes", 400),
                     AWS_USER_DATA_TOO_LARGE);
    assert_int_equal(kind("UnfulfillableCapacity", "exceeds the limit of instances in this spread placement group", 0),
                     AWS_SPREAD_GROUP_FULL);
}

TEST(a_status_stands_in_for_an_unknown_code) {
    static const int transient[] = {500, 502, 503, 504};

    for (size_t i = 0; i < sizeof transient / sizeof *transient; i++)
        assert_int_equal(kind("", "", transient[i]), AWS_TRANSIENT);
    assert_int_equal(kind("", "", 429), AWS_THROTTLED);
    assert_int_equal(kind("InvalidParameterValue", "", 400), AWS_OTHER);
    assert_int_equal(kind("", "", 501), AWS_OTHER);
}

TEST(only_a_dry_run_is_no_error) {
    for (int each = AWS_FINE; each <= AWS_OTHER; each++) {
        assert_true(aws_fault_kind_text((AwsFaultKind)each)[0] != '\0');
        assert_int_equal(aws_fault_kind_error((AwsFaultKind)each) == OK, each == AWS_FINE || each == AWS_DRY_RUN);
    }
}
