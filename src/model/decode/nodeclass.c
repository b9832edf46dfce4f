// EC2NodeClass and KWOKNodeClass: the members that planning needs. Reference aws.md 1; lifecycle.md 8.
#include "model/decode/schemas.h"
#include "model/validate/validate.h"

static const Field subnet_fields[] = {
    FIELD(SubnetStatus, id, "id", FIELD_SYMBOL, ),
    FIELD(SubnetStatus, zone, "zone", FIELD_SYMBOL, .required = true),
    FIELD(SubnetStatus, zone_id, "zoneID", FIELD_SYMBOL, ),
};
static const FieldTable subnet_table = FIELD_TABLE(SubnetStatus, subnet_fields);

static const Field reservation_fields[] = {
    FIELD(CapacityReservation, id, "id", FIELD_SYMBOL, .required = true),
    FIELD(CapacityReservation, zone, "availabilityZone", FIELD_SYMBOL, ),
    FIELD(CapacityReservation, instance_type, "instanceType", FIELD_SYMBOL, ),
    FIELD(CapacityReservation, type, "reservationType", FIELD_SYMBOL, ),
    FIELD(CapacityReservation, state, "state", FIELD_SYMBOL, ),
    FIELD(CapacityReservation, interruptible, "interruptible", FIELD_BOOL, ),
};
static const FieldTable reservation_table = FIELD_TABLE(CapacityReservation, reservation_fields);

static const Field ebs_fields[] = {
    FIELD_CUSTOM_WITH(BlockDeviceMapping, volume_size, "volumeSize", decode_int_or_string, ),
};
static const FieldTable ebs_table = FIELD_TABLE(BlockDeviceMapping, ebs_fields);
static const Field device_fields[] = {
    FIELD(BlockDeviceMapping, device_name, "deviceName", FIELD_STRING, ),
    FIELD(BlockDeviceMapping, root_volume, "rootVolume", FIELD_BOOL, ),
    FIELD_FLAT("ebs", ebs_table, ),
};
static const FieldTable device_table = FIELD_TABLE(BlockDeviceMapping, device_fields);

static const Field interface_fields[] = {
    FIELD(NetworkInterface, card_index, "networkCardIndex", FIELD_INT32, ),
    FIELD(NetworkInterface, device_index, "deviceIndex", FIELD_INT32, ),
    FIELD(NetworkInterface, type, "interfaceType", FIELD_SYMBOL, ),
};
static const FieldTable interface_table = FIELD_TABLE(NetworkInterface, interface_fields);

static ErrCode decode_enabled(Decoder *decoder, const Value *value, void *ret_enabled, Err *err) {
    static const char *const words[] = {"enabled", "disabled"};
    size_t word;

    TRY(DECODE_WORD(decoder, value, words, &word, err));
    *(bool *)ret_enabled = word == 0;
    return OK;
}

static const Field cpu_options_fields[] = {
    FIELD_CUSTOM_WITH(EC2NodeClass, nested_virtualization, "nestedVirtualization", decode_enabled, ),
};
static const FieldTable cpu_options_table = FIELD_TABLE(EC2NodeClass, cpu_options_fields);

// Decodes reserved resources. Values that are CEL expressions are left out, as in Karpenter while their feature gate is
// off; validate_ec2_node_class then says that the class is not ready.
static ErrCode decode_reserved(Decoder *decoder, const Value *value, void *ret_resources, Err *err) {
    Resources *list = ret_resources;

    TRY(decode_expect(decoder, value, VALUE_MAP, err));
    for (vec_each(const ValueMember, member, &value->map)) {
        Symbol resource = symbol_intern(decoder->symbols, member->key);
        int64_t amount;

        if (member->value.kind == VALUE_NULL)
            continue;
        decode_enter(decoder, member->key);
        TRY(decode_expect(decoder, &member->value, VALUE_STRING, err));
        decode_leave(decoder);
        if (quantity_parse(member->value.text, resource_scale(resource), &amount, NULL) == OK)
            resources_set(decoder->arena, list, resource, amount);
    }
    return OK;
}

// Decodes maxPods: an integer; a string is a CEL expression, for which the family's default is used.
static ErrCode decode_max_pods(Decoder *decoder, const Value *value, void *ret_settings, Err *err) {
    KubeletSettings *settings = ret_settings;
    int64_t count;

    if (value->kind == VALUE_STRING)
        return OK;
    TRY(decode_expect(decoder, value, VALUE_NUMBER, err));
    if (!value_to_int64(value, &count) || count < 0 || count > INT32_MAX)
        return decode_fail(decoder, value, err, "must be an integer greater than or equal to 0, got %.*s",
                           SLICE_ARG(value->text));
    settings->has_max_pods = true;
    settings->max_pods = (int32_t)count;
    return OK;
}

static const Field kubelet_fields[] = {
    {.name = "maxPods", .kind = FIELD_CUSTOM, .has_offset = SIZE_MAX, .custom = decode_max_pods},
    FIELD_HAS(KubeletSettings, pods_per_core, has_pods_per_core, "podsPerCore", FIELD_INT32, ),
    FIELD_CUSTOM_WITH(KubeletSettings, kube_reserved, "kubeReserved", decode_reserved, ),
    FIELD_CUSTOM_WITH(KubeletSettings, system_reserved, "systemReserved", decode_reserved, ),
    FIELD_CUSTOM_WITH(KubeletSettings, eviction_hard, "evictionHard", decode_labels, ),
};
static const FieldTable kubelet_table = FIELD_TABLE(KubeletSettings, kubelet_fields);

static const Field class_spec_fields[] = {
    FIELD(EC2NodeClass, ami_family, "amiFamily", FIELD_STRING, ),
    FIELD(EC2NodeClass, kubelet, "kubelet", FIELD_OBJECT, .table = &kubelet_table),
    FIELD(EC2NodeClass, block_devices, "blockDeviceMappings", FIELD_LIST, .table = &device_table),
    FIELD(EC2NodeClass, instance_store_policy, "instanceStorePolicy", FIELD_STRING, ),
    FIELD(EC2NodeClass, network_interfaces, "networkInterfaces", FIELD_LIST, .table = &interface_table),
    FIELD_CUSTOM_WITH(EC2NodeClass, has_connection_tracking, "connectionTracking", decode_presence, ),
    FIELD_FLAT("cpuOptions", cpu_options_table, ),
};
static const FieldTable class_spec_table = FIELD_TABLE(EC2NodeClass, class_spec_fields);

static const Field class_status_fields[] = {
    FIELD(EC2NodeClass, subnets, "subnets", FIELD_LIST, .table = &subnet_table),
    FIELD(EC2NodeClass, reservations, "capacityReservations", FIELD_LIST, .table = &reservation_table),
    FIELD(EC2NodeClass, conditions, "conditions", FIELD_LIST, .table = &condition_table),
};
static const FieldTable class_status_table = FIELD_TABLE(EC2NodeClass, class_status_fields);

static const Field class_fields[] = {
    FIELD(EC2NodeClass, meta, "metadata", FIELD_OBJECT, .table = &object_meta_table, .required = true),
    FIELD_FLAT("spec", class_spec_table, .required = true),
    FIELD_FLAT("status", class_status_table, ),
};
static const FieldTable class_table = FIELD_TABLE(EC2NodeClass, class_fields);

static ErrCode complete_class(Decoder *decoder, const Value *object, void *decoded, Err *err) {
    EC2NodeClass *class = decoded;

    for (vec_each(CapacityReservation, reservation, &class->reservations)) {
        if (reservation->type == NAME_EMPTY)
            reservation->type = NAME_DEFAULT_NAMESPACE; // the symbol of "default"
        if (reservation->state == NAME_EMPTY)
            reservation->state = symbol_intern(decoder->symbols, SLICE("active"));
    }
    return validate_ec2_node_class(decoder, object, class, err);
}

const ObjectSchema ec2_node_class_schema = {&class_table, complete_class};

static const Field kwok_status_fields[] = {
    FIELD(KWOKNodeClass, conditions, "conditions", FIELD_LIST, .table = &condition_table),
};
static const FieldTable kwok_status_table = FIELD_TABLE(KWOKNodeClass, kwok_status_fields);
static const Field kwok_fields[] = {
    FIELD(KWOKNodeClass, meta, "metadata", FIELD_OBJECT, .table = &object_meta_table, .required = true),
    FIELD_FLAT("status", kwok_status_table, ),
};
static const FieldTable kwok_table = FIELD_TABLE(KWOKNodeClass, kwok_fields);

const ObjectSchema kwok_node_class_schema = {&kwok_table, NULL};
