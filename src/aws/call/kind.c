// The tables of codes.
#include "aws/call/kind.h"

typedef struct {
    const char *code;    // NULL: any
    const char *message; // what the message must contain; NULL: anything
    AwsFaultKind kind;
} KindRow;

static const KindRow rows[] = {
    {"InvalidParameterValue", "Invalid IAM Instance Profile name", AWS_PROFILE_MISSING},
    {"InvalidUserData.Malformed", "User data is limited to", AWS_USER_DATA_TOO_LARGE},
    {NULL, "limit of instances in this spread placement group", AWS_SPREAD_GROUP_FULL},

    {"DryRunOperation", NULL, AWS_DRY_RUN},

    {"InvalidCapacityReservationId.NotFound", NULL, AWS_NOT_FOUND},
    {"InvalidInstanceID.NotFound", NULL, AWS_NOT_FOUND},
    {"InvalidLaunchTemplateName.NotFoundException", NULL, AWS_NOT_FOUND},
    {"InvalidLaunchTemplateId.NotFound", NULL, AWS_NOT_FOUND},
    {"QueueDoesNotExist", NULL, AWS_NOT_FOUND},
    {"NoSuchEntity", NULL, AWS_NOT_FOUND},
    {"ParameterNotFound", NULL, AWS_NOT_FOUND},
    {"ResourceNotFoundException", NULL, AWS_NOT_FOUND}, // EKS, ARC

    {"EntityAlreadyExists", NULL, AWS_ALREADY_EXISTS},
    {"InvalidLaunchTemplateName.AlreadyExistsException", NULL, AWS_ALREADY_EXISTS},

    {"Throttling", NULL, AWS_THROTTLED},
    {"ThrottlingException", NULL, AWS_THROTTLED},
    {"ThrottledException", NULL, AWS_THROTTLED},
    {"RequestThrottledException", NULL, AWS_THROTTLED},
    {"TooManyRequestsException", NULL, AWS_THROTTLED},
    {"ProvisionedThroughputExceededException", NULL, AWS_THROTTLED},
    {"TransactionInProgressException", NULL, AWS_THROTTLED},
    {"RequestLimitExceeded", NULL, AWS_THROTTLED},
    {"BandwidthLimitExceeded", NULL, AWS_THROTTLED},
    {"LimitExceededException", NULL, AWS_THROTTLED},
    {"RequestThrottled", NULL, AWS_THROTTLED},
    {"SlowDown", NULL, AWS_THROTTLED},
    {"PriorRequestNotComplete", NULL, AWS_THROTTLED},
    {"EC2ThrottledException", NULL, AWS_THROTTLED},

    {"RequestTimeout", NULL, AWS_TRANSIENT},
    {"RequestTimeoutException", NULL, AWS_TRANSIENT},

    {"InsufficientInstanceCapacity", NULL, AWS_CAPACITY},
    {"MaxSpotInstanceCountExceeded", NULL, AWS_CAPACITY},
    {"VcpuLimitExceeded", NULL, AWS_CAPACITY},
    {"UnfulfillableCapacity", NULL, AWS_CAPACITY},
    {"Unsupported", NULL, AWS_CAPACITY},
    {"InsufficientFreeAddressesInSubnet", NULL, AWS_CAPACITY},
    {"MaxFleetCountExceeded", NULL, AWS_CAPACITY},
    {"ReservationCapacityExceeded", NULL, AWS_CAPACITY},
    {"SpotMaxPriceTooLow", NULL, AWS_CAPACITY},
    {"InvalidCapacityReservationState.Unavailable", NULL, AWS_CAPACITY},

    {"UnauthorizedOperation", NULL, AWS_DENIED},
    {"AccessDenied", NULL, AWS_DENIED},
    {"AccessDeniedException", NULL, AWS_DENIED},
    {"OptInRequired", NULL, AWS_DENIED},

    {"ExpiredToken", NULL, AWS_EXPIRED},
    {"ExpiredTokenException", NULL, AWS_EXPIRED},

    {"RequestTimeTooSkewed", NULL, AWS_SKEWED},
    {"RequestExpired", NULL, AWS_SKEWED}, // EC2's word for ended sessions, too: aws/call/call.c tells them apart
    {"RequestInTheFuture", NULL, AWS_SKEWED},

    {"AuthFailure.ServiceLinkedRoleCreationNotPermitted", NULL, AWS_SPOT_ROLE_DENIED},
    {"AuthFailure", NULL, AWS_UNTRUSTED},
    {"InvalidClientTokenId", NULL, AWS_UNTRUSTED},
    {"UnrecognizedClientException", NULL, AWS_UNTRUSTED},
    {"InvalidSignatureException", NULL, AWS_UNTRUSTED},
    {"SignatureDoesNotMatch", NULL, AWS_UNTRUSTED},
    {"MissingAuthenticationToken", NULL, AWS_UNTRUSTED},
    {"MissingAuthenticationTokenException", NULL, AWS_UNTRUSTED},

    {"IdempotentParameterMismatch", NULL, AWS_PARAMETERS_DIFFER},
};

// By kind: the code of errors, and the word.
static const struct {
    ErrCode code;
    const char *text;
} kinds[] = {
    [AWS_FINE] = {OK, "fine"},
    [AWS_DRY_RUN] = {OK, "dry run"},
    [AWS_NOT_FOUND] = {ERR_NOT_FOUND, "not found"},
    [AWS_ALREADY_EXISTS] = {ERR_CONFLICT, "already exists"},
    [AWS_THROTTLED] = {ERR_THROTTLED, "throttled"},
    [AWS_TRANSIENT] = {ERR_IO, "transient"},
    [AWS_CAPACITY] = {ERR_CAPACITY, "no capacity"},
    [AWS_DENIED] = {ERR_DENIED, "denied"},
    [AWS_EXPIRED] = {ERR_DENIED, "expired"},
    [AWS_SKEWED] = {ERR_DENIED, "skewed"},
    [AWS_UNTRUSTED] = {ERR_DENIED, "untrusted"},
    [AWS_PARAMETERS_DIFFER] = {ERR_CONFLICT, "parameters differ"},
    [AWS_PROFILE_MISSING] = {ERR_NOT_FOUND, "profile missing"},
    [AWS_USER_DATA_TOO_LARGE] = {ERR_TOO_LARGE, "user data too large"},
    [AWS_SPREAD_GROUP_FULL] = {ERR_CAPACITY, "spread group full"},
    [AWS_SPOT_ROLE_DENIED] = {ERR_DENIED, "spot role denied"},
    [AWS_OTHER] = {ERR_INVALID, "other"},
};

static bool is_row(const KindRow *row, Slice code, Slice message) {
    if (row->code && !slice_eq_text(code, row->code))
        return false;
    return !row->message || slice_contains(message, slice_of(row->message));
}

static bool is_transient_status(int status) {
    return status == 500 || status == 502 || status == 503 || status == 504;
}

AwsFaultKind aws_fault_kind(Slice code, Slice message, int status) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (is_row(&rows[i], code, message))
            return rows[i].kind;
    }
    if (is_transient_status(status))
        return AWS_TRANSIENT;
    return status == 429 ? AWS_THROTTLED : AWS_OTHER;
}

ErrCode aws_fault_kind_error(AwsFaultKind kind) {
    return kinds[kind].code;
}

const char *aws_fault_kind_text(AwsFaultKind kind) {
    return kinds[kind].text;
}
