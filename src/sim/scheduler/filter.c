// The filters, in kube-scheduler's order: the first that refuses gives the reason.
#include <stdlib.h>

#include "sim/scheduler/usher_parts.h"

bool usher_reason_is_final(UsherReason reason) {
    static const bool helps[] = {
#define X(name, plugin, may_help, text) may_help,
        USHER_REASONS(X)
#undef X
    };

    return !helps[reason];
}

// Brings what the filters read per node up to date: views, and who of the others' terms is about this pod.
void usher_trial_refresh(UsherTrial *trial) {
    Usher *usher = trial->usher;
    UsherClass *class = trial->class;

    trial->active_anti.count = 0;
    for (uint32_t i = 0; i < class->aimed_by.count; i++) {
        const UsherTally *tally = &usher->tallies[class->aimed_by.items[i]];

        if (tally->role != ROLE_ANTI_AFFINITY || tally->total == 0)
            continue;
        if (usher_view_read(usher, tally->view)->positive)
            usher_list_add(&trial->active_anti, tally->view);
    }
    trial->affinity_nowhere = true;
    for (uint32_t i = 0; i < class->affinity.count; i++)
        trial->affinity_nowhere &= usher_view_read(usher, class->affinity.items[i].view)->positive == 0;
    for (uint32_t i = 0; i < class->anti_affinity.count; i++)
        usher_view_read(usher, class->anti_affinity.items[i].view);
    for (uint32_t i = 0; i < class->hard.count; i++)
        usher_view_read(usher, class->hard.items[i].view);
}

void usher_trial_begin(UsherTrial *trial, Usher *usher, uint32_t slot) {
    usher_class_make_rules(usher, usher->pods[slot].class_index);
    *trial = (UsherTrial){.usher = usher, .slot = slot, .pod = &usher->pods[slot]};
    trial->class = &usher->classes[trial->pod->class_index];
    trial->shape = &usher->shapes[trial->class->shape];
    for (uint32_t i = 0; i < trial->class->hard.count; i++)
        trial->class->hard.items[i].before = usher->tallies[trial->class->hard.items[i].tally].total;
    usher_trial_refresh(trial);
    usher_volumes_begin(trial);
}

void usher_trial_end(UsherTrial *trial) {
    free(trial->active_anti.items);
}

static bool ports_clash(const HostPort *a, const HostPort *b, const Symbols *symbols) {
    if (a->port != b->port || a->protocol != b->protocol)
        return false;
    return a->ip == b->ip || slice_eq_text(symbol_text(symbols, a->ip), "0.0.0.0") ||
           slice_eq_text(symbol_text(symbols, b->ip), "0.0.0.0");
}

static bool ports_taken(const UsherTrial *trial, const UsherNode *node) {
    for (vec_each(const HostPort, port, &trial->shape->spec.host_ports)) {
        for (uint32_t i = 0; i < node->port_count; i++) {
            if (ports_clash(port, &node->ports[i].port, trial->usher->symbols))
                return true;
        }
    }
    return false;
}

// The pods in the node's domain, and the fewest in any.
static void count_spread(Usher *usher, const UsherRule *rule, uint32_t node, int64_t *ret_count, int64_t *ret_least) {
    UsherView *view = &usher->views[rule->view];
    uint32_t domain = usher->keys[view->key].of_node[node];

    *ret_count = 0;
    if (rule->counts_nobody) { // pods are seated on the node at hand only
        if (view->domain_of[node] != USHER_NONE)
            *ret_count = (int64_t)usher->tallies[rule->tally].total - rule->before;
        *ret_least = *ret_count < 0 || view->domains == 1 ? *ret_count : 0;
    } else {
        if (domain < view->domain_capacity && view->nodes[domain])
            *ret_count = view->sum[domain];
        *ret_least = usher_view_least(view);
    }
    if (view->domains < (uint32_t)(rule->min_domains > 0 ? rule->min_domains : 1))
        *ret_least = 0;
}

static UsherReason filter_spread(const UsherTrial *trial, uint32_t node) {
    Usher *usher = trial->usher;

    for (uint32_t i = 0; i < trial->class->hard.count; i++) {
        const UsherRule *rule = &trial->class->hard.items[i];
        int64_t count, least;

        if (usher->keys[usher->views[rule->view].key].of_node[node] == USHER_NONE)
            return REASON_SPREAD_LABEL;
        count_spread(usher, rule, node, &count, &least);
        if (count + rule->matches_self - least > rule->max_skew)
            return REASON_SPREAD;
    }
    return REASON_FITS;
}

// Pods of a view in the domain of a node.
static uint32_t around(const Usher *usher, uint32_t view, uint32_t node) {
    uint32_t domain = usher->views[view].domain_of[node];

    return domain == USHER_NONE ? 0 : usher->views[view].sum[domain];
}

static UsherReason filter_pods(const UsherTrial *trial, uint32_t node) {
    const Usher *usher = trial->usher;
    const UsherClass *class = trial->class;
    bool met = true;

    for (uint32_t i = 0; i < class->affinity.count; i++) {
        if (usher->views[class->affinity.items[i].view].domain_of[node] == USHER_NONE)
            return REASON_AFFINITY;
        met &= around(usher, class->affinity.items[i].view, node) > 0;
    }
    if (!met && !(trial->affinity_nowhere && class->affinity_matches_self))
        return REASON_AFFINITY;
    for (uint32_t i = 0; i < class->anti_affinity.count; i++) {
        if (around(usher, class->anti_affinity.items[i].view, node))
            return REASON_ANTI_AFFINITY;
    }
    for (uint32_t i = 0; i < trial->active_anti.count; i++) {
        if (around(usher, trial->active_anti.items[i], node))
            return REASON_EXISTING_ANTI_AFFINITY;
    }
    return REASON_FITS;
}

static UsherReason filter_once(UsherTrial *trial, uint32_t node) {
    Usher *usher = trial->usher;
    UsherVerdict *verdict = usher_shape_look(usher, trial->class->shape, trial->pod->pins, node);
    UsherReason reason;

    if (verdict->side != REASON_FITS)
        return (UsherReason)verdict->side;
    if (trial->shape->spec.host_ports.count && ports_taken(trial, &usher->nodes[node]))
        return REASON_PORTS;
    reason = usher_room_look(usher, trial->shape, verdict, node);
    if (reason == REASON_FITS && trial->volume_count)
        reason = usher_volume_rivals_filter(trial);
    if (reason == REASON_FITS && trial->volume_count)
        reason = usher_volume_limits_filter(trial, node);
    if (reason == REASON_FITS && trial->volume_count)
        reason = usher_volumes_filter(trial, node);
    if (reason == REASON_FITS && trial->class->hard.count)
        reason = filter_spread(trial, node);
    return reason == REASON_FITS ? filter_pods(trial, node) : reason;
}

// Pods that wait for the node count when they are at least as important; then it must do without them, too, for their
// presence may be what an affinity asks for.
static UsherReason filter_beside_nominated(UsherTrial *trial, uint32_t node) {
    Usher *usher = trial->usher;
    U32Vec seated = {0};
    UsherReason reason;
    uint64_t change = usher->change;

    for (uint32_t i = 0; i < usher->nodes[node].nominated.count; i++) {
        uint32_t other = usher->nodes[node].nominated.items[i];

        if (other != trial->slot && usher->pods[other].node == USHER_NONE &&
            usher->pods[other].priority >= trial->pod->priority)
            vec_push(&usher->attempt_arena, &seated, other);
    }
    for (uint32_t i = 0; i < seated.count; i++)
        usher_seat(usher, seated.items[i], node);
    if (seated.count)
        usher_trial_refresh(trial);
    reason = filter_once(trial, node);
    for (uint32_t i = 0; i < seated.count; i++)
        usher_unseat(usher, seated.items[i]);
    if (seated.count)
        usher_trial_refresh(trial);
    usher->change = change;
    return reason == REASON_FITS && seated.count ? filter_once(trial, node) : reason;
}

UsherReason usher_filter(UsherTrial *trial, uint32_t node) {
    if (trial->usher->nominated_total && trial->usher->nodes[node].nominated.count)
        return filter_beside_nominated(trial, node);
    return filter_once(trial, node);
}
