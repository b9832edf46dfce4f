// Instance types: families with their own price of memory, zones and capacity types missing here and there.
#include "generator/cluster.h"

#include <stdio.h>

static void add_offering(MadeType *type, MadeOffering offering) {
    if (type->offering_count < OFFERINGS_MAX)
        type->offerings[type->offering_count++] = offering;
}

static void choose_offerings(Making *making, MadeType *type) {
    double base = 0.02 * type->cpu + 0.003 * type->memory_gib + 0.5 * type->gpus;

    for (uint32_t zone = 0; zone < making->zone_count; zone++) {
        double here = base * (1 + 0.01 * below(making, 6));
        double spot = here * (0.3 + 0.05 * below(making, 9));
        bool sold_out = making->profile != GENERATE_KARPENTER && chance(making, 5);

        if (zone > 0 && chance(making, 12))
            continue;
        add_offering(type, (MadeOffering){zone, "on-demand", here, !sold_out, -1, 0});
        if (chance(making, 75))
            add_offering(type, (MadeOffering){zone, "spot", spot, true, -1, 0});
    }
}

static bool is_name_taken(const Making *making, uint32_t count, const char *name) {
    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(making->types[i].name, name) == 0)
            return true;
    }
    return false;
}

static void choose_type(Making *making, uint32_t index) {
    static const uint32_t cpus[] = {1, 2, 2, 4, 4, 8, 8, 16, 16, 32, 48};
    MadeType *type = &making->types[index];
    const char *os;

    do {
        type->family = PICK(making, "c", "m", "m", "r", "g");
        type->arch = chance(making, 80) ? "amd64" : "arm64";
        type->cpu = index == 0 ? 8 : cpus[below(making, sizeof cpus / sizeof *cpus)];
        snprintf(type->name, sizeof type->name, "%s-%ux-%s-linux", type->family, type->cpu, type->arch);
    } while (is_name_taken(making, index, type->name));
    os = type->family;
    type->memory_gib = type->cpu * (os[0] == 'c' ? 2 : os[0] == 'r' ? 8 : 4);
    type->gpus = os[0] == 'g' ? 1 + below(making, 4) : 0;
    type->pods = chance(making, 20) ? 4 + below(making, 8) : 29 + below(making, 82);
    type->also_windows = chance(making, 4);
    choose_offerings(making, type);
}

static void choose_reservations(Making *making) {
    int32_t number = 0;

    making->has_reservations = chance(making, 15);
    for (uint32_t i = 0; making->has_reservations && i < making->type_count; i++) {
        MadeType *type = &making->types[i];
        uint32_t zone = below(making, making->zone_count), capacity = below(making, 4);

        if (chance(making, 25))
            add_offering(type, (MadeOffering){zone, "reserved", 0.00001 * type->cpu, true, number++, capacity});
    }
}

static void write_offering(Making *making, const MadeOffering *offering) {
    Writer *writer = &making->catalog;
    char id[16];

    write_begin(writer, NULL, '{');
    write_real(writer, "Price", offering->price);
    if (!offering->available || making->profile == GENERATE_KARPENTER)
        write_bool(writer, "Available", offering->available);
    write_begin(writer, "Requirements", '[');
    write_requirement(writer, "karpenter.sh/capacity-type", "In", (const char *[]){offering->capacity_type, NULL});
    write_requirement(writer, "topology.kubernetes.io/zone", "In", (const char *[]){zone_name(offering->zone), NULL});
    if (offering->reservation >= 0) {
        snprintf(id, sizeof id, "cr-%d", offering->reservation);
        write_requirement(writer, "karpenter.k8s.aws/capacity-reservation-id", "In", (const char *[]){id, NULL});
    }
    write_end(writer, ']');
    if (offering->reservation >= 0)
        write_number(writer, "ReservationCapacity", offering->reservation_capacity);
    // An offering with less room than its type promises: a smaller disk.
    if (making->profile != GENERATE_KARPENTER && chance(making, 2)) {
        write_begin(writer, "capacityOverride", '{');
        write_text(writer, "ephemeral-storage", "10Gi");
        write_end(writer, '}');
    }
    write_end(writer, '}');
}

// Fields that only tenon reads.
static void write_extensions(Making *making, const MadeType *type) {
    Writer *writer = &making->catalog;
    bool overhead = chance(making, 20), limits = chance(making, 30);

    if (overhead) {
        write_begin(writer, "overhead", '{');
        write_text(writer, "cpu", "%um", 60 + 10 * below(making, 10));
        write_text(writer, "memory", "%uMi", 100 + 50 * below(making, 6));
        write_end(writer, '}');
    }
    if (type->gpus > 0) {
        write_begin(writer, "requirements", '[');
        write_requirement(writer, "karpenter.k8s.aws/instance-gpu-name", "In",
                          (const char *[]){type->gpus > 2 ? "a10g" : "t4", NULL});
        write_end(writer, ']');
    }
    if (limits) {
        write_begin(writer, "volumeLimits", '{');
        write_number(writer, "ebs.csi.aws.com", 1 + below(making, 6));
        write_end(writer, '}');
    }
}

static void write_type(Making *making, const MadeType *type) {
    Writer *writer = &making->catalog;

    write_begin(writer, NULL, '{');
    write_text(writer, "name", "%s", type->name);
    write_text(writer, "architecture", "%s", type->arch);
    write_begin(writer, "operatingSystems", '[');
    write_text(writer, NULL, "linux");
    if (type->also_windows)
        write_text(writer, NULL, "windows");
    write_end(writer, ']');
    write_begin(writer, "resources", '{');
    write_text(writer, "cpu", "%u", type->cpu);
    write_text(writer, "memory", "%uGi", type->memory_gib);
    write_text(writer, "pods", "%u", type->pods);
    write_text(writer, "ephemeral-storage", "20Gi");
    if (type->gpus)
        write_text(writer, "nvidia.com/gpu", "%u", type->gpus);
    write_end(writer, '}');
    if (making->profile != GENERATE_KARPENTER)
        write_extensions(making, type);
    write_begin(writer, "offerings", '[');
    for (uint32_t i = 0; i < type->offering_count; i++)
        write_offering(making, &type->offerings[i]);
    write_end(writer, ']');
    write_end(writer, '}');
}

void make_catalog(Making *making) {
    making->type_count = 3 + below(making, TYPES_MAX - 2);
    for (uint32_t i = 0; i < making->type_count; i++)
        choose_type(making, i);
    choose_reservations(making);
    write_begin(&making->catalog, NULL, '[');
    for (uint32_t i = 0; i < making->type_count; i++)
        write_type(making, &making->types[i]);
    write_end(&making->catalog, ']');
    buffer_append_char(&making->catalog.buffer, '\n');
}
