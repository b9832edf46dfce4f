// Faults in each protocol, and what proxies answer.
#include "aws/service/ec2_network.h"
#include "aws/service/eks.h"
#include "aws/service/iam.h"
#include "aws/service/sqs.h"
#include "aws/support/wire.h"

FIXTURE(Wire, wire_new, wire_free);

// Empty: none.
static void assert_text(Slice found, const char *text) {
    if (*text)
        assert_slice(found, text);
    else
        assert_int_equal(found.len, 0);
}

static void assert_fault(const Wire *wire, int status, const char *code, const char *message, const char *request_id) {
    assert_int_equal(wire->fault.status, status);
    assert_text(wire->fault.code, code);
    assert_text(wire->fault.message, message);
    assert_text(wire->fault.request_id, request_id);
}

TEST_F(Wire, wire, ec2_has_its_faults_in_a_list) {
    wire_read_fault(wire, &ec2_describe_subnets, 400,
                    "<?xml version=\"1.0\"?>\n<Response><Errors><Error><Code>InvalidSubnetID.NotFound</Code>"
                    "<Message>The subnet ID 'subnet-1' does not exist</Message></Error><Error><Code>Second</Code>"
                    "</Error></Errors><RequestID>r-1</RequestID></Response>",
                    NULL);
    assert_fault(wire, 400, "InvalidSubnetID.NotFound", "The subnet ID 'subnet-1' does not exist", "r-1");
}

TEST_F(Wire, wire, iam_has_one) {
    wire_read_fault(wire, &iam_get_instance_profile, 404,
                    "<ErrorResponse xmlns=\"https://iam.amazonaws.com/doc/2010-05-08/\"><Error><Type>Sender</Type>"
                    "<Code>NoSuchEntity</Code><Message>no\nprofile</Message></Error><RequestId>r-2</RequestId>"
                    "</ErrorResponse>",
                    NULL);
    assert_fault(wire, 404, "NoSuchEntity", "no profile", "r-2");
}

TEST_F(Wire, wire, json_has_a_name_space_before_the_code) {
    HttpHeader header = {SLICE("X-Amzn-RequestID"), SLICE("r-3")};

    wire_read_fault(wire, &sqs_get_queue_url, 400,
                    "{\"__type\":\"com.amazonaws.sqs#QueueDoesNotExist\",\"message\":\"no queue\"}", &header);
    assert_fault(wire, 400, "QueueDoesNotExist", "no queue", "r-3");
}

TEST_F(Wire, wire, rest_json_has_the_code_in_a_header) {
    HttpHeader header = {SLICE("x-amzn-errortype"), SLICE("ServerException:http://internal.amazon.com/coral/")};

    wire_read_fault(wire, &eks_describe_cluster, 500, "{\"clusterName\":null,\"message\":\"later\"}", &header);
    assert_fault(wire, 500, "ServerException", "later", "");
}

TEST_F(Wire, wire, a_page_of_a_proxy_is_a_fault_without_a_code) {
    wire_read_fault(wire, &ec2_describe_subnets, 503, "<html><head><title>503</title></head><Code>x</Code></html>",
                    NULL);
    assert_fault(wire, 503, "", "", "");
    wire_read_fault(wire, &sqs_get_queue_url, 502, "<html>Bad gateway</html>", NULL);
    assert_fault(wire, 502, "", "", "");
    wire_read_fault(wire, &ec2_describe_subnets, 302, "", NULL);
    assert_fault(wire, 302, "", "", "");
}

TEST_F(Wire, wire, what_stands_before_a_cut_counts) {
    wire_read_fault(wire, &ec2_describe_subnets, 503, "<Response><Errors><Error><Code>RequestLimitExceeded</Code><Mess",
                    NULL);
    assert_fault(wire, 503, "RequestLimitExceeded", "", "");
}

TEST_F(Wire, wire, long_texts_are_cut) {
    Buffer body = {0};

    buffer_append(&body, SLICE("{\"__type\":\"A\",\"message\":\""));
    for (int i = 0; i < 100000; i++)
        buffer_append_char(&body, 'x');
    buffer_append(&body, SLICE("\"}"));
    buffer_append_char(&body, 0);
    wire_read_fault(wire, &sqs_get_queue_url, 400, body.bytes, NULL);
    assert_int_equal(wire->fault.message.len, AWS_FAULT_MESSAGE_MAX);
    buffer_free(&body);
}
