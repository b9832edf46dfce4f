// Topology hints: whether Kubernetes can make them of the nodes and pods that there are. R166.
//
// The rules are those of k8s.io/endpointslice/topologycache v0.36: every ready node has a zone and CPU, there are two
// zones, an endpoint for each, and endpoints can be given to the zones by their shares of CPU so that none gets more
// than 1.2 times its share of the traffic.
#include "doctor/check_parts.h"

#include <math.h>

enum { PODS_MAX = 10000 };

static const double overload = 1.2;

typedef struct {
    Slice name;
    int64_t cpu_milli;
} Zone;
typedef Vec(Zone) ZoneVec;

bool has_hints(const Facts *facts) {
    return facts->hinted.count && facts->workers.count;
}

static Zone *zone_of(Arena *arena, ZoneVec *zones, Slice name) {
    for (uint32_t i = 0; i < zones->count; i++) {
        if (slice_eq(zones->items[i].name, name))
            return &zones->items[i];
    }
    vec_push(arena, zones, (Zone){.name = name});
    return &zones->items[zones->count - 1];
}

// The zones in order of the nodes. Of a node without a zone or without CPU: a finding, and no zones.
static ZoneVec find_zones(const Examination *examination) {
    ZoneVec zones = {0};

    for (vec_each(const FactNode, node, &examination->facts->workers)) {
        if (node->zone.len && node->cpu_milli > 0) {
            zone_of(examination->arena, &zones, node->zone)->cpu_milli += node->cpu_milli;
            continue;
        }
        find(examination, CHECK_WARNING, node->place,
             arena_printf(examination->arena, "Node %.*s", SLICE_ARG(node->name)),
             arena_printf(examination->arena, "kubectl label node %.*s topology.kubernetes.io/zone=ZONE",
                          SLICE_ARG(node->name)),
             "it has no %s, so no Service gets topology hints", node->zone.len ? "allocatable CPU" : "zone");
        return (ZoneVec){0};
    }
    return zones;
}

static double share_of(const ZoneVec *zones, const Zone *zone) {
    double sum = 0;

    for (vec_each(const Zone, each, zones))
        sum += (double)each->cpu_milli;
    return (double)zone->cpu_milli / sum;
}

static bool is_enough(const ZoneVec *zones, uint32_t pods) {
    double least = 0;

    for (vec_each(const Zone, zone, zones))
        least += ceil(share_of(zones, zone) * pods / overload);
    return pods >= zones->count && least <= pods;
}

static uint32_t pods_wanted(const ZoneVec *zones, uint32_t pods) {
    while (pods < PODS_MAX && !is_enough(zones, pods))
        pods++;
    return pods;
}

// "a 75 %, b 25 %"
static Slice shares_text(Arena *arena, const ZoneVec *zones) {
    Slice text = SLICE("");

    for (vec_each(const Zone, zone, zones))
        text = arena_printf(arena, "%.*s%s%.*s %.0f %%", SLICE_ARG(text), text.len ? ", " : "", SLICE_ARG(zone->name),
                            100 * share_of(zones, zone));
    return text;
}

static uint32_t count_pods(const Facts *facts, const FactService *service) {
    uint32_t pods = 0;

    for (vec_each(const FactEndpoints, endpoints, &facts->endpoints)) {
        if (slice_eq(endpoints->ns, service->ns) && slice_eq(endpoints->service, service->name))
            pods += endpoints->ready;
    }
    return pods;
}

static void check_service(const Examination *examination, const ZoneVec *zones, const FactService *service) {
    Arena *arena = examination->arena;
    Slice object = arena_printf(arena, "Service %.*s/%.*s", SLICE_ARG(service->ns), SLICE_ARG(service->name));
    uint32_t pods = count_pods(examination->facts, service);

    if (zones->count < 2)
        find(examination, CHECK_WARNING, service->place, object,
             SLICE("let a NodePool make nodes in another zone, or remove the annotation"),
             "all nodes are in %.*s, so it gets no topology hints", SLICE_ARG(zones->items[0].name));
    else if (!is_enough(zones, pods))
        find(examination, CHECK_WARNING, service->place, object,
             arena_printf(arena, "kubectl -n %.*s scale deployment DEPLOYMENT --replicas=%u", SLICE_ARG(service->ns),
                          pods_wanted(zones, pods)),
             "%u ready endpoints are too few for the zones' shares of CPU (%.*s), so it gets no topology hints", pods,
             SLICE_ARG(shares_text(arena, zones)));
}

void check_hints(const Examination *examination) {
    ZoneVec zones = find_zones(examination);

    if (!zones.count)
        return;
    for (vec_each(const FactService, service, &examination->facts->hinted))
        check_service(examination, &zones, service);
}
