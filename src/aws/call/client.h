// The client: calls of AWS's services, with everything that belongs to one: endpoint, credentials, signature, pace,
// retries, and a clock that may be wrong.
//
//   Ec2DescribeSubnetsInput input = {.subnet_ids = ids};
//   Ec2DescribeSubnetsOutput output;
//   TRY(aws_call(client, arena, &ec2_describe_subnets, &input, NULL, &output, &outcome, err));
//
// Retries are those of the SDK's standard mode: three attempts, waits of random length, a quota for all calls together.
// Behaviour: reference aws.md 2.4. Tenon's own: an answer of status 200 that cannot be read is tried again as a
// connection that broke is; and credentials that have ended are asked for anew once, before the retries are counted.
// Threads: any thread may call; a call blocks. It ends early when the transport says that the client is being stopped.
#pragma once

#include "aws/call/kind.h"
#include "aws/call/pace.h"
#include "aws/sign/grant.h"
#include "aws/transport/transport.h"

typedef struct AwsClient AwsClient;

// Where credentials come from.
typedef struct {
    // Credentials for a request at `wall_ns`, the service's time; the caller drops them. `refused`: those that a
    // service has called expired, which are not given again; NULL: none. Any thread; may block. Messages have no
    // secrets.
    ErrCode (*take)(void *self, int64_t wall_ns, const AwsGrant *refused, AwsGrant **ret_grant, Err *err);
    void *self;
} AwsIdentity;

// How a call or one of its attempts went, for metrics. Borrowed.
typedef struct {
    const AwsOperation *operation;
    Slice code; // of the fault; empty: none, or no answer came
    int status; // of HTTP; 0: no answer came
    int64_t took_ns;
    uint32_t attempts; // of a call: how many it made; of an attempt: its number, from 1
} AwsReport;

// Who is told; NULL: nobody. On the calling thread.
typedef struct {
    void (*attempt)(void *context, const AwsReport *report);
    void (*call)(void *context, const AwsReport *report);
    void *context;
} AwsObserver;

// Where a service is asked instead of at its own endpoint.
typedef struct {
    const char *service; // by id
    Slice url;
} AwsServiceUrl;

// {0} means the defaults in brackets. Copied by aws_client_new.
typedef struct {
    AwsTransport transport;
    AwsIdentity identity; // take NULL: only what is not signed can be called
    Slice region;
    bool use_fips, use_dual_stack;
    const AwsServiceUrl *urls; // first match counts
    uint32_t url_count;
    const AwsPace *paces;
    uint32_t pace_count;
    uint32_t attempts_max; // of a call [3]
    int64_t timeout_ns;    // of an attempt [4 min]
    uint64_t seed;         // of the waits' length
    AwsObserver observer;
} AwsClientOptions;

AwsClient *aws_client_new(const AwsClientOptions *options);
// Frees it, when no call runs. NULL is fine.
void aws_client_free(AwsClient *client);

// The region that the client was made with.
Slice aws_client_region(const AwsClient *client);
// How far the services' clocks are ahead of this machine's, as far as it had to be learned; 0 until then.
int64_t aws_client_skew_ns(const AwsClient *client);

// The present by the client's transport, the wall time as the services have it.
Moment aws_client_now(const AwsClient *client);
// Waits by the client's transport. False: the client is being stopped.
bool aws_client_rest(const AwsClient *client, int64_t ns);

// What a call may take.
typedef struct {
    Mono deadline;         // {0}: none. An attempt is cut short, and none begins after it
    uint32_t attempts_max; // 0: the client's; 1 is for dry runs, whose throttling is an answer
    Slice secret;          // text of the input that no message may repeat, whatever the service answers; empty: none
} AwsCallOptions;

// How a call went.
typedef struct {
    AwsFaultKind kind;
    AwsFault fault;    // of the last attempt; status 0: there was none. In the arena of the call
    uint32_t attempts; // that were sent
    bool may_be_done;  // it failed, but an attempt may have had its effect: no answer came, none that can be read, or a
                       // service's trouble
} AwsOutcome;

// Calls an operation. `output` (ignored where the operation has none) is zeroed and filled; on an error it is not to be
// looked at. `options` and `ret_outcome` may be NULL. OK: there is an answer, or a dry run would have been carried out
// (AWS_DRY_RUN, without output). Any other fault is an error, by aws_fault_kind_error, as well as an outcome. ERR_IO,
// ERR_TIMEOUT: no answer. ERR_INVALID: the input, the endpoint, or an answer that cannot be read. ERR_TOO_LARGE: a
// bound of answers. Further: errors of the identity. The message names service, operation, code and request id.
ErrCode aws_call(AwsClient *client, Arena *arena, const AwsOperation *operation, const void *input,
                 const AwsCallOptions *options, void *output, AwsOutcome *ret_outcome, Err *err);
