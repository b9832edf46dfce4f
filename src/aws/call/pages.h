// Pages: an operation called again and again with the token of its last answer, until there is none.
#pragma once

#include "aws/call/client.h"

enum { AWS_PAGES_MAX = 1000 };

// Who takes the pages.
typedef struct {
    // A page: a struct of the operation's output, valid during the call. False: enough; no more are asked for.
    bool (*page)(void *context, const void *output);
    void *context;
} AwsPageVisitor;

// Calls a paged operation for all of its pages; `input` is without a token. `options` are those of each page. A list is
// all of its pages or an error: on one the visitor has seen a part. ERR_INVALID: a token came twice, so it would go on
// for ever. ERR_TOO_LARGE: more than AWS_PAGES_MAX pages. Further: as aws_call, whose outcome of the last page is
// given; `arena` holds the texts of its fault.
ErrCode aws_pages(AwsClient *client, Arena *arena, const AwsOperation *operation, const void *input,
                  const AwsCallOptions *options, const AwsPageVisitor *visitor, AwsOutcome *ret_outcome, Err *err);
