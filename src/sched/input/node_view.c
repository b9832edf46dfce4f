// Behaviour: reference scheduling.md 7.2 (merge rules) and 1.6 (ephemeral taints).
#include "sched/input/node_view.h"

#include "model/claim_template.h"
#include "sched/input/claim_room.h"

#include <stdlib.h>

typedef struct {
    Arena *arena;
    Cluster *cluster;
    const PoolTypes *pools;
    uint32_t pool_count;
    SymbolVec class_labels; // "<group>/<kind>" of NodeClasses: a Node with such a label is managed
    IndexMap claim_of_id;   // providerID to index of the NodeClaim
    IndexMap claim_of_node; // status.nodeName to index of the NodeClaim
    bool *claim_is_shown;   // per NodeClaim: merged with its Node, or a duplicate of the same instance
} Merge;

// ---- Which claim belongs to which node

static void add_class_label(Merge *merge, Symbol label) {
    for (uint32_t i = 0; i < merge->class_labels.count; i++) {
        if (merge->class_labels.items[i] == label)
            return;
    }
    vec_push(merge->arena, &merge->class_labels, label);
}

// The kinds of NodeClasses of tenon's providers, and those that pools and claims refer to.
static void find_class_labels(Merge *merge) {
    Cluster *cluster = merge->cluster;

    add_class_label(merge, symbol_intern(&cluster->symbols, SLICE("karpenter.k8s.aws/ec2nodeclass")));
    add_class_label(merge, symbol_intern(&cluster->symbols, SLICE("karpenter.kwok.sh/kwoknodeclass")));
    for (vec_each(NodePool, pool, &cluster->node_pools))
        add_class_label(merge, node_class_label(merge->arena, &cluster->symbols, &pool->template_spec.node_class));
    for (vec_each(NodeClaim, claim, &cluster->node_claims))
        add_class_label(merge, node_class_label(merge->arena, &cluster->symbols, &claim->spec.node_class));
}

// Of several claims with one providerID, which should not exist, the first counts.
static void index_claims(Merge *merge) {
    const NodeClaimVec *claims = &merge->cluster->node_claims;

    merge->claim_is_shown = arena_array(merge->arena, bool, claims->count);
    for (uint32_t i = 0; i < claims->count; i++) {
        const NodeClaim *claim = &claims->items[i];

        if (claim->provider_id != NAME_EMPTY) {
            merge->claim_is_shown[i] = u64_map_get(&merge->claim_of_id, claim->provider_id) != INDEX_NONE;
            if (!merge->claim_is_shown[i])
                u64_map_put(merge->arena, &merge->claim_of_id, claim->provider_id, i);
        }
        if (claim->node_name != NAME_EMPTY && !merge->claim_is_shown[i])
            u64_map_put(merge->arena, &merge->claim_of_node, claim->node_name, i);
    }
}

// Index of the node's claim, or INDEX_NONE.
static uint32_t claim_of(const Merge *merge, const Node *node) {
    uint32_t claim = INDEX_NONE;

    if (node->provider_id != NAME_EMPTY)
        claim = u64_map_get(&merge->claim_of_id, node->provider_id);
    return claim != INDEX_NONE ? claim : u64_map_get(&merge->claim_of_node, node->meta.name);
}

static bool has_mark(const Node *node, Symbol label) {
    return node && labels_get(&node->meta.labels, label) == NAME_TRUE;
}

// Whether a managed node lacks its providerID or instance type: until it has both, its claim counts instead.
static bool is_awaited(const Merge *merge, const Node *node, uint32_t claim) {
    const Labels *labels = &node->meta.labels;
    bool managed = false;

    for (uint32_t i = 0; i < merge->class_labels.count; i++)
        managed |= labels_get(labels, merge->class_labels.items[i]) != INDEX_NONE;
    if (!managed)
        return false;
    if (node->provider_id == NAME_EMPTY && claim == INDEX_NONE)
        return true;
    return labels_get(labels, NAME_INSTANCE_TYPE) == INDEX_NONE && !has_mark(node, NAME_INITIALIZED);
}

// ---- Labels and requirements

// metadata.labels, and the keys for which spec.requirements allow exactly one value.
static Labels claim_labels(Merge *merge, const NodeClaim *claim, const Requirements *requirements) {
    Labels labels = {0};

    for (uint32_t i = 0; i < requirements->count; i++) {
        const Requirement *requirement = &requirements->items[i];

        if (requirement_operator(requirement) == OP_IN && requirement->values.count == 1)
            labels_set(merge->arena, &labels, requirement->key, requirement->values.items[0]);
    }
    for (uint32_t i = 0; i < claim->meta.labels.count; i++)
        labels_set(merge->arena, &labels, claim->meta.labels.items[i].key, claim->meta.labels.items[i].value);
    return labels;
}

// Adds labels as In requirements. A deprecated key is ignored when the node has the stable one too.
static void add_labels(Merge *merge, Requirements *requirements, const Labels *labels) {
    Symbols *symbols = &merge->cluster->symbols;

    for (uint32_t i = 0; i < labels->count; i++) {
        Symbol key = label_key_normalize(symbols, labels->items[i].key);
        Requirement requirement = requirement_in(merge->arena, key, labels->items[i].value);

        if (key != labels->items[i].key && labels_get(labels, key) != INDEX_NONE)
            continue;
        requirements_add(merge->arena, symbols, requirements, &requirement);
    }
}

// The same for labels alone, with one allocation for all of them.
static Requirements label_requirements(Merge *merge, const Labels *labels) {
    uint32_t room = labels->count + 1; // and the host name
    Requirements requirements = {.items = arena_array_raw(merge->arena, Requirement, room), .capacity = room};
    Symbol *values = arena_array_raw(merge->arena, Symbol, room);

    for (uint32_t i = 0; i < labels->count; i++) {
        Symbol key = label_key_normalize(&merge->cluster->symbols, labels->items[i].key);
        Requirement requirement = {.key = key, .values = {&values[i], 1, 1}};

        values[i] = labels->items[i].value;
        if (key == labels->items[i].key || labels_get(labels, key) == INDEX_NONE)
            requirements_add(merge->arena, &merge->cluster->symbols, &requirements, &requirement);
    }
    return requirements;
}

static Requirements claim_requirements(Merge *merge, const NodeClaim *claim) {
    Requirements requirements = {0};

    for (vec_each(Expression, expression, &claim->spec.requirements)) {
        Requirement requirement = requirement_make(merge->arena, &merge->cluster->symbols, expression);

        requirements_add(merge->arena, &merge->cluster->symbols, &requirements, &requirement);
    }
    add_labels(merge, &requirements, &claim->meta.labels);
    return requirements;
}

static Symbol hostname_of(const NodeView *view) {
    Symbol hostname = labels_get(&view->labels, NAME_HOSTNAME);

    if (hostname == INDEX_NONE && view->node)
        hostname = labels_get(&view->node->meta.labels, NAME_HOSTNAME);
    return hostname == INDEX_NONE ? view->name : hostname;
}

// The kubelet sets the label with the Node. Who has taken it off keeps rules on hosts away from the node.
static bool lacks_hostname(const NodeView *view) {
    return view->node && view->initialized && labels_get(&view->node->meta.labels, NAME_HOSTNAME) == INDEX_NONE;
}

static void set_labels(Merge *merge, NodeView *view) {
    bool asks_claim = view->claim && (view->in_flight || !view->registered); // else the Node's labels are complete
    Requirements of_claim = asks_claim ? claim_requirements(merge, view->claim) : (Requirements){0};
    Requirement hostname;

    view->labels = view->registered ? view->node->meta.labels : claim_labels(merge, view->claim, &of_claim);
    if (view->in_flight)
        view->requirements = of_claim;
    else
        view->requirements = label_requirements(merge, &view->labels);

    view->hostname = hostname_of(view);
    view->lacks_hostname = lacks_hostname(view);
    if (view->lacks_hostname)
        return;
    hostname = requirement_in(merge->arena, NAME_HOSTNAME, view->hostname);
    requirements_add(merge->arena, &merge->cluster->symbols, &view->requirements, &hostname);
}

static Symbol pool_of(const NodeView *view) {
    Symbol pool = labels_get(&view->labels, NAME_NODEPOOL);

    if (pool == INDEX_NONE && view->claim)
        pool = labels_get(&view->claim->meta.labels, NAME_NODEPOOL);
    return pool == INDEX_NONE ? NAME_EMPTY : pool;
}

// ---- Taints

static bool is_startup(const NodeClaim *claim, const Taint *taint) {
    for (vec_each(Taint, startup, &claim->spec.startup_taints)) {
        if (taint->key == startup->key && taint->effect == startup->effect)
            return true;
    }
    return false;
}

// Whether tenon itself asks kube-scheduler to prefer other nodes. Plans do not: the node has the room that it has.
static bool is_own_preference(const Taint *taint) {
    return taint->key == NAME_PLANNED_TO_GO && taint->effect == EFFECT_PREFER_NO_SCHEDULE;
}

static bool counts(const Merge *merge, const NodeView *view, const Taint *taint) {
    if (is_own_preference(taint))
        return false;
    return view->initialized ||
           (!taint_is_ephemeral(&merge->cluster->symbols, taint) && !is_startup(view->claim, taint));
}

static TaintVec taints_of(Merge *merge, const NodeView *view) {
    const TaintVec *all = view->registered ? &view->node->taints : &view->claim->spec.taints;
    TaintVec taints = {0};
    uint32_t kept = 0;

    for (vec_each(Taint, taint, all))
        kept += counts(merge, view, taint);
    if (kept == all->count)
        return *all;
    for (vec_each(Taint, taint, all)) {
        if (counts(merge, view, taint))
            vec_push(merge->arena, &taints, *taint);
    }
    return taints;
}

// ---- Amounts

// The node's amounts; resources that it does not report yet (device plugins start late) are taken from the claim.
static Resources amounts_of(Arena *arena, const Resources *node, const Resources *claim) {
    Resources amounts = resources_copy(arena, node);

    for (uint32_t i = 0; i < claim->count; i++) {
        if (resources_get(&amounts, claim->items[i].resource) == 0)
            resources_set(arena, &amounts, claim->items[i].resource, claim->items[i].amount);
    }
    return amounts;
}

static const InstanceTypeVec *types_of(const Merge *merge, Symbol pool) {
    for (uint32_t i = 0; i < merge->pool_count; i++) {
        if (merge->pools[i].pool == pool)
            return merge->pools[i].types;
    }
    return NULL;
}

static void set_amounts(Merge *merge, NodeView *view) {
    static const Resources nothing = {0};
    const Node *node = view->node;
    const NodeClaim *claim = view->initialized ? NULL : view->claim; // initialized: the Node's amounts are complete

    if (view->in_flight) {
        claim_room(merge->arena, &merge->cluster->symbols, view->claim, &view->requirements,
                   types_of(merge, view->pool), &view->allocatable, &view->capacity);
    } else {
        view->capacity =
            amounts_of(merge->arena, node ? &node->capacity : &nothing, claim ? &claim->capacity : &nothing);
        view->allocatable =
            amounts_of(merge->arena, node ? &node->allocatable : &nothing, claim ? &claim->allocatable : &nothing);
    }
    resources_set(merge->arena, &view->capacity, NAME_NODES, 1);
}

// ---- The view

static bool is_deleting(const Symbols *symbols, const Node *node, const NodeClaim *claim) {
    if (!claim)
        return node->meta.deleting;
    return claim->meta.deleting || condition_is_true(&claim->conditions, symbols, SLICE("InstanceTerminating"));
}

// `node` or `claim` may be NULL, not both. A claim without status.capacity counts as in flight even if it has a
// providerID: its amounts are known from its requirements only.
static NodeView view_make(Merge *merge, const Node *node, const NodeClaim *claim) {
    bool reboots = claim && claim_is_rebooting(claim, &merge->cluster->symbols);
    NodeView view = {
        .name = node ? node->meta.name : claim->meta.name,
        .node = node,
        .claim = claim,
        .managed = claim != NULL,
        .registered = !claim || has_mark(node, NAME_REGISTERED),
        .initialized = !claim || (has_mark(node, NAME_INITIALIZED) && !reboots),
        .reboots = reboots,
        .deleting = is_deleting(&merge->cluster->symbols, node, claim),
        .in_flight = !node && claim->capacity.count == 0,
    };

    set_labels(merge, &view);
    view.pool = pool_of(&view);
    view.taints = taints_of(merge, &view);
    set_amounts(merge, &view);
    return view;
}

static int by_order(const void *a, const void *b, void *symbols) {
    const NodeView *x = a, *y = b;

    if (x->initialized != y->initialized)
        return x->initialized ? -1 : 1;
    if (x->name != y->name)
        return symbol_cmp(symbols, x->name, y->name);
    return (x->node == NULL) - (y->node == NULL);
}

NodeViewVec node_views_make(Arena *arena, Cluster *cluster, const PoolTypes *pools, uint32_t pool_count) {
    Merge merge = {.arena = arena, .cluster = cluster, .pools = pools, .pool_count = pools ? pool_count : 0};
    NodeViewVec views = {0};

    find_class_labels(&merge);
    index_claims(&merge);
    for (vec_each(Node, node, &cluster->nodes)) {
        uint32_t claim = claim_of(&merge, node);

        if (is_awaited(&merge, node, claim))
            continue;
        if (claim != INDEX_NONE)
            merge.claim_is_shown[claim] = true;
        vec_push(arena, &views,
                 view_make(&merge, node, claim == INDEX_NONE ? NULL : &cluster->node_claims.items[claim]));
    }
    for (uint32_t i = 0; i < cluster->node_claims.count; i++) {
        if (!merge.claim_is_shown[i])
            vec_push(arena, &views, view_make(&merge, NULL, &cluster->node_claims.items[i]));
    }

    if (views.count)
        qsort_r(views.items, views.count, sizeof *views.items, by_order, &cluster->symbols);
    return views;
}
