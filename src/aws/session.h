// Session: a client of AWS made from what its environment says: settings, region, credentials, transport.
//
//   AwsSessionOptions options = {.user_agent = SLICE("karpenter.sh-1.15.1"), .seed = random};
//   TRY(aws_session_open(&options, &session, err));
//   TRY(aws_call(aws_session_client(session), arena, &ec2_describe_subnets, &input, NULL, &output, NULL, err));
#pragma once

#include "aws/call/pages.h"
#include "aws/settings/settings.h"

typedef struct AwsSession AwsSession;

// {0} means the defaults in brackets. Copied.
typedef struct {
    const AwsEnvironment *environment; // [the process's]; outlives the session
    AwsTransport transport;            // send NULL: [over HTTP]
    HttpGate gate;                     // of changes over HTTP [always open]; asked from any thread
    Slice user_agent;
    Slice region;         // instead of what the environment says
    const AwsPace *paces; // [none]
    uint32_t pace_count;
    uint64_t seed;        // of waits
    AwsObserver observer; // [nobody]
} AwsSessionOptions;

// Reads the settings, finds the region (where they have none, of the instance's metadata), and chooses the source of
// credentials, which is asked by the first call. ERR_INVALID: a setting. ERR_NOT_FOUND: there is no region, or no file
// of AWS_CA_BUNDLE; ERR_IO: it cannot be read. Messages say what to set.
ErrCode aws_session_open(const AwsSessionOptions *options, AwsSession **ret_session, Err *err);
// Ends it, when no call runs, and wipes credentials. NULL is fine.
void aws_session_close(AwsSession *session);

AwsClient *aws_session_client(AwsSession *session);
// Where credentials come from: "web identity", "container", …
const char *aws_session_source(const AwsSession *session);
// As http_client_end_within, of a session over HTTP; of another transport its owner stops it.
void aws_session_end_within(AwsSession *session, int64_t rest_ns);
