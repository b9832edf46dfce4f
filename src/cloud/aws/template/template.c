// The content of a launch template.
#include "cloud/aws/template/template.h"

#include "cloud/aws/template/devices.h"
#include "cloud/aws/template/interfaces.h"
#include "cloud/aws/template/template_name.h"
#include "cloud/aws/userdata/bottlerocket_version.h"
#include "net/base64.h"

// --- user data

static ErrCode write_user_data(Arena *arena, const TemplateFacts *facts, const TemplateKey *key,
                               Ec2LaunchTemplateData *data, size_t *ret_bytes, Err *err) {
    const EC2NodeClass *class = facts->class;
    UserDataOptions options = {
        .family = facts->family,
        .cluster_name = facts->owner.cluster,
        .cluster_endpoint = facts->cluster_endpoint,
        .ca_bundle = facts->ca_bundle,
        .service_cidr = facts->service_cidr,
        .dns_ip = facts->dns_ip,
        .labels = facts->labels,
        .taints = facts->taints,
        .kubelet = class->launch.kubelet,
        .max_pods = key->max_pods,
        .raid0 = slice_eq_text(class->instance_store_policy, "RAID0"),
        .custom = class->launch.user_data,
        .image_version = bottlerocket_version(&class->launch.ami_terms, &class->found.amis),
    };
    UserData user_data;

    TRY(user_data_write(arena, &options, &user_data, err));
    *ret_bytes = user_data.text.len;
    if (user_data.text.len)
        data->user_data = base64_encode(arena, user_data.text);
    return OK;
}

// --- options

// Regions whose metadata service knows nothing of IPv6.
static bool lacks_metadata_ipv6(Slice region) {
    static const char *const regions[] = {"us-iso-east-1",  "us-iso-west-1",   "us-isob-east-1",
                                          "us-isob-west-1", "us-isof-south-1", "us-isof-east-1"};

    for (size_t i = 0; i < sizeof regions / sizeof *regions; i++) {
        if (slice_eq_text(region, regions[i]))
            return true;
    }
    return false;
}

static AwsInteger integer_or_absent(OptionalInt number) {
    return number.has ? aws_integer(number.value) : (AwsInteger){0};
}

static Slice text_or_absent(Slice text) {
    return text.len ? text : (Slice){0};
}

// Without options in the class, which its definition's defaults prevent, the service is off.
static const Ec2MetadataOptions *metadata_options(Arena *arena, const TemplateFacts *facts) {
    const MetadataOptions *given = &facts->class->launch.metadata_options;
    Ec2MetadataOptions *options = arena_new(arena, Ec2MetadataOptions);
    bool has = facts->class->launch.has_metadata_options, ipv6 = template_is_ipv6(facts->dns_ip);

    *options = (Ec2MetadataOptions){.http_endpoint = SLICE("disabled"),
                                    .http_protocol_ipv6 = ipv6 ? SLICE("enabled") : SLICE("disabled"),
                                    .http_put_response_hop_limit = aws_integer(2),
                                    .http_tokens = SLICE("required")};
    if (has)
        *options = (Ec2MetadataOptions){.http_endpoint = text_or_absent(given->http_endpoint),
                                        .http_protocol_ipv6 = text_or_absent(given->http_protocol_ipv6),
                                        .http_put_response_hop_limit = integer_or_absent(given->hop_limit),
                                        .http_tokens = text_or_absent(given->http_tokens)};
    if (lacks_metadata_ipv6(facts->region))
        options->http_protocol_ipv6 = (Slice){0};
    options->instance_metadata_tags = SLICE("disabled");
    return options;
}

static const Ec2Enabled *enabled(Arena *arena, bool value) {
    Ec2Enabled *option = arena_new(arena, Ec2Enabled);

    option->enabled = aws_bool(value);
    return option;
}

static const Ec2LaunchPlacement *placement(Arena *arena, const TemplateFacts *facts) {
    Ec2LaunchPlacement *place = arena_new(arena, Ec2LaunchPlacement);

    place->tenancy = facts->tenancy;
    place->group_id = text_or_absent(facts->placement_group_id);
    place->partition_number = integer_or_absent(facts->partition);
    return place;
}

static void set_profile(Arena *arena, Slice name, Ec2LaunchTemplateData *data) {
    Ec2IamInstanceProfile *profile = arena_new(arena, Ec2IamInstanceProfile);

    if (!name.len)
        return;
    profile->name = name;
    data->iam_instance_profile = profile;
}

static void set_cpu(Arena *arena, Slice nested_virtualization, Ec2LaunchTemplateData *data) {
    Ec2CpuOptions *options = arena_new(arena, Ec2CpuOptions);

    if (!nested_virtualization.len)
        return;
    options->nested_virtualization = nested_virtualization;
    data->cpu_options = options;
}

// Without a reservation of its own an instance takes none, not even an open one that fits.
static void set_reservation(Arena *arena, const TemplateReservation *reservation, Ec2LaunchTemplateData *data) {
    Ec2CapacityReservationSpecification *wanted = arena_new(arena, Ec2CapacityReservationSpecification);
    Ec2CapacityReservationTarget *target = arena_new(arena, Ec2CapacityReservationTarget);
    Ec2InstanceMarketOptions *market = arena_new(arena, Ec2InstanceMarketOptions);

    data->capacity_reservation_specification = wanted;
    wanted->capacity_reservation_preference = SLICE("none");
    if (!reservation->id.len)
        return;
    wanted->capacity_reservation_preference = SLICE("capacity-reservations-only");
    wanted->capacity_reservation_target = target;
    target->capacity_reservation_id = reservation->id;
    if (slice_eq_text(reservation->type, "capacity-block"))
        market->market_type = SLICE("capacity-block");
    else if (reservation->interruptible)
        market->market_type = SLICE("interruptible-capacity-reservation");
    if (market->market_type.len)
        data->instance_market_options = market;
}

static void tag(Arena *arena, Ec2TagSpecificationVec *specifications, Slice resource, Ec2TagVec tags) {
    vec_push(arena, specifications, (Ec2TagSpecification){resource, tags});
}

ErrCode template_write(Arena *arena, const TemplateFacts *facts, const TemplateKey *key,
                       Ec2CreateLaunchTemplateInput *ret_input, size_t *ret_user_data_bytes, Err *err) {
    const EC2NodeClass *class = facts->class;
    Ec2LaunchTemplateData *data = arena_new(arena, Ec2LaunchTemplateData);
    Ec2TagVec tags = class_tags(arena, &class->launch.tags, &facts->owner);
    Ec2CreateLaunchTemplateInput input = {.launch_template_data = data};
    size_t bytes = 0;

    data->image_id = key->image_id;
    TRY(write_user_data(arena, facts, key, data, &bytes, err));
    TRY(template_devices(arena, &class->block_devices, facts->family, &data->block_device_mappings, err));
    data->network_interfaces = template_interfaces(arena, facts, key->efa_count);
    set_profile(arena, class->found.instance_profile, data);
    data->monitoring = enabled(arena, class->launch.detailed_monitoring);
    data->metadata_options = metadata_options(arena, facts);
    data->enclave_options = enabled(arena, class->launch.enclaves.value);
    data->placement = placement(arena, facts);
    set_cpu(arena, class->launch.nested_virtualization, data);
    if (facts->reserved_capacity)
        set_reservation(arena, &key->reservation, data);
    tag(arena, &data->tag_specifications, SLICE("network-interface"), tags);
    if (facts->capacity_type == NAME_SPOT)
        tag(arena, &data->tag_specifications, SLICE("spot-instances-request"), tags);
    tag(arena, &input.tag_specifications, SLICE("launch-template"), tags);
    input.launch_template_name = template_name(arena, data);
    *ret_input = input;
    *ret_user_data_bytes = bytes;
    return OK;
}
