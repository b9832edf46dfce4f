// Kinds of faults: what a caller can do about one, by its code and message. Reference aws.md 2.4 and 2.6, as corrected
// for 1.15.1 of the provider.
#pragma once

#include "aws/protocol/operation.h"

typedef enum {
    AWS_FINE,                // no fault
    AWS_DRY_RUN,             // it would have been done: the good answer to a dry run
    AWS_NOT_FOUND,           // what is named is not there (any more)
    AWS_ALREADY_EXISTS,      // what should be made is there
    AWS_THROTTLED,           // too many calls; wait
    AWS_TRANSIENT,           // the service's own trouble; try again
    AWS_CAPACITY,            // another type, zone or subnet may have room: of errors in a fleet, too
    AWS_DENIED,              // credentials are good, rights are missing
    AWS_EXPIRED,             // credentials have ended
    AWS_SKEWED,              // the request's time is not the service's
    AWS_UNTRUSTED,           // credentials or the signature are not accepted; with a wrong clock, too
    AWS_PARAMETERS_DIFFER,   // the client token was used with other parameters
    AWS_PROFILE_MISSING,     // EC2 does not know the instance profile (yet)
    AWS_USER_DATA_TOO_LARGE, // no type will take it
    AWS_SPREAD_GROUP_FULL,   // the placement group has its seven in this zone
    AWS_SPOT_ROLE_DENIED,    // the service-linked role of spot is missing, and may not be made
    AWS_OTHER,               // a fault all the same
} AwsFaultKind;

// Kind of a code and message, of a fault or of an entry of a fleet's errors; `status` of HTTP, 0: none. O(codes).
AwsFaultKind aws_fault_kind(Slice code, Slice message, int status);

// The code of errors for a kind: AWS_FINE and AWS_DRY_RUN are OK.
ErrCode aws_fault_kind_error(AwsFaultKind kind);

// The kind as a word of messages and metrics: "not found".
const char *aws_fault_kind_text(AwsFaultKind kind);
