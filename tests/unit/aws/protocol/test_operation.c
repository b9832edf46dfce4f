// Requests and answers of the query and JSON protocols; those of EC2 are in service/test_ec2.c.
#include "aws/service/arc_zonal_shift.h"
#include "aws/service/eks.h"
#include "aws/service/iam.h"
#include "aws/service/sqs.h"
#include "aws/service/ssm.h"
#include "aws/service/sts.h"
#include "aws/support/wire.h"
#include "base/time.h"

FIXTURE(Wire, wire_new, wire_free);

TEST_F(Wire, wire, the_query_protocol_names_the_members_of_lists) {
    IamTag tags[] = {{SLICE("k"), SLICE("v")}, {SLICE("l"), SLICE("")}};
    IamCreateInstanceProfileInput input = {.instance_profile_name = SLICE("p"), .tags = VEC_OF(tags)};

    assert_string_equal(wire_write(wire, &iam_create_instance_profile, &input),
                        "Action=CreateInstanceProfile&Version=2010-05-08&InstanceProfileName=p&"
                        "Tags.member.1.Key=k&Tags.member.1.Value=v&Tags.member.2.Key=l&Tags.member.2.Value=");
}

TEST_F(Wire, wire, the_query_protocol_says_that_a_list_is_empty) {
    IamTag none[1];
    IamCreateInstanceProfileInput input = {.tags = {none, 0, 0}};

    assert_string_equal(wire_write(wire, &iam_create_instance_profile, &input),
                        "Action=CreateInstanceProfile&Version=2010-05-08&Tags=");
}

TEST_F(Wire, wire, the_query_protocol_answers_within_a_result) {
    StsAssumeRoleOutput output = {0};

    assert_int_equal(
        wire_read(wire, &sts_assume_role,
                  "<AssumeRoleResponse xmlns=\"https://sts.amazonaws.com/doc/2011-06-15/\"><AssumeRoleResult>"
                  "<Credentials><AccessKeyId>A</AccessKeyId><SecretAccessKey>s</SecretAccessKey><SessionToken>t"
                  "</SessionToken><Expiration>2026-11-23T08:00:00Z</Expiration></Credentials></AssumeRoleResult>"
                  "<ResponseMetadata><RequestId>r</RequestId></ResponseMetadata></AssumeRoleResponse>",
                  &output),
        OK);
    assert_slice(output.credentials->secret_access_key, "s");
    assert_int_equal(output.credentials->expiration.ns, INT64_C(1795420800) * NS_PER_S);
}

TEST_F(Wire, wire, an_answer_without_its_result_is_none) {
    IamListInstanceProfilesOutput output = {0};

    assert_int_equal(wire_read(wire, &iam_list_instance_profiles,
                               "<ListInstanceProfilesResponse><ResponseMetadata/></ListInstanceProfilesResponse>",
                               &output),
                     ERR_INVALID);
    assert_string_equal(wire->err.text, "answer of ListInstanceProfiles: expected <ListInstanceProfilesResult>, got "
                                        "another document");
}

TEST_F(Wire, wire, an_error_about_a_secret_does_not_say_it) {
    StsAssumeRoleOutput output = {0};

    assert_int_equal(wire_read(wire, &sts_assume_role,
                               "<AssumeRoleResponse><AssumeRoleResult><Credentials><SecretAccessKey>hush"
                               "</SecretAccessKey><Expiration>hush</Expiration>",
                               &output),
                     ERR_INVALID);
    assert_null(strstr(wire->err.text, "hush"));
}

TEST_F(Wire, wire, json_requests_name_their_target) {
    SsmGetParameterInput input = {.name = SLICE("/aws/\"x\"")};

    assert_string_equal(wire_write(wire, &ssm_get_parameter, &input), "{\"Name\":\"/aws/\\\"x\\\"\"}");
    assert_int_equal(wire->message.header_count, 2);
    assert_slice(wire->message.headers[0].value, "application/x-amz-json-1.1");
    assert_slice(wire->message.headers[1].name, "X-Amz-Target");
    assert_slice(wire->message.headers[1].value, "AmazonSSM.GetParameter");
}

TEST_F(Wire, wire, sqs_says_that_it_was_a_query_service) {
    Slice names[] = {SLICE("SentTimestamp")};
    SqsReceiveMessageInput input = {.queue_url = SLICE("https://sqs/q"),
                                    .max_number_of_messages = aws_integer(10),
                                    .message_system_attribute_names = VEC_OF(names)};

    assert_string_equal(wire_write(wire, &sqs_receive_message, &input),
                        "{\"QueueUrl\":\"https://sqs/q\",\"MaxNumberOfMessages\":10,"
                        "\"MessageSystemAttributeNames\":[\"SentTimestamp\"]}");
    assert_slice(wire->message.headers[0].value, "application/x-amz-json-1.0");
    assert_slice(wire->message.headers[2].name, "X-Amzn-Query-Mode");
}

TEST_F(Wire, wire, maps_keep_their_order_and_null_is_absent) {
    SqsReceiveMessageOutput output = {0};
    const SqsMessage *message;

    assert_int_equal(wire_read(wire, &sqs_receive_message,
                               "{\"Messages\":[{\"MessageId\":null,\"Body\":\"\",\"Attributes\":{\"b\":\"1\","
                               "\"SentTimestamp\":\"1795420800000\",\"c\":null}},null],\"Later\":{\"a\":[1]}}",
                               &output),
                     OK);
    assert_int_equal(output.messages.count, 1);
    message = &output.messages.items[0];
    assert_null(message->message_id.ptr);
    assert_slice(message->body, "");
    assert_int_equal(message->attributes.count, 2);
    assert_slice(message->attributes.items[0].key, "b");
    assert_slice(aws_string_map_get(&message->attributes, SLICE("SentTimestamp")), "1795420800000");
    assert_null(aws_string_map_get(&message->attributes, SLICE("c")).ptr);
}

TEST_F(Wire, wire, json_of_another_kind_is_refused_by_name) {
    SqsReceiveMessageOutput output = {0};

    assert_int_equal(wire_read(wire, &sqs_receive_message, "{\"Messages\":[{\"Body\":1}]}", &output), ERR_INVALID);
    assert_string_equal(wire->err.text, "answer of ReceiveMessage: Messages: Body: expected string, got number");
    assert_int_equal(wire_read(wire, &sqs_receive_message, "[]", &output), ERR_INVALID);
    assert_int_equal(wire_read(wire, &sqs_receive_message, "", &output), ERR_INVALID);
    assert_int_equal(wire_read(wire, &sqs_receive_message, "{}{}", &output), ERR_INVALID);
    assert_int_equal(wire_read(wire, &sqs_receive_message, "<html/>", &output), ERR_INVALID);
    assert_int_equal(wire_read(wire, &sqs_receive_message, "{}", &output), OK);
}

TEST_F(Wire, wire, a_message_is_deleted_without_a_body) {
    assert_int_equal(wire_read(wire, &sqs_delete_message, "", NULL), OK);
    assert_int_equal(wire->fault.status, 0);
}

TEST_F(Wire, wire, answers_in_json_are_bounded) {
    SqsReceiveMessageOutput output = {0};
    Buffer body = {0};

    buffer_append(&body, SLICE("{\"Messages\":["));
    for (int i = 0; i < AWS_VALUES_MAX; i++)
        buffer_append(&body, SLICE("{},"));
    buffer_append(&body, SLICE("{}]}"));
    buffer_append_char(&body, 0);
    assert_int_equal(wire_read(wire, &sqs_receive_message, body.bytes, &output), ERR_TOO_LARGE);
    buffer_free(&body);
}

TEST_F(Wire, wire, strings_of_json_are_utf_8) {
    SsmGetParameterInput input = {.name = SLICE("\xff")};

    assert_int_equal(aws_write(&wire->arena, &ssm_get_parameter, &input, &wire->message, &wire->err), ERR_INVALID);
}

TEST_F(Wire, wire, members_of_a_path_are_one_segment) {
    ArcGetManagedResourceInput input = {SLICE("arn:aws:eks:us-west-2:1:cluster/a b")};

    assert_string_equal(wire_write(wire, &arc_get_managed_resource, &input), "");
    assert_string_equal(wire->message.method, "GET");
    assert_slice(wire->message.path, "/managedresources/arn%3Aaws%3Aeks%3Aus-west-2%3A1%3Acluster%2Fa%20b");
    assert_int_equal(wire->message.header_count, 0);
}

TEST_F(Wire, wire, a_path_without_its_member_is_refused) {
    EksDescribeClusterInput input = {0};

    assert_int_equal(aws_write(&wire->arena, &eks_describe_cluster, &input, &wire->message, &wire->err), ERR_INVALID);
    assert_string_equal(wire->err.text, "DescribeCluster: name is empty");
}

TEST_F(Wire, wire, rest_json_reads_times_in_seconds) {
    ArcGetManagedResourceOutput output = {0};

    assert_int_equal(wire_read(wire, &arc_get_managed_resource,
                               "{\"zonalShifts\":[{\"awayFrom\":\"usw2-az1\",\"expiryTime\":1.7954208E9,"
                               "\"appliedStatus\":\"APPLIED\"}],\"autoshifts\":[{\"awayFrom\":\"usw2-az2\","
                               "\"appliedStatus\":\"NOT_APPLIED\",\"startTime\":1.7954208E9}]}",
                               &output),
                     OK);
    assert_int_equal(output.zonal_shifts.items[0].expiry_time.ns, INT64_C(1795420800) * NS_PER_S);
    assert_true(slice_eq_text(output.autoshifts.items[0].away_from, "usw2-az2"));
    assert_true(slice_eq_text(output.autoshifts.items[0].applied_status, "NOT_APPLIED"));
}
