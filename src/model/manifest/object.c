// Decoding of single API objects.
#include "model/manifest/object.h"

#include "model/decode/expressions.h"
#include "model/manifest/workload_decode.h"

// Owners of pods: only their selector is read, not the template.

typedef struct {
    PodOwner owner;
} OwnerRecord;

static const Field owner_spec_fields[] = {
    FIELD_CUSTOM_WITH(OwnerRecord, owner.selector, "selector", decode_selector, ),
};
static const FieldTable owner_spec_table = FIELD_TABLE(OwnerRecord, owner_spec_fields);
static const Field owner_fields[] = {
    FIELD(OwnerRecord, owner.meta, "metadata", FIELD_OBJECT, .table = &object_meta_table, .required = true),
    FIELD_FLAT("spec", owner_spec_table, ),
};
static const FieldTable owner_table = FIELD_TABLE(OwnerRecord, owner_fields);
static const ObjectSchema owner_schema = {&owner_table, NULL};

static ErrCode read_daemon_set(const Decoder *decoder, const Value *object, DaemonSet *ret_set, Err *err) {
    ManifestState state = {0}; // for equal specs, of which there is one
    ManifestReader reader = {.decoder = *decoder, .state = &state};
    Workload workload;
    ErrCode code = workload_decode(&reader, WORKLOAD_DAEMON_SET, object, &workload, err);

    buffer_free(&state.scratch);
    if (code == OK)
        *ret_set = (DaemonSet){workload.meta, workload.pod_labels, workload.pod_spec};
    return code;
}

static const struct {
    const char *group, *kind;
    const ObjectSchema *schema; // NULL: a DaemonSet
} rows[] = {
    {"", "Node", &node_schema},
    {"", "Namespace", &namespace_schema},
    {"", "PersistentVolume", &volume_schema},
    {"", "PersistentVolumeClaim", &volume_claim_schema},
    {"", "Service", &service_schema},
    {"apps", "DaemonSet", NULL},
    {"apps", "ReplicaSet", &owner_schema},
    {"apps", "StatefulSet", &owner_schema},
    {"karpenter.k8s.aws", "EC2NodeClass", &ec2_node_class_schema},
    {"karpenter.kwok.sh", "KWOKNodeClass", &kwok_node_class_schema},
    {"karpenter.sh", "NodeClaim", &node_claim_schema},
    {"karpenter.sh", "NodePool", &node_pool_schema},
    {"node.k8s.io", "RuntimeClass", &runtime_class_schema},
    {"policy", "PodDisruptionBudget", &disruption_budget_schema},
    {"scheduling.k8s.io", "PriorityClass", &priority_class_schema},
    {"storage.k8s.io", "CSINode", &csi_node_schema},
    {"storage.k8s.io", "StorageClass", &storage_class_schema},
    {"storage.k8s.io", "VolumeAttachment", &volume_attachment_schema},
};
enum { ROWS = sizeof rows / sizeof *rows };

static size_t row_find(Slice group, Slice kind) {
    size_t i = 0;

    while (i < ROWS && !(slice_eq_text(kind, rows[i].kind) && slice_eq_text(group, rows[i].group)))
        i++;
    return i;
}

size_t object_decoded_size(Slice group, Slice kind) {
    size_t row = row_find(group, kind);

    if (row == ROWS)
        return 0;
    return rows[row].schema ? rows[row].schema->table->struct_size : sizeof(DaemonSet);
}

// Name of an object in messages, "Pod ns/name". It is made for each event, so without printf and malloc; cut at a
// length that valid names do not reach.
typedef struct {
    char text[600];
    size_t len;
} Title;

static void title_add(Title *title, Slice part) {
    size_t room = sizeof title->text - title->len, len = part.len < room ? part.len : room;

    if (len)
        memcpy(title->text + title->len, part.ptr, len);
    title->len += len;
}

static Slice object_title(Title *title, Slice kind, const Value *object) {
    const Value *meta = value_get_text(object, "metadata");
    const Value *ns = value_get_text(meta, "namespace"), *name = value_get_text(meta, "name");

    title->len = 0;
    title_add(title, kind);
    title_add(title, SLICE(" "));
    if (ns && ns->kind == VALUE_STRING && ns->text.len) {
        title_add(title, ns->text);
        title_add(title, SLICE("/"));
    }
    title_add(title, name && name->kind == VALUE_STRING ? name->text : SLICE("?"));
    return (Slice){title->text, title->len};
}

ErrCode object_decode(Arena *arena, Symbols *symbols, Slice group, Slice kind, const Value *object, void *ret_object,
                      Err *err) {
    Title title;
    Decoder decoder = {.arena = arena, .symbols = symbols, .file = object_title(&title, kind, object)};
    size_t row = row_find(group, kind);
    ErrCode code;

    CHECK(row < ROWS, "objects of kind %.*s are not decoded", SLICE_ARG(kind));
    if (!rows[row].schema) {
        code = read_daemon_set(&decoder, object, ret_object, err);
    } else {
        code = decode_object(&decoder, object, rows[row].schema->table, ret_object, err);
        if (code == OK && rows[row].schema->complete)
            code = rows[row].schema->complete(&decoder, object, ret_object, err);
    }
    if (code == OK && slice_eq_text(group, "apps") && rows[row].schema)
        ((PodOwner *)ret_object)->kind = symbol_intern(symbols, kind);
    return code;
}

ErrCode pod_decode_alone(Arena *arena, Symbols *symbols, const Value *object, PodRecord *ret_record, Err *err) {
    Title title;
    Decoder decoder = {.arena = arena, .symbols = symbols, .file = object_title(&title, SLICE("Pod"), object)};

    return pod_decode(&decoder, object, ret_record, err);
}

ErrCode pod_spec_decode_alone(Arena *arena, Symbols *symbols, const Value *object, const PodSpecSource *source,
                              PodSpec *ret_spec, Err *err) {
    Title title;
    Decoder decoder = {.arena = arena, .symbols = symbols, .file = object_title(&title, SLICE("Pod"), object)};

    decode_enter(&decoder, SLICE("spec"));
    return pod_spec_decode(&decoder, source, ret_spec, err);
}
