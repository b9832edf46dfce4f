// Nodes.
#include "model/decode/amounts.h"
#include "model/decode/schemas.h"

typedef struct {
    Node node;
    bool unschedulable;
} NodeRecord;

static const Field spec_fields[] = {
    FIELD(NodeRecord, node.provider_id, "providerID", FIELD_SYMBOL, ),
    FIELD(NodeRecord, node.taints, "taints", FIELD_LIST, .table = &taint_table),
    FIELD(NodeRecord, unschedulable, "unschedulable", FIELD_BOOL, ),
};
static const FieldTable spec_table = FIELD_TABLE(NodeRecord, spec_fields);

static const Field info_fields[] = {
    FIELD(NodeRecord, node.boot_id, "bootID", FIELD_SYMBOL, ),
};
static const FieldTable info_table = FIELD_TABLE(NodeRecord, info_fields);

static const Field status_fields[] = {
    FIELD_FLAT("nodeInfo", info_table, ),
    FIELD_CUSTOM_WITH(NodeRecord, node.capacity, "capacity", decode_resources, ),
    FIELD_CUSTOM_WITH(NodeRecord, node.allocatable, "allocatable", decode_resources, ),
    FIELD(NodeRecord, node.conditions, "conditions", FIELD_LIST, .table = &condition_table),
};
static const FieldTable status_table = FIELD_TABLE(NodeRecord, status_fields);

static const Field node_fields[] = {
    FIELD(NodeRecord, node.meta, "metadata", FIELD_OBJECT, .table = &object_meta_table, .required = true),
    FIELD_FLAT("spec", spec_table, ),
    FIELD_FLAT("status", status_table, ),
};
static const FieldTable node_table = FIELD_TABLE(NodeRecord, node_fields);

static bool has_taint(const TaintVec *taints, Symbol key, TaintEffect effect) {
    for (vec_each(const Taint, taint, taints)) {
        if (taint->key == key && taint->effect == effect)
            return true;
    }
    return false;
}

// Adds what the node controller (the cordon's taint) and the API server (allocatable) would add.
static ErrCode complete_node(Decoder *decoder, const Value *object, void *decoded, Err *err) {
    NodeRecord *record = decoded;
    Node *node = &record->node;

    (void)object, (void)err;
    if (record->unschedulable && !has_taint(&node->taints, NAME_UNSCHEDULABLE, EFFECT_NO_SCHEDULE))
        vec_push(decoder->arena, &node->taints, (Taint){.key = NAME_UNSCHEDULABLE, .effect = EFFECT_NO_SCHEDULE});
    if (node->allocatable.count == 0)
        node->allocatable = resources_copy(decoder->arena, &node->capacity);
    return OK;
}

const ObjectSchema node_schema = {&node_table, complete_node};
