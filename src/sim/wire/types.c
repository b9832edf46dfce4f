// Instance types of the catalogue in EC2's words, and the zones that offer them.
#include "aws/service/ec2_type.h"
#include "sim/wire/wire_parts.h"

enum { TYPES_PAGE = 100, OFFERINGS_PAGE = 1000 };

static AwsInteger known(int64_t number) {
    return number < 0 ? (AwsInteger){0} : aws_integer(number);
}

static Slice supported(bool is) {
    return is ? SLICE("supported") : SLICE("unsupported");
}

static const Ec2ProcessorInfo *processor_of(Arena *arena, const Ec2Type *type) {
    Ec2ProcessorInfo *info = arena_new(arena, Ec2ProcessorInfo);

    vec_push(arena, &info->supported_architectures, slice_eq_text(type->arch, "amd64") ? SLICE("x86_64") : type->arch);
    if (type->nested_virtualization)
        vec_push(arena, &info->supported_features, SLICE("nested-virtualization"));
    info->manufacturer = type->manufacturer;
    if (type->clock_mhz >= 0)
        info->sustained_clock_speed_in_ghz = aws_real((double)type->clock_mhz / 1000);
    return info;
}

static const Ec2NetworkInfo *network_of(Arena *arena, const Ec2Type *type) {
    Ec2NetworkInfo *info = arena_new(arena, Ec2NetworkInfo);
    Ec2EfaInfo *efa = arena_new(arena, Ec2EfaInfo);

    for (uint32_t i = 0; i < type->cards.count; i++)
        vec_push(arena, &info->network_cards, (Ec2NetworkCard){aws_integer(i), aws_integer(type->cards.items[i])});
    info->default_network_card_index = aws_integer(type->default_card);
    info->ipv4_addresses_per_interface = aws_integer(type->ipv4_per_interface);
    info->ena_support = type->ena ? SLICE("required") : SLICE("unsupported");
    info->encryption_in_transit_supported = aws_bool(type->encryption_in_transit);
    efa->maximum_efa_interfaces = aws_integer(type->efa_interfaces);
    info->efa_info = efa;
    return info;
}

static const Ec2EbsInfo *ebs_of(Arena *arena, const Ec2Type *type) {
    Ec2EbsInfo *info = arena_new(arena, Ec2EbsInfo);
    Ec2EbsOptimizedInfo *optimized = arena_new(arena, Ec2EbsOptimizedInfo);

    info->ebs_optimized_support = type->ebs_mbps >= 0 ? SLICE("default") : SLICE("unsupported");
    info->maximum_ebs_attachments = aws_integer(type->ebs_attachments);
    info->attachment_limit_type = type->attachments_are_dedicated ? SLICE("dedicated") : SLICE("shared");
    optimized->maximum_bandwidth_in_mbps = known(type->ebs_mbps);
    info->ebs_optimized_info = optimized;
    return info;
}

static const Ec2MemoryInfo *memory_of(Arena *arena, int64_t mib) {
    Ec2MemoryInfo *info = arena_new(arena, Ec2MemoryInfo);

    info->size_in_mib = aws_integer(mib);
    return info;
}

static void set_devices(Arena *arena, const Ec2Type *type, Ec2InstanceType *answer) {
    Ec2GpuInfo *gpus = arena_new(arena, Ec2GpuInfo);
    Ec2InferenceAcceleratorInfo *accelerators = arena_new(arena, Ec2InferenceAcceleratorInfo);
    Ec2NeuronInfo *neurons = arena_new(arena, Ec2NeuronInfo);

    for (vec_each(const Ec2Device, gpu, &type->gpus))
        vec_push(
            arena, &gpus->gpus,
            (Ec2GpuDevice){gpu->name, gpu->manufacturer, aws_integer(gpu->count), memory_of(arena, gpu->memory_mib)});
    for (vec_each(const Ec2Device, device, &type->accelerators))
        vec_push(arena, &accelerators->accelerators,
                 (Ec2InferenceDevice){device->name, device->manufacturer, aws_integer(device->count)});
    for (vec_each(const Ec2Neuron, neuron, &type->neurons)) {
        Ec2NeuronCoreInfo *cores = arena_new(arena, Ec2NeuronCoreInfo);

        cores->count = aws_integer(neuron->cores_per_device);
        vec_push(arena, &neurons->neuron_devices, (Ec2NeuronDevice){neuron->name, aws_integer(neuron->count), cores});
    }
    answer->gpu_info = gpus->gpus.count ? gpus : NULL;
    answer->inference_accelerator_info = accelerators->accelerators.count ? accelerators : NULL;
    answer->neuron_info = neurons->neuron_devices.count ? neurons : NULL;
}

static void set_storage(Arena *arena, const Ec2Type *type, Ec2InstanceType *answer) {
    Ec2InstanceStorageInfo *storage = arena_new(arena, Ec2InstanceStorageInfo);

    if (type->storage_gb < 0)
        return;
    storage->total_size_in_gb = aws_integer(type->storage_gb);
    storage->nvme_support = type->storage_is_nvme ? SLICE("required") : SLICE("unsupported");
    answer->instance_storage_info = storage;
}

static void set_words(Arena *arena, const Ec2Type *type, Ec2InstanceType *answer) {
    static const struct {
        Ec2Usage bit;
        const char *text;
    } usages[] = {
        {EC2_USAGE_ON_DEMAND, "on-demand"}, {EC2_USAGE_SPOT, "spot"}, {EC2_USAGE_CAPACITY_BLOCK, "capacity-block"}};
    Ec2PlacementGroupInfo *groups = arena_new(arena, Ec2PlacementGroupInfo);

    for (size_t i = 0; i < sizeof usages / sizeof *usages; i++) {
        if (type->usages & usages[i].bit)
            vec_push(arena, &answer->supported_usage_classes, slice_of(usages[i].text));
    }
    if (type->cluster_placement)
        vec_push(arena, &groups->supported_strategies, SLICE("cluster"));
    vec_push(arena, &groups->supported_strategies, SLICE("spread"));
    answer->placement_group_info = groups;
    if (type->hypervisor.len)
        answer->hypervisor = type->hypervisor;
    answer->nitro_enclaves_support = supported(type->nitro_enclaves);
    answer->bare_metal = aws_bool(type->bare_metal);
}

static Ec2InstanceType describe(Arena *arena, const Ec2Type *type) {
    Ec2VCpuInfo *cpus = arena_new(arena, Ec2VCpuInfo);
    Ec2InstanceType answer = {
        .instance_type = type->name,
        .processor_info = processor_of(arena, type),
        .vcpu_info = cpus,
        .memory_info = memory_of(arena, type->memory_mib),
        .network_info = network_of(arena, type),
        .ebs_info = ebs_of(arena, type),
    };

    cpus->default_vcpus = aws_integer(type->cpus);
    set_storage(arena, type, &answer);
    set_devices(arena, type, &answer);
    set_words(arena, type, &answer);
    return answer;
}

WireFault wire_describe_types(WireCall *call) {
    const Ec2DescribeInstanceTypesInput *input = call->input;
    Ec2DescribeInstanceTypesOutput *output = call->output;
    const Ec2Catalogue *catalogue = sim_account_catalogue(call->aws->cloud);
    const Ec2Region *region = sim_account_region(call->aws->cloud);
    uint32_t from, to;

    if (input->dry_run.value)
        return (WireFault){412, "DryRunOperation", SLICE("it would have succeeded")};
    output->next_token =
        wire_page(call->arena, input->next_token, input->max_results, TYPES_PAGE, catalogue->types.count, &from, &to);
    for (uint32_t i = from; i < to; i++) {
        if (ec2_offer(catalogue, &catalogue->types.items[i], region)->zones)
            vec_push(call->arena, &output->instance_types, describe(call->arena, &catalogue->types.items[i]));
    }
    return wire_fine();
}

WireFault wire_describe_offerings(WireCall *call) {
    const Ec2DescribeInstanceTypeOfferingsInput *input = call->input;
    Ec2DescribeInstanceTypeOfferingsOutput *output = call->output;
    const Ec2Catalogue *catalogue = sim_account_catalogue(call->aws->cloud);
    const Ec2Region *region = sim_account_region(call->aws->cloud);
    uint32_t zones = region->zone_count, from, to;

    if (!slice_eq_text(input->location_type, "availability-zone"))
        return wire_refuse("InvalidParameterValue", "only availability-zone is answered here");
    output->next_token = wire_page(call->arena, input->next_token, input->max_results, OFFERINGS_PAGE,
                                   catalogue->types.count * zones, &from, &to);
    for (uint32_t i = from; i < to; i++) {
        const Ec2Type *type = &catalogue->types.items[i / zones];

        if (ec2_offer(catalogue, type, region)->zones & 1u << i % zones)
            vec_push(call->arena, &output->instance_type_offerings,
                     (Ec2InstanceTypeOffering){type->name, region->zones[i % zones].name});
    }
    return wire_fine();
}
