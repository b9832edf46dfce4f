// Instances ended: several at once, and one by one where that fails. Reference aws.md 2.2, 3.8.
#pragma once

#include "aws/call/client.h"
#include "base/vec.h"

// How it went with one.
typedef struct {
    ErrCode code;    // OK: it is being ended. ERR_NOT_FOUND: it has ended, or EC2 does not know it
    bool is_unknown; // EC2 does not know it
    Err err;
} Ending;

// Ends the instances of these ids, each given once, at most 500 in a call. An instance that the answer does not show as
// ending, and all of a call that was refused for another reason than the number of calls, are asked for one by one.
// `ret_endings`: as many as ids.
void instances_end(AwsClient *client, const SliceVec *ids, Ending *ret_endings);
