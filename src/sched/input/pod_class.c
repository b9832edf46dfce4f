// Groups pending pods into classes and mentions their constraints to the universe.
#include "sched/input/pod_class.h"

#include "model/node_loss.h"
#include "model/pod_bounds.h"
#include "model/pod_predicates.h"
#include "model/well_known.h"
#include "sched/input/class_order.h"
#include "sched/input/dimensions.h"
#include "sched/input/pod_order.h"
#include "sched/input/pod_priority.h"
#include "sched/input/word_limit.h"

#include <stdlib.h>

// --- pods in memory

enum { AHEAD = 8 };

// Pending pods and their labels are scattered in memory: those that come soon are asked for now.
static void prefetch(const PendingPodVec *pending, uint32_t at) {
    const Pod *soon, *later;

    if (at + 2 * AHEAD >= pending->count)
        return;
    soon = pending->items[at + AHEAD].pod;
    later = pending->items[at + 2 * AHEAD].pod;
    __builtin_prefetch(soon->labels.items);
    __builtin_prefetch(later);
    __builtin_prefetch(&later->spec);
}

// --- what selectors look at

typedef struct {
    ClassTable *table;
    IndexMap seen_specs, seen_keys;
    IndexMap bound_index;   // pod_spec_id of pods on nodes that have rules to index into `bound`
    Vec(const Pod *) bound; // the first pod of each, in the order of pods
    IndexMap node_labels;   // keys of labels of nodes, once `knows_labels`
    bool knows_labels;
} KeyCollector;

static void collect_selector(KeyCollector *collector, const LabelSelector *selector) {
    if (!selector)
        return;
    for (vec_each(Expression, expression, &selector->expressions)) {
        if (u64_map_get(&collector->seen_keys, expression->key) != INDEX_NONE)
            continue;
        u64_map_put(collector->table->arena, &collector->seen_keys, expression->key, 1);
        vec_push(collector->table->arena, &collector->table->selector_keys, expression->key);
    }
}

static void mention_topology(ClassTable *table, Symbol topology_key) {
    universe_mention_topology(table->universe, topology_key);
    u64_map_put(table->arena, &table->counted_keys, topology_key, 1);
}

static void collect_terms(KeyCollector *collector, const PodAffinityTermVec *terms, uint32_t count) {
    collector->table->has_rules |= count > 0;
    for (uint32_t i = 0; i < count; i++) {
        collect_selector(collector, terms->items[i].selector);
        mention_topology(collector->table, terms->items[i].topology_key);
    }
}

static void collect_spreads(KeyCollector *collector, const TopologySpreadVec *spreads) {
    collector->table->has_rules |= spreads->count > 0;
    for (vec_each(TopologySpread, spread, spreads)) {
        collect_selector(collector, spread->selector);
        mention_topology(collector->table, spread->topology_key);
    }
}

static void mention_spec(Universe *universe, const PodSpec *spec) {
    universe_mention_labels(universe, &spec->node_selector);
    for (vec_each(NodeTerm, term, &spec->required_node_terms))
        universe_mention_expressions(universe, &term->expressions);
    for (vec_each(NodeTerm, term, &spec->preferred_node_terms))
        universe_mention_expressions(universe, &term->expressions);
}

// Whether some node has the label.
static bool nodes_have(KeyCollector *collector, Symbol key) {
    Arena *arena = collector->table->arena;

    for (vec_each(const NodeView, node, &collector->table->input->nodes)) {
        for (uint32_t i = 0; !collector->knows_labels && i < node->labels.count; i++)
            u64_map_put(arena, &collector->node_labels, node->labels.items[i].key, 1);
    }
    collector->knows_labels = true;
    return u64_map_get(&collector->node_labels, key) != INDEX_NONE;
}

// A rule of a pod that has a node is about that node's value of its key. So keys that no node has forbid nothing, and
// whoever may create pods may name as many of these as fit.
static void mention_bound_topology(KeyCollector *collector, Symbol key) {
    ClassTable *table = collector->table;

    if (u64_map_get(&table->counted_keys, key) == INDEX_NONE &&
        (label_is_well_known(&table->input->cluster->symbols, key) || nodes_have(collector, key)))
        mention_topology(table, key);
}

static void collect_bound(KeyCollector *collector, const Pod *pod) {
    const PodAffinityTermVec *terms = &pod->spec->anti_affinity.required;
    ClassTable *table = collector->table;
    uint32_t known;

    if (!terms->count || pod->deleting)
        return;
    known = u64_map_get(&collector->bound_index, pod_spec_id(pod));
    if (known < collector->bound.count) {
        if (pod_order(&table->input->cluster->symbols, pod, collector->bound.items[known]) < 0)
            collector->bound.items[known] = pod;
        return;
    }
    u64_map_put(table->arena, &collector->bound_index, pod_spec_id(pod), collector->bound.count);
    vec_push(table->arena, &collector->bound, pod);
    table->has_rules = true;
    for (vec_each(const PodAffinityTerm, term, terms))
        mention_bound_topology(collector, term->topology_key);
}

static int compare_pods(const void *a, const void *b, void *symbols) {
    return pod_order(symbols, *(const Pod *const *)a, *(const Pod *const *)b);
}

static void collect_bound_selectors(KeyCollector *collector) {
    ClassTable *table = collector->table;
    WordLimit words = {.arena = table->arena};

    if (collector->bound.count > 1)
        qsort_r(collector->bound.items, collector->bound.count, sizeof *collector->bound.items, compare_pods,
                (void *)(uintptr_t)&table->input->cluster->symbols);
    for (vec_each(const Pod *const, pod, &collector->bound)) {
        const PodSpec *spec = (*pod)->spec;

        if (!word_limit_take(&words, (*pod)->ns, spec, NAMED_BY_REPULSION)) {
            u64_map_put(table->arena, &table->unread, pod_spec_id(*pod), 1);
            continue;
        }
        for (uint32_t i = 0; i < pod_anti_affinity_read(spec); i++)
            collect_selector(collector, spec->anti_affinity.required.items[i].selector);
    }
}

// Pods of a workload share their spec, so each spec is looked at once.
static void collect_spec(KeyCollector *collector, const PodSpec *spec) {
    if (u64_map_get(&collector->seen_specs, (uintptr_t)spec) != INDEX_NONE)
        return;
    u64_map_put(collector->table->arena, &collector->seen_specs, (uintptr_t)spec, 1);
    vec_push(collector->table->arena, &collector->table->specs, spec);
    collector->table->has_volumes |= spec->volumes.count > 0;
    collect_terms(collector, &spec->anti_affinity.required, spec->anti_affinity.required.count);
    collect_terms(collector, &spec->anti_affinity.preferred, spec->anti_affinity.preferred.count);
    collect_terms(collector, &spec->affinity.required, spec->affinity.required.count);
    collect_terms(collector, &spec->affinity.preferred, spec->affinity.preferred.count);
    collect_spreads(collector, &spec->spreads);
    mention_spec(collector->table->universe, spec);
}

static int compare_keys(const void *a, const void *b, void *symbols) {
    return symbol_cmp(symbols, *(const Symbol *)a, *(const Symbol *)b);
}

// Default constraints apply only to pods without constraints of their own; what they select differs from pod to pod.
static void collect_default_spreads(KeyCollector *collector) {
    ClassTable *table = collector->table;
    const PlanInput *input = table->input;
    const SpreadIndex *index = input->default_spread ? spread_index_make(table->arena, input->cluster) : NULL;

    if (!index)
        return;
    table->default_spreads = arena_array(table->arena, TopologySpreadVec, input->pending.count);
    for (uint32_t i = 0; i < input->pending.count; i++) {
        if (!slice_is_empty(input->pending.items[i].ignored))
            continue;
        table->default_spreads[i] =
            default_spread_deduce(table->arena, index, input->default_spread, input->pending.items[i].pod);
        collect_spreads(collector, &table->default_spreads[i]);
    }
}

const TopologySpreadVec *class_table_spreads(const ClassTable *table, uint32_t pod) {
    const PodSpec *spec = table->input->pending.items[pod].pod->spec;

    return spec->spreads.count || !table->default_spreads ? &spec->spreads : &table->default_spreads[pod];
}

static void collect_pending(KeyCollector *collector) {
    const PendingPodVec *pending = &collector->table->input->pending;

    for (uint32_t i = 0; i < pending->count; i++) {
        prefetch(pending, i);
        if (slice_is_empty(pending->items[i].ignored))
            collect_spec(collector, pending->items[i].pod->spec);
    }
}

static void sort_selector_keys(ClassTable *table) {
    if (table->selector_keys.count)
        qsort_r(table->selector_keys.items, table->selector_keys.count, sizeof(Symbol), compare_keys,
                &table->input->cluster->symbols);
}

// --- label classes

uint32_t label_class_of(ClassTable *table, Symbol ns, const Labels *labels) {
    Labels kept = {0};
    uint64_t hash = hash_combine(0, ns);
    uint32_t cursor = 0, found;
    ArenaMark mark = arena_mark(table->arena);

    for (vec_each(Symbol, key, &table->selector_keys)) {
        Symbol value = labels_get(labels, *key);

        if (value == INDEX_NONE)
            continue;
        labels_set(table->arena, &kept, *key, value);
        hash = hash_combine(hash, (uint64_t)*key << 32 | value);
    }
    while ((found = index_map_next(&table->label_index, hash, &cursor)) != INDEX_NONE) {
        const LabelClass *other = &table->label_classes.items[found];

        if (other->ns == ns && labels_eq(&other->labels, &kept)) {
            arena_rewind(table->arena, mark);
            return found;
        }
    }
    found = table->label_classes.count;
    vec_push(table->arena, &table->label_classes, (LabelClass){ns, kept});
    index_map_add(table->arena, &table->label_index, hash, found);
    return found;
}

// --- daemons

static uint64_t daemon_key(Symbol ns, Symbol name) {
    return (uint64_t)ns << 32 | name;
}

// Whether what a spec asks is read: it is no larger than is read of one pod, and of the DaemonSets of one namespace.
static bool daemon_is_read(WordLimit *words, Symbol ns, const PodSpec *spec) {
    uint64_t count;

    return pod_bound_exceeded(spec, &count) == POD_BOUND_COUNT && word_limit_take(words, ns, spec, NAMED_OF_NODES);
}

// The spec of a DaemonSet that is not read: it runs on every node. Reserving room that is not needed costs less than
// nodes that are too small.
static const PodSpec *daemon_everywhere(Arena *arena) {
    PodSpec *everywhere = arena_new(arena, PodSpec);

    vec_push(arena, &everywhere->tolerations, (Toleration){.op = TOLERATION_EXISTS});
    return everywhere;
}

// Requests of each DaemonSet's pods: those of its newest live pod, else of its template. scheduling.md 3.3.
typedef struct {
    ClassTable *table;
    const Pod **newest; // per DaemonSet
} DaemonCollector;

uint32_t class_table_daemon_of(const ClassTable *table, const Pod *pod) {
    return pod->of_daemon ? u64_map_get(&table->daemon_index, daemon_key(pod->ns, pod_controller(pod)->name))
                          : INDEX_NONE;
}

static int compare_daemons(const void *a, const void *b, void *cluster) {
    const Cluster *all = cluster;
    const DaemonSet *x = &all->daemon_sets.items[*(const uint32_t *)a];
    const DaemonSet *y = &all->daemon_sets.items[*(const uint32_t *)b];
    int32_t first = pod_spec_priority(all, x->pod_spec), second = pod_spec_priority(all, y->pod_spec);

    if (first != second)
        return first > second ? -1 : 1;
    if (x->meta.ns != y->meta.ns)
        return symbol_cmp(&all->symbols, x->meta.ns, y->meta.ns);
    return symbol_cmp(&all->symbols, x->meta.name, y->meta.name);
}

static void sort_daemons(ClassTable *table) {
    const Cluster *cluster = table->input->cluster;
    uint32_t count = cluster->daemon_sets.count;

    table->daemon_order = arena_array(table->arena, uint32_t, count);
    for (uint32_t i = 0; i < count; i++)
        table->daemon_order[i] = i;
    if (count)
        qsort_r(table->daemon_order, count, sizeof *table->daemon_order, compare_daemons, (void *)(uintptr_t)cluster);
}

static void read_daemons(ClassTable *table) {
    WordLimit words = {.arena = table->arena};

    for (uint32_t i = 0; i < table->input->cluster->daemon_sets.count; i++) {
        uint32_t number = table->daemon_order[i];
        const DaemonSet *daemon = &table->input->cluster->daemon_sets.items[number];

        table->daemon_specs[number] = daemon_is_read(&words, daemon->meta.ns, daemon->pod_spec)
                                          ? daemon->pod_spec
                                          : daemon_everywhere(table->arena);
    }
}

static void daemons_start(DaemonCollector *collector) {
    ClassTable *table = collector->table;
    const DaemonSetVec *daemons = &table->input->cluster->daemon_sets;

    collector->newest = arena_array(table->arena, const Pod *, daemons->count);
    table->daemon_requests = arena_array(table->arena, const Resources *, daemons->count);
    table->daemon_specs = arena_array(table->arena, const PodSpec *, daemons->count);
    for (uint32_t i = 0; i < daemons->count; i++) {
        const DaemonSet *daemon = &daemons->items[i];

        u64_map_put(table->arena, &table->daemon_index, daemon_key(daemon->meta.ns, daemon->meta.name), i);
        table->daemon_requests[i] = &daemon->pod_spec->requests;
    }
    sort_daemons(table);
    read_daemons(table);
}

static void collect_daemon_pod(DaemonCollector *collector, const Pod *pod) {
    const Symbols *symbols = &collector->table->input->cluster->symbols;
    uint32_t daemon = class_table_daemon_of(collector->table, pod);

    if (daemon == INDEX_NONE || (collector->newest[daemon] && pod_order(symbols, collector->newest[daemon], pod) >= 0))
        return;
    collector->newest[daemon] = pod;
    collector->table->daemon_requests[daemon] = &pod->spec->requests;
}

// --- all pods

static void collect_pods(ClassTable *table) {
    KeyCollector keys = {.table = table};
    DaemonCollector daemons = {.table = table};

    daemons_start(&daemons);
    collect_pending(&keys);
    collect_default_spreads(&keys);
    for (vec_each(Pod, pod, &table->input->cluster->pods)) {
        if (pod_node(pod) != NAME_EMPTY)
            collect_bound(&keys, pod);
        if (pod->of_daemon)
            collect_daemon_pod(&daemons, pod);
    }
    collect_bound_selectors(&keys);
    sort_selector_keys(table);
}

// --- volumes

static void resolve_volumes(ClassTable *table) {
    const PlanInput *input = table->input;
    VolumeIndex *index;

    if (!table->has_volumes)
        return;
    index = volume_index_make(table->arena, input->cluster);
    table->volumes = arena_array(table->arena, PodVolumes, input->pending.count);
    for (uint32_t i = 0; i < input->pending.count; i++) {
        const PendingPod *pending = &input->pending.items[i];

        if (!slice_is_empty(pending->ignored) || !pending->pod->spec->volumes.count)
            continue;
        // pending_select ignored the pods whose volumes cannot be resolved.
        (void)pod_volumes_resolve(table->arena, index, pending->pod, &table->volumes[i], NULL);
        for (vec_each(Requirements, requirements, &table->volumes[i].alternatives))
            universe_mention_requirements(table->universe, requirements);
    }
}

static void count_uses(ClassTable *table, IndexMap *users, const VolumeUseVec *uses) {
    for (vec_each(VolumeUse, use, uses)) {
        uint32_t count = u64_map_get(users, use->claim);

        u64_map_put(table->arena, users, use->claim, count == INDEX_NONE ? 1 : count + 1);
    }
}

// The number of pods, pending and bound, that use each volume claim.
static IndexMap count_claim_users(ClassTable *table) {
    IndexMap users = {0};
    VolumeIndex *index = NULL;
    VolumeUseVec uses;

    for (uint32_t i = 0; i < table->input->pending.count && table->has_volumes; i++)
        count_uses(table, &users, &table->volumes[i].uses);
    if (!users.count)
        return users;
    index = volume_index_make(table->arena, table->input->cluster);
    for (vec_each(Pod, pod, &table->input->cluster->pods)) {
        if (pod_node(pod) == NAME_EMPTY || !pod->spec->volumes.count)
            continue;
        uses = pod_volume_uses(table->arena, index, pod);
        count_uses(table, &users, &uses);
    }
    return users;
}

// --- classes

typedef struct {
    ClassTable *table;
    IndexMap claim_users;
    IndexMap index;
    U32Vec *members; // per class: indexes of pending pods
    uint32_t member_capacity;
    bool by_workload; // some pool has a node loss cost: pods of different workloads are different classes
} Grouping;

static bool prices_node_loss(const PlanInput *input) {
    for (vec_each(const PlanPool, pool, &input->pools)) {
        if (node_loss_cost(&input->cluster->symbols, pool->pool, NULL) > 0)
            return true;
    }
    return false;
}

uint64_t pod_workload(const Pod *pod) {
    const OwnerReference *owner = pod_controller(pod);

    if (!owner)
        return 0;
    if (owner->uid != NAME_EMPTY)
        return hash_combine(1, owner->uid);
    return hash_combine(hash_combine(2, (uint64_t)pod->ns << 32 | owner->kind), owner->name);
}

// The pod's workload if classes are per workload, else 0.
static uint64_t workload_of(const Grouping *grouping, const Pod *pod) {
    return grouping->by_workload ? pod_workload(pod) : 0;
}

static bool claim_is_shared(const Grouping *grouping, Symbol claim) {
    return u64_map_get(&grouping->claim_users, claim) > 1;
}

static const PodVolumes *volumes_of(const ClassTable *table, uint32_t pod) {
    static const PodVolumes none;

    return table->volumes ? &table->volumes[pod] : &none;
}

// Volume claims of one pod alone are equal when their drivers are; shared ones must be the same claims.
static bool volumes_alike(const Grouping *grouping, const PodVolumes *a, const PodVolumes *b) {
    if (a->alternatives.count != b->alternatives.count || a->uses.count != b->uses.count)
        return false;
    for (uint32_t i = 0; i < a->alternatives.count; i++) {
        if (!requirements_eq(&a->alternatives.items[i], &b->alternatives.items[i]))
            return false;
    }
    for (uint32_t i = 0; i < a->uses.count; i++) {
        const VolumeUse *x = &a->uses.items[i], *y = &b->uses.items[i];

        if (x->driver != y->driver || claim_is_shared(grouping, x->claim) != claim_is_shared(grouping, y->claim) ||
            (claim_is_shared(grouping, x->claim) && x->claim != y->claim))
            return false;
    }
    return true;
}

// Of volumes that are alike, equal.
static uint64_t volumes_hash(const PodVolumes *volumes) {
    uint64_t hash = volumes->uses.count;

    for (vec_each(const Requirements, requirements, &volumes->alternatives)) {
        for (uint32_t i = 0; i < requirements->count; i++) {
            hash = hash_combine(hash, requirements->items[i].key);
            for (vec_each(const Symbol, value, &requirements->items[i].values))
                hash = hash_combine(hash, *value);
        }
    }
    return hash;
}

static bool selectors_alike(const LabelSelector *a, const LabelSelector *b) {
    if (a == b || !a || !b)
        return a == b;
    if (a->expressions.count != b->expressions.count)
        return false;
    for (uint32_t i = 0; i < a->expressions.count; i++) {
        const Expression *x = &a->expressions.items[i], *y = &b->expressions.items[i];

        if (x->key != y->key || x->op != y->op || x->values.count != y->values.count ||
            (x->values.count && memcmp(x->values.items, y->values.items, x->values.count * sizeof(Symbol)) != 0))
            return false;
    }
    return true;
}

// For pods with one spec: default constraints are deduced per pod, so their selectors must be compared.
static bool spreads_alike(const TopologySpreadVec *a, const TopologySpreadVec *b) {
    if (a->count != b->count || a->items == b->items)
        return a->count == b->count;
    for (uint32_t i = 0; i < a->count; i++) {
        if (a->items[i].topology_key != b->items[i].topology_key ||
            !selectors_alike(a->items[i].selector, b->items[i].selector))
            return false;
    }
    return true;
}

static uint32_t find_class(const Grouping *grouping, uint64_t hash, uint32_t pod, uint32_t label_class) {
    const ClassTable *table = grouping->table;
    const PendingPodVec *pending = &table->input->pending;
    uint32_t cursor = 0, found;

    while ((found = index_map_next(&grouping->index, hash, &cursor)) != INDEX_NONE) {
        uint32_t other;

        CHECK(grouping->members, "a class without members");
        other = grouping->members[found].items[0];
        if (pending->items[other].pod->spec == pending->items[pod].pod->spec &&
            pending->items[other].moved == pending->items[pod].moved &&
            pending->items[other].pod->priority == pending->items[pod].pod->priority &&
            workload_of(grouping, pending->items[other].pod) == workload_of(grouping, pending->items[pod].pod) &&
            table->classes.items[found].label_class == label_class &&
            volumes_alike(grouping, volumes_of(table, other), volumes_of(table, pod)) &&
            spreads_alike(class_table_spreads(table, other), class_table_spreads(table, pod)))
            break;
    }
    return found;
}

static uint32_t add_class(Grouping *grouping, uint64_t hash, const Pod *pod, uint32_t label_class) {
    ClassTable *table = grouping->table;
    uint32_t number = table->classes.count;
    PodClass *class = vec_add(table->arena, &table->classes);

    class->pod = pod;
    class->label_class = label_class;
    class->request_list = pod->spec->requests;
    index_map_add(table->arena, &grouping->index, hash, number);
    if (number == grouping->member_capacity) {
        grouping->members =
            vec_grow(table->arena, grouping->members, sizeof *grouping->members, number, &grouping->member_capacity);
    }
    return number;
}

static void finish_members(Grouping *grouping) {
    ClassTable *table = grouping->table;
    uint32_t at = 0;

    if (!grouping->members)
        return;
    table->pods = arena_array(table->arena, uint32_t, table->input->pending.count);
    for (uint32_t i = 0; i < table->classes.count; i++)
        class_order_members(table, &grouping->members[i]);
    class_order_classes(table, grouping->members);
    for (uint32_t i = 0; i < table->classes.count; i++) {
        const U32Vec *members = &grouping->members[i];
        PodClass *class = &table->classes.items[i];

        class->first = at;
        class->count = members->count;
        memcpy(table->pods + at, members->items, members->count * sizeof *members->items);
        class->pod = table->input->pending.items[table->pods[at]].pod;
        class->moved = table->input->pending.items[table->pods[at]].moved;
        at += members->count;
    }
}

// Requests per dimension; volumes that no other pod uses count in the dimension of their driver.
static void fill_requests(const Grouping *grouping, PodClass *class, const PodVolumes *volumes) {
    ClassTable *table = grouping->table;

    class->requests = arena_array(table->arena, int64_t, table->dimensions.count);
    dimensions_fill(&table->dimensions, &class->request_list, class->requests);
    for (vec_each(VolumeUse, use, &volumes->uses)) {
        if (claim_is_shared(grouping, use->claim)) {
            vec_push(table->arena, &class->shared_claims, use->claim);
            vec_push(table->arena, &class->shared_drivers, use->driver);
        } else {
            class->requests[dimension_of_driver(&table->dimensions, use->driver)]++;
        }
    }
    class->volume_requirements = volumes->alternatives;
}

static void group_pods(ClassTable *table) {
    Grouping grouping = {
        .table = table, .claim_users = count_claim_users(table), .by_workload = prices_node_loss(table->input)};

    for (uint32_t i = 0; i < table->input->pending.count; i++) {
        const Pod *pod = table->input->pending.items[i].pod;
        uint32_t label_class, class;
        uint64_t hash;

        prefetch(&table->input->pending, i);
        if (!slice_is_empty(table->input->pending.items[i].ignored))
            continue;
        label_class = label_class_of(table, pod->ns, &pod->labels);
        hash = hash_combine(hash_combine((uintptr_t)pod->spec, label_class), volumes_hash(volumes_of(table, i)));
        hash = hash_combine(hash, workload_of(&grouping, pod));
        class = find_class(&grouping, hash, i, label_class);
        if (class == INDEX_NONE)
            class = add_class(&grouping, hash, pod, label_class);
        vec_push(table->arena, &grouping.members[class], i);
    }
    table->pending_label_classes = table->label_classes.count;
    finish_members(&grouping);
    for (vec_each(PodClass, class, &table->classes))
        fill_requests(&grouping, class, volumes_of(table, table->pods[class->first]));
}

// --- host ports

static void collect_ports(ClassTable *table) {
    for (vec_each(PodClass, class, &table->classes)) {
        class->ports = port_set_make(table->arena, &table->input->cluster->symbols, &class->pod->spec->host_ports);
        table->has_ports |= class->ports != NULL;
    }
}

void class_table_collect(ClassTable *table, Arena *arena, const PlanInput *input, Universe *universe,
                         Topology *topology) {
    *table = (ClassTable){.arena = arena, .input = input, .universe = universe, .topology = topology};
    collect_pods(table);
    resolve_volumes(table);
    dimensions_make(table);
    group_pods(table);
    collect_ports(table);
}
