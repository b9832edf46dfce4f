// What topology hints are made of: nodes with their zones and CPU, Services that ask for hints, endpoints.
#include "doctor/gather_parts.h"

#include "text/quantity.h"

static bool is_ready(const Value *node) {
    const Value *conditions = value_at(node, "status", "conditions", NULL);

    for (uint32_t i = 0; conditions && conditions->kind == VALUE_LIST && i < conditions->list.count; i++) {
        const Value *condition = &conditions->list.items[i];

        if (slice_eq(gather_text(condition, "type"), SLICE("Ready")))
            return slice_eq(gather_text(condition, "status"), SLICE("True"));
    }
    return false;
}

// "4" and 4 are both CPUs.
static int64_t cpu_of(const Value *node) {
    const Value *cpu = value_at(node, "status", "allocatable", "cpu", NULL);
    int64_t milli = 0;

    if (!cpu || (cpu->kind != VALUE_STRING && cpu->kind != VALUE_NUMBER) ||
        quantity_parse(cpu->text, QUANTITY_MILLI, &milli, NULL) != OK)
        return 0;
    return milli;
}

void gather_worker(Gathering *gathering, const Value *node) {
    const Value *labels = value_at(node, "metadata", "labels", NULL);

    if (!is_ready(node) || value_get_text(labels, "node-role.kubernetes.io/control-plane") ||
        value_get_text(labels, "node-role.kubernetes.io/master"))
        return;
    vec_push(gathering->arena, &gathering->facts->workers,
             (FactNode){.place = gather_place(gathering, node),
                        .name = gather_text(value_get_text(node, "metadata"), "name"),
                        .zone = gather_text(labels, "topology.kubernetes.io/zone"),
                        .cpu_milli = cpu_of(node)});
}

void gather_service(Gathering *gathering, const Value *object) {
    const Value *metadata = value_get_text(object, "metadata"), *notes = value_get_text(metadata, "annotations");
    Slice mode = gather_text(notes, "service.kubernetes.io/topology-mode");

    if (!mode.len)
        mode = gather_text(notes, "service.kubernetes.io/topology-aware-hints");
    if (slice_eq(mode, SLICE("Auto")) || slice_eq(mode, SLICE("auto")))
        vec_push(gathering->arena, &gathering->facts->hinted,
                 (FactService){gather_place(gathering, object), gather_text(metadata, "namespace"),
                               gather_text(metadata, "name")});
}

// `ready` that is not there means ready (discovery.k8s.io/v1).
void gather_endpoints(Gathering *gathering, const Value *object) {
    const Value *metadata = value_get_text(object, "metadata"), *list = value_get_text(object, "endpoints");
    FactEndpoints endpoints = {.ns = gather_text(metadata, "namespace"),
                               .service =
                                   gather_text(value_get_text(metadata, "labels"), "kubernetes.io/service-name")};

    for (uint32_t i = 0; list && list->kind == VALUE_LIST && i < list->list.count; i++) {
        const Value *ready = value_at(&list->list.items[i], "conditions", "ready", NULL);

        endpoints.ready += !ready || ready->kind != VALUE_BOOL || ready->boolean;
    }
    vec_push(gathering->arena, &gathering->facts->endpoints, endpoints);
}
