// Translation of objects between symbol tables.
#include "sim/cloud/translate.h"

Symbol cloud_symbol_translate(const Symbols *from, Symbols *to, Symbol symbol) {
    return symbol < NAMES_END ? symbol : symbol_intern(to, symbol_text(from, symbol));
}

Labels cloud_labels_translate(Arena *arena, const Symbols *from, Symbols *to, const Labels *labels) {
    Labels translated = {0};

    for (vec_each(const Label, label, labels))
        labels_set(arena, &translated, cloud_symbol_translate(from, to, label->key),
                   cloud_symbol_translate(from, to, label->value));
    return translated;
}

Resources cloud_resources_translate(Arena *arena, const Symbols *from, Symbols *to, const Resources *list) {
    Resources translated = {0};

    for (vec_each(const ResourceAmount, amount, list))
        resources_set(arena, &translated, cloud_symbol_translate(from, to, amount->resource), amount->amount);
    return translated;
}

static KubeletSettings translate_kubelet(Arena *arena, const Symbols *from, Symbols *to,
                                         const KubeletSettings *settings) {
    KubeletSettings translated = *settings;

    translated.kube_reserved = cloud_resources_translate(arena, from, to, &settings->kube_reserved);
    translated.system_reserved = cloud_resources_translate(arena, from, to, &settings->system_reserved);
    translated.eviction_hard = cloud_labels_translate(arena, from, to, &settings->eviction_hard);
    return translated;
}

static void translate_status(Arena *arena, const Symbols *from, Symbols *to, const EC2NodeClass *class,
                             EC2NodeClass *ret_class) {
    memset(&ret_class->subnets, 0, sizeof ret_class->subnets);
    memset(&ret_class->reservations, 0, sizeof ret_class->reservations);
    for (uint32_t i = 0; i < class->subnets.count; i++) {
        const SubnetStatus *subnet = &class->subnets.items[i];

        vec_push(arena, &ret_class->subnets,
                 (SubnetStatus){cloud_symbol_translate(from, to, subnet->id),
                                cloud_symbol_translate(from, to, subnet->zone),
                                cloud_symbol_translate(from, to, subnet->zone_id)});
    }
    for (uint32_t i = 0; i < class->reservations.count; i++) {
        CapacityReservation reservation = class->reservations.items[i];

        reservation.id = cloud_symbol_translate(from, to, reservation.id);
        reservation.zone = cloud_symbol_translate(from, to, reservation.zone);
        reservation.instance_type = cloud_symbol_translate(from, to, reservation.instance_type);
        reservation.type = cloud_symbol_translate(from, to, reservation.type);
        reservation.state = cloud_symbol_translate(from, to, reservation.state);
        reservation.match_criteria = reservation.owner_id = SLICE("");
        vec_push(arena, &ret_class->reservations, reservation);
    }
}

// Only what instance types depend on: no metadata but the name, and no conditions.
EC2NodeClass cloud_class_translate(Arena *arena, const Symbols *from, Symbols *to, const EC2NodeClass *class) {
    EC2NodeClass translated = {
        .meta = {.name = cloud_symbol_translate(from, to, class->meta.name), .generation = class->meta.generation},
        .ami_family = arena_slice(arena, class->ami_family),
        .kubelet = translate_kubelet(arena, from, to, &class->kubelet),
        .instance_store_policy = arena_slice(arena, class->instance_store_policy),
        .has_connection_tracking = class->has_connection_tracking,
        .nested_virtualization = class->nested_virtualization,
    };

    for (uint32_t i = 0; i < class->block_devices.count; i++) {
        const BlockDeviceMapping *device = &class->block_devices.items[i];

        vec_push(arena, &translated.block_devices,
                 (BlockDeviceMapping){.device_name = arena_slice(arena, device->device_name),
                                      .root_volume = device->root_volume,
                                      .volume_size = arena_slice(arena, device->volume_size)});
    }
    for (uint32_t i = 0; i < class->network_interfaces.count; i++) {
        NetworkInterface interface = class->network_interfaces.items[i];

        interface.type = cloud_symbol_translate(from, to, interface.type);
        vec_push(arena, &translated.network_interfaces, interface);
    }
    translate_status(arena, from, to, class, &translated);
    return translated;
}
