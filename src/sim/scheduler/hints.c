// Which changes may let a pod pass a plugin that refused it: kube-scheduler's queueing hints, per class.
#include "sim/scheduler/usher_parts.h"

static bool room_could_do(const Usher *usher, const UsherShape *shape, uint32_t node) {
    for (vec_each(const UsherRequest, request, &shape->requests)) {
        if (request->amount > usher->columns[request->column].allocatable[node])
            return false;
    }
    return true;
}

static bool has_keys(const Usher *usher, const UsherRules *rules, uint32_t node) {
    for (uint32_t i = 0; i < rules->count; i++) {
        if (usher->keys[usher->views[rules->items[i].view].key].of_node[node] == USHER_NONE)
            return false;
    }
    return true;
}

static UsherHint hint_present_node(Usher *usher, const UsherClass *class, const UsherNodeChange *change) {
    const UsherShape *shape = &usher->shapes[class->shape];
    const UsherNode *node = &usher->nodes[change->node];
    UsherHint hint = 0;

    if (change->added || change->taints) {
        bool tolerated = !usher_taint_in_the_way(usher->symbols, &shape->spec.tolerations, &node->taints);

        hint |= tolerated ? PLUGIN_TAINTS | PLUGIN_NODE_UNSCHEDULABLE : 0;
    }
    if (change->added || change->labels) {
        if (shape->has_fields || usher_affinity_holds(usher->symbols, &shape->spec, NULL, node))
            hint |= PLUGIN_NODE_AFFINITY;
        hint |= PLUGIN_AFFINITY | PLUGIN_VOLUMES | PLUGIN_VOLUME_ZONE;
    }
    if ((change->added || change->room) && room_could_do(usher, shape, change->node))
        hint |= PLUGIN_FIT;
    if ((change->added || change->labels || change->taints) && has_keys(usher, &class->hard, change->node))
        hint |= PLUGIN_SPREAD;
    if (change->added)
        hint |= PLUGIN_PORTS | PLUGIN_VOLUME_LIMITS;
    return hint;
}

UsherHint usher_hint_node(Usher *usher, uint32_t class_index, const UsherNodeChange *change) {
    if (change->node == USHER_NONE)
        return 0;
    if (change->removed)
        return PLUGIN_SPREAD;
    return hint_present_node(usher, &usher->classes[class_index], change) | PLUGIN_NONE;
}

static bool counts_class(const Usher *usher, const UsherRules *rules, const UsherClass *other) {
    for (uint32_t i = 0; i < rules->count; i++) {
        if (usher_list_has(&other->counted_in, rules->items[i].tally))
            return true;
    }
    (void)usher;
    return false;
}

// Whether the other has anti-affinity to pods of this class.
static bool is_hated_by(const Usher *usher, const UsherClass *class, const UsherClass *other) {
    for (uint32_t i = 0; i < class->aimed_by.count; i++) {
        uint32_t tally = class->aimed_by.items[i];

        if (usher->tallies[tally].role == ROLE_ANTI_AFFINITY && usher_list_has(&other->counted_in, tally))
            return true;
    }
    return false;
}

UsherHint usher_hint_pod(Usher *usher, uint32_t class_index, uint32_t other_class, bool placed) {
    const UsherClass *class = &usher->classes[class_index], *other = &usher->classes[other_class];
    UsherHint hint = counts_class(usher, &class->hard, other) ? PLUGIN_SPREAD : 0;

    if (placed)
        return hint | (counts_class(usher, &class->affinity, other) ? PLUGIN_AFFINITY : 0);
    if (counts_class(usher, &class->anti_affinity, other) || is_hated_by(usher, class, other))
        hint |= PLUGIN_AFFINITY;
    if (usher->shapes[class->shape].spec.host_ports.count)
        hint |= PLUGIN_PORTS;
    return hint | PLUGIN_FIT | PLUGIN_VOLUME_LIMITS | PLUGIN_VOLUMES | PLUGIN_NONE;
}
