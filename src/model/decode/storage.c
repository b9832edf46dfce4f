// PersistentVolumes, their claims and attachments, StorageClasses and CSINodes. Reference scheduling.md 4.3.
#include "model/decode/storage.h"

#include "model/decode/schemas.h"

// In-tree volume plugins and the CSI drivers that replaced them: name as a provisioner, and member of a volume's spec.
typedef struct {
    const char *plugin, *source, *driver;
} InTreePlugin;
static const InTreePlugin in_tree_plugins[] = {
    {"kubernetes.io/aws-ebs", "awsElasticBlockStore", "ebs.csi.aws.com"},
    {"kubernetes.io/gce-pd", "gcePersistentDisk", "pd.csi.storage.gke.io"},
    {"kubernetes.io/azure-disk", "azureDisk", "disk.csi.azure.com"},
    {"kubernetes.io/azure-file", "azureFile", "file.csi.azure.com"},
    {"kubernetes.io/cinder", "cinder", "cinder.csi.openstack.org"},
    {"kubernetes.io/vsphere-volume", "vsphereVolume", "csi.vsphere.vmware.com"},
    {"kubernetes.io/portworx-volume", "portworxVolume", "pxd.portworx.com"},
};
enum { IN_TREE_PLUGINS = sizeof in_tree_plugins / sizeof *in_tree_plugins };

Symbol csi_driver_of_plugin(Symbols *symbols, Symbol plugin) {
    for (size_t i = 0; i < IN_TREE_PLUGINS; i++) {
        if (slice_eq_text(symbol_text(symbols, plugin), in_tree_plugins[i].plugin))
            return symbol_intern(symbols, slice_of(in_tree_plugins[i].driver));
    }
    return plugin;
}

// PersistentVolume.

static const Field csi_fields[] = {
    FIELD(PersistentVolume, csi_driver, "driver", FIELD_SYMBOL, .required = true),
};
static const FieldTable csi_table = FIELD_TABLE(PersistentVolume, csi_fields);
static const Field affinity_fields[] = {
    FIELD(PersistentVolume, node_terms, "required", FIELD_OBJECT, .table = &node_selector_table),
};
static const FieldTable affinity_table = FIELD_TABLE(PersistentVolume, affinity_fields);
static const Field volume_spec_fields[] = {
    FIELD_FLAT("csi", csi_table, ),
    FIELD_CUSTOM_WITH(PersistentVolume, local, "local", decode_presence, ),
    FIELD_CUSTOM_WITH(PersistentVolume, local, "hostPath", decode_presence, ),
    FIELD_FLAT("nodeAffinity", affinity_table, ),
};
static const FieldTable volume_spec_table = FIELD_TABLE(PersistentVolume, volume_spec_fields);
static const Field volume_fields[] = {
    FIELD(PersistentVolume, meta, "metadata", FIELD_OBJECT, .table = &object_meta_table, .required = true),
    FIELD_FLAT("spec", volume_spec_table, .required = true),
};
static const FieldTable volume_table = FIELD_TABLE(PersistentVolume, volume_fields);

static ErrCode complete_volume(Decoder *decoder, const Value *object, void *decoded, Err *err) {
    PersistentVolume *volume = decoded;
    const Value *spec = value_get_text(object, "spec");

    (void)err;
    for (size_t i = 0; i < IN_TREE_PLUGINS && volume->csi_driver == NAME_EMPTY; i++) {
        const Value *source = value_get(spec, slice_of(in_tree_plugins[i].source));

        if (source && source->kind != VALUE_NULL)
            volume->csi_driver = symbol_intern(decoder->symbols, slice_of(in_tree_plugins[i].driver));
    }
    return OK;
}

const ObjectSchema volume_schema = {&volume_table, complete_volume};

// PersistentVolumeClaim.

static const Field claim_spec_fields[] = {
    FIELD_HAS(PersistentVolumeClaim, storage_class, has_storage_class, "storageClassName", FIELD_SYMBOL, ),
    FIELD(PersistentVolumeClaim, volume_name, "volumeName", FIELD_SYMBOL, ),
};
static const FieldTable claim_spec_table = FIELD_TABLE(PersistentVolumeClaim, claim_spec_fields);
static const Field claim_status_fields[] = {
    FIELD(PersistentVolumeClaim, phase, "phase", FIELD_SYMBOL, ),
};
static const FieldTable claim_status_table = FIELD_TABLE(PersistentVolumeClaim, claim_status_fields);
static const Field claim_fields[] = {
    FIELD(PersistentVolumeClaim, meta, "metadata", FIELD_OBJECT, .table = &object_meta_table, .required = true),
    FIELD_FLAT("spec", claim_spec_table, .required = true),
    FIELD_FLAT("status", claim_status_table, ),
};
static const FieldTable claim_table = FIELD_TABLE(PersistentVolumeClaim, claim_fields);

static bool is_for_one_pod(const Value *claim) {
    const Value *modes = value_at(claim, "spec", "accessModes", NULL);

    for (uint32_t i = 0; modes && modes->kind == VALUE_LIST && i < modes->list.count; i++) {
        if (slice_eq_text(modes->list.items[i].text, "ReadWriteOncePod"))
            return true;
    }
    return false;
}

// Reads the class from the annotation that claims had before storageClassName; Kubernetes still accepts it.
static ErrCode complete_claim(Decoder *decoder, const Value *object, void *decoded, Err *err) {
    PersistentVolumeClaim *claim = decoded;
    Symbol beta = symbol_intern(decoder->symbols, SLICE("volume.beta.kubernetes.io/storage-class"));
    Symbol annotated = labels_get(&claim->meta.annotations, beta);

    (void)err;
    claim->one_pod = is_for_one_pod(object);
    if (annotated != INDEX_NONE) {
        claim->has_storage_class = true;
        claim->storage_class = annotated;
    }
    if (claim->phase == NAME_EMPTY)
        claim->phase = symbol_intern(decoder->symbols, SLICE("Pending"));
    return OK;
}

const ObjectSchema volume_claim_schema = {&claim_table, complete_claim};

// StorageClass.

static const Field topology_fields[] = {
    FIELD(Expression, key, "key", FIELD_SYMBOL, .required = true),
    FIELD(Expression, values, "values", FIELD_SYMBOLS, .required = true),
};
static const FieldTable topology_table = FIELD_TABLE(Expression, topology_fields);
static const Field allowed_fields[] = {
    FIELD(NodeTerm, expressions, "matchLabelExpressions", FIELD_LIST, .table = &topology_table),
};
static const FieldTable allowed_table = FIELD_TABLE(NodeTerm, allowed_fields);

static ErrCode decode_binding_mode(Decoder *decoder, const Value *value, void *ret_immediate, Err *err) {
    static const char *const words[] = {"Immediate", "WaitForFirstConsumer"};
    size_t word;

    TRY(DECODE_WORD(decoder, value, words, &word, err));
    *(bool *)ret_immediate = word == 0;
    return OK;
}

typedef struct {
    StorageClass class;
    bool has_binding_mode;
} StorageClassRecord;

static const Field class_fields[] = {
    FIELD(StorageClassRecord, class.meta, "metadata", FIELD_OBJECT, .table = &object_meta_table, .required = true),
    FIELD(StorageClassRecord, class.driver, "provisioner", FIELD_SYMBOL, .required = true),
    FIELD_HAS(StorageClassRecord, class.immediate, has_binding_mode, "volumeBindingMode", FIELD_CUSTOM,
              .custom = decode_binding_mode),
    FIELD(StorageClassRecord, class.allowed_topologies, "allowedTopologies", FIELD_LIST, .table = &allowed_table),
};
static const FieldTable class_table = FIELD_TABLE(StorageClassRecord, class_fields);

static ErrCode complete_class(Decoder *decoder, const Value *object, void *decoded, Err *err) {
    static const Slice marks[] = {
        SLICE_INIT("storageclass.kubernetes.io/is-default-class"),
        SLICE_INIT("storageclass.beta.kubernetes.io/is-default-class"),
    };
    StorageClassRecord *record = decoded;
    StorageClass *class = &record->class;

    (void)object, (void)err;
    if (!record->has_binding_mode)
        class->immediate = true;
    class->driver = csi_driver_of_plugin(decoder->symbols, class->driver);
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        Symbol mark = symbol_intern(decoder->symbols, marks[i]);

        class->is_default |= labels_get(&class->meta.annotations, mark) == NAME_TRUE;
    }
    return OK;
}

const ObjectSchema storage_class_schema = {&class_table, complete_class};

// VolumeAttachment.

static const Field attached_fields[] = {
    FIELD(VolumeAttachment, volume_name, "persistentVolumeName", FIELD_SYMBOL, ),
};
static const FieldTable attached_table = FIELD_TABLE(VolumeAttachment, attached_fields);
static const Field attachment_spec_fields[] = {
    FIELD(VolumeAttachment, node_name, "nodeName", FIELD_SYMBOL, .required = true),
    FIELD_FLAT("source", attached_table, ),
};
static const FieldTable attachment_spec_table = FIELD_TABLE(VolumeAttachment, attachment_spec_fields);
static const Field attachment_fields[] = {
    FIELD(VolumeAttachment, meta, "metadata", FIELD_OBJECT, .table = &object_meta_table, .required = true),
    FIELD_FLAT("spec", attachment_spec_table, .required = true),
};
static const FieldTable attachment_table = FIELD_TABLE(VolumeAttachment, attachment_fields);

const ObjectSchema volume_attachment_schema = {&attachment_table, NULL};

// CSINode: a driver without `allocatable` is unlimited; one with `allocatable` and no count allows no volume.

static const Field allocatable_fields[] = {
    FIELD(VolumeLimit, count, "count", FIELD_INT64, ),
};
static const FieldTable allocatable_table = FIELD_TABLE(VolumeLimit, allocatable_fields);
static const Field driver_fields[] = {
    FIELD(VolumeLimit, driver, "name", FIELD_SYMBOL, .required = true),
    FIELD_FLAT_HAS(VolumeLimit, has_count, "allocatable", allocatable_table),
};
static const FieldTable driver_table = FIELD_TABLE(VolumeLimit, driver_fields);
static const Field csi_node_spec_fields[] = {
    FIELD(CSINode, drivers, "drivers", FIELD_LIST, .table = &driver_table),
};
static const FieldTable csi_node_spec_table = FIELD_TABLE(CSINode, csi_node_spec_fields);
static const Field csi_node_fields[] = {
    FIELD(CSINode, meta, "metadata", FIELD_OBJECT, .table = &object_meta_table, .required = true),
    FIELD_FLAT("spec", csi_node_spec_table, ),
};
static const FieldTable csi_node_table = FIELD_TABLE(CSINode, csi_node_fields);

const ObjectSchema csi_node_schema = {&csi_node_table, NULL};
