// What is there without anybody having made it: a subnet in each zone, a security group, images, the cluster. They have
// every tag that is asked for.
#include "aws/service/ec2_image.h"
#include "aws/service/ec2_network.h"
#include "aws/service/ec2_reservation.h"
#include "aws/service/eks.h"
#include "aws/service/ssm.h"
#include "sim/wire/wire_parts.h"

enum { SUBNET_ADDRESSES = 16000 };

static const Slice SUBNET = SLICE_INIT("subnet-"), GROUP = SLICE_INIT("sg-nodes");

static bool has_every_tag(Slice filter) {
    return slice_starts_with(filter, SLICE("tag:")) || slice_eq_text(filter, "tag-key");
}

// --- the network

Slice wire_subnet_zone(const SimAws *aws, Slice subnet_id) {
    const Ec2Region *region = sim_account_region(aws->cloud);

    if (!slice_starts_with(subnet_id, SUBNET))
        return (Slice){0};
    for (uint32_t i = 0; i < region->zone_count; i++) {
        if (slice_eq(region->zones[i].name, slice_from(subnet_id, SUBNET.len)))
            return region->zones[i].name;
    }
    return (Slice){0};
}

static bool subnet_has(const void *thing, Slice name, Slice value) {
    const Ec2Subnet *subnet = thing;

    return has_every_tag(name) || (slice_eq_text(name, "subnet-id") && slice_eq(subnet->subnet_id, value));
}

WireFault wire_describe_subnets(WireCall *call) {
    const Ec2DescribeSubnetsInput *input = call->input;
    Ec2DescribeSubnetsOutput *output = call->output;
    const Ec2Region *region = sim_account_region(call->aws->cloud);

    for (uint32_t i = 0; i < region->zone_count; i++) {
        Slice zone = region->zones[i].name;
        Ec2Subnet subnet = {.subnet_id = arena_printf(call->arena, "subnet-%.*s", SLICE_ARG(zone)),
                            .availability_zone = zone,
                            .availability_zone_id = region->zones[i].id,
                            .available_ip_address_count = aws_integer(SUBNET_ADDRESSES)};

        if (wire_passes(&input->filters, subnet_has, &subnet))
            vec_push(call->arena, &output->subnets, subnet);
    }
    return wire_fine();
}

static bool group_has(const void *thing, Slice name, Slice value) {
    (void)thing;
    return has_every_tag(name) || slice_eq(value, GROUP);
}

WireFault wire_describe_groups(WireCall *call) {
    const Ec2DescribeSecurityGroupsInput *input = call->input;
    Ec2DescribeSecurityGroupsOutput *output = call->output;

    if (wire_passes(&input->filters, group_has, NULL))
        vec_push(call->arena, &output->security_groups, (Ec2SecurityGroup){.group_id = GROUP, .group_name = GROUP});
    return wire_fine();
}

// --- images

// The id of the image of a parameter: that of the market, which a fault changes, and what it is made for.
WireFault wire_get_parameter(WireCall *call) {
    const SsmGetParameterInput *input = call->input;
    bool is_arm = slice_contains(input->name, SLICE("arm64"));
    SsmParameter *parameter = arena_new(call->arena, SsmParameter);

    if (!slice_starts_with(input->name, SLICE("/aws/service/")))
        return wire_refuse("ParameterNotFound", "there is no such parameter");
    parameter->name = input->name;
    parameter->value = arena_printf(call->arena, "%.*s-%s-%08x", SLICE_ARG(sim_account_image(call->aws->cloud)),
                                    is_arm ? "arm64" : "x86", (uint32_t)slice_hash(input->name));
    ((SsmGetParameterOutput *)call->output)->parameter = parameter;
    return wire_fine();
}

static void add_image(WireCall *call, Slice id) {
    Ec2DescribeImagesOutput *output = call->output;

    if (!slice_starts_with(id, SLICE("ami-")))
        return;
    vec_push(call->arena, &output->images,
             (Ec2Image){.image_id = id,
                        .name = id,
                        .architecture = slice_contains(id, SLICE("-arm64-")) ? SLICE("arm64") : SLICE("x86_64"),
                        .creation_date = SLICE("2026-01-02T03:04:05.000Z"),
                        .deprecation_time = SLICE("2028-01-02T03:04:05.000Z"),
                        .state = SLICE("available")});
}

// By id alone.
WireFault wire_describe_images(WireCall *call) {
    const Ec2DescribeImagesInput *input = call->input;

    for (vec_each(const Slice, id, &input->image_ids))
        add_image(call, *id);
    for (vec_each(const Ec2Filter, filter, &input->filters)) {
        for (vec_each(const Slice, id, &filter->values)) {
            if (slice_eq_text(filter->name, "image-id"))
                add_image(call, *id);
        }
    }
    return wire_fine();
}

// --- the cluster

WireFault wire_describe_cluster(WireCall *call) {
    const EksDescribeClusterInput *input = call->input;
    EksDescribeClusterOutput *output = call->output;
    EksCluster *cluster = arena_new(call->arena, EksCluster);
    EksNetworkConfig *network = arena_new(call->arena, EksNetworkConfig);

    network->service_ipv4_cidr = SLICE("172.20.0.0/16");
    cluster->endpoint = SLICE("https://simulated.eks.amazonaws.com");
    cluster->version = SLICE("1.35");
    cluster->arn =
        arena_printf(call->arena, "arn:aws:eks:us-east-1:" WIRE_ACCOUNT ":cluster/%.*s", SLICE_ARG(input->name));
    cluster->network_config = network;
    output->cluster = cluster;
    return wire_fine();
}

// --- what there is none of

WireFault wire_describe_reservations(WireCall *call) {
    const Ec2DescribeCapacityReservationsInput *input = call->input;

    if (input->capacity_reservation_ids.count)
        return wire_refuse("InvalidCapacityReservationId.NotFound", "there is no such reservation");
    return wire_fine();
}

WireFault wire_describe_placement_groups(WireCall *call) {
    (void)call;
    return wire_refuse("InvalidPlacementGroup.Unknown", "there is no such placement group");
}
