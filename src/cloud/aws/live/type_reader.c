// From Ec2InstanceType to Ec2Type: what bench/catalogue/generate.py does with the same answer.
#include "cloud/aws/live/type_reader.h"

#include <math.h>

static const int64_t NUMBER_MAX = 1000000000;
// Volumes of a type whose limit nobody states: that of nearly all types on Nitro, shared with network interfaces.
enum { USUAL_ATTACHMENTS = 27, NAME_MAX_BYTES = 64 };

typedef struct {
    Arena *arena;
    const Ec2InstanceType *answer;
    const Ec2Type *baked;  // the same type in the built-in catalogue, or NULL
    const Ec2Type *family; // any of its family there, or NULL
    Ec2Type *type;
    Err *err;
} TypeReader;

static ErrCode refuse(const TypeReader *reader, const char *member, const char *expected) {
    return err_set(reader->err, ERR_INVALID, "instance type \"%.*s\": %s: expected %s",
                   SLICE_ARG(slice_first(reader->answer->instance_type, NAME_MAX_BYTES)), member, expected);
}

static bool in_range(const AwsInteger *number) {
    return number->has && number->value >= 0 && number->value <= NUMBER_MAX;
}

// A number that capacity needs.
static ErrCode read_number(const TypeReader *reader, const AwsInteger *number, const char *member, int64_t *ret) {
    if (!in_range(number))
        return refuse(reader, member, "a number from 0 to 1000000000");
    *ret = number->value;
    return OK;
}

// A number that counts as `otherwise` where it is absent.
static ErrCode read_optional(const TypeReader *reader, const AwsInteger *number, const char *member, int64_t otherwise,
                             int64_t *ret) {
    if (number->has)
        return read_number(reader, number, member, ret);
    *ret = otherwise;
    return OK;
}

static bool has_text(const SliceVec *texts, const char *text) {
    for (vec_each(const Slice, member, texts)) {
        if (slice_eq_text(*member, text))
            return true;
    }
    return false;
}

static ErrCode read_name(const TypeReader *reader) {
    Slice name = reader->answer->instance_type;
    ptrdiff_t dot = slice_find(name, '.');

    if (dot <= 0 || (size_t)dot + 1 == name.len || name.len > NAME_MAX_BYTES)
        return refuse(reader, "instanceType", "FAMILY.SIZE of at most 64 bytes");
    name = arena_slice(reader->arena, name);
    reader->type->name = name;
    reader->type->family = slice_first(name, (size_t)dot);
    reader->type->size = slice_from(name, (size_t)dot + 1);
    return OK;
}

static ErrCode read_processor(const TypeReader *reader) {
    const Ec2ProcessorInfo *processor = reader->answer->processor_info;
    Ec2Type *type = reader->type;

    if (!processor)
        return refuse(reader, "processorInfo", "a structure");
    for (vec_each(const Slice, word, &processor->supported_architectures)) {
        if (type->arch.len == 0)
            type->arch = ec2_arch(*word);
    }
    type->manufacturer = arena_slice(reader->arena, processor->manufacturer);
    type->nested_virtualization = has_text(&processor->supported_features, "nested-virtualization");
    type->clock_mhz = -1;
    if (!processor->sustained_clock_speed_in_ghz.has)
        return OK;
    if (!(processor->sustained_clock_speed_in_ghz.value >= 0 && processor->sustained_clock_speed_in_ghz.value < 1000))
        return refuse(reader, "processorInfo.sustainedClockSpeedInGhz", "a number from 0 to 1000");
    type->clock_mhz = (int64_t)lround(processor->sustained_clock_speed_in_ghz.value * 1000);
    return OK;
}

static ErrCode read_size(const TypeReader *reader) {
    const Ec2InstanceType *answer = reader->answer;

    if (!answer->vcpu_info)
        return refuse(reader, "vCpuInfo", "a structure");
    if (!answer->memory_info)
        return refuse(reader, "memoryInfo", "a structure");
    TRY(read_number(reader, &answer->vcpu_info->default_vcpus, "vCpuInfo.defaultVCpus", &reader->type->cpus));
    return read_number(reader, &answer->memory_info->size_in_mib, "memoryInfo.sizeInMiB", &reader->type->memory_mib);
}

// The cards in the order of their indexes, which are 0, 1, 2, …
static ErrCode read_cards(const TypeReader *reader, const Ec2NetworkInfo *network) {
    uint32_t count = network->network_cards.count;
    Ec2Type *type = reader->type;
    int64_t default_card = 0;

    if (count == 0 || count > EC2_LIVE_PARTS_MAX)
        return refuse(reader, "networkInfo.networkCards", "1 to 64 cards");
    for (uint32_t i = 0; i < count; i++) {
        const Ec2NetworkCard *found = NULL;

        for (vec_each(const Ec2NetworkCard, card, &network->network_cards)) {
            if (card->network_card_index.has && card->network_card_index.value == i)
                found = card;
        }
        if (!found || !in_range(&found->maximum_network_interfaces))
            return refuse(reader, "networkInfo.networkCards", "each index once, with its interfaces");
        vec_push(reader->arena, &type->cards, (uint32_t)found->maximum_network_interfaces.value);
    }
    TRY(read_optional(reader, &network->default_network_card_index, "networkInfo.defaultNetworkCardIndex", 0,
                      &default_card));
    if (default_card >= count)
        return refuse(reader, "networkInfo.defaultNetworkCardIndex", "the index of a card");
    type->default_card = (uint32_t)default_card;
    return OK;
}

static ErrCode read_network(const TypeReader *reader) {
    const Ec2NetworkInfo *network = reader->answer->network_info;
    Ec2Type *type = reader->type;

    if (!network)
        return refuse(reader, "networkInfo", "a structure");
    TRY(read_cards(reader, network));
    TRY(read_number(reader, &network->ipv4_addresses_per_interface, "networkInfo.ipv4AddressesPerInterface",
                    &type->ipv4_per_interface));
    if (network->efa_info)
        TRY(read_optional(reader, &network->efa_info->maximum_efa_interfaces,
                          "networkInfo.efaInfo.maximumEfaInterfaces", 0, &type->efa_interfaces));
    type->encryption_in_transit = network->encryption_in_transit_supported.value;
    type->ena = !slice_eq_text(network->ena_support, "unsupported");
    type->network_mbps = reader->baked ? reader->baked->network_mbps : -1;
    type->branch_interfaces = reader->baked ? reader->baked->branch_interfaces : 0;
    return OK;
}

static ErrCode read_volumes(const TypeReader *reader) {
    const Ec2InstanceStorageInfo *storage = reader->answer->instance_storage_info;
    const Ec2EbsInfo *ebs = reader->answer->ebs_info;
    Ec2Type *type = reader->type;

    type->storage_gb = type->ebs_mbps = -1;
    if (storage) {
        TRY(read_optional(reader, &storage->total_size_in_gb, "instanceStorageInfo.totalSizeInGB", -1,
                          &type->storage_gb));
        type->storage_is_nvme = type->storage_gb >= 0 && !slice_eq_text(storage->nvme_support, "unsupported");
    }
    if (ebs && slice_eq_text(ebs->ebs_optimized_support, "default") && ebs->ebs_optimized_info)
        TRY(read_optional(reader, &ebs->ebs_optimized_info->maximum_bandwidth_in_mbps,
                          "ebsInfo.ebsOptimizedInfo.maximumBandwidthInMbps", -1, &type->ebs_mbps));
    type->ebs_attachments = reader->baked ? reader->baked->ebs_attachments : USUAL_ATTACHMENTS;
    type->attachments_are_dedicated = reader->baked && reader->baked->attachments_are_dedicated;
    if (!ebs || !ebs->maximum_ebs_attachments.has)
        return OK;
    type->attachments_are_dedicated = slice_eq_text(ebs->attachment_limit_type, "dedicated");
    return read_number(reader, &ebs->maximum_ebs_attachments, "ebsInfo.maximumEbsAttachments", &type->ebs_attachments);
}

static ErrCode read_gpus(const TypeReader *reader, const Ec2GpuInfo *info) {
    for (vec_each(const Ec2GpuDevice, gpu, &info->gpus)) {
        Ec2Device *device = vec_add(reader->arena, &reader->type->gpus);

        if (reader->type->gpus.count > EC2_LIVE_PARTS_MAX)
            return refuse(reader, "gpuInfo.gpus", "at most 64 kinds");
        device->manufacturer = arena_slice(reader->arena, gpu->manufacturer);
        device->name = arena_slice(reader->arena, gpu->name);
        TRY(read_number(reader, &gpu->count, "gpuInfo.gpus.count", &device->count));
        if (gpu->memory_info)
            TRY(read_optional(reader, &gpu->memory_info->size_in_mib, "gpuInfo.gpus.memoryInfo.sizeInMiB", 0,
                              &device->memory_mib));
    }
    return OK;
}

static ErrCode read_accelerators(const TypeReader *reader, const Ec2InferenceAcceleratorInfo *info) {
    for (vec_each(const Ec2InferenceDevice, accelerator, &info->accelerators)) {
        Ec2Device *device = vec_add(reader->arena, &reader->type->accelerators);

        if (reader->type->accelerators.count > EC2_LIVE_PARTS_MAX)
            return refuse(reader, "inferenceAcceleratorInfo.accelerators", "at most 64 kinds");
        device->manufacturer = arena_slice(reader->arena, accelerator->manufacturer);
        device->name = arena_slice(reader->arena, accelerator->name);
        TRY(read_number(reader, &accelerator->count, "inferenceAcceleratorInfo.accelerators.count", &device->count));
    }
    return OK;
}

static ErrCode read_neurons(const TypeReader *reader, const Ec2NeuronInfo *info) {
    for (vec_each(const Ec2NeuronDevice, found, &info->neuron_devices)) {
        Ec2Neuron *device = vec_add(reader->arena, &reader->type->neurons);

        if (reader->type->neurons.count > EC2_LIVE_PARTS_MAX)
            return refuse(reader, "neuronInfo.neuronDevices", "at most 64 kinds");
        device->name = arena_slice(reader->arena, found->name);
        TRY(read_number(reader, &found->count, "neuronInfo.neuronDevices.count", &device->count));
        if (found->core_info)
            TRY(read_optional(reader, &found->core_info->count, "neuronInfo.neuronDevices.coreInfo.count", 0,
                              &device->cores_per_device));
    }
    return OK;
}

static ErrCode read_devices(const TypeReader *reader) {
    const Ec2InstanceType *answer = reader->answer;

    if (answer->gpu_info)
        TRY(read_gpus(reader, answer->gpu_info));
    if (answer->inference_accelerator_info)
        TRY(read_accelerators(reader, answer->inference_accelerator_info));
    return answer->neuron_info ? read_neurons(reader, answer->neuron_info) : OK;
}

static void read_words(const TypeReader *reader) {
    const Ec2InstanceType *answer = reader->answer;
    Ec2Type *type = reader->type;

    type->hypervisor = arena_slice(reader->arena, answer->hypervisor);
    type->bare_metal = answer->bare_metal.value;
    type->nitro_enclaves = slice_eq_text(answer->nitro_enclaves_support, "supported");
    type->cluster_placement =
        answer->placement_group_info && has_text(&answer->placement_group_info->supported_strategies, "cluster");
    type->usages = (has_text(&answer->supported_usage_classes, "on-demand") ? EC2_USAGE_ON_DEMAND : 0u) |
                   (has_text(&answer->supported_usage_classes, "spot") ? EC2_USAGE_SPOT : 0u) |
                   (has_text(&answer->supported_usage_classes, "capacity-block") ? EC2_USAGE_CAPACITY_BLOCK : 0u);
    type->spot_percent = reader->family ? reader->family->spot_percent : 100;
}

// A type of the family in the sorted list: the first whose name is not less than "<family>.".
static const Ec2Type *find_family(const Ec2Catalogue *catalogue, Slice family) {
    uint32_t low = 0, high = catalogue->types.count;

    while (low < high) {
        uint32_t middle = (low + high) / 2;
        Slice name = catalogue->types.items[middle].name;
        int order = slice_cmp(slice_first(name, family.len), family);

        if (order < 0 || (order == 0 && (name.len == family.len || name.ptr[family.len] < '.')))
            low = middle + 1;
        else
            high = middle;
    }
    if (low < catalogue->types.count && slice_eq(catalogue->types.items[low].family, family))
        return &catalogue->types.items[low];
    return NULL;
}

ErrCode ec2_type_read(Arena *arena, const Ec2Catalogue *baked, const Ec2InstanceType *answer, Ec2Type *ret_type,
                      Err *err) {
    Ec2Type type = {0};
    TypeReader reader = {.arena = arena, .answer = answer, .type = &type, .err = err};

    TRY(read_name(&reader));
    reader.baked = ec2_catalogue_type(baked, type.name);
    reader.family = find_family(baked, type.family);
    TRY(read_processor(&reader));
    TRY(read_size(&reader));
    TRY(read_network(&reader));
    TRY(read_volumes(&reader));
    TRY(read_devices(&reader));
    read_words(&reader);
    *ret_type = type;
    return OK;
}
