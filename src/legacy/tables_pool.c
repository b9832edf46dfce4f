// Tables of Provisioner and Machine, and of v1beta1's NodePool and NodeClaim.
#include "legacy/fields.h"

// An inline provider is read strictly: what it does not have is an error.
static ErrCode decode_provider(Decoder *decoder, const Value *value, void *ret_provider, Err *err) {
    OldAws *provider = arena_new(decoder->arena, OldAws);
    OldStrangerVec strangers = {0};

    TRY(decode_object(decoder, value, &old_provider_table, provider, err));
    strangers_without(decoder->arena, value, &old_provider_table, &strangers);
    if (strangers.count)
        return decode_fail(decoder, value, err, "unknown field \"%.*s\"", SLICE_ARG(strangers.items[0].path));
    *(const OldAws **)ret_provider = provider;
    return OK;
}

static const Field limits_fields[] = {
    FIELD_CUSTOM_WITH(OldProvisioner, limits, "resources", decode_quantity_map, ),
};
static const FieldTable limits_table = FIELD_TABLE(OldProvisioner, limits_fields);

static const Field consolidation_fields[] = {
    FIELD(OldProvisioner, consolidates, "enabled", FIELD_BOOL, ),
};
static const FieldTable consolidation_table = FIELD_TABLE(OldProvisioner, consolidation_fields);

static const Field provisioner_spec_fields[] = {
    FIELD_CUSTOM_WITH(OldProvisioner, annotations, "annotations", decode_text_map, ),
    FIELD_CUSTOM_WITH(OldProvisioner, labels, "labels", decode_text_map, ),
    FIELD(OldProvisioner, taints, "taints", FIELD_LIST, .table = &old_taint_table),
    FIELD(OldProvisioner, startup_taints, "startupTaints", FIELD_LIST, .table = &old_taint_table),
    FIELD(OldProvisioner, requirements, "requirements", FIELD_LIST, .table = &old_requirement_table),
    FIELD(OldProvisioner, kubelet, "kubeletConfiguration", FIELD_POINTER, .table = &old_kubelet_table),
    FIELD_CUSTOM_WITH(OldProvisioner, provider, "provider", decode_provider, ),
    FIELD(OldProvisioner, reference, "providerRef", FIELD_POINTER, .table = &old_reference_table),
    FIELD_HAS(OldProvisioner, ttl_after_empty_s, has_ttl_after_empty, "ttlSecondsAfterEmpty", FIELD_INT64, ),
    FIELD_HAS(OldProvisioner, ttl_until_expired_s, has_ttl_until_expired, "ttlSecondsUntilExpired", FIELD_INT64, ),
    FIELD_FLAT_HAS(OldProvisioner, has_limits, "limits", limits_table),
    FIELD_HAS(OldProvisioner, weight, has_weight, "weight", FIELD_INT64, ),
    FIELD_FLAT("consolidation", consolidation_table, ),
};
static const FieldTable provisioner_spec_table = FIELD_TABLE(OldProvisioner, provisioner_spec_fields);

static const Field provisioner_status_fields[] = {
    FIELD_CUSTOM_WITH(OldProvisioner, used, "resources", decode_quantity_map, ),
};
static const FieldTable provisioner_status_table = FIELD_TABLE(OldProvisioner, provisioner_status_fields);

static const Field provisioner_fields[] = {
    FIELD(OldProvisioner, metadata, "metadata", FIELD_VALUE, ),
    FIELD_FLAT("metadata", old_metadata_name_table, .required = true),
    FIELD_FLAT("spec", provisioner_spec_table, ),
    FIELD_FLAT("status", provisioner_status_table, ),
};
const FieldTable provisioner_table = FIELD_TABLE(OldProvisioner, provisioner_fields);

// Machine.

static const Field machine_resources_fields[] = {
    FIELD_CUSTOM_WITH(OldMachine, requests, "requests", decode_quantity_map, ),
};
static const FieldTable machine_resources_table = FIELD_TABLE(OldMachine, machine_resources_fields);

static const Field machine_spec_fields[] = {
    FIELD(OldMachine, taints, "taints", FIELD_LIST, .table = &old_taint_table),
    FIELD(OldMachine, startup_taints, "startupTaints", FIELD_LIST, .table = &old_taint_table),
    FIELD(OldMachine, requirements, "requirements", FIELD_LIST, .table = &old_requirement_table),
    FIELD(OldMachine, kubelet, "kubelet", FIELD_POINTER, .table = &old_kubelet_table),
    FIELD_FLAT("resources", machine_resources_table, ),
    FIELD(OldMachine, reference, "machineTemplateRef", FIELD_POINTER, .table = &old_reference_table),
};
static const FieldTable machine_spec_table = FIELD_TABLE(OldMachine, machine_spec_fields);

static const Field machine_status_fields[] = {
    FIELD(OldMachine, node_name, "nodeName", FIELD_STRING, ),
    FIELD(OldMachine, provider_id, "providerID", FIELD_STRING, ),
    FIELD_CUSTOM_WITH(OldMachine, capacity, "capacity", decode_quantity_map, ),
    FIELD_CUSTOM_WITH(OldMachine, allocatable, "allocatable", decode_quantity_map, ),
};
static const FieldTable machine_status_table = FIELD_TABLE(OldMachine, machine_status_fields);

static const Field machine_fields[] = {
    FIELD(OldMachine, metadata, "metadata", FIELD_VALUE, ),
    FIELD_FLAT("metadata", old_metadata_name_table, .required = true),
    FIELD_FLAT("spec", machine_spec_table, ),
    FIELD_FLAT("status", machine_status_table, ),
};
const FieldTable machine_table = FIELD_TABLE(OldMachine, machine_fields);

// v1beta1.

static const Field beta_claim_spec_fields[] = {
    FIELD(BetaPool, kubelet, "kubelet", FIELD_POINTER, .table = &beta_kubelet_table),
    FIELD(BetaPool, reference, "nodeClassRef", FIELD_OBJECT, .table = &old_reference_table, .required = true),
};
static const FieldTable beta_claim_spec_table = FIELD_TABLE(BetaPool, beta_claim_spec_fields);

static const Field beta_template_fields[] = {
    FIELD_FLAT("spec", beta_claim_spec_table, .required = true),
};
static const FieldTable beta_template_table = FIELD_TABLE(BetaPool, beta_template_fields);

static const Field beta_disruption_fields[] = {
    FIELD(BetaPool, consolidation_policy, "consolidationPolicy", FIELD_STRING, ),
    FIELD(BetaPool, consolidate_after, "consolidateAfter", FIELD_STRING, ),
    FIELD(BetaPool, expire_after, "expireAfter", FIELD_STRING, ),
};
static const FieldTable beta_disruption_table = FIELD_TABLE(BetaPool, beta_disruption_fields);

static const Field beta_pool_spec_fields[] = {
    FIELD_FLAT("template", beta_template_table, .required = true),
    FIELD_FLAT("disruption", beta_disruption_table, ),
};
static const FieldTable beta_pool_spec_table = FIELD_TABLE(BetaPool, beta_pool_spec_fields);

static const Field beta_pool_fields[] = {
    FIELD(BetaPool, metadata, "metadata", FIELD_VALUE, ),
    FIELD_FLAT("metadata", old_metadata_name_table, .required = true),
    FIELD_FLAT("spec", beta_pool_spec_table, .required = true),
};
const FieldTable beta_pool_table = FIELD_TABLE(BetaPool, beta_pool_fields);

static const Field beta_claim_fields[] = {
    FIELD(BetaPool, metadata, "metadata", FIELD_VALUE, ),
    FIELD_FLAT("metadata", old_metadata_name_table, .required = true),
    FIELD_FLAT("spec", beta_claim_spec_table, .required = true),
};
const FieldTable beta_claim_table = FIELD_TABLE(BetaPool, beta_claim_fields);
