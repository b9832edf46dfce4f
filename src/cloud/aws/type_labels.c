// Labels of instance types: reference aws.md 4.1. A label without data has operator DoesNotExist, so that every type
// has a requirement on every key.
#include "cloud/aws/type_labels.h"

#include "cloud/aws/type_offerings.h"

#include <stdio.h>

typedef struct {
    TypeContext *context;
    Requirements set;
} Labeller;

static void add(Labeller *labeller, Requirement requirement) {
    requirements_add(labeller->context->arena, labeller->context->symbols, &labeller->set, &requirement);
}

static void add_text(Labeller *labeller, Symbol key, Slice value) {
    Symbol symbol = symbol_intern(labeller->context->symbols, value);

    add(labeller, requirement_in(labeller->context->arena, key, symbol));
}

static void add_absent(Labeller *labeller, Symbol key) {
    add(labeller, (Requirement){.key = key});
}

static void add_number(Labeller *labeller, Symbol key, int64_t value) {
    char text[24];
    int len = snprintf(text, sizeof text, "%lld", (long long)value);

    add_text(labeller, key, (Slice){text, (size_t)len});
}

// Adds a number; -1 means none, or unknown.
static void add_known(Labeller *labeller, Symbol key, int64_t value) {
    if (value < 0)
        add_absent(labeller, key);
    else
        add_number(labeller, key, value);
}

static void add_flag(Labeller *labeller, Symbol key, bool value) {
    add_text(labeller, key, value ? SLICE("true") : SLICE("false"));
}

// Adds a value in lower case with '-' for spaces: "RTX PRO 4500" becomes "rtx-pro-4500".
static void add_kebab(Labeller *labeller, Symbol key, Slice value) {
    char text[128];
    size_t len = value.len < sizeof text ? value.len : sizeof text;

    for (size_t i = 0; i < len; i++) {
        char c = value.ptr[i];

        text[i] = c == ' ' ? '-' : c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
    }
    add_text(labeller, key, (Slice){text, len});
}

static void add_values(Labeller *labeller, Symbol key, const SymbolVec *values) {
    Expression expression = {.key = key, .op = OP_IN, .values = *values};

    add(labeller, requirement_make(labeller->context->arena, labeller->context->symbols, &expression));
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

// Splits a family into category and generation: groups 1 and 3 of (^[a-z]+)(\-[0-9]+tb)?([0-9]+).*\. ("u-6tb1.metal"
// gives u and 1).
static void split_family(Slice family, Slice *ret_category, Slice *ret_generation) {
    size_t letters = 0, at, end;

    while (letters < family.len && family.ptr[letters] >= 'a' && family.ptr[letters] <= 'z')
        letters++;
    at = letters;
    if (at < family.len && family.ptr[at] == '-') {
        size_t terabytes = at + 1;

        while (terabytes < family.len && is_digit(family.ptr[terabytes]))
            terabytes++;
        if (terabytes > at + 1 && slice_starts_with(slice_from(family, terabytes), SLICE("tb")))
            at = terabytes + 2;
    }
    for (end = at; end < family.len && is_digit(family.ptr[end]);)
        end++;
    *ret_category = slice_first(family, end > at ? letters : 0);
    *ret_generation = slice_first(slice_from(family, at), end - at);
}

static void add_name(Labeller *labeller, const Ec2Type *type) {
    const Symbol *labels = labeller->context->labels;
    Slice category, generation;

    split_family(type->family, &category, &generation);
    add_text(labeller, NAME_INSTANCE_TYPE, type->name);
    add_text(labeller, labels[EC2_LABEL_FAMILY], type->family);
    add_text(labeller, labels[EC2_LABEL_SIZE], type->size);
    add_flag(labeller, labels[EC2_LABEL_CAPABILITY_FLEX], slice_contains(type->family, SLICE("-flex")));
    if (category.len == 0) {
        add_absent(labeller, labels[EC2_LABEL_CATEGORY]);
        add_absent(labeller, labels[EC2_LABEL_GENERATION]);
        return;
    }
    add_text(labeller, labels[EC2_LABEL_CATEGORY], category);
    add_text(labeller, labels[EC2_LABEL_GENERATION], generation);
}

// Adds the operating systems. Windows has no arm64 images: an empty set.
static void add_system(Labeller *labeller, const Ec2Type *type) {
    Slice build = labeller->context->family->windows_build;

    add_text(labeller, NAME_ARCH, type->arch);
    if (build.len == 0) {
        add(labeller, requirement_in(labeller->context->arena, NAME_OS, NAME_LINUX));
        add_absent(labeller, NAME_WINDOWS_BUILD);
        return;
    }
    if (slice_eq(type->arch, SLICE("amd64")))
        add(labeller, requirement_in(labeller->context->arena, NAME_OS, NAME_WINDOWS));
    else
        add_absent(labeller, NAME_OS);
    add_text(labeller, NAME_WINDOWS_BUILD, build);
}

static void add_place(Labeller *labeller, const Ec2Type *type) {
    TypeContext *context = labeller->context;
    uint32_t bits = ec2_offer(context->catalogue, type, context->region)->zones & context->usable_zones;
    SymbolVec zones = {0}, zone_ids = {0};

    for (uint32_t i = 0; i < context->region->zone_count; i++) {
        if (!(bits >> i & 1))
            continue;
        vec_push(context->arena, &zones, context->zones[i]);
        if (context->zone_ids[i] != NAME_EMPTY)
            vec_push(context->arena, &zone_ids, context->zone_ids[i]);
    }
    add_values(labeller, NAME_ZONE, &zones);
    add_values(labeller, NAME_ZONE_ID, &zone_ids);
    add_text(labeller, NAME_REGION, context->region->name);
}

static void add_processor(Labeller *labeller, const Ec2Type *type) {
    const Symbol *labels = labeller->context->labels;

    add_number(labeller, labels[EC2_LABEL_CPU], type->cpus);
    add_number(labeller, labels[EC2_LABEL_MEMORY], type->memory_mib);
    add_kebab(labeller, labels[EC2_LABEL_CPU_MANUFACTURER], type->manufacturer);
    add_known(labeller, labels[EC2_LABEL_CPU_CLOCK_SPEED], type->clock_mhz);
    add_known(labeller, labels[EC2_LABEL_EBS_BANDWIDTH], type->ebs_mbps);
    add_known(labeller, labels[EC2_LABEL_NETWORK_BANDWIDTH], type->network_mbps);
    add_known(labeller, labels[EC2_LABEL_LOCAL_NVME], type->storage_is_nvme ? type->storage_gb : -1);
    add_text(labeller, labels[EC2_LABEL_HYPERVISOR], type->hypervisor);
    add_flag(labeller, labels[EC2_LABEL_ENCRYPTION_IN_TRANSIT], type->encryption_in_transit);
}

static void add_gpu(Labeller *labeller, const Ec2Type *type) {
    const Symbol *labels = labeller->context->labels;

    if (type->gpus.count != 1) {
        add_absent(labeller, labels[EC2_LABEL_GPU_NAME]);
        add_absent(labeller, labels[EC2_LABEL_GPU_MANUFACTURER]);
        add_absent(labeller, labels[EC2_LABEL_GPU_COUNT]);
        add_absent(labeller, labels[EC2_LABEL_GPU_MEMORY]);
        return;
    }
    add_kebab(labeller, labels[EC2_LABEL_GPU_NAME], type->gpus.items[0].name);
    add_kebab(labeller, labels[EC2_LABEL_GPU_MANUFACTURER], type->gpus.items[0].manufacturer);
    add_number(labeller, labels[EC2_LABEL_GPU_COUNT], type->gpus.items[0].count);
    add_number(labeller, labels[EC2_LABEL_GPU_MEMORY], type->gpus.items[0].memory_mib);
}

// Adds the accelerator labels: of a single inference accelerator if the type has no Neuron devices, else of a single
// Neuron device.
static void add_accelerator(Labeller *labeller, const Ec2Type *type) {
    const Symbol *labels = labeller->context->labels;
    bool is_inference = type->neurons.count == 0 && type->accelerators.count == 1;

    if (!is_inference && type->neurons.count != 1) {
        add_absent(labeller, labels[EC2_LABEL_ACCELERATOR_NAME]);
        add_absent(labeller, labels[EC2_LABEL_ACCELERATOR_MANUFACTURER]);
        add_absent(labeller, labels[EC2_LABEL_ACCELERATOR_COUNT]);
        return;
    }
    add_kebab(labeller, labels[EC2_LABEL_ACCELERATOR_NAME],
              is_inference ? type->accelerators.items[0].name : type->neurons.items[0].name);
    add_kebab(labeller, labels[EC2_LABEL_ACCELERATOR_MANUFACTURER],
              is_inference ? type->accelerators.items[0].manufacturer : SLICE("aws"));
    add_number(labeller, labels[EC2_LABEL_ACCELERATOR_COUNT],
               is_inference ? type->accelerators.items[0].count : type->neurons.items[0].count);
}

// Adds capacity types and the labels of reservations. Several reservations may be for the type; the requirement keeps
// each value once.
static void add_purchase(Labeller *labeller, const Ec2Type *type) {
    TypeContext *context = labeller->context;
    SymbolVec capacity_types = {0}, ids = {0}, kinds = {0}, interruptibles = {0};
    Symbol tenancies[] = {symbol_intern(context->symbols, SLICE("default")),
                          symbol_intern(context->symbols, SLICE("dedicated"))};

    if (type->usages & EC2_USAGE_ON_DEMAND)
        vec_push(context->arena, &capacity_types, NAME_ON_DEMAND);
    if (type->usages & EC2_USAGE_SPOT)
        vec_push(context->arena, &capacity_types, NAME_SPOT);
    for (uint32_t i = 0; i < context->node_class->reservations.count; i++) {
        const CapacityReservation *reservation = &context->node_class->reservations.items[i];

        if (!ec2_reservation_is_for(context, reservation, type))
            continue;
        vec_push(context->arena, &ids, reservation->id);
        vec_push(context->arena, &kinds, reservation->type);
        vec_push(context->arena, &interruptibles,
                 symbol_intern(context->symbols, reservation->interruptible ? SLICE("true") : SLICE("false")));
    }
    if (ids.count)
        vec_push(context->arena, &capacity_types, NAME_RESERVED);
    add_values(labeller, NAME_CAPACITY_TYPE, &capacity_types);
    add_values(labeller, NAME_RESERVATION_ID, &ids);
    add_values(labeller, context->labels[EC2_LABEL_RESERVATION_TYPE], &kinds);
    add_values(labeller, context->labels[EC2_LABEL_RESERVATION_INTERRUPTIBLE], &interruptibles);
    add_values(labeller, context->labels[EC2_LABEL_TENANCY], &(SymbolVec){.items = tenancies, .count = 2});
}

Requirements ec2_type_labels(TypeContext *context, const Ec2Type *type) {
    Labeller labeller = {.context = context};

    add_name(&labeller, type);
    add_system(&labeller, type);
    add_place(&labeller, type);
    add_processor(&labeller, type);
    add_gpu(&labeller, type);
    add_accelerator(&labeller, type);
    add_purchase(&labeller, type);
    return labeller.set;
}
