// EC2NodeClass and KWOKNodeClass. Reference aws.md 1; lifecycle.md 8.
#include "model/decode/expressions.h"
#include "model/decode/schemas.h"
#include "model/validate/validate.h"

#include "text/value_edit.h"

// Decodes a map of texts, in its order.
static ErrCode decode_text_entries(Decoder *decoder, const Value *value, void *ret_entries, Err *err) {
    TextEntryVec *entries = ret_entries;

    TRY(decode_expect(decoder, value, VALUE_MAP, err));
    for (vec_each(const ValueMember, member, &value->map)) {
        decode_enter(decoder, member->key);
        TRY(decode_expect(decoder, &member->value, VALUE_STRING, err));
        decode_leave(decoder);
        vec_push(
            decoder->arena, entries,
            (TextEntry){arena_slice(decoder->arena, member->key), arena_slice(decoder->arena, member->value.text)});
    }
    return OK;
}

static ErrCode decode_raw(Decoder *decoder, const Value *value, void *ret_value, Err *err) {
    Value *copy = arena_new(decoder->arena, Value);

    TRY(decode_expect(decoder, value, VALUE_MAP, err));
    *copy = value_copy(decoder->arena, value);
    *(const Value **)ret_value = copy;
    return OK;
}

#define OPTIONAL_INT(struct_, member, json)  FIELD_HAS(struct_, member.value, member.has, json, FIELD_INT64, )
#define OPTIONAL_BOOL(struct_, member, json) FIELD_HAS(struct_, member.value, member.has, json, FIELD_BOOL, )

// --- spec

static const Field term_fields[] = {
    FIELD_CUSTOM_WITH(Ec2SelectorTerm, tags, "tags", decode_text_entries, ),
    FIELD(Ec2SelectorTerm, id, "id", FIELD_STRING, ),
    FIELD(Ec2SelectorTerm, name, "name", FIELD_STRING, ),
    FIELD(Ec2SelectorTerm, alias, "alias", FIELD_STRING, ),
    FIELD(Ec2SelectorTerm, owner, "owner", FIELD_STRING, ),
    FIELD(Ec2SelectorTerm, ssm_parameter, "ssmParameter", FIELD_STRING, ),
    FIELD(Ec2SelectorTerm, owner_id, "ownerID", FIELD_STRING, ),
    FIELD(Ec2SelectorTerm, match_criteria, "instanceMatchCriteria", FIELD_STRING, ),
};
static const FieldTable term_table = FIELD_TABLE(Ec2SelectorTerm, term_fields);

static const Field placement_group_fields[] = {
    FIELD(EC2NodeClass, launch.placement_group.name, "name", FIELD_STRING, ),
    FIELD(EC2NodeClass, launch.placement_group.id, "id", FIELD_STRING, ),
};
static const FieldTable placement_group_table = FIELD_TABLE(EC2NodeClass, placement_group_fields);

static const Field ebs_fields[] = {
    FIELD_CUSTOM_WITH(BlockDeviceMapping, volume_size, "volumeSize", decode_int_or_string, ),
    OPTIONAL_BOOL(BlockDeviceMapping, delete_on_termination, "deleteOnTermination"),
    OPTIONAL_BOOL(BlockDeviceMapping, encrypted, "encrypted"),
    OPTIONAL_INT(BlockDeviceMapping, iops, "iops"),
    OPTIONAL_INT(BlockDeviceMapping, throughput, "throughput"),
    OPTIONAL_INT(BlockDeviceMapping, volume_initialization_rate, "volumeInitializationRate"),
    FIELD(BlockDeviceMapping, kms_key_id, "kmsKeyID", FIELD_STRING, ),
    FIELD(BlockDeviceMapping, snapshot_id, "snapshotID", FIELD_STRING, ),
    FIELD(BlockDeviceMapping, volume_type, "volumeType", FIELD_STRING, ),
};
static const FieldTable ebs_table = FIELD_TABLE(BlockDeviceMapping, ebs_fields);
static const Field device_fields[] = {
    FIELD(BlockDeviceMapping, device_name, "deviceName", FIELD_STRING, ),
    FIELD(BlockDeviceMapping, root_volume, "rootVolume", FIELD_BOOL, ),
    FIELD_FLAT_HAS(BlockDeviceMapping, has_ebs, "ebs", ebs_table),
};
static const FieldTable device_table = FIELD_TABLE(BlockDeviceMapping, device_fields);

static const Field metadata_fields[] = {
    FIELD(EC2NodeClass, launch.metadata_options.http_endpoint, "httpEndpoint", FIELD_STRING, ),
    FIELD(EC2NodeClass, launch.metadata_options.http_protocol_ipv6, "httpProtocolIPv6", FIELD_STRING, ),
    FIELD(EC2NodeClass, launch.metadata_options.http_tokens, "httpTokens", FIELD_STRING, ),
    OPTIONAL_INT(EC2NodeClass, launch.metadata_options.hop_limit, "httpPutResponseHopLimit"),
};
static const FieldTable metadata_table = FIELD_TABLE(EC2NodeClass, metadata_fields);

static const Field tracking_fields[] = {
    OPTIONAL_INT(EC2NodeClass, launch.connection_tracking.tcp_established_timeout, "tcpEstablishedTimeout"),
    OPTIONAL_INT(EC2NodeClass, launch.connection_tracking.udp_stream_timeout, "udpStreamTimeout"),
    OPTIONAL_INT(EC2NodeClass, launch.connection_tracking.udp_timeout, "udpTimeout"),
};
static const FieldTable tracking_table = FIELD_TABLE(EC2NodeClass, tracking_fields);

static const Field enclave_fields[] = {OPTIONAL_BOOL(EC2NodeClass, launch.enclaves, "enabled")};
static const FieldTable enclave_table = FIELD_TABLE(EC2NodeClass, enclave_fields);

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
    FIELD(EC2NodeClass, launch.nested_virtualization, "nestedVirtualization", FIELD_STRING, ),
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
    FIELD_CUSTOM_WITH(EC2NodeClass, launch.kubelet, "kubelet", decode_raw, ),
    FIELD(EC2NodeClass, block_devices, "blockDeviceMappings", FIELD_LIST, .table = &device_table),
    FIELD(EC2NodeClass, instance_store_policy, "instanceStorePolicy", FIELD_STRING, ),
    FIELD(EC2NodeClass, network_interfaces, "networkInterfaces", FIELD_LIST, .table = &interface_table),
    FIELD_FLAT_HAS(EC2NodeClass, has_connection_tracking, "connectionTracking", tracking_table),
    FIELD_FLAT("cpuOptions", cpu_options_table, ),
    FIELD(EC2NodeClass, launch.subnet_terms, "subnetSelectorTerms", FIELD_LIST, .table = &term_table),
    FIELD(EC2NodeClass, launch.security_group_terms, "securityGroupSelectorTerms", FIELD_LIST, .table = &term_table),
    FIELD(EC2NodeClass, launch.reservation_terms, "capacityReservationSelectorTerms", FIELD_LIST, .table = &term_table),
    FIELD(EC2NodeClass, launch.ami_terms, "amiSelectorTerms", FIELD_LIST, .table = &term_table),
    FIELD_FLAT("placementGroupSelector", placement_group_table, ),
    OPTIONAL_BOOL(EC2NodeClass, launch.associate_public_ip, "associatePublicIPAddress"),
    OPTIONAL_INT(EC2NodeClass, launch.ip_prefix_count, "ipPrefixCount"),
    FIELD(EC2NodeClass, launch.user_data, "userData", FIELD_STRING, ),
    FIELD(EC2NodeClass, launch.role, "role", FIELD_STRING, ),
    FIELD(EC2NodeClass, launch.instance_profile, "instanceProfile", FIELD_STRING, ),
    FIELD_CUSTOM_WITH(EC2NodeClass, launch.tags, "tags", decode_text_entries, ),
    FIELD(EC2NodeClass, launch.detailed_monitoring, "detailedMonitoring", FIELD_BOOL, ),
    FIELD_FLAT_HAS(EC2NodeClass, launch.has_metadata_options, "metadataOptions", metadata_table),
    FIELD(EC2NodeClass, launch.context, "context", FIELD_STRING, ),
    FIELD_FLAT("enclaveOptions", enclave_table, ),
};
static const FieldTable class_spec_table = FIELD_TABLE(EC2NodeClass, class_spec_fields);

// --- status

static const Field subnet_fields[] = {
    FIELD(SubnetStatus, id, "id", FIELD_SYMBOL, ),
    FIELD(SubnetStatus, zone, "zone", FIELD_SYMBOL, .required = true),
    FIELD(SubnetStatus, zone_id, "zoneID", FIELD_SYMBOL, ),
};
static const FieldTable subnet_table = FIELD_TABLE(SubnetStatus, subnet_fields);

static const Field group_fields[] = {
    FIELD(SecurityGroupStatus, id, "id", FIELD_STRING, .required = true),
    FIELD(SecurityGroupStatus, name, "name", FIELD_STRING, ),
};
static const FieldTable group_table = FIELD_TABLE(SecurityGroupStatus, group_fields);

static const Field reservation_fields[] = {
    FIELD(CapacityReservation, id, "id", FIELD_SYMBOL, .required = true),
    FIELD(CapacityReservation, zone, "availabilityZone", FIELD_SYMBOL, ),
    FIELD(CapacityReservation, instance_type, "instanceType", FIELD_SYMBOL, ),
    FIELD(CapacityReservation, type, "reservationType", FIELD_SYMBOL, ),
    FIELD(CapacityReservation, state, "state", FIELD_SYMBOL, ),
    FIELD(CapacityReservation, interruptible, "interruptible", FIELD_BOOL, ),
    FIELD(CapacityReservation, match_criteria, "instanceMatchCriteria", FIELD_STRING, ),
    FIELD(CapacityReservation, owner_id, "ownerID", FIELD_STRING, ),
    FIELD(CapacityReservation, end_ns, "endTime", FIELD_TIME, ),
};
static const FieldTable reservation_table = FIELD_TABLE(CapacityReservation, reservation_fields);

static const Field ami_fields[] = {
    FIELD(AmiStatus, id, "id", FIELD_STRING, .required = true),
    FIELD(AmiStatus, name, "name", FIELD_STRING, ),
    FIELD(AmiStatus, deprecated, "deprecated", FIELD_BOOL, ),
    FIELD_CUSTOM_WITH(AmiStatus, requirements, "requirements", decode_node_expressions, ),
};
static const FieldTable ami_table = FIELD_TABLE(AmiStatus, ami_fields);

static const Field class_status_fields[] = {
    FIELD(EC2NodeClass, subnets, "subnets", FIELD_LIST, .table = &subnet_table),
    FIELD(EC2NodeClass, reservations, "capacityReservations", FIELD_LIST, .table = &reservation_table),
    FIELD(EC2NodeClass, found.security_groups, "securityGroups", FIELD_LIST, .table = &group_table),
    FIELD(EC2NodeClass, found.amis, "amis", FIELD_LIST, .table = &ami_table),
    FIELD(EC2NodeClass, found.instance_profile, "instanceProfile", FIELD_STRING, ),
    FIELD(EC2NodeClass, conditions, "conditions", FIELD_LIST, .table = &condition_table),
};
static const FieldTable class_status_table = FIELD_TABLE(EC2NodeClass, class_status_fields);

static const Field class_fields[] = {
    FIELD(EC2NodeClass, meta, "metadata", FIELD_OBJECT, .table = &object_meta_table, .required = true),
    FIELD_FLAT("spec", class_spec_table, .required = true),
    FIELD_FLAT("status", class_status_table, ),
    FIELD_CUSTOM_WITH(EC2NodeClass, status, "status", decode_raw, ),
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
    FIELD_CUSTOM_WITH(KWOKNodeClass, status, "status", decode_raw, ),
};
static const FieldTable kwok_table = FIELD_TABLE(KWOKNodeClass, kwok_fields);

const ObjectSchema kwok_node_class_schema = {&kwok_table, NULL};
