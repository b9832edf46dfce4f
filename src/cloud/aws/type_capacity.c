// Capacity of instance types: reference aws.md 4.2, and attachable volumes.
#include "cloud/aws/type_capacity.h"

#include <math.h>

enum { MIB = 1 << 20, GIB = 1 << 30 };
static const int64_t GIGABYTE = 1000000000;
// Memory that arm64 machines reserve for contiguous allocations.
enum { ARM64_RESERVED_MIB = 64, PODS_WITHOUT_ENI_LIMIT = 110 };

static int64_t at_least_zero(int64_t value) {
    return value > 0 ? value : 0;
}

static int64_t memory_bytes(const TypeContext *context, const Ec2Type *type) {
    int64_t mib = type->memory_mib - (slice_eq(type->arch, SLICE("arm64")) ? ARM64_RESERVED_MIB : 0);

    return (mib - (int64_t)ceil((double)mib * context->options->vm_memory_overhead_percent)) * MIB;
}

int64_t ec2_pods_by_eni(const TypeContext *context, const Ec2Type *type, int32_t reserved_enis) {
    int64_t most = type->cards.items[type->default_card];
    int64_t interfaces = at_least_zero(most - reserved_enis - context->efa_only_on_first_card);

    return interfaces == 0 ? 0 : interfaces * (type->ipv4_per_interface - 1) + 2;
}

static int64_t pods(const TypeContext *context, const Ec2Type *type) {
    const KubeletSettings *kubelet = &context->node_class->kubelet;
    int64_t most = kubelet->has_max_pods ? kubelet->max_pods
                   : context->family->limits_pods_by_eni
                       ? ec2_pods_by_eni(context, type, context->options->reserved_enis)
                       : PODS_WITHOUT_ENI_LIMIT;
    int64_t by_core = kubelet->pods_per_core * type->cpus;

    if (kubelet->has_pods_per_core && kubelet->pods_per_core > 0 && context->family->honours_pods_per_core &&
        by_core < most)
        return by_core;
    return most;
}

ErrCode ec2_prepare_storage(TypeContext *context, Err *err) {
    const EC2NodeClass *class = context->node_class;
    const BlockDeviceMapping *found = NULL, *root = NULL;

    for (uint32_t i = 0; i < class->block_devices.count; i++) {
        const BlockDeviceMapping *device = &class->block_devices.items[i];

        if (device->root_volume && !root)
            root = device;
        if (context->family->is_custom || (!found && slice_eq(device->device_name, context->family->ephemeral_device)))
            found = device;
    }
    if (root && root->volume_size.len)
        found = root;
    context->storage_bytes = context->family->default_storage_gib * GIB;
    if (!found || found->volume_size.len == 0)
        return OK;
    if (quantity_parse(found->volume_size, QUANTITY_UNIT, &context->storage_bytes, NULL) != OK)
        return err_set(err, ERR_INVALID,
                       "EC2NodeClass %.*s: spec.blockDeviceMappings[%d].ebs.volumeSize: expected a quantity such as "
                       "\"20Gi\", got \"%.*s\" (%.*s:%u)",
                       SLICE_ARG(symbol_text(context->symbols, class->meta.name)),
                       (int)(found - class->block_devices.items), SLICE_ARG(found->volume_size),
                       SLICE_ARG(class->meta.file), class->meta.line);
    return OK;
}

static int64_t ephemeral_storage(const TypeContext *context, const Ec2Type *type) {
    if (slice_eq(context->node_class->instance_store_policy, SLICE("RAID0")) && type->storage_gb >= 0)
        return type->storage_gb * GIGABYTE;
    return context->storage_bytes;
}

// Sets an extended resource unless the amount is 0: absent means 0.
static void set_extended(TypeContext *context, Resources *capacity, uint32_t resource, int64_t amount) {
    if (amount > 0)
        resources_set(context->arena, capacity, context->resources[resource], amount);
}

static void set_accelerators(TypeContext *context, const Ec2Type *type, Resources *capacity) {
    static const struct {
        Slice manufacturer;
        uint32_t resource;
    } makers[] = {{SLICE_INIT("NVIDIA"), EC2_RESOURCE_NVIDIA_GPU},
                  {SLICE_INIT("AMD"), EC2_RESOURCE_AMD_GPU},
                  {SLICE_INIT("Habana"), EC2_RESOURCE_GAUDI}};
    int64_t neurons = 0;

    for (size_t i = 0; i < sizeof makers / sizeof *makers; i++) {
        int64_t count = 0;

        for (uint32_t g = 0; g < type->gpus.count; g++)
            count += slice_eq(type->gpus.items[g].manufacturer, makers[i].manufacturer) ? type->gpus.items[g].count : 0;
        set_extended(context, capacity, makers[i].resource, count);
    }
    for (uint32_t i = 0; i < type->neurons.count; i++)
        neurons += type->neurons.items[i].count;
    set_extended(context, capacity, EC2_RESOURCE_NEURON, neurons);
    if (type->neurons.count)
        set_extended(context, capacity, EC2_RESOURCE_NEURON_CORE,
                     type->neurons.items[0].count * type->neurons.items[0].cores_per_device);
}

Resources ec2_type_capacity(TypeContext *context, const Ec2Type *type) {
    Resources capacity = {0};
    bool lists_interfaces = context->node_class->network_interfaces.count > 0;

    resources_set(context->arena, &capacity, NAME_CPU, type->cpus * 1000);
    resources_set(context->arena, &capacity, NAME_MEMORY, memory_bytes(context, type));
    resources_set(context->arena, &capacity, NAME_PODS, pods(context, type));
    resources_set(context->arena, &capacity, NAME_EPHEMERAL_STORAGE, ephemeral_storage(context, type));
    set_extended(context, &capacity, EC2_RESOURCE_POD_ENI, type->branch_interfaces);
    set_extended(context, &capacity, EC2_RESOURCE_EFA,
                 lists_interfaces ? context->efa_only_interfaces : type->efa_interfaces);
    if (context->family->windows_build.len)
        set_extended(context, &capacity, EC2_RESOURCE_PRIVATE_IPV4, type->ipv4_per_interface - 1);
    set_accelerators(context, type, &capacity);
    return capacity;
}

// The volume limit that the EBS CSI driver will report for a node: the attachments of the type minus the volumes that
// the node boots with, and, where network interfaces count against the same limit, minus the second interface, which
// the VPC CNI attaches before the driver counts (m5.large: 27 - 1 - 1 = 25). At least 1, as in the driver.
VolumeLimitVec ec2_type_volume_limits(TypeContext *context, const Ec2Type *type) {
    uint32_t listed = context->node_class->block_devices.count;
    int64_t boot_volumes = listed ? listed : context->family->default_volume_count;
    bool shares = !type->attachments_are_dedicated && !slice_eq(type->hypervisor, SLICE("xen"));
    int64_t left = type->ebs_attachments - boot_volumes - (shares && type->cards.items[type->default_card] > 1);
    VolumeLimitVec limits = {0};

    vec_push(context->arena, &limits,
             (VolumeLimit){.driver = context->ebs_driver, .has_count = true, .count = left > 1 ? left : 1});
    return limits;
}
