// Operations of AWS's services: a typed input becomes a request, an answer becomes a typed output or a fault.
//
// What is written here is everything of a request but scheme, host and credentials. An operation is a constant,
// declared in aws/service with its structs: ec2_describe_subnets takes an Ec2DescribeSubnetsInput and answers an
// Ec2DescribeSubnetsOutput; where there is no such struct, the answer has nothing that tenon reads.
//   Ec2DescribeSubnetsInput input = {.subnet_ids = ids};
//   aws_write(arena, &ec2_describe_subnets, &input, &message, err);
#pragma once

#include "aws/protocol/answer.h"
#include "aws/protocol/shape.h"
#include "base/err.h"

typedef enum {
    AWS_EC2_QUERY, // a form; lists are flat. XML
    AWS_QUERY,     // a form; IAM and STS. XML
    AWS_JSON_1_0,  // SQS
    AWS_JSON_1_1,  // SSM, pricing, EventBridge
    AWS_REST_JSON, // method and path say what is called; EKS, ARC zonal shift
} AwsProtocol;

// A service: how it is found, and how its requests are written and signed.
typedef struct {
    const char *id;              // of settings: "ec2", in capitals in AWS_ENDPOINT_URL_EC2
    const char *endpoint_prefix; // of its host names: "api.pricing"
    const char *signing_name;    // "pricing"
    const char *api_version;     // query protocols: "2016-11-15"
    const char *json_target;     // JSON protocols: "AmazonSSM" of the header "X-Amz-Target: AmazonSSM.GetParameter"
    AwsProtocol protocol;
    bool was_query; // JSON that took the place of a query protocol: SQS; says so in X-Amzn-Query-Mode
} AwsService;

// The members that pages are followed by: strings of the input and of the output. The output's is absent or empty on
// the last page.
typedef struct {
    bool is_paged;
    size_t input_token, output_token; // their offsets
} AwsPaging;

typedef struct {
    const AwsService *service;
    const char *name;       // "DescribeInstances"
    const char *method;     // AWS_REST_JSON: "GET"; otherwise NULL, which is POST
    const char *path;       // AWS_REST_JSON: "/clusters/{name}", by names of members of the input; otherwise NULL: "/"
    const AwsShape *input;  // a structure
    const AwsShape *output; // a structure; NULL: nothing that tenon reads
    AwsPaging paging;
    bool is_unsigned; // AssumeRoleWithWebIdentity, whose token is the credential
    bool is_change;   // not only a question; credentials and messages that are received are no change
} AwsOperation;

// Defines the operation whose structs are typeInput and typeOutput. What follows are further members: AWS_PAGED(type,
// the token in typeInput, that in typeOutput), .is_change, .method, .path.
#define AWS_OPERATION(symbol, of, operation, type, ...)                                                                \
    const AwsOperation symbol = {.service = &(of),                                                                     \
                                 .name = (operation),                                                                  \
                                 .input = &shape_of_##type##Input,                                                     \
                                 .output = &shape_of_##type##Output,                                                   \
                                 __VA_ARGS__}
// The same of a change that answers nothing that tenon reads.
#define AWS_OPERATION_MUTE(symbol, of, operation, type)                                                                \
    const AwsOperation symbol = {                                                                                      \
        .service = &(of), .name = (operation), .input = &shape_of_##type##Input, .is_change = true}
#define AWS_PAGED(type, input_member, output_member)                                                                   \
    .paging = {true, offsetof(type##Input, input_member), offsetof(type##Output, output_member)}

// A request before it is addressed and signed. Lives in the arena of aws_write.
enum { AWS_HEADERS_MAX = 3 };
typedef struct {
    const char *method;
    Slice path;                          // begins with '/', members percent-encoded; no operation has a query
    HttpHeader headers[AWS_HEADERS_MAX]; // Content-Type, X-Amz-Target, X-Amzn-Query-Mode
    uint32_t header_count;
    Slice body;
} AwsMessage;

// Writes the request of `input`, a struct of the operation's input shape. O(input). ERR_INVALID: a member of the path
// is absent or empty, or a string is no UTF-8 where the protocol is JSON.
ErrCode aws_write(Arena *arena, const AwsOperation *operation, const void *input, AwsMessage *ret_message, Err *err);

// What an answer that is not 2xx says. Texts are bounded copies, without control characters.
enum { AWS_FAULT_CODE_MAX = 256, AWS_FAULT_MESSAGE_MAX = 8192 };
typedef struct {
    int status;       // of HTTP; 0: no fault
    Slice code;       // "InvalidInstanceID.NotFound", without name space; empty: the answer has none (a proxy's page)
    Slice message;    // for people; empty: none
    Slice request_id; // empty: none
} AwsFault;

// Bounds of answers; the largest pages of EC2's are within a tenth of them.
enum {
    AWS_BODY_MAX = 32 << 20,    // bytes of a body
    AWS_OUTPUT_MAX = 64 << 20,  // bytes that an output takes in its arena, give or take a list that grows
    AWS_ELEMENTS_MAX = 1000000, // elements of XML
    AWS_VALUES_MAX = 100000,    // values of JSON
    AWS_DEPTH_MAX = 64,         // levels of either
};

// Reads an answer. 2xx: decodes the body into *ret_output, a zeroed struct of the operation's output shape (ignored
// where that is NULL), and sets ret_fault->status to 0. Any other status: fills *ret_fault, whatever the body is.
// O(body). ERR_INVALID: a 2xx whose body is not an answer of this operation (another document, cut, a value of a wrong
// type). ERR_TOO_LARGE: one of the bounds. After an error *ret_output may be filled in part.
ErrCode aws_read(Arena *arena, const AwsOperation *operation, const AwsAnswer *answer, void *ret_output,
                 AwsFault *ret_fault, Err *err);
