// Tables of what an old object says about nodes: taints, requirements, the kubelet, disks, metadata options.
#include "legacy/fields.h"

static const Field taint_fields[] = {
    FIELD(OldTaint, key, "key", FIELD_STRING, ),
    FIELD(OldTaint, value, "value", FIELD_STRING, ),
    FIELD(OldTaint, effect, "effect", FIELD_STRING, ),
    FIELD(OldTaint, time_added, "timeAdded", FIELD_STRING, ),
};
const FieldTable old_taint_table = FIELD_TABLE(OldTaint, taint_fields);

static const Field requirement_fields[] = {
    FIELD(OldRequirement, key, "key", FIELD_STRING, .required = true),
    FIELD(OldRequirement, operator, "operator", FIELD_STRING, .required = true),
    FIELD_CUSTOM_WITH(OldRequirement, values, "values", decode_texts, ),
};
const FieldTable old_requirement_table = FIELD_TABLE(OldRequirement, requirement_fields);

// The first is of v1alpha5 alone.
static const Field kubelet_fields[] = {
    FIELD(OldKubelet, container_runtime, "containerRuntime", FIELD_STRING, ),
    FIELD_CUSTOM_WITH(OldKubelet, cluster_dns, "clusterDNS", decode_texts, ),
    FIELD_HAS(OldKubelet, max_pods, has_max_pods, "maxPods", FIELD_INT32, ),
    FIELD_HAS(OldKubelet, pods_per_core, has_pods_per_core, "podsPerCore", FIELD_INT32, ),
    FIELD_CUSTOM_WITH(OldKubelet, system_reserved, "systemReserved", decode_quantity_map, ),
    FIELD_CUSTOM_WITH(OldKubelet, kube_reserved, "kubeReserved", decode_quantity_map, ),
    FIELD_CUSTOM_WITH(OldKubelet, eviction_hard, "evictionHard", decode_text_map, ),
    FIELD_CUSTOM_WITH(OldKubelet, eviction_soft, "evictionSoft", decode_text_map, ),
    FIELD_CUSTOM_WITH(OldKubelet, eviction_soft_grace_period, "evictionSoftGracePeriod", decode_text_map, ),
    FIELD_HAS(OldKubelet, eviction_max_pod_grace_period, has_eviction_max_pod_grace_period, "evictionMaxPodGracePeriod",
              FIELD_INT32, ),
    FIELD_HAS(OldKubelet, image_gc_high, has_image_gc_high, "imageGCHighThresholdPercent", FIELD_INT32, ),
    FIELD_HAS(OldKubelet, image_gc_low, has_image_gc_low, "imageGCLowThresholdPercent", FIELD_INT32, ),
    FIELD_HAS(OldKubelet, cpu_cfs_quota, has_cpu_cfs_quota, "cpuCFSQuota", FIELD_BOOL, ),
};
enum { KUBELET_FIELDS = sizeof kubelet_fields / sizeof *kubelet_fields };
const FieldTable old_kubelet_table = FIELD_TABLE(OldKubelet, kubelet_fields);
const FieldTable beta_kubelet_table = {sizeof(OldKubelet), kubelet_fields + 1, KUBELET_FIELDS - 1};

static const Field disk_fields[] = {
    FIELD_HAS(OldDisk, delete_on_termination, has_delete_on_termination, "deleteOnTermination", FIELD_BOOL, ),
    FIELD_HAS(OldDisk, encrypted, has_encrypted, "encrypted", FIELD_BOOL, ),
    FIELD_HAS(OldDisk, iops, has_iops, "iops", FIELD_INT64, ),
    FIELD(OldDisk, kms_key_id, "kmsKeyID", FIELD_STRING, ),
    FIELD(OldDisk, snapshot_id, "snapshotID", FIELD_STRING, ),
    FIELD_HAS(OldDisk, throughput, has_throughput, "throughput", FIELD_INT64, ),
    FIELD_CUSTOM_WITH(OldDisk, volume_size, "volumeSize", decode_quantity_text, ),
    FIELD(OldDisk, volume_type, "volumeType", FIELD_STRING, ),
};
static const FieldTable disk_table = FIELD_TABLE(OldDisk, disk_fields);

// The last is of v1beta1 alone.
static const Field device_fields[] = {
    FIELD(OldDevice, device_name, "deviceName", FIELD_STRING, ),
    FIELD(OldDevice, ebs, "ebs", FIELD_POINTER, .table = &disk_table),
    FIELD(OldDevice, root_volume, "rootVolume", FIELD_BOOL, ),
};
enum { DEVICE_FIELDS = sizeof device_fields / sizeof *device_fields };
const FieldTable old_device_table = {sizeof(OldDevice), device_fields, DEVICE_FIELDS - 1};
const FieldTable beta_device_table = FIELD_TABLE(OldDevice, device_fields);

static const Field metadata_options_fields[] = {
    FIELD(OldMetadataOptions, http_endpoint, "httpEndpoint", FIELD_STRING, ),
    FIELD(OldMetadataOptions, http_protocol_ipv6, "httpProtocolIPv6", FIELD_STRING, ),
    FIELD_HAS(OldMetadataOptions, hop_limit, has_hop_limit, "httpPutResponseHopLimit", FIELD_INT64, ),
    FIELD(OldMetadataOptions, http_tokens, "httpTokens", FIELD_STRING, ),
};
const FieldTable old_metadata_options_table = FIELD_TABLE(OldMetadataOptions, metadata_options_fields);

static const Field reference_fields[] = {
    FIELD(OldReference, api_version, "apiVersion", FIELD_STRING, ),
    FIELD(OldReference, kind, "kind", FIELD_STRING, ),
    FIELD(OldReference, name, "name", FIELD_STRING, .required = true),
};
const FieldTable old_reference_table = FIELD_TABLE(OldReference, reference_fields);

static const Field name_fields[] = {{.name = "name", .kind = FIELD_STRING, .required = true, .has_offset = SIZE_MAX}};
const FieldTable old_metadata_name_table = {sizeof(Slice), name_fields, 1};
