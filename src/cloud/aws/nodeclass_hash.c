// The fields of an EC2NodeClass's spec, in the order and with the names of Karpenter's Go structs.
#include "cloud/aws/nodeclass_hash.h"

#include "cloud/aws/ami_family.h"

#include "base/buffer.h"
#include "base/check.h"
#include "model/hash/struct_hash.h"
#include "text/json.h"
#include "text/quantity.h"
#include "text/value_edit.h"

typedef enum { HASH_TEXT, HASH_BOOL, HASH_INT32, HASH_INT64, HASH_QUANTITY, HASH_MAP, HASH_STRUCT, HASH_LIST } HashKind;

// A pointer field of the Go struct is hashed when it is set, even if empty; a value field is not hashed when it is
// zero.
typedef struct HashStruct HashStruct;
typedef struct {
    const char *name; // in Go
    Slice key;        // in JSON
    HashKind kind;
    bool by_value;
    const HashStruct *of; // HASH_STRUCT, HASH_LIST: the struct, or that of the elements
} HashField;

struct HashStruct {
    const char *type; // in Go
    const HashField *fields;
    size_t count;
};

#define F(go, json, kind_, ...)                                                                                        \
    { .name = go, .key = SLICE_INIT(json), .kind = HASH_##kind_, __VA_ARGS__ }
#define STRUCT(variable, name, ...)                                                                                    \
    static const HashField variable##_fields[] = {__VA_ARGS__};                                                        \
    static const HashStruct variable = {name, variable##_fields, sizeof variable##_fields / sizeof *variable##_fields}

STRUCT(placement_group, "PlacementGroupSelector", F("Name", "name", TEXT), F("ID", "id", TEXT));
STRUCT(ebs, "BlockDevice", F("DeleteOnTermination", "deleteOnTermination", BOOL), F("Encrypted", "encrypted", BOOL),
       F("IOPS", "iops", INT64), F("KMSKeyID", "kmsKeyID", TEXT), F("SnapshotID", "snapshotID", TEXT),
       F("Throughput", "throughput", INT64), F("VolumeInitializationRate", "volumeInitializationRate", INT32),
       F("VolumeSize", "volumeSize", QUANTITY), F("VolumeType", "volumeType", TEXT));
STRUCT(block_device, "BlockDeviceMapping", F("DeviceName", "deviceName", TEXT), F("EBS", "ebs", STRUCT, .of = &ebs),
       F("RootVolume", "rootVolume", BOOL, .by_value = true));
STRUCT(network_interface, "NetworkInterface", F("NetworkCardIndex", "networkCardIndex", INT32, .by_value = true),
       F("DeviceIndex", "deviceIndex", INT32, .by_value = true),
       F("InterfaceType", "interfaceType", TEXT, .by_value = true));
STRUCT(metadata, "MetadataOptions", F("HTTPEndpoint", "httpEndpoint", TEXT),
       F("HTTPProtocolIPv6", "httpProtocolIPv6", TEXT), F("HTTPPutResponseHopLimit", "httpPutResponseHopLimit", INT64),
       F("HTTPTokens", "httpTokens", TEXT));
STRUCT(enclaves, "EnclaveOptions", F("Enabled", "enabled", BOOL, .by_value = true));
STRUCT(tracking, "ConnectionTracking", F("TCPEstablishedTimeout", "tcpEstablishedTimeout", INT32),
       F("UDPStreamTimeout", "udpStreamTimeout", INT32), F("UDPTimeout", "udpTimeout", INT32));
STRUCT(cpu, "CPUOptions", F("NestedVirtualization", "nestedVirtualization", TEXT));

// Without the selectors and ipPrefixCount. AMI family and kubelet are hashed, but not as fields.
STRUCT(class_spec, "EC2NodeClassSpec",
       F("PlacementGroupSelector", "placementGroupSelector", STRUCT, .of = &placement_group),
       F("AssociatePublicIPAddress", "associatePublicIPAddress", BOOL), F("UserData", "userData", TEXT),
       F("Role", "role", TEXT, .by_value = true), F("InstanceProfile", "instanceProfile", TEXT), F("Tags", "tags", MAP),
       F("BlockDeviceMappings", "blockDeviceMappings", LIST, .of = &block_device),
       F("InstanceStorePolicy", "instanceStorePolicy", TEXT),
       F("NetworkInterfaces", "networkInterfaces", LIST, .of = &network_interface),
       F("DetailedMonitoring", "detailedMonitoring", BOOL),
       F("MetadataOptions", "metadataOptions", STRUCT, .of = &metadata),
       F("EnclaveOptions", "enclaveOptions", STRUCT, .of = &enclaves),
       F("ConnectionTracking", "connectionTracking", STRUCT, .of = &tracking), F("Context", "context", TEXT),
       F("CPUOptions", "cpuOptions", STRUCT, .of = &cpu));

// --- values

static ErrCode fail_kind(const HashField *field, const Value *value, const char *expected, Err *err) {
    return err_set(err, ERR_INVALID, "EC2NodeClass: %s: expected %s, got %s", field->key.ptr, expected,
                   value_kind_text(value->kind));
}

static ErrCode hash_integer(const HashField *field, const Value *value, size_t bytes, uint64_t *ret_hash,
                            bool *ret_zero, Err *err) {
    uint8_t little_endian[8];
    int64_t number;

    if (value->kind != VALUE_NUMBER || !value_to_int64(value, &number))
        return fail_kind(field, value, "an integer", err);
    for (size_t i = 0; i < sizeof little_endian; i++)
        little_endian[i] = (uint8_t)((uint64_t)number >> 8 * i);
    *ret_hash = struct_hash_bytes(little_endian, bytes);
    *ret_zero = number == 0;
    return OK;
}

static ErrCode hash_quantity(Arena *scratch, const HashField *field, const Value *value, uint64_t *ret_hash, Err *err) {
    Slice canonical;

    if (value->kind != VALUE_STRING && value->kind != VALUE_NUMBER)
        return fail_kind(field, value, "a quantity", err);
    TRY(quantity_canonical(scratch, value->text, &canonical, err));
    *ret_hash = struct_hash_text(canonical);
    return OK;
}

static ErrCode hash_map(const HashField *field, const Value *value, uint64_t *ret_hash, Err *err) {
    uint64_t hash = 0;

    if (value->kind != VALUE_MAP)
        return fail_kind(field, value, "a map", err);
    for (vec_each(const ValueMember, member, &value->map)) {
        if (member->value.kind != VALUE_STRING)
            return fail_kind(field, &member->value, "strings in it", err);
        hash ^= struct_hash_ordered(struct_hash_text(member->key), struct_hash_text(member->value.text));
    }
    *ret_hash = struct_hash_number(hash);
    return OK;
}

static ErrCode hash_field(Arena *scratch, const HashField *field, const Value *value, uint64_t *ret_hash,
                          bool *ret_zero, Err *err);

static ErrCode hash_struct(Arena *scratch, const HashStruct *structure, const Value *value, uint64_t *ret_hash,
                           Err *err) {
    uint64_t hash = struct_hash_start(structure->type);

    for (size_t i = 0; i < structure->count; i++) {
        const HashField *field = &structure->fields[i];
        const Value *inner = value_get(value, field->key);
        uint64_t of_field = 0;
        bool zero = false;

        if (!inner || inner->kind == VALUE_NULL)
            continue;
        TRY(hash_field(scratch, field, inner, &of_field, &zero, err));
        if (!zero || !field->by_value)
            struct_hash_add(&hash, field->name, of_field);
    }
    *ret_hash = hash;
    return OK;
}

static ErrCode hash_list(Arena *scratch, const HashField *field, const Value *value, uint64_t *ret_hash, Err *err) {
    uint64_t hash = 0;

    if (value->kind != VALUE_LIST)
        return fail_kind(field, value, "a list", err);
    for (vec_each(const Value, element, &value->list)) {
        uint64_t of_element = 0;

        if (element->kind != VALUE_MAP)
            return fail_kind(field, element, "maps in it", err);
        TRY(hash_struct(scratch, field->of, element, &of_element, err));
        hash ^= of_element;
    }
    *ret_hash = hash;
    return OK;
}

static ErrCode hash_field(Arena *scratch, const HashField *field, const Value *value, uint64_t *ret_hash,
                          bool *ret_zero, Err *err) {
    switch (field->kind) {
    case HASH_TEXT:
        if (value->kind != VALUE_STRING)
            return fail_kind(field, value, "a string", err);
        *ret_hash = struct_hash_text(value->text);
        *ret_zero = value->text.len == 0;
        return OK;
    case HASH_BOOL:
        if (value->kind != VALUE_BOOL)
            return fail_kind(field, value, "true or false", err);
        *ret_hash = struct_hash_bytes(&(uint8_t){value->boolean}, 1);
        *ret_zero = !value->boolean;
        return OK;
    case HASH_INT32:
        return hash_integer(field, value, 4, ret_hash, ret_zero, err);
    case HASH_INT64:
        return hash_integer(field, value, 8, ret_hash, ret_zero, err);
    case HASH_QUANTITY:
        return hash_quantity(scratch, field, value, ret_hash, err);
    case HASH_MAP:
        return hash_map(field, value, ret_hash, err);
    case HASH_STRUCT:
        if (value->kind != VALUE_MAP)
            return fail_kind(field, value, "a map", err);
        return hash_struct(scratch, field->of, value, ret_hash, err);
    case HASH_LIST:
        return hash_list(scratch, field, value, ret_hash, err);
    }
    CHECK(false, "a field of no kind");
    return ERR_INVALID;
}

// --- parts that are not fields

static bool is_word(Slice text, size_t at, const char *word) {
    return slice_starts_with(slice_from(text, at), slice_of(word));
}

// JSON as Go's encoder escapes it for HTML.
static void put_for_html(Buffer *out, Slice json) {
    static const struct {
        const char *from, *to;
    } words[] = {{"<", "\\u003c"},
                 {">", "\\u003e"},
                 {"&", "\\u0026"},
                 {"\xe2\x80\xa8", "\\u2028"},
                 {"\xe2\x80\xa9", "\\u2029"},
                 {"\\\\", "\\\\"},
                 {"\\u0008", "\\b"},
                 {"\\u000c", "\\f"}};

    for (size_t at = 0, i; at < json.len;) {
        for (i = 0; i < sizeof words / sizeof *words && !is_word(json, at, words[i].from); i++)
            ;
        if (i == sizeof words / sizeof *words) {
            buffer_append_char(out, json.ptr[at++]);
            continue;
        }
        buffer_append(out, slice_of(words[i].to));
        at += strlen(words[i].from);
    }
}

// The kubelet settings are hashed as JSON text.
static uint64_t hash_kubelet(Arena *scratch, const Value *kubelet) {
    Buffer json = {0}, text = {0};
    uint64_t hash;
    Value sorted;

    if (!kubelet || kubelet->kind != VALUE_MAP || !kubelet->map.count)
        return struct_hash_text(SLICE("null"));
    sorted = value_copy(scratch, kubelet);
    value_sort(&sorted);
    json_print(&json, &sorted, false);
    put_for_html(&text, buffer_slice(&json));
    hash = struct_hash_text(buffer_slice(&text));
    buffer_free(&json);
    buffer_free(&text);
    return hash;
}

// spec.amiFamily, or the family of the AMI alias; Custom without either.
static Slice family_of(const Value *spec) {
    const Value *family = value_get_text(spec, "amiFamily"), *terms = value_get_text(spec, "amiSelectorTerms");

    if (family && family->kind == VALUE_STRING)
        return family->text;
    for (uint32_t i = 0; terms && terms->kind == VALUE_LIST && i < terms->list.count; i++) {
        const Value *alias = value_get_text(&terms->list.items[i], "alias");
        const AmiFamily *found;

        if (!alias || alias->kind != VALUE_STRING || !alias->text.len)
            continue;
        found = ami_family_of_alias(alias->text);
        return found ? found->name : SLICE("Custom");
    }
    return SLICE("Custom");
}

ErrCode ec2_node_class_hash(Arena *scratch, const Value *class, Slice ca_bundle, uint64_t *ret_hash, Err *err) {
    const Value *spec = value_get_text(class, "spec");
    uint64_t of_spec;

    TRY(hash_struct(scratch, &class_spec, spec, &of_spec, err));
    *ret_hash = of_spec ^ struct_hash_text(family_of(spec)) ^ struct_hash_text(ca_bundle) ^
                hash_kubelet(scratch, value_get_text(spec, "kubelet"));
    return OK;
}
