// Defaults of a Provisioner's requirements.
#include "legacy/defaults.h"

#include "text/value_edit.h"

typedef struct {
    const char *unless[6]; // keys, with their old spellings, of which none may be required; ends with NULL
    const char *key, *operator;
    const char *values[4]; // ends with NULL
} DefaultRow;

#define CATEGORY   "karpenter.k8s.aws/instance-category"
#define GENERATION "karpenter.k8s.aws/instance-generation"
#define TYPE_KEYS                                                                                                      \
    {                                                                                                                  \
        "node.kubernetes.io/instance-type", "beta.kubernetes.io/instance-type", "karpenter.k8s.aws/instance-family",   \
            CATEGORY, GENERATION, NULL                                                                                 \
    }

static const DefaultRow rows[] = {
    {{"kubernetes.io/os", "beta.kubernetes.io/os", NULL}, "kubernetes.io/os", "In", {"linux", NULL}},
    {{"kubernetes.io/arch", "beta.kubernetes.io/arch", NULL}, "kubernetes.io/arch", "In", {"amd64", NULL}},
    {{"karpenter.sh/capacity-type", NULL}, "karpenter.sh/capacity-type", "In", {"on-demand", NULL}},
    {TYPE_KEYS, CATEGORY, "In", {"c", "m", "r", NULL}},
    {TYPE_KEYS, GENERATION, "Gt", {"2", NULL}},
};

static bool has_one(const OldRequirement *requirements, uint32_t count, const char *const *keys) {
    for (; *keys; keys++) {
        for (uint32_t i = 0; i < count; i++) {
            if (slice_eq_text(requirements[i].key, *keys))
                return true;
        }
    }
    return false;
}

uint32_t provisioner_default(Arena *arena, OldProvisioner *provisioner) {
    uint32_t before = provisioner->requirements.count;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        OldRequirement *added;

        if (has_one(provisioner->requirements.items, before, rows[i].unless))
            continue;
        added = vec_add(arena, &provisioner->requirements);
        added->key = slice_of(rows[i].key);
        added->operator= slice_of(rows[i].operator);
        for (const char *const *value = rows[i].values; *value; value++)
            vec_push(arena, &added->values, slice_of(*value));
    }
    return provisioner->requirements.count - before;
}

Value old_requirement_value(Arena *arena, const OldRequirement *requirement) {
    Value value = value_map(), values = value_list();

    for (vec_each(const Slice, text, &requirement->values))
        value_append(arena, &values, value_string(*text));
    value_put(arena, &value, SLICE("key"), value_string(requirement->key));
    value_put(arena, &value, SLICE("operator"), value_string(requirement->operator));
    if (values.list.count)
        value_put(arena, &value, SLICE("values"), values);
    return value;
}
