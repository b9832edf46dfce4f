// Views: tallies summed up by the domains of a topology key, over the nodes that count.
//
// A view remembers which domain each node counted for, so that pods can come and go at any time. What became of the
// nodes is read from the log of changed nodes when the view is asked the next time.
#include <stdlib.h>

#include "sim/scheduler/usher_parts.h"

enum { LOG_MAX = 1 << 16 };

// --- keys

static void value_drop(Usher *usher, UsherKey *key, uint32_t domain) {
    if (--key->values[domain].nodes)
        return;
    u64_map_put(&usher->arena, &key->domains, key->values[domain].value, INDEX_NONE);
    usher_list_add(&key->unused, domain);
}

static uint32_t value_take(Usher *usher, UsherKey *key, Symbol value) {
    uint32_t domain = u64_map_get(&key->domains, value);

    if (domain == INDEX_NONE) {
        if (key->unused.count) {
            domain = key->unused.items[--key->unused.count];
        } else {
            usher_reserve(key->values, key->value_count + 1, &key->value_capacity);
            domain = key->value_count++;
        }
        key->values[domain].value = value;
        key->values[domain].nodes = 0;
        u64_map_put(&usher->arena, &key->domains, value, domain);
    }
    key->values[domain].nodes++;
    return domain;
}

static void key_move_node(Usher *usher, UsherKey *key, uint32_t node) {
    Symbol value = usher->nodes[node].present ? labels_get(&usher->nodes[node].labels, key->key) : INDEX_NONE;
    uint32_t before, capacity = key->of_node_capacity;

    usher_reserve(key->of_node, usher->node_capacity, &key->of_node_capacity);
    for (uint32_t i = capacity; i < key->of_node_capacity; i++)
        key->of_node[i] = USHER_NONE;
    before = key->of_node[node];
    if (before != USHER_NONE && key->values[before].value == value)
        return;
    key->of_node[node] = value == INDEX_NONE ? USHER_NONE : value_take(usher, key, value);
    if (before != USHER_NONE)
        value_drop(usher, key, before);
}

uint32_t usher_key(Usher *usher, Symbol name) {
    for (uint32_t i = 0; i < usher->key_count; i++) {
        if (usher->keys[i].key == name)
            return i;
    }
    usher_reserve(usher->keys, usher->key_count + 1, &usher->key_capacity);
    usher->keys[usher->key_count].key = name;
    for (uint32_t i = 0; i < usher->node_count; i++)
        key_move_node(usher, &usher->keys[usher->key_count], i);
    return usher->key_count++;
}

void usher_keys_move_node(Usher *usher, uint32_t node) {
    for (uint32_t i = 0; i < usher->key_count; i++)
        key_move_node(usher, &usher->keys[i], node);
}

void usher_node_stamp(Usher *usher, uint32_t node) {
    usher->stamps[node].side = ++usher->stamp;
    usher_keys_move_node(usher, node);
    if (usher->log.count == LOG_MAX) {
        usher->log.count = 0;
        usher->epoch++;
    }
    usher_list_add(&usher->log, node);
}

// --- views

void usher_view_add(UsherView *view, uint32_t node, int sign, uint32_t by) {
    uint32_t domain = node < view->domain_of_capacity ? view->domain_of[node] : USHER_NONE;

    if (domain == USHER_NONE || by == 0)
        return;
    view->version++;
    if (sign > 0) {
        view->positive += view->sum[domain] == 0;
        view->sum[domain] += by;
    } else {
        view->sum[domain] -= by;
        view->positive -= view->sum[domain] == 0;
    }
}

static bool node_counts(Usher *usher, const UsherView *view, uint32_t node) {
    if (!usher->nodes[node].present)
        return false;
    for (uint32_t i = 0; i < view->needed_key_count; i++) {
        if (usher->keys[view->needed_keys[i]].of_node[node] == USHER_NONE)
            return false;
    }
    if (view->shape == USHER_NONE || !(view->honor_affinity || view->honor_taints))
        return true;
    if (view->honor_affinity &&
        !usher_affinity_holds(usher->symbols, &usher->shapes[view->shape].spec, NULL, &usher->nodes[node]))
        return false;
    return !view->honor_taints || !usher_taint_in_the_way(usher->symbols, &usher->shapes[view->shape].spec.tolerations,
                                                          &usher->nodes[node].taints);
}

static void leave_domain(UsherView *view, uint32_t node, uint32_t pods) {
    uint32_t domain = view->domain_of[node];

    if (domain == USHER_NONE)
        return;
    usher_view_add(view, node, -1, pods);
    view->domains -= --view->nodes[domain] == 0;
    view->domain_of[node] = USHER_NONE;
}

static void enter_domain(UsherView *view, uint32_t node, uint32_t domain, uint32_t pods) {
    uint32_t capacity = view->domain_capacity;

    usher_reserve(view->sum, domain + 1, &view->domain_capacity);
    usher_reserve(view->nodes, domain + 1, &capacity);
    view->domain_of[node] = domain;
    view->domains += view->nodes[domain]++ == 0;
    usher_view_add(view, node, 1, pods);
}

static void look_again(Usher *usher, UsherView *view, uint32_t node) {
    const UsherTally *tally = &usher->tallies[view->tally];
    uint32_t pods = node < tally->on_node_capacity ? tally->on_node[node] : 0;
    uint32_t domain = node_counts(usher, view, node) ? usher->keys[view->key].of_node[node] : USHER_NONE;

    if (domain == view->domain_of[node])
        return;
    view->version++;
    leave_domain(view, node, pods);
    if (domain != USHER_NONE)
        enter_domain(view, node, domain, pods);
}

UsherView *usher_view_read(Usher *usher, uint32_t slot) {
    UsherView *view = &usher->views[slot];
    uint32_t capacity = view->domain_of_capacity;

    if (view->epoch == usher->epoch && view->log_at == usher->log.count)
        return view;
    usher_reserve(view->domain_of, usher->node_capacity, &view->domain_of_capacity);
    for (uint32_t i = capacity; i < view->domain_of_capacity; i++)
        view->domain_of[i] = USHER_NONE;
    if (view->epoch == usher->epoch) {
        for (uint32_t i = view->log_at; i < usher->log.count; i++)
            look_again(usher, view, usher->log.items[i]);
    } else {
        for (uint32_t i = 0; i < usher->node_count; i++)
            look_again(usher, view, i);
    }
    view->epoch = usher->epoch;
    view->log_at = usher->log.count;
    return view;
}

// The smallest sum of a domain that has a node; UINT32_MAX: there is none. O(domains) after a change.
uint32_t usher_view_least(UsherView *view) {
    if (view->least_version == view->version && view->version)
        return view->least;
    view->least = UINT32_MAX;
    for (uint32_t i = 0; i < view->domain_capacity; i++) {
        if (view->nodes[i] && view->sum[i] < view->least)
            view->least = view->sum[i];
    }
    view->least_version = view->version;
    return view->least;
}

static bool views_same(const UsherView *a, const UsherView *b) {
    return a->tally == b->tally && a->key == b->key && a->shape == b->shape && a->honor_affinity == b->honor_affinity &&
           a->honor_taints == b->honor_taints && a->needed_key_count == b->needed_key_count &&
           (a->needed_key_count == 0 ||
            memcmp(a->needed_keys, b->needed_keys, a->needed_key_count * sizeof *a->needed_keys) == 0);
}

uint32_t usher_view_take(Usher *usher, const UsherView *wanted) {
    const UsherList *views = &usher->tallies[wanted->tally].views;
    uint32_t slot;

    for (uint32_t i = 0; i < views->count; i++) {
        if (!views_same(&usher->views[views->items[i]], wanted))
            continue;
        free(wanted->needed_keys);
        usher->views[views->items[i]].refs++;
        return views->items[i];
    }
    if (usher->free_views.count) {
        slot = usher->free_views.items[--usher->free_views.count];
    } else {
        usher_reserve(usher->views, usher->view_count + 1, &usher->view_capacity);
        slot = usher->view_count++;
    }
    usher->views[slot] = *wanted;
    usher->views[slot].refs = 1;
    usher_list_add(&usher->tallies[wanted->tally].views, slot);
    usher->views_live++;
    return slot;
}

void usher_view_drop(Usher *usher, uint32_t slot) {
    UsherView *view = &usher->views[slot];

    if (--view->refs)
        return;
    usher_list_remove(&usher->tallies[view->tally].views, slot);
    free(view->needed_keys);
    free(view->domain_of);
    free(view->sum);
    free(view->nodes);
    *view = (UsherView){0};
    usher_list_add(&usher->free_views, slot);
    usher->views_live--;
}
