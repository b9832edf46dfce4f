// The table of lists that are maps or sets.
#include "sim/api/apply/list_schema.h"

#define MAP1(name, key)                                                                                                \
    {                                                                                                                  \
        SLICE_INIT(name), {                                                                                            \
            LIST_MAP, SLICE_INIT(key), 1, {                                                                            \
                { SLICE_INIT(key), SLICE_INIT("") }                                                                    \
            }                                                                                                          \
        }                                                                                                              \
    }
#define MAP2(name, key, second, fallback)                                                                              \
    {                                                                                                                  \
        SLICE_INIT(name), {                                                                                            \
            LIST_MAP, SLICE_INIT(key), 2, {                                                                            \
                {SLICE_INIT(key), SLICE_INIT("")}, {                                                                   \
                    SLICE_INIT(second), SLICE_INIT(fallback)                                                           \
                }                                                                                                      \
            }                                                                                                          \
        }                                                                                                              \
    }

static const struct {
    Slice name;
    ListSchema schema;
} lists[] = {
    MAP1("containers", "name"),
    MAP1("initContainers", "name"),
    MAP1("ephemeralContainers", "name"),
    MAP1("env", "name"),
    MAP2("ports", "containerPort", "protocol", "TCP"),
    MAP1("volumeMounts", "mountPath"),
    MAP1("volumeDevices", "devicePath"),
    MAP1("volumes", "name"),
    MAP1("imagePullSecrets", "name"),
    MAP1("hostAliases", "ip"),
    MAP2("topologySpreadConstraints", "topologyKey", "whenUnsatisfiable", ""),
    MAP1("schedulingGates", "name"),
    MAP1("resourceClaims", "name"),
    MAP1("conditions", "type"),
    MAP1("addresses", "type"),
    MAP1("podIPs", "ip"),
    MAP1("hostIPs", "ip"),
    MAP1("drivers", "name"),
    MAP1("ownerReferences", "uid"),
    {SLICE_INIT("finalizers"), {.type = LIST_SET}},
};

ListSchema list_schema(Slice name, bool custom, bool in_metadata) {
    if (custom && !in_metadata && !slice_eq_text(name, "conditions"))
        return (ListSchema){.type = LIST_ATOMIC};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        if (slice_eq(lists[i].name, name))
            return lists[i].schema;
    }
    return (ListSchema){.type = LIST_ATOMIC};
}
