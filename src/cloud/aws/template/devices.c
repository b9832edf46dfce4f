// Disks: the user's, or the family's.
#include "cloud/aws/template/devices.h"

#include "text/quantity.h"

enum { GIB_BITS = 30, BOTTLEROCKET_ROOT_GIB = 6 };

static AwsBool bool_of(OptionalBool value) {
    return value.has ? aws_bool(value.value) : (AwsBool){0};
}

static AwsInteger unless_zero(OptionalInt number) {
    return number.has && number.value ? aws_integer(number.value) : (AwsInteger){0};
}

static Slice unless_empty(Slice text) {
    return text.len ? text : (Slice){0};
}

static ErrCode size_in_gib(const BlockDeviceMapping *device, AwsInteger *ret_size, Err *err) {
    int64_t bytes;

    if (!device->volume_size.len)
        return OK;
    if (quantity_parse(device->volume_size, QUANTITY_UNIT, &bytes, NULL) != OK || bytes <= 0)
        return err_set(err, ERR_INVALID, "spec.blockDeviceMappings, device %.*s: volumeSize %.*s is no size",
                       SLICE_ARG(device->device_name), SLICE_ARG(device->volume_size));
    *ret_size = aws_integer(((bytes - 1) >> GIB_BITS) + 1);
    return OK;
}

static ErrCode add_given(Arena *arena, const BlockDeviceMapping *device, Ec2BlockDeviceMappingVec *list, Err *err) {
    Ec2BlockDeviceMapping mapping = {.device_name = unless_empty(device->device_name)};

    if (device->has_ebs) {
        Ec2EbsBlockDevice *ebs = arena_new(arena, Ec2EbsBlockDevice);

        TRY(size_in_gib(device, &ebs->volume_size, err));
        ebs->delete_on_termination = bool_of(device->delete_on_termination);
        ebs->encrypted = bool_of(device->encrypted);
        ebs->iops = unless_zero(device->iops);
        ebs->throughput = unless_zero(device->throughput);
        ebs->volume_initialization_rate = unless_zero(device->volume_initialization_rate);
        ebs->kms_key_id = unless_empty(device->kms_key_id);
        ebs->snapshot_id = unless_empty(device->snapshot_id);
        ebs->volume_type = unless_empty(device->volume_type);
        mapping.ebs = ebs;
    }
    vec_push(arena, list, mapping);
    return OK;
}

static void add_default(Arena *arena, Slice name, int64_t gib, Ec2BlockDeviceMappingVec *list) {
    Ec2EbsBlockDevice *ebs = arena_new(arena, Ec2EbsBlockDevice);

    ebs->encrypted = aws_bool(true);
    ebs->volume_type = SLICE("gp3");
    ebs->volume_size = aws_integer(gib);
    vec_push(arena, list, (Ec2BlockDeviceMapping){name, ebs});
}

ErrCode template_devices(Arena *arena, const BlockDeviceMappingVec *devices, const AmiFamily *family,
                         Ec2BlockDeviceMappingVec *ret_devices, Err *err) {
    Ec2BlockDeviceMappingVec list = {0};

    for (vec_each(const BlockDeviceMapping, device, devices))
        TRY(add_given(arena, device, &list, err));
    if (!devices->count && family->default_volume_count > 1) // the system's disk, beside that of the pods
        add_default(arena, SLICE("/dev/xvda"), BOTTLEROCKET_ROOT_GIB, &list);
    if (!devices->count && !family->is_custom)
        add_default(arena, family->ephemeral_device, family->default_storage_gib, &list);
    *ret_devices = list;
    return OK;
}
