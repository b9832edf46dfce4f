// What the questions to AWS share.
#pragma once

#include "aws/call/pages.h"
#include "cli/doctor/live_reading.h"

typedef struct {
    const LiveReading *reading;
    AwsClient *client;
} AwsReading;

// Notes how a call went among those of the controller; returns the code. What is not there was asked for all the same.
ErrCode live_aws_note(const AwsReading *aws, const char *what, ErrCode code, const Err *err);
// Makes a call and notes it. The output is in the reading's arena.
ErrCode live_aws_ask(const AwsReading *aws, const char *what, const AwsOperation *operation, const void *input,
                     void *output);
// All pages of a call, noted.
ErrCode live_aws_list(const AwsReading *aws, const char *what, const AwsOperation *operation, const void *input,
                      const AwsPageVisitor *visitor);
// A call that the doctor alone makes, and all pages of one. It is not noted: the controller needs no right to it.
FactCall live_aws_ask_beside(const AwsReading *aws, const char *what, const AwsOperation *operation, const void *input,
                             void *output);
FactCall live_aws_list_beside(const AwsReading *aws, const char *what, const AwsOperation *operation, const void *input,
                              const AwsPageVisitor *visitor);
