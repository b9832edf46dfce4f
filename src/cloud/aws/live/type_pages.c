// Pages of types, sorted and compared.
#include "cloud/aws/live/type_pages.h"

#include "base/map.h"
#include "cloud/aws/filters.h"

#include <stdlib.h>

enum { PAGE_SIZE = 100 };

Ec2DescribeInstanceTypesInput ec2_types_query(Arena *arena) {
    Ec2DescribeInstanceTypesInput input = {.max_results = aws_integer(PAGE_SIZE)};

    ec2_filter_add(arena, &input.filters, SLICE("supported-virtualization-type"), SLICE("hvm"));
    ec2_filter_add(arena, &input.filters, SLICE("processor-info.supported-architecture"), SLICE("x86_64"));
    vec_push(arena, &vec_last(&input.filters)->values, SLICE("arm64"));
    return input;
}

static ErrCode add_type(Ec2TypePages *pages, const Ec2InstanceType *answer) {
    Ec2Type type;

    TRY(ec2_type_read(pages->arena, pages->baked, answer, &type, &pages->failure));
    if (type.arch.len == 0)
        return OK;
    if (pages->types.count == EC2_LIVE_TYPES_MAX)
        return err_set(&pages->failure, ERR_TOO_LARGE, "EC2 lists more than %d instance types", EC2_LIVE_TYPES_MAX);
    vec_push(pages->arena, &pages->types, type);
    return OK;
}

void ec2_types_add(Ec2TypePages *pages, const Ec2DescribeInstanceTypesOutput *page) {
    pages->is_complete = slice_is_empty(page->next_token);
    for (vec_each(const Ec2InstanceType, answer, &page->instance_types)) {
        if (pages->failure.code != OK || add_type(pages, answer) != OK)
            return;
    }
}

static int compare_names(const void *a, const void *b) {
    return slice_cmp(((const Ec2Type *)a)->name, ((const Ec2Type *)b)->name);
}

ErrCode ec2_types_end(Ec2TypePages *pages, Ec2TypeVec *ret_types, Err *err) {
    Ec2TypeVec types = pages->types;
    uint32_t kept = 0;

    if (pages->failure.code != OK)
        return err_set(err, pages->failure.code, "%s", pages->failure.text);
    if (!pages->is_complete)
        return err_set(err, ERR_IO, "EC2's list of instance types lacks its last page");
    if (types.count == 0)
        return err_set(err, ERR_NOT_FOUND, "EC2 lists no instance types");
    qsort(types.items, types.count, sizeof *types.items, compare_names);
    for (uint32_t i = 0; i < types.count; i++) {
        if (kept == 0 || !slice_eq(types.items[i].name, types.items[kept - 1].name))
            types.items[kept++] = types.items[i];
    }
    types.count = kept;
    *ret_types = types;
    return OK;
}

static void mix(uint64_t *digest, int64_t number) {
    *digest = hash_combine(*digest, (uint64_t)number);
}

static void mix_text(uint64_t *digest, Slice text) {
    *digest = hash_combine(*digest, slice_hash(text));
}

static void mix_devices(uint64_t *digest, const Ec2DeviceVec *devices) {
    mix(digest, devices->count);
    for (vec_each(const Ec2Device, device, devices)) {
        mix_text(digest, device->manufacturer);
        mix_text(digest, device->name);
        mix(digest, device->count);
        mix(digest, device->memory_mib);
    }
}

static void mix_parts(uint64_t *digest, const Ec2Type *type) {
    mix(digest, type->cards.count);
    for (vec_each(const uint32_t, interfaces, &type->cards))
        mix(digest, *interfaces);
    mix_devices(digest, &type->gpus);
    mix_devices(digest, &type->accelerators);
    mix(digest, type->neurons.count);
    for (vec_each(const Ec2Neuron, neuron, &type->neurons)) {
        mix_text(digest, neuron->name);
        mix(digest, neuron->count);
        mix(digest, neuron->cores_per_device);
    }
}

uint64_t ec2_types_digest(const Ec2TypeVec *types) {
    uint64_t digest = types->count;

    for (vec_each(const Ec2Type, type, types)) {
        const Slice texts[] = {type->name, type->arch, type->hypervisor, type->manufacturer};
        const bool flags[] = {type->bare_metal,      type->encryption_in_transit,    type->nested_virtualization,
                              type->nitro_enclaves,  type->cluster_placement,        type->ena,
                              type->storage_is_nvme, type->attachments_are_dedicated};
        const int64_t numbers[] = {type->usages,
                                   type->cpus,
                                   type->memory_mib,
                                   type->default_card,
                                   type->ipv4_per_interface,
                                   type->efa_interfaces,
                                   type->branch_interfaces,
                                   type->network_mbps,
                                   type->ebs_mbps,
                                   type->storage_gb,
                                   type->clock_mhz,
                                   type->ebs_attachments};

        for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
            mix_text(&digest, texts[i]);
        for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
            mix(&digest, flags[i]);
        for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
            mix(&digest, numbers[i]);
        mix_parts(&digest, type);
    }
    return digest;
}
