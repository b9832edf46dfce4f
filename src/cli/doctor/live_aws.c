// AWS: calls that describe, and what they list.
#include "cli/doctor/live_aws.h"

#include "aws/endpoint/partition.h"
#include "aws/service/ec2_instance.h"
#include "aws/service/ec2_launch_template.h"
#include "aws/service/ec2_network.h"
#include "aws/service/ec2_spot_price.h"
#include "aws/service/ec2_type.h"
#include "aws/service/pricing.h"
#include "aws/session.h"
#include "cli/doctor/live_aws_identity.h"
#include "cli/doctor/live_aws_queue.h"
#include "doctor/gather.h"

enum { FEW = 5, PAGE = 500, PRODUCTS = 1 };

// --- the network

static FactTags tags_of(const AwsReading *aws, const Ec2TagVec *list) {
    Arena *arena = aws->reading->arena;
    FactTags tags = {0};

    for (vec_each(const Ec2Tag, tag, list))
        vec_push(arena, &tags.pairs,
                 (TextPair){.key = arena_slice(arena, tag->key), .value = arena_slice(arena, tag->value)});
    return tags;
}

static bool take_subnets(void *context, const void *output) {
    const AwsReading *aws = context;
    Facts *facts = aws->reading->facts;
    Arena *arena = aws->reading->arena;

    for (vec_each(const Ec2Subnet, subnet, &((const Ec2DescribeSubnetsOutput *)output)->subnets)) {
        AwsInteger free = subnet->available_ip_address_count;

        facts->listed_subnets++;
        vec_push(arena, &facts->subnets,
                 (FactResource){.place = {SLICE("ec2"), 0},
                                .name = arena_slice(arena, subnet->subnet_id),
                                .tags = tags_of(aws, &subnet->tags),
                                .zone = arena_slice(arena, subnet->availability_zone),
                                .free_ips = free.has ? free.value : -1,
                                .is_listed = true});
    }
    return true;
}

static void take_ports(const AwsReading *aws, const Ec2SecurityGroup *found, FactResource *group) {
    group->has_ports = true;
    for (vec_each(const Ec2IpPermission, permission, &found->ip_permissions))
        gather_ports(aws->reading->arena, group, permission->ip_protocol,
                     permission->from_port.has ? &permission->from_port.value : NULL,
                     permission->to_port.has ? &permission->to_port.value : NULL);
}

static bool take_groups(void *context, const void *output) {
    const AwsReading *aws = context;
    Facts *facts = aws->reading->facts;
    Arena *arena = aws->reading->arena;

    for (vec_each(const Ec2SecurityGroup, found, &((const Ec2DescribeSecurityGroupsOutput *)output)->security_groups)) {
        FactResource group = {.place = {SLICE("ec2"), 0},
                              .name = arena_slice(arena, found->group_id),
                              .alias = arena_slice(arena, found->group_name),
                              .tags = tags_of(aws, &found->tags),
                              .free_ips = -1,
                              .is_listed = true};

        take_ports(aws, found, &group);
        facts->listed_groups++;
        vec_push(arena, &facts->groups, group);
    }
    return true;
}

static void read_network(AwsReading *aws) {
    Ec2DescribeSubnetsInput subnets = {.max_results = aws_integer(PAGE)};
    Ec2DescribeSecurityGroupsInput groups = {.max_results = aws_integer(PAGE)};

    aws->reading->facts->has_listed_subnets = live_aws_list(aws, "ec2:DescribeSubnets", &ec2_describe_subnets, &subnets,
                                                            &(AwsPageVisitor){take_subnets, aws}) == OK;
    aws->reading->facts->has_listed_groups =
        live_aws_list(aws, "ec2:DescribeSecurityGroups", &ec2_describe_security_groups, &groups,
                      &(AwsPageVisitor){take_groups, aws}) == OK;
}

// --- machines and prices

static void read_machines(const AwsReading *aws) {
    Ec2DescribeInstanceTypesInput types = {.max_results = aws_integer(FEW)};
    Ec2DescribeInstanceTypesOutput types_output;
    Ec2DescribeInstanceTypeOfferingsInput offerings = {.max_results = aws_integer(FEW)};
    Ec2DescribeInstanceTypeOfferingsOutput offerings_output;
    Ec2DescribeInstancesInput instances = {.max_results = aws_integer(FEW)};
    Ec2DescribeInstancesOutput instances_output;
    Ec2DescribeLaunchTemplatesInput templates = {.max_results = aws_integer(FEW)};
    Ec2DescribeLaunchTemplatesOutput templates_output;

    live_aws_ask(aws, "ec2:DescribeInstanceTypes", &ec2_describe_instance_types, &types, &types_output);
    live_aws_ask(aws, "ec2:DescribeInstanceTypeOfferings", &ec2_describe_instance_type_offerings, &offerings,
                 &offerings_output);
    live_aws_ask(aws, "ec2:DescribeInstances", &ec2_describe_instances, &instances, &instances_output);
    live_aws_ask(aws, "ec2:DescribeLaunchTemplates", &ec2_describe_launch_templates, &templates, &templates_output);
}

static void read_prices(const AwsReading *aws) {
    FactLive *live = &aws->reading->facts->live;
    Ec2DescribeSpotPriceHistoryInput spot = {.max_results = aws_integer(FEW)};
    Ec2DescribeSpotPriceHistoryOutput spot_output = {0};
    PricingGetProductsInput products = {.service_code = SLICE("AmazonEC2"), .max_results = aws_integer(PRODUCTS)};
    PricingGetProductsOutput products_output = {0};
    ErrCode spot_code =
        live_aws_ask(aws, "ec2:DescribeSpotPriceHistory", &ec2_describe_spot_price_history, &spot, &spot_output);
    ErrCode products_code =
        live_aws_ask(aws, "pricing:GetProducts", &pricing_get_products, &products, &products_output);

    live->has_prices = true;
    live->has_spot_prices = spot_code == OK && spot_output.spot_price_history.count;
    live->has_products = products_code == OK && products_output.price_list.count;
}

static void read_all(AwsReading *aws) {
    read_network(aws);
    read_machines(aws);
    read_prices(aws);
    live_read_identity(aws);
    live_read_queue(aws);
}

// Without an answer to the first call the others would only wait for the same.
static bool answers(const AwsReading *aws) {
    Ec2DescribeInstanceTypesInput input = {.dry_run = aws_bool(true)};
    Ec2DescribeInstanceTypesOutput output;
    AwsOutcome outcome = {0};
    Err err = {0};
    ErrCode code = aws_call(aws->client, aws->reading->arena, &ec2_describe_instance_types, &input,
                            &(AwsCallOptions){.attempts_max = 1}, &output, &outcome, &err);

    if (code == OK || outcome.kind == AWS_DENIED)
        return true;
    live_aws_note(aws, "credentials", code == ERR_DENIED || code == ERR_NOT_FOUND ? ERR_IO : code, &err);
    return false;
}

void live_read_aws(const LiveReading *reading) {
    AwsReading aws = {reading, NULL};
    AwsSession *session = NULL;
    Err err = {0};
    ErrCode code;

    if (!reading->facts->classes.count)
        return;
    code = aws_session_open(&(AwsSessionOptions){.user_agent = SLICE("tenon-doctor")}, &session, &err);
    if (code != OK) {
        live_aws_note(&aws, "region", ERR_IO, &err);
        return;
    }
    aws.client = aws_session_client(session);
    reading->facts->live.partition = slice_of(aws_partition_of(aws_client_region(aws.client))->name);
    if (answers(&aws))
        read_all(&aws);
    aws_session_close(session);
}
