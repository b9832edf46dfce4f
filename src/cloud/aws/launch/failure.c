// The table of reasons.
#include "cloud/aws/launch/failure.h"

#define UNAUTHORIZED "UnauthorizedOperation", "AccessDenied", "AuthFailure"

typedef struct {
    const char *codes[4]; // one of them must be there
    const char *words;    // and these; NULL: no more
    const char *reason;
} ReasonRow;

static const ReasonRow rows[] = {
    {{"AuthFailure.ServiceLinkedRoleCreationNotPermitted"}, NULL, "SpotSLRCreationFailed"},
    {{UNAUTHORIZED}, "permissions boundary", "Unauthorized"},
    {{UNAUTHORIZED}, "service control policy", "Unauthorized"},
    {{UNAUTHORIZED}, "Not authorized for images", "AMIAuthorizationFailure"},
    {{UNAUTHORIZED}, NULL, "Unauthorized"},
    {{"InvalidParameter"}, "belong to different networks", "SecurityGroupSubnetVPCMismatch"},
    {{"iamInstanceProfile.name is invalid"}, NULL, "InstanceProfileNameInvalid"},
    {{"InvalidLaunchTemplateId.NotFound"}, NULL, "LaunchTemplateNotFound"},
    {{"User data is limited to"}, NULL, "UserDataSizeLimitExceeded"},
    {{"InvalidAMIID.Malformed"}, NULL, "InvalidAMIID"},
    {{"InvalidAMIID.NotFound"}, NULL, "AMINotFound"},
    {{"RequestLimitExceeded"}, NULL, "RequestLimitExceeded"},
    {{"InternalError"}, NULL, "InternalError"},
    {{"not eligible for Free Tier"}, NULL, "FreeTierIneligible"},
    {{"MaxFleetCountExceeded"}, NULL, "FleetQuotaExceeded"},
    {{"PendingVerification"}, NULL, "AccountPendingVerification"},
    {{"MaxSpotInstanceCountExceeded"}, NULL, "SpotQuotaExceeded"},
    {{"VcpuLimitExceeded"}, NULL, "VCPULimitExceeded"},
    {{"InsufficientFreeAddressesInSubnet"}, NULL, "InsufficientFreeAddressesInSubnet"},
};

static bool is_row(const ReasonRow *row, Slice text) {
    bool has_code = false;

    for (size_t i = 0; i < sizeof row->codes / sizeof *row->codes; i++)
        has_code = has_code || (row->codes[i] && slice_contains(text, slice_of(row->codes[i])));
    return has_code && (!row->words || slice_contains(text, slice_of(row->words)));
}

const char *launch_failure_reason(Slice text) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (is_row(&rows[i], text))
            return rows[i].reason;
    }
    return "LaunchFailed";
}

ErrCode launch_failure(CloudError *error, ErrCode code, Slice text) {
    if (code == OK || code == ERR_CAPACITY || code == ERR_NOT_FOUND || code == ERR_CONFLICT || code == ERR_TOO_LARGE)
        code = ERR_INVALID;
    return cloud_fail_for(error, code, launch_failure_reason(text), "%.*s", SLICE_ARG(text));
}
