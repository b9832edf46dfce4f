// Instances in the symbols of a view, each translated once.
#include "sim/cloud/view_instance.h"

#include "sim/cloud/machines.h"
#include "sim/cloud/translate.h"

static void translate(SimView *view, const SimInstance *shown, CloudInstance *ret_instance) {
    const Symbols *from = view->cloud->symbols;
    Symbols *to = &view->symbols;

    *ret_instance = (CloudInstance){
        .provider_id = cloud_symbol_translate(from, to, shown->provider_id),
        .image_id = cloud_symbol_translate(from, to, shown->image_id),
        .instance_type = cloud_symbol_translate(from, to, shown->instance_type),
        .zone = cloud_symbol_translate(from, to, shown->zone),
        .capacity_type = shown->capacity_type,
        .labels = cloud_labels_translate(&view->arena, from, to, &shown->labels),
        .capacity = cloud_resources_translate(&view->arena, from, to, &shown->capacity),
        .allocatable = cloud_resources_translate(&view->arena, from, to, &shown->allocatable),
        .claim_name = cloud_symbol_translate(from, to, shown->claim_name),
        .pool = cloud_symbol_translate(from, to, shown->pool),
        .launched_ns = shown->launched_ns,
    };
}

const CloudInstance *cloud_view_instance(SimView *view, uint32_t number) {
    const SimMachine *machine = &view->cloud->machines.items[number];
    CloudInstance *instance;

    while (view->instances.count <= number)
        (void)vec_add(&view->arena, &view->instances);
    instance = &view->instances.items[number];
    if (instance->provider_id == NAME_EMPTY)
        translate(view, &machine->shown, instance);
    instance->terminating = cloud_machine_described(view->cloud, machine) >= SIM_INSTANCE_SHUTTING_DOWN;
    return instance;
}
