// The future of a cluster as one JSON object: docs/plan-json.md.
#include "cli/consolidate/obstacle.h"
#include "cli/consolidate/report.h"
#include "text/json.h"

#include <math.h>

#define PUT(loaded, map, key, value) value_put(&(loaded)->arena, (map), SLICE(key), (value))

static Value count_value(Loaded *loaded, uint32_t count) {
    return value_int(&loaded->arena, count);
}

// Without the noise of sums; null when it is not known.
static Value real_value(Loaded *loaded, double real) {
    return isnan(real) ? (Value){.kind = VALUE_NULL} : value_real(&loaded->arena, round(real * 1e9) / 1e9);
}

static Value name_value(Loaded *loaded, Symbol name) {
    return value_string(symbol_text(&loaded->cluster.symbols, name));
}

static Value sum_value(Loaded *loaded, const FleetNodeVec *nodes) {
    uint32_t unknown;
    double price = fleet_nodes_price(nodes, &unknown);
    Value sum = value_map();

    PUT(loaded, &sum, "nodes", count_value(loaded, nodes->count));
    PUT(loaded, &sum, "pricePerHour", real_value(loaded, price));
    PUT(loaded, &sum, "nodesOfUnknownPrice", count_value(loaded, unknown));
    return sum;
}

static Value node_value(Loaded *loaded, const FleetNode *node) {
    Value value = value_map();

    PUT(loaded, &value, "name", name_value(loaded, node->name));
    PUT(loaded, &value, "nodePool", name_value(loaded, node->pool));
    PUT(loaded, &value, "instanceType", name_value(loaded, node->price.type));
    PUT(loaded, &value, "zone", name_value(loaded, node->price.zone));
    PUT(loaded, &value, "capacityType", name_value(loaded, node->price.capacity_type));
    PUT(loaded, &value, "pods", count_value(loaded, node->pods));
    PUT(loaded, &value, "pricePerHour", real_value(loaded, node->price.offering ? node->price.per_hour : NAN));
    return value;
}

// The nodes of one list that are not in the other.
static Value difference_value(Loaded *loaded, const FleetNodeVec *of, const FleetNodeVec *other) {
    Value list = value_list();

    for (vec_each(const FleetNode, node, of)) {
        if (!fleet_node_find(other, node->name))
            value_append(&loaded->arena, &list, node_value(loaded, node));
    }
    return list;
}

static Value stays_value(Loaded *loaded, const Future *future) {
    Value list = value_list();

    for (vec_each(const FleetNode, node, &future->after)) {
        const Obstacle *obstacle = obstacle_of(node);
        Value value;

        if (!fleet_node_find(&future->before, node->name))
            continue;
        value = node_value(loaded, node);
        PUT(loaded, &value, "reason", value_string(slice_of(obstacle->reason)));
        PUT(loaded, &value, "advice", value_string(slice_of(obstacle->advice)));
        PUT(loaded, &value, "message", value_string(node->why));
        value_append(&loaded->arena, &list, value);
    }
    return list;
}

static Value assumed_value(Loaded *loaded, const FleetAssumptions *assumptions) {
    Value assumed = value_map();

    PUT(loaded, &assumed, "quietNodeClaims", count_value(loaded, assumptions->quiet));
    PUT(loaded, &assumed, "waitingPods", count_value(loaded, assumptions->pending));
    return assumed;
}

void consolidate_json(Loaded *loaded, const Future *future, Buffer *out) {
    FutureSaving saving = future_saving(future);
    Value all = value_map(), floor = value_map();

    PUT(loaded, &floor, "pricePerHour", real_value(loaded, future->floor_per_hour));
    PUT(loaded, &floor, "pods", count_value(loaded, future->floor_pods - future->floor_unplaced));
    PUT(loaded, &all, "today", sum_value(loaded, &future->before));
    PUT(loaded, &all, "after", sum_value(loaded, &future->after));
    PUT(loaded, &all, "floor", floor);
    PUT(loaded, &all, "savingPerHour", real_value(loaded, saving.per_hour));
    PUT(loaded, &all, "paybackMinutes", real_value(loaded, saving.payback_minutes));
    PUT(loaded, &all, "podsMoved", count_value(loaded, future->pods_moved));
    PUT(loaded, &all, "podsWithoutPlace", count_value(loaded, future->moves.homeless));
    PUT(loaded, &all, "moreToDo", value_bool(future->is_cut_short));
    PUT(loaded, &all, "out", difference_value(loaded, &future->before, &future->after));
    PUT(loaded, &all, "in", difference_value(loaded, &future->after, &future->before));
    PUT(loaded, &all, "stays", stays_value(loaded, future));
    PUT(loaded, &all, "assumed", assumed_value(loaded, &future->assumptions));
    json_print(out, &all, true);
}
