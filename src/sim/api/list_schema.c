// The table of lists that are maps or sets.
#include "sim/api/list_schema.h"

static const struct {
    const char *name, *key; // key NULL: a set
} lists[] = {
    {"containers", "name"},
    {"initContainers", "name"},
    {"ephemeralContainers", "name"},
    {"env", "name"},
    {"ports", "containerPort"},
    {"volumeMounts", "mountPath"},
    {"volumeDevices", "devicePath"},
    {"volumes", "name"},
    {"imagePullSecrets", "name"},
    {"hostAliases", "ip"},
    {"topologySpreadConstraints", "topologyKey"},
    {"schedulingGates", "name"},
    {"resourceClaims", "name"},
    {"conditions", "type"},
    {"addresses", "type"},
    {"podIPs", "ip"},
    {"hostIPs", "ip"},
    {"drivers", "name"},
    {"ownerReferences", "uid"},
    {"finalizers", NULL},
};

ListSchema list_schema(Slice name) {
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        if (slice_eq_text(name, lists[i].name))
            return lists[i].key ? (ListSchema){LIST_MAP, slice_of(lists[i].key)} : (ListSchema){.type = LIST_SET};
    }
    return (ListSchema){.type = LIST_ATOMIC};
}
