// Counts what specs name, each word once per namespace.
#include "sched/input/word_limit.h"

#include "model/pod_bounds.h"
#include "sched/input/pod_class.h"

// What a word is: a label key of nodes, one of its values, a label key of pods.
typedef enum { WORD_KEY, WORD_VALUE, WORD_SELECTED } WordKind;

// What is taken of one spec.
typedef struct {
    WordLimit *limit;
    Symbol ns;
    Vec(uint64_t) fresh; // hashes of what its namespace has not named before
    uint32_t units;      // in values
} Taking;

static void take_word(Taking *taking, WordKind kind, Symbol key, Symbol value) {
    WordLimit *limit = taking->limit;
    uint64_t hash = hash_combine(hash_u64((uint64_t)taking->ns << 32 | (uint32_t)kind), (uint64_t)key << 32 | value);

    if (u64_map_get(&limit->named, hash) != INDEX_NONE)
        return;
    u64_map_put(limit->arena, &limit->named, hash, 1);
    vec_push(limit->arena, &taking->fresh, hash);
    taking->units += kind == WORD_VALUE ? 1 : WORD_LIMIT_VALUES_A_KEY;
}

static void take_key(Taking *taking, WordKind kind, Symbol key) {
    take_word(taking, kind, key, NAME_EMPTY);
}

static void take_labels(Taking *taking, const Labels *labels) {
    for (uint32_t i = 0; i < labels->count; i++) {
        take_key(taking, WORD_KEY, labels->items[i].key);
        take_word(taking, WORD_VALUE, labels->items[i].key, labels->items[i].value);
    }
}

static void take_node_terms(Taking *taking, const NodeTermVec *terms) {
    for (vec_each(const NodeTerm, term, terms)) {
        for (vec_each(const Expression, expression, &term->expressions)) {
            take_key(taking, WORD_KEY, expression->key);
            for (vec_each(const Symbol, value, &expression->values))
                take_word(taking, WORD_VALUE, expression->key, *value);
        }
    }
}

static void take_selector(Taking *taking, const LabelSelector *selector) {
    for (uint32_t i = 0; selector && i < selector->expressions.count; i++)
        take_key(taking, WORD_SELECTED, selector->expressions.items[i].key);
}

static void take_terms(Taking *taking, const PodAffinityTermVec *terms) {
    for (vec_each(const PodAffinityTerm, term, terms)) {
        take_key(taking, WORD_KEY, term->topology_key);
        take_selector(taking, term->selector);
    }
}

static void take_nodes(Taking *taking, const PodSpec *spec) {
    take_labels(taking, &spec->node_selector);
    take_node_terms(taking, &spec->required_node_terms);
    take_node_terms(taking, &spec->preferred_node_terms);
}

static void take_all(Taking *taking, const PodSpec *spec) {
    take_nodes(taking, spec);
    take_terms(taking, &spec->affinity.required);
    take_terms(taking, &spec->affinity.preferred);
    take_terms(taking, &spec->anti_affinity.required);
    take_terms(taking, &spec->anti_affinity.preferred);
    for (vec_each(const TopologySpread, spread, &spec->spreads)) {
        take_key(taking, WORD_KEY, spread->topology_key);
        take_selector(taking, spread->selector);
    }
}

static void take_repulsion(Taking *taking, const PodSpec *spec) {
    for (uint32_t i = 0; i < pod_anti_affinity_read(spec); i++)
        take_selector(taking, spec->anti_affinity.required.items[i].selector);
}

bool word_limit_take(WordLimit *limit, Symbol ns, const PodSpec *spec, NamedWhere where) {
    const uint32_t most = WORD_LIMIT_KEYS * WORD_LIMIT_VALUES_A_KEY;
    Taking taking = {.limit = limit, .ns = ns};
    uint32_t used = u64_map_get(&limit->used, ns);

    used = used == INDEX_NONE ? 0 : used;
    if (where == NAMED_ANYWHERE)
        take_all(&taking, spec);
    else if (where == NAMED_OF_NODES)
        take_nodes(&taking, spec);
    else
        take_repulsion(&taking, spec);
    if (taking.units <= most - used) {
        u64_map_put(limit->arena, &limit->used, ns, used + taking.units);
        return true;
    }
    for (vec_each(const uint64_t, hash, &taking.fresh))
        u64_map_remove(&limit->named, *hash);
    return false;
}

// --- pods that wait

typedef struct {
    WordLimit limit;
    IndexMap taken; // pod_spec_id to whether it was taken
} Round;

// Pods of a workload share their spec, so each is looked at once.
static bool is_taken(Round *round, const Pod *pod) {
    uint32_t taken = u64_map_get(&round->taken, pod_spec_id(pod));

    if (taken == INDEX_NONE) {
        taken = word_limit_take(&round->limit, pod->ns, pod->spec, NAMED_ANYWHERE);
        u64_map_put(round->limit.arena, &round->taken, pod_spec_id(pod), taken);
    }
    return taken;
}

static bool all_are_taken(Arena *scratch, const PendingPodVec *pods) {
    Round round = {.limit.arena = scratch};
    bool all = true;

    for (uint32_t i = 0; i < pods->count && all; i++)
        all = !slice_is_empty(pods->items[i].ignored) || is_taken(&round, pods->items[i].pod);
    return all;
}

static void ignore_last(Arena *scratch, const Cluster *cluster, PendingPodVec *pods) {
    Round round = {.limit.arena = scratch};
    const Pod **queue = arena_array(scratch, const Pod *, pods->count);
    uint32_t count = 0;

    for (vec_each(const PendingPod, pending, pods)) {
        if (slice_is_empty(pending->ignored))
            queue[count++] = pending->pod;
    }
    pods_queue(cluster, queue, count);
    for (uint32_t i = 0; i < count; i++)
        is_taken(&round, queue[i]);
    for (vec_each(PendingPod, pending, pods)) {
        if (slice_is_empty(pending->ignored) && !is_taken(&round, pending->pod))
            pending->ignored = SLICE(WORD_LIMIT_TEXT);
    }
}

void word_limit_pending(const Cluster *cluster, PendingPodVec *pods) {
    Arena scratch = {0};

    if (!all_are_taken(&scratch, pods))
        ignore_last(&scratch, cluster, pods);
    arena_free(&scratch);
}
