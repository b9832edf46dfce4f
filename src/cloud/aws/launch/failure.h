// Why a launch failed, in one word: the reason of a NodeClaim's condition Launched, and of the metric of failures.
// Reference aws.md 2.6.
#pragma once

#include "cloud/cloud.h"

// The reason for the text of one error or of several, "Code: message; Code: message": of the first row of the table
// that has its words in the text, LaunchFailed without any. O(rows × length).
const char *launch_failure_reason(Slice text);

// Fills `error` with that text and its reason, and returns the code. A launch that is to be tried again never has
// ERR_CAPACITY, which ends the claim, nor ERR_NOT_FOUND or ERR_CONFLICT, which say something of an instance:
// ERR_INVALID takes their place.
ErrCode launch_failure(CloudError *error, ErrCode code, Slice text);
