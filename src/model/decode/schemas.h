// ObjectSchema: how a kind of object in manifests is decoded, one per kind. Private to src/model.
#pragma once

#include "model/decode/parts.h"

// Completes a decoded object with what a table cannot express: derived fields, checks between fields. `decoded` is the
// table's struct.
typedef ErrCode (*ObjectComplete)(Decoder *decoder, const Value *object, void *decoded, Err *err);

// Every table's struct begins with its ObjectMeta.
typedef struct {
    const FieldTable *table;
    ObjectComplete complete; // or NULL
} ObjectSchema;

extern const ObjectSchema node_schema, node_pool_schema, node_claim_schema;
extern const ObjectSchema ec2_node_class_schema, kwok_node_class_schema;
extern const ObjectSchema volume_schema, volume_claim_schema, storage_class_schema, csi_node_schema,
    volume_attachment_schema;
extern const ObjectSchema namespace_schema, disruption_budget_schema, service_schema;
extern const ObjectSchema runtime_class_schema, priority_class_schema;
