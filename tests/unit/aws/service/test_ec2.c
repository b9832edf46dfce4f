// EC2's requests and replies as reference aws.md 2.5 has them. make aws-wire compares them with botocore's.
#include "aws/service/ec2_instance.h"
#include "aws/service/ec2_launch.h"
#include "aws/service/ec2_network.h"
#include "aws/service/ec2_spot_price.h"
#include "aws/service/ec2_type.h"
#include "aws/support/wire.h"
#include "base/time.h"

FIXTURE(Wire, wire_new, wire_free);

TEST_F(Wire, wire, a_request_is_a_form_that_is_posted) {
    Slice ids[] = {SLICE("subnet-1"), SLICE("subnet-2")};
    Ec2DescribeSubnetsInput input = {.subnet_ids = VEC_OF(ids), .max_results = aws_integer(500)};

    assert_string_equal(wire_write(wire, &ec2_describe_subnets, &input),
                        "Action=DescribeSubnets&Version=2016-11-15&SubnetId.1=subnet-1&SubnetId.2=subnet-2&"
                        "MaxResults=500");
    assert_string_equal(wire->message.method, "POST");
    assert_slice(wire->message.path, "/");
    assert_int_equal(wire->message.header_count, 1);
    assert_slice(wire->message.headers[0].value, "application/x-www-form-urlencoded; charset=utf-8");
}

TEST_F(Wire, wire, filters_are_numbered_within_each_other_and_values_are_encoded) {
    Slice one[] = {SLICE("a b"), SLICE("c&d")}, two[] = {SLICE("x")};
    Ec2Filter filters[] = {{SLICE("tag:env"), VEC_OF(one)}, {SLICE("tag-key"), VEC_OF(two)}};
    Ec2DescribeSubnetsInput input = {.filters = VEC_OF(filters)};

    assert_string_equal(wire_write(wire, &ec2_describe_subnets, &input),
                        "Action=DescribeSubnets&Version=2016-11-15&Filter.1.Name=tag%3Aenv&Filter.1.Value.1=a%20b&"
                        "Filter.1.Value.2=c%26d&Filter.2.Name=tag-key&Filter.2.Value.1=x");
}

TEST_F(Wire, wire, shared_structures_are_written_with_capitals) {
    Ec2Tag tags[] = {{SLICE("Name"), SLICE("")}};
    Slice ids[] = {SLICE("i-1")};
    Ec2CreateTagsInput input = {.resources = VEC_OF(ids), .tags = VEC_OF(tags)};

    assert_string_equal(wire_write(wire, &ec2_create_tags, &input),
                        "Action=CreateTags&Version=2016-11-15&ResourceId.1=i-1&Tag.1.Key=Name&Tag.1.Value=");
}

TEST_F(Wire, wire, a_fleet_lists_its_overrides_below_its_templates) {
    Ec2FleetOverride overrides[] = {
        {.instance_type = SLICE("m5.large"), .subnet_id = SLICE("subnet-1"), .priority = aws_real(0.096)}};
    Ec2LaunchTemplateSpecification template = {.launch_template_name = SLICE("karpenter.k8s.aws/1"),
                                               .version = SLICE("$Latest")};
    Ec2FleetTemplateConfig configs[] = {{&template, VEC_OF(overrides)}};
    Ec2TargetCapacity target = {aws_integer(3), SLICE("spot")};
    Ec2AllocationOptions spot = {SLICE("price-capacity-optimized")};
    Ec2CreateFleetInput input = {.dry_run = aws_bool(false),
                                 .type = SLICE("instant"),
                                 .launch_template_configs = VEC_OF(configs),
                                 .target_capacity = &target,
                                 .spot_options = &spot};

    assert_string_equal(wire_write(wire, &ec2_create_fleet, &input),
                        "Action=CreateFleet&Version=2016-11-15&DryRun=false&Type=instant&"
                        "LaunchTemplateConfigs.1.LaunchTemplateSpecification.LaunchTemplateName=karpenter.k8s.aws%2F1&"
                        "LaunchTemplateConfigs.1.LaunchTemplateSpecification.Version=%24Latest&"
                        "LaunchTemplateConfigs.1.Overrides.1.InstanceType=m5.large&"
                        "LaunchTemplateConfigs.1.Overrides.1.SubnetId=subnet-1&"
                        "LaunchTemplateConfigs.1.Overrides.1.Priority=0.096&"
                        "TargetCapacitySpecification.TotalTargetCapacity=3&"
                        "TargetCapacitySpecification.DefaultTargetCapacityType=spot&"
                        "SpotOptions.AllocationStrategy=price-capacity-optimized");
}

TEST_F(Wire, wire, times_are_written_in_iso_8601) {
    Ec2DescribeSpotPriceHistoryInput input = {.start_time = aws_time(INT64_C(1795420800) * NS_PER_S)};

    assert_string_equal(wire_write(wire, &ec2_describe_spot_price_history, &input),
                        "Action=DescribeSpotPriceHistory&Version=2016-11-15&StartTime=2026-11-23T08%3A00%3A00Z");
}

static const char fleet_answer[] =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    "<CreateFleetResponse xmlns=\"http://ec2.amazonaws.com/doc/2016-11-15/\"><requestId>r-1</requestId>"
    "<fleetId>fleet-1</fleetId>"
    "<errorSet><item><errorCode>InsufficientInstanceCapacity</errorCode><errorMessage>none &amp; nothing"
    "</errorMessage><lifecycle>spot</lifecycle><launchTemplateAndOverrides><overrides><instanceType>m5.large"
    "</instanceType><availabilityZone>a</availabilityZone></overrides></launchTemplateAndOverrides></item></errorSet>"
    "<fleetInstanceSet><item><instanceIds><item>i-1</item><item>i-2</item></instanceIds>"
    "<instanceType>m6i.large</instanceType><lifecycle>spot</lifecycle></item></fleetInstanceSet>"
    "</CreateFleetResponse>";

TEST_F(Wire, wire, a_fleet_answers_instances_and_errors_together) {
    Ec2CreateFleetOutput output = {0};

    assert_int_equal(wire_read(wire, &ec2_create_fleet, fleet_answer, &output), OK);
    assert_int_equal(wire->fault.status, 0);
    assert_slice(output.fleet_id, "fleet-1");
    assert_int_equal(output.errors.count, 1);
    assert_slice(output.errors.items[0].error_code, "InsufficientInstanceCapacity");
    assert_slice(output.errors.items[0].error_message, "none & nothing");
    assert_slice(output.errors.items[0].launch_template_and_overrides->overrides->availability_zone, "a");
    assert_null(output.errors.items[0].launch_template_and_overrides->overrides->subnet_id.ptr);
    assert_int_equal(output.instances.count, 1);
    assert_int_equal(output.instances.items[0].instance_ids.count, 2);
    assert_slice(output.instances.items[0].instance_ids.items[1], "i-2");
    assert_null(output.instances.items[0].launch_template_and_overrides);
}

TEST_F(Wire, wire, what_is_absent_is_told_from_what_is_empty) {
    Ec2DescribeInstancesOutput output = {0};
    const Ec2Instance *instance;

    assert_int_equal(wire_read(wire, &ec2_describe_instances,
                               "<DescribeInstancesResponse><reservationSet><item><instancesSet><item>"
                               "<instanceId>i-1</instanceId><spotInstanceRequestId/><tagSet/>"
                               "<launchTime>2026-11-23T08:00:00.000Z</launchTime>"
                               "</item></instancesSet></item></reservationSet></DescribeInstancesResponse>",
                               &output),
                     OK);
    instance = &output.reservations.items[0].instances.items[0];
    assert_slice(instance->spot_instance_request_id, "");
    assert_null(instance->instance_lifecycle.ptr);
    assert_non_null(instance->tags.items);
    assert_int_equal(instance->tags.count, 0);
    assert_null(instance->network_interfaces.items);
    assert_null(instance->placement);
    assert_true(instance->launch_time.has);
    assert_int_equal(instance->launch_time.ns, INT64_C(1795420800) * NS_PER_S);
    assert_null(output.next_token.ptr);
}

TEST_F(Wire, wire, elements_of_lists_may_have_other_names) {
    Ec2DescribeInstanceTypesOutput output = {0};
    const Ec2InstanceType *type;

    assert_int_equal(wire_read(wire, &ec2_describe_instance_types,
                               "<DescribeInstanceTypesResponse><instanceTypeSet><item><instanceType>inf1.xlarge"
                               "</instanceType><inferenceAcceleratorInfo><accelerators><member><count>1</count>"
                               "<name>Inferentia</name></member></accelerators></inferenceAcceleratorInfo>"
                               "<processorInfo><sustainedClockSpeedInGhz>2.5</sustainedClockSpeedInGhz></processorInfo>"
                               "<bareMetal>false</bareMetal></item></instanceTypeSet><nextToken>more</nextToken>"
                               "</DescribeInstanceTypesResponse>",
                               &output),
                     OK);
    type = &output.instance_types.items[0];
    assert_int_equal(type->inference_accelerator_info->accelerators.items[0].count.value, 1);
    assert_true(type->processor_info->sustained_clock_speed_in_ghz.value > 2.49);
    assert_true(type->bare_metal.has && !type->bare_metal.value);
    assert_slice(output.next_token, "more");
}

TEST_F(Wire, wire, an_answer_of_another_operation_is_no_empty_list) {
    Ec2DescribeInstancesOutput output = {0};

    assert_int_equal(wire_read(wire, &ec2_describe_instances, "<html><body>Sign in</body></html>", &output),
                     ERR_INVALID);
    assert_string_equal(wire->err.text, "answer of DescribeInstances: expected <DescribeInstancesResponse>, got "
                                        "another document");
    assert_int_equal(wire_read(wire, &ec2_describe_instances, "", &output), ERR_INVALID);
    assert_int_equal(wire_read(wire, &ec2_describe_instances, "<DescribeInstancesResponse><reservationSet>", &output),
                     ERR_INVALID);
}

TEST_F(Wire, wire, a_value_of_a_wrong_type_is_named) {
    Ec2DescribeSubnetsOutput output = {0};

    assert_int_equal(wire_read(wire, &ec2_describe_subnets,
                               "<DescribeSubnetsResponse><subnetSet><item><availableIpAddressCount>many"
                               "</availableIpAddressCount></item></subnetSet></DescribeSubnetsResponse>",
                               &output),
                     ERR_INVALID);
    assert_string_equal(wire->err.text,
                        "answer of DescribeSubnets: availableIpAddressCount: expected an integer of 64 bits");
}

// A body of `count` elements within a document.
static const char *repeat(Wire *wire, const char *begin, const char *element, size_t count, const char *end) {
    Buffer body = {0};
    const char *text;

    buffer_append(&body, slice_of(begin));
    for (size_t i = 0; i < count; i++)
        buffer_append(&body, slice_of(element));
    buffer_append(&body, slice_of(end));
    text = arena_text(&wire->arena, buffer_slice(&body));
    buffer_free(&body);
    return text;
}

static void assert_types(Wire *wire, const char *body, ErrCode code, const char *text) {
    Ec2DescribeInstanceTypesOutput output = {0};

    wire->err.text[0] = 0;
    assert_int_equal(wire_read(wire, &ec2_describe_instance_types, body, &output), code);
    assert_string_equal(wire->err.text, text);
}

TEST_F(Wire, wire, answers_are_bounded) {
    const char *begin = "<DescribeInstanceTypesResponse>", *end = "</DescribeInstanceTypesResponse>";
    const char *begin_list = "<DescribeInstanceTypesResponse><instanceTypeSet>";
    const char *end_list = "</instanceTypeSet></DescribeInstanceTypesResponse>";

    assert_types(wire, repeat(wire, begin, "<skip/>", AWS_ELEMENTS_MAX - 1, end), OK, "");
    assert_types(wire, repeat(wire, begin, "<skip/>", AWS_ELEMENTS_MAX, end), ERR_TOO_LARGE,
                 "answer of DescribeInstanceTypes: XML of more than 1000000 elements (line 1)");
    assert_types(wire, repeat(wire, begin_list, "<item/>", AWS_ELEMENTS_MAX - 2, end_list), ERR_TOO_LARGE,
                 "answer of DescribeInstanceTypes: more than 67108864 bytes in memory");
    assert_types(wire, repeat(wire, "", "<item>", AWS_DEPTH_MAX + 1, ""), ERR_TOO_LARGE,
                 "answer of DescribeInstanceTypes: XML nested deeper than 64 (line 1)");
    assert_types(wire, repeat(wire, begin, " ", AWS_BODY_MAX, end), ERR_TOO_LARGE,
                 "answer of DescribeInstanceTypes: XML of 33554495 bytes, more than 33554432");
}

TEST_F(Wire, wire, a_call_without_output_is_answered_all_the_same) {
    assert_int_equal(wire_read(wire, &ec2_reboot_instances,
                               "<RebootInstancesResponse><requestId>r</requestId><return>true</return>"
                               "</RebootInstancesResponse>",
                               NULL),
                     OK);
    assert_int_equal(wire->fault.status, 0);
    assert_int_equal(wire_read(wire, &ec2_reboot_instances, "<html>Sign in</html>", NULL), ERR_INVALID);
    assert_int_equal(wire_read(wire, &ec2_reboot_instances, "", NULL), ERR_INVALID);
}
