// Lists of classes, and the key by which classes share one.
#include "cloud/aws/market/class_list.h"

#include "base/buffer.h"
#include "cloud/aws/market/pack.h"

#include <stdlib.h>

static void put_text(Buffer *key, Slice text) {
    buffer_printf(key, "%zu:", text.len);
    buffer_append(key, text);
}

static void put_number(Buffer *key, int64_t number) {
    buffer_printf(key, "%lld,", (long long)number);
}

static void put_resources(Buffer *key, const Resources *resources) {
    put_number(key, resources->count);
    for (uint32_t i = 0; i < resources->count; i++) {
        put_number(key, resources->items[i].resource);
        put_number(key, resources->items[i].amount);
    }
}

static void put_kubelet(Buffer *key, const KubeletSettings *kubelet) {
    put_number(key, kubelet->has_max_pods ? kubelet->max_pods : -1);
    put_number(key, kubelet->has_pods_per_core ? kubelet->pods_per_core : -1);
    put_resources(key, &kubelet->kube_reserved);
    put_resources(key, &kubelet->system_reserved);
    put_number(key, kubelet->eviction_hard.count);
    for (uint32_t i = 0; i < kubelet->eviction_hard.count; i++) {
        put_number(key, kubelet->eviction_hard.items[i].key);
        put_number(key, kubelet->eviction_hard.items[i].value);
    }
}

static void put_devices(Buffer *key, const EC2NodeClass *class) {
    put_number(key, class->block_devices.count);
    for (vec_each(const BlockDeviceMapping, device, &class->block_devices)) {
        put_text(key, device->device_name);
        put_text(key, device->volume_size);
        put_number(key, device->root_volume);
        put_number(key, device->has_ebs);
    }
    put_number(key, class->network_interfaces.count);
    for (vec_each(const NetworkInterface, interface, &class->network_interfaces)) {
        put_number(key, interface->type);
        put_number(key, interface->card_index);
        put_number(key, interface->device_index);
    }
}

static int compare_zones(const void *a, const void *b) {
    const SubnetStatus *x = a, *y = b;

    return (x->zone > y->zone) - (x->zone < y->zone);
}

// The zones that have subnets, with the last id of each; EC2 lists subnets in any order.
static void put_zones(Arena *arena, Buffer *key, const SubnetStatusVec *subnets) {
    SubnetStatusVec zones = {0};

    for (vec_each(const SubnetStatus, subnet, subnets)) {
        uint32_t at = 0;

        while (at < zones.count && zones.items[at].zone != subnet->zone)
            at++;
        if (at == zones.count)
            vec_push(arena, &zones, *subnet);
        else if (subnet->zone_id != NAME_EMPTY)
            zones.items[at].zone_id = subnet->zone_id;
    }
    if (zones.count)
        qsort(zones.items, zones.count, sizeof *zones.items, compare_zones);
    for (vec_each(const SubnetStatus, zone, &zones)) {
        put_number(key, zone->zone);
        put_number(key, zone->zone_id);
    }
}

static int compare_reservations(const void *a, const void *b) {
    const CapacityReservation *x = *(const CapacityReservation *const *)a, *y = *(const CapacityReservation *const *)b;

    return (x->id > y->id) - (x->id < y->id);
}

static void put_reservations(Arena *arena, Buffer *key, const CapacityReservationVec *reservations) {
    const CapacityReservation **sorted = arena_array(arena, const CapacityReservation *, reservations->count);

    for (uint32_t i = 0; i < reservations->count; i++)
        sorted[i] = &reservations->items[i];
    qsort(sorted, reservations->count, sizeof *sorted, compare_reservations);
    put_number(key, reservations->count);
    for (uint32_t i = 0; i < reservations->count; i++) {
        put_number(key, sorted[i]->id);
        put_number(key, sorted[i]->zone);
        put_number(key, sorted[i]->instance_type);
        put_number(key, sorted[i]->type);
        put_number(key, sorted[i]->interruptible);
    }
}

Slice class_list_key(Arena *arena, const EC2NodeClass *class) {
    Buffer key = {0};
    Slice copy;

    put_text(&key, class->ami_family);
    put_text(&key, class->instance_store_policy);
    put_number(&key, class->has_connection_tracking);
    put_number(&key, class->nested_virtualization);
    put_number(&key, class->launch.enclaves.value);
    put_kubelet(&key, &class->kubelet);
    put_devices(&key, class);
    put_reservations(arena, &key, &class->reservations);
    put_zones(arena, &key, &class->subnets);
    copy = arena_slice(arena, buffer_slice(&key));
    buffer_free(&key);
    return copy;
}

// The reservations as they lastingly are.
static CapacityReservationVec lasting_reservations(Arena *arena, Symbols *symbols,
                                                   const CapacityReservationVec *reservations) {
    Symbol active = symbol_intern(symbols, SLICE("active"));
    CapacityReservationVec lasting = {0};

    for (vec_each(const CapacityReservation, reservation, reservations)) {
        CapacityReservation *copy = vec_add(arena, &lasting);

        *copy = *reservation;
        copy->state = active;
        copy->available_count = INT32_MAX;
    }
    return lasting;
}

ErrCode class_list_make(Symbols *symbols, const Ec2Catalogue *catalogue, const Ec2TypeOptions *options,
                        const EC2NodeClass *class, TypeList *model, TypeList **ret_list, Err *err) {
    EC2NodeClass lasting = *class;
    InstanceTypeVec types;
    Arena arena = {0};
    ErrCode code;

    if (class->subnets.count == 0)
        return err_set(err, ERR_NOT_FOUND, "no subnets were found for the EC2NodeClass");
    lasting.reservations = lasting_reservations(&arena, symbols, &class->reservations);
    code = ec2_instance_types(&arena, symbols, catalogue, options, &lasting, &types, err);
    if (code == OK)
        *ret_list = type_list_pack(&types, model);
    arena_free(&arena);
    return code;
}
