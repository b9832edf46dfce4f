// NodePools and NodeClaims of karpenter.sh/v1. The schema rules are in validate/validate.c.
#include "model/decode/amounts.h"
#include "model/decode/disruption.h"
#include "model/decode/expressions.h"
#include "model/decode/schemas.h"
#include "model/validate/validate.h"
#include "text/duration.h"

static const Field node_class_fields[] = {
    FIELD(NodeClassRef, group, "group", FIELD_SYMBOL, .required = true),
    FIELD(NodeClassRef, kind, "kind", FIELD_SYMBOL, .required = true),
    FIELD(NodeClassRef, name, "name", FIELD_SYMBOL, .required = true),
};
static const FieldTable node_class_table = FIELD_TABLE(NodeClassRef, node_class_fields);

// spec.template.spec of a NodePool; the spec of a NodeClaim has the same members and its resources.
static const Field claim_spec_fields[] = {
    FIELD_HAS(NodeClaimTemplateSpec, taints, has_taints, "taints", FIELD_LIST, .table = &taint_table),
    FIELD_HAS(NodeClaimTemplateSpec, startup_taints, has_startup_taints, "startupTaints", FIELD_LIST,
              .table = &taint_table),
    FIELD_CUSTOM_WITH(NodeClaimTemplateSpec, requirements, "requirements", decode_pool_requirements, .required = true),
    FIELD(NodeClaimTemplateSpec, node_class, "nodeClassRef", FIELD_OBJECT, .table = &node_class_table,
          .required = true),
    FIELD_HAS(NodeClaimTemplateSpec, termination_grace_period_text, has_termination_grace_period,
              "terminationGracePeriod", FIELD_STRING, ),
    FIELD(NodeClaimTemplateSpec, expire_after_text, "expireAfter", FIELD_STRING, ),
};
static const FieldTable claim_spec_table = FIELD_TABLE(NodeClaimTemplateSpec, claim_spec_fields);

static ErrCode complete_claim_spec(Decoder *decoder, const Value *spec, NodeClaimTemplateSpec *claim, Err *err) {
    if (claim->expire_after_text.len == 0)
        claim->expire_after_text = SLICE("720h");
    TRY(validate_claim_spec(decoder, spec, err));

    claim->expire_after_ns = DURATION_NEVER;
    if (!slice_eq_text(claim->expire_after_text, "Never") &&
        duration_parse(claim->expire_after_text, &claim->expire_after_ns, NULL) != OK)
        return decode_fail(decoder, spec, err, "expireAfter is longer than 292 years: \"%.*s\"",
                           SLICE_ARG(claim->expire_after_text));
    if (claim->has_termination_grace_period &&
        duration_parse(claim->termination_grace_period_text, &claim->termination_grace_period_ns, NULL) != OK)
        return decode_fail(decoder, spec, err, "terminationGracePeriod is longer than 292 years: \"%.*s\"",
                           SLICE_ARG(claim->termination_grace_period_text));
    return OK;
}

// NodePool.

static const Field template_meta_fields[] = {
    FIELD_HAS(NodePool, template_labels, has_template_labels, "labels", FIELD_CUSTOM, .custom = decode_labels),
    FIELD_HAS(NodePool, template_annotations, has_template_annotations, "annotations", FIELD_CUSTOM,
              .custom = decode_labels),
};
static const FieldTable template_meta_table = FIELD_TABLE(NodePool, template_meta_fields);

static const Field template_fields[] = {
    FIELD_FLAT("metadata", template_meta_table, ),
    FIELD(NodePool, template_spec, "spec", FIELD_OBJECT, .table = &claim_spec_table, .required = true),
};
static const FieldTable template_table = FIELD_TABLE(NodePool, template_fields);

static const Field pool_spec_fields[] = {
    FIELD_FLAT("template", template_table, .required = true),
    FIELD_HAS(NodePool, limits, has_limits, "limits", FIELD_CUSTOM, .custom = decode_resources),
    FIELD(NodePool, weight, "weight", FIELD_INT32, ),
    FIELD_HAS(NodePool, replicas, is_static, "replicas", FIELD_INT64, ),
    FIELD_CUSTOM_WITH(NodePool, disruption, "disruption", decode_disruption, ),
};
static const FieldTable pool_spec_table = FIELD_TABLE(NodePool, pool_spec_fields);

static const Field pool_status_fields[] = {
    FIELD(NodePool, conditions, "conditions", FIELD_LIST, .table = &condition_table),
    FIELD_CUSTOM_WITH(NodePool, status_resources, "resources", decode_resources, ),
    FIELD(NodePool, status_nodes, "nodes", FIELD_INT64, ),
    FIELD(NodePool, node_class_observed_generation, "nodeClassObservedGeneration", FIELD_INT64, ),
};
static const FieldTable pool_status_table = FIELD_TABLE(NodePool, pool_status_fields);

static const Field pool_fields[] = {
    FIELD(NodePool, meta, "metadata", FIELD_OBJECT, .table = &object_meta_table, .required = true),
    FIELD_FLAT("spec", pool_spec_table, .required = true),
    FIELD_FLAT("status", pool_status_table, ),
};
static const FieldTable pool_table = FIELD_TABLE(NodePool, pool_fields);

static ErrCode complete_pool(Decoder *decoder, const Value *object, void *decoded, Err *err) {
    const Value *spec = value_get_text(object, "spec"), *template = value_get_text(spec, "template");
    NodePool *pool = decoded;

    TRY(validate_node_pool(decoder, object, err));
    default_disruption(decoder, spec, &pool->disruption);
    decode_enter(decoder, SLICE("spec"));
    decode_enter(decoder, SLICE("template"));
    decode_enter(decoder, SLICE("spec"));
    TRY(complete_claim_spec(decoder, value_get_text(template, "spec"), &pool->template_spec, err));
    decode_leave(decoder);
    decode_leave(decoder);
    decode_leave(decoder);
    return OK;
}

const ObjectSchema node_pool_schema = {&pool_table, complete_pool};

// NodeClaim.

static const Field claim_resources_fields[] = {
    FIELD_CUSTOM_WITH(NodeClaim, requests, "requests", decode_resources, ),
};
static const FieldTable claim_resources_table = FIELD_TABLE(NodeClaim, claim_resources_fields);

static const Field claim_status_fields[] = {
    FIELD(NodeClaim, node_name, "nodeName", FIELD_SYMBOL, ),
    FIELD(NodeClaim, provider_id, "providerID", FIELD_SYMBOL, ),
    FIELD(NodeClaim, image_id, "imageID", FIELD_SYMBOL, ),
    FIELD_CUSTOM_WITH(NodeClaim, capacity, "capacity", decode_resources, ),
    FIELD_CUSTOM_WITH(NodeClaim, allocatable, "allocatable", decode_resources, ),
    FIELD(NodeClaim, conditions, "conditions", FIELD_LIST, .table = &condition_table),
    FIELD(NodeClaim, last_pod_event_ns, "lastPodEventTime", FIELD_TIME, ),
};
static const FieldTable claim_status_table = FIELD_TABLE(NodeClaim, claim_status_fields);

static const Field claim_only_fields[] = {FIELD_FLAT("resources", claim_resources_table, )};
static const FieldTable claim_only_table = FIELD_TABLE(NodeClaim, claim_only_fields);

// spec is decoded twice: as the template's spec, and for the members that only a NodeClaim has.
static const Field claim_fields[] = {
    FIELD(NodeClaim, meta, "metadata", FIELD_OBJECT, .table = &object_meta_table, .required = true),
    FIELD(NodeClaim, spec, "spec", FIELD_OBJECT, .table = &claim_spec_table, .required = true),
    FIELD_FLAT("spec", claim_only_table, ),
    FIELD_FLAT("status", claim_status_table, ),
};
static const FieldTable claim_table = FIELD_TABLE(NodeClaim, claim_fields);

static ErrCode complete_claim(Decoder *decoder, const Value *object, void *decoded, Err *err) {
    NodeClaim *claim = decoded;

    decode_enter(decoder, SLICE("spec"));
    TRY(complete_claim_spec(decoder, value_get_text(object, "spec"), &claim->spec, err));
    decode_leave(decoder);
    return OK;
}

const ObjectSchema node_claim_schema = {&claim_table, complete_claim};
