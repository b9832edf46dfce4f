// The instance of a launch: names, labels and resources, in the world's symbols.
#include "sim/cloud/launch_make.h"

#include "sim/cloud/machines.h"
#include "sim/cloud/translate.h"

static Symbol own(const SimLaunch *launch, Symbol symbol) {
    return cloud_symbol_translate(&launch->view->symbols, launch->view->cloud->symbols, symbol);
}

static void add_single_values(const SimLaunch *launch, const Requirements *set, Labels *labels) {
    for (vec_each(const Requirement, requirement, set)) {
        if (!requirement->complement && requirement->values.count == 1)
            labels_set(&launch->view->cloud->arena, labels, own(launch, requirement->key),
                       own(launch, requirement->values.items[0]));
    }
}

static Resources without_zeros(SimView *view, const Resources *list) {
    SimCloud *cloud = view->cloud;
    Resources some = {0};

    for (vec_each(const ResourceAmount, amount, list)) {
        if (amount->amount != 0)
            resources_set(&cloud->arena, &some,
                          cloud_symbol_translate(&view->symbols, cloud->symbols, amount->resource), amount->amount);
    }
    return some;
}

void cloud_instance_size(SimView *view, const InstanceType *type, const Offering *offering, SimInstance *shown) {
    Arena scratch = {0};
    Resources capacity = instance_type_capacity(&scratch, type, offering),
              allocatable = instance_type_allocatable(&scratch, &view->symbols, type, offering);

    shown->capacity = without_zeros(view, &capacity);
    shown->allocatable = without_zeros(view, &allocatable);
    arena_free(&scratch);
}

// Labels by aws.md 3.7; for KWOK by lifecycle.md 8, which adds the claim's own labels.
static Labels labels_of(const SimLaunch *launch, const InstanceType *type, const Offering *offering) {
    Arena *arena = &launch->view->cloud->arena;
    Labels labels = {0};
    Symbol pool = labels_get(&launch->launch->claim->meta.labels, NAME_NODEPOOL);

    add_single_values(launch, &type->requirements, &labels);
    add_single_values(launch, &offering->requirements, &labels);
    if (launch->is_kwok)
        add_single_values(launch, &launch->launch->requirements, &labels);
    labels_set(arena, &labels, NAME_CAPACITY_TYPE, offering->capacity_type);
    if (pool != INDEX_NONE)
        labels_set(arena, &labels, NAME_NODEPOOL, own(launch, pool));
    return labels;
}

uint32_t cloud_make_instance(const SimLaunch *launch, const LaunchCandidate *candidate) {
    const InstanceType *type = &launch->types->items[candidate->type];
    const Offering *offering = &type->offerings.items[candidate->offering];
    const NodeClaim *claim = launch->launch->claim;
    Labels labels = labels_of(launch, type, offering);
    Symbol pool = labels_get(&labels, NAME_NODEPOOL);
    SimInstance shown = {
        .claim_name = own(launch, claim->meta.name),
        .claim_uid = own(launch, claim->meta.uid),
        .pool = pool == INDEX_NONE ? NAME_EMPTY : pool,
        .node_class = own(launch, claim->spec.node_class.name),
        .is_kwok = launch->is_kwok,
        .instance_type = own(launch, type->name),
        .zone = own(launch, offering->zone),
        .capacity_type = offering->capacity_type,
        .image_id = launch->is_kwok ? NAME_EMPTY : launch->view->cloud->image_id,
        .reservation_id = own(launch, offering->reservation_id),
        .labels = labels,
        .generation = launch->entry->generation,
    };

    cloud_instance_size(launch->view, type, offering, &shown);
    return cloud_machine_launch(launch->view->cloud, candidate->pool, &shown);
}
