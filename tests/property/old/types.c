// Machines of both architectures, old and new ones, and some that are not sold everywhere.
#include "old/types.h"

#include <inttypes.h>

const char *const old_type_keys[OLD_TYPE_LABELS] = {
    "node.kubernetes.io/instance-type",      "kubernetes.io/arch",
    "karpenter.k8s.aws/instance-family",     "karpenter.k8s.aws/instance-category",
    "karpenter.k8s.aws/instance-generation", "karpenter.k8s.aws/instance-hypervisor",
    "karpenter.k8s.aws/instance-cpu",        "kubernetes.io/os",
};

#define TYPE(family, size, category, generation, arch, hypervisor, cpu, gib, price, zones)                             \
    {                                                                                                                  \
        {family "." size, arch, family, category, generation, hypervisor, #cpu, "linux"}, (cpu)*INT64_C(1000),         \
            (gib)*INT64_C(1024), price, zones                                                                          \
    }

const OldType old_types[] = {
    TYPE("t3", "medium", "t", "3", "amd64", "nitro", 2, 4, 52000, 7),
    TYPE("t4g", "medium", "t", "4", "arm64", "nitro", 2, 4, 41600, 7),
    TYPE("m4", "large", "m", "4", "amd64", "xen", 2, 8, 123000, 3),
    TYPE("m5", "large", "m", "5", "amd64", "nitro", 2, 8, 118000, 7),
    TYPE("m5", "2xlarge", "m", "5", "amd64", "nitro", 8, 32, 472000, 7),
    TYPE("m6g", "xlarge", "m", "6", "arm64", "nitro", 4, 16, 188000, 5),
    TYPE("c4", "xlarge", "c", "4", "amd64", "xen", 4, 7, 227000, 1),
    TYPE("c5a", "large", "c", "5", "amd64", "nitro", 2, 4, 86000, 7),
    TYPE("c7i", "2xlarge", "c", "7", "amd64", "nitro", 8, 16, 403000, 6),
    TYPE("r5", "large", "r", "5", "amd64", "nitro", 2, 16, 152000, 7),
    TYPE("r2", "large", "r", "2", "amd64", "xen", 2, 16, 100000, 7),
    TYPE("x1", "xlarge", "x", "1", "amd64", "xen", 4, 122, 834000, 4),
};
const uint32_t old_type_count = sizeof old_types / sizeof *old_types;
const char *const old_zones[OLD_ZONES] = {"ap-northeast-2a", "ap-northeast-2b", "ap-northeast-2c"};
const char *const old_capacities[OLD_CAPACITIES] = {"on-demand", "spot"};

// Each zone and each type has its own price, so that no two offerings cost the same.
int64_t old_price_micro(const OldType *type, uint32_t zone, uint32_t capacity) {
    int64_t price = type->price_micro + zone * 10;

    return capacity == 0 ? price : price * 2 / 5;
}

static void print_requirement(Buffer *out, const char *comma, const char *key, const char *value) {
    buffer_printf(out, "%s{\"key\": \"%s\", \"operator\": \"In\", \"values\": [\"%s\"]}", comma, key, value);
}

static void print_offerings(Buffer *out, const OldType *type) {
    const char *comma = "";

    for (uint32_t i = 0; i < OLD_ZONES * OLD_CAPACITIES; i++) {
        uint32_t zone = i / OLD_CAPACITIES, capacity = i % OLD_CAPACITIES;
        int64_t price = old_price_micro(type, zone, capacity);

        if (!(type->zones >> zone & 1))
            continue;
        buffer_printf(out, "%s{\"Price\": %" PRId64 ".%06" PRId64 ", \"Requirements\": [", comma, price / 1000000,
                      price % 1000000);
        print_requirement(out, "", "karpenter.sh/capacity-type", old_capacities[capacity]);
        print_requirement(out, ", ", "topology.kubernetes.io/zone", old_zones[zone]);
        buffer_append(out, SLICE("]}"));
        comma = ", ";
    }
}

static void print_type(Buffer *out, const OldType *type) {
    buffer_printf(
        out,
        "{\"name\": \"%s\", \"architecture\": \"%s\", \"operatingSystems\": [\"linux\"], \"resources\": "
        "{\"cpu\": \"%" PRId64 "m\", \"memory\": \"%" PRId64 "Mi\", \"pods\": \"20\"}, \"overhead\": {\"cpu\": "
        "\"%dm\", \"memory\": \"%dMi\"}, \"requirements\": [",
        type->labels[0], type->labels[1], type->cpu_milli, type->memory_mib, OLD_OVERHEAD_MILLI, OLD_OVERHEAD_MIB);
    for (uint32_t i = 2; i < OLD_TYPE_LABELS - 1; i++)
        print_requirement(out, i > 2 ? ", " : "", old_type_keys[i], type->labels[i]);
    buffer_append(out, SLICE("], \"offerings\": ["));
    print_offerings(out, type);
    buffer_append(out, SLICE("]}"));
}

void old_catalog_print(Buffer *out) {
    buffer_append_char(out, '[');
    for (uint32_t i = 0; i < old_type_count; i++) {
        buffer_append(out, i ? SLICE(", ") : SLICE(""));
        print_type(out, &old_types[i]);
    }
    buffer_append_char(out, ']');
}
