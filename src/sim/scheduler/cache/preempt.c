// Preemption: the node on which the pod would fit without some less important pods, and which of them to delete.
//
// As few pods as possible are deleted; more important ones, and those that a PodDisruptionBudget protects, are kept
// first. Behaviour: Kubernetes' "Pod Priority and Preemption".
#include "sim/scheduler/cache/preempt.h"

#include "sim/scheduler/cache/diagnosis.h"
#include "sim/scheduler/cache/filter.h"
#include "sim/scheduler/cache/match.h"
#include "sim/scheduler/cache/pods.h"

#include <stdlib.h>

enum { CANDIDATES_MIN = 100, CANDIDATES_PERCENT = 10 };

typedef struct {
    uint32_t node;
    U32Vec victims; // most important first
    uint32_t violations;
} Candidate;
typedef Vec(Candidate) CandidateVec;

typedef struct {
    CacheTrial *trial;
    Arena *arena;
    CandidateVec candidates;
    uint32_t unviolated;
    CacheDiagnosis diagnosis;
} Search;

static int64_t start_of(const CachePod *pod) {
    return pod->started_ns ? pod->started_ns : pod->created_ns;
}

// Negative: `a` is more important than `b`. Ties are broken by slots.
static int importance_order(const SchedulerCache *cache, uint32_t a, uint32_t b) {
    const CachePod *x = &cache->pods[a], *y = &cache->pods[b];

    if (x->priority != y->priority)
        return x->priority > y->priority ? -1 : 1;
    if (start_of(x) != start_of(y))
        return start_of(x) < start_of(y) ? -1 : 1;
    return a < b ? -1 : 1;
}

static void sort_by_importance(const SchedulerCache *cache, U32Vec *pods) {
    for (uint32_t i = 1; i < pods->count; i++) {
        uint32_t pod = pods->items[i], at = i;

        for (; at > 0 && importance_order(cache, pod, pods->items[at - 1]) < 0; at--)
            pods->items[at] = pods->items[at - 1];
        pods->items[at] = pod;
    }
}

// --- budgets

typedef struct {
    const PodDisruptionBudget *budget;
    int32_t left;
} Allowance;
typedef Vec(Allowance) AllowanceVec;

static Allowance *allowance_of(Search *search, AllowanceVec *allowances, const PodDisruptionBudget *budget) {
    for (vec_each(Allowance, allowance, allowances)) {
        if (allowance->budget == budget)
            return allowance;
    }
    vec_push(search->arena, allowances, (Allowance){budget, budget->disruptions_allowed});
    return vec_last(allowances);
}

// Whether deleting the pod, after those before it, would violate a budget.
static bool violates(Search *search, AllowanceVec *allowances, uint32_t slot) {
    SchedulerCache *cache = search->trial->cache;
    const CachePod *pod = &cache->pods[slot];
    const CacheClass *class = &cache->classes[pod->class_index];
    bool violated = false;

    if (class->labels.count == 0)
        return false;
    for (uint32_t i = 0;; i++) {
        const PodDisruptionBudget *budget = cache->sources.budget(cache->sources.self, pod->ns, i);

        if (!budget)
            return violated;
        if (budget->selector && budget->selector->expressions.count &&
            cache_selector_selects(cache->symbols, budget->selector, &class->labels))
            violated |= --allowance_of(search, allowances, budget)->left < 0;
    }
}

// --- one node

static U32Vec potential_victims(Search *search, uint32_t node) {
    const SchedulerCache *cache = search->trial->cache;
    U32Vec victims = {0};

    for (uint32_t i = cache->nodes[node].first_pod; i != CACHE_NONE; i = cache->pods[i].next_on_node) {
        if (cache->pods[i].priority < search->trial->pod->priority)
            vec_push(search->arena, &victims, i);
    }
    sort_by_importance(cache, &victims);
    return victims;
}

// Puts a pod back if the new one still fits; otherwise it is a victim. Returns whether it is.
static bool must_go(Search *search, Candidate *candidate, uint32_t slot) {
    SchedulerCache *cache = search->trial->cache;

    cache_seat(cache, slot, candidate->node);
    cache_trial_refresh(search->trial);
    if (cache_filter(search->trial, candidate->node) == REASON_FITS)
        return false;
    cache_unseat(cache, slot);
    cache_trial_refresh(search->trial);
    vec_push(search->arena, &candidate->victims, slot);
    return true;
}

static void reprieve(Search *search, Candidate *candidate, const U32Vec *potential) {
    AllowanceVec allowances = {0};
    bool *guarded = arena_array(search->arena, bool, potential->count);

    for (uint32_t i = 0; i < potential->count; i++)
        guarded[i] = violates(search, &allowances, potential->items[i]);
    for (uint32_t i = 0; i < potential->count; i++) {
        if (guarded[i])
            candidate->violations += must_go(search, candidate, potential->items[i]);
    }
    for (uint32_t i = 0; i < potential->count; i++) {
        if (!guarded[i])
            must_go(search, candidate, potential->items[i]);
    }
    sort_by_importance(search->trial->cache, &candidate->victims);
}

static void try_node(Search *search, uint32_t node) {
    SchedulerCache *cache = search->trial->cache;
    U32Vec potential = potential_victims(search, node);
    Candidate candidate = {.node = node};
    CacheReason reason;

    if (!potential.count) {
        cache_diagnosis_add(&search->diagnosis, search->trial, node, REASON_NO_VICTIMS);
        return;
    }
    for (uint32_t i = 0; i < potential.count; i++)
        cache_unseat(cache, potential.items[i]);
    cache_trial_refresh(search->trial);
    reason = cache_filter(search->trial, node);
    if (reason != REASON_FITS) {
        cache_diagnosis_add(&search->diagnosis, search->trial, node, reason);
        for (uint32_t i = 0; i < potential.count; i++)
            cache_seat(cache, potential.items[i], node);
        return;
    }
    reprieve(search, &candidate, &potential);
    for (uint32_t i = 0; i < candidate.victims.count; i++)
        cache_seat(cache, candidate.victims.items[i], node);
    search->unviolated += candidate.violations == 0;
    if (candidate.victims.count)
        vec_push(search->arena, &search->candidates, candidate);
}

// Tries nodes. Removing pods and putting them back changes the order of a node's pods, on which nothing depends.
static void try_nodes(Search *search, const U32Vec *nodes) {
    SchedulerCache *cache = search->trial->cache;
    uint32_t wanted = nodes->count * CANDIDATES_PERCENT / 100, offset = random_below(&cache->random, nodes->count);
    uint64_t change = cache->change;

    if (wanted < CANDIDATES_MIN)
        wanted = CANDIDATES_MIN;
    for (uint32_t i = 0; i < nodes->count; i++) {
        if (search->unviolated && search->candidates.count >= wanted)
            break;
        try_node(search, nodes->items[(offset + i) % nodes->count]);
    }
    cache_trial_refresh(search->trial);
    cache->change = change;
}

// --- the best candidate

static int64_t score_of(const SchedulerCache *cache, const Candidate *candidate, int rank) {
    int64_t sum = 0, earliest = INT64_MAX;

    for (uint32_t i = 0; i < candidate->victims.count; i++) {
        const CachePod *pod = &cache->pods[candidate->victims.items[i]];

        sum += pod->priority + (INT64_C(1) << 31);
        if (pod->priority == cache->pods[candidate->victims.items[0]].priority && start_of(pod) < earliest)
            earliest = start_of(pod);
    }
    switch (rank) {
    case 0:
        return -(int64_t)candidate->violations;
    case 1:
        return -(int64_t)cache->pods[candidate->victims.items[0]].priority;
    case 2:
        return -sum;
    case 3:
        return -(int64_t)candidate->victims.count;
    default:
        return earliest;
    }
}

// Fewest violated budgets; lowest maximum priority; smallest sum of priorities; fewest pods; latest start time.
static const Candidate *best_of(const SchedulerCache *cache, const CandidateVec *candidates) {
    const Candidate *best = &candidates->items[0];

    for (uint32_t i = 1; i < candidates->count; i++) {
        for (int rank = 0; rank < 5; rank++) {
            int64_t ours = score_of(cache, &candidates->items[i], rank), theirs = score_of(cache, best, rank);

            if (ours == theirs)
                continue;
            if (ours > theirs)
                best = &candidates->items[i];
            break;
        }
    }
    return best;
}

// --- eligibility

// Whether a victim on the nominated node is still terminating.
static bool waits_for_victims(const CacheTrial *trial) {
    const SchedulerCache *cache = trial->cache;
    uint32_t node = trial->pod->nominated;

    if (node == CACHE_NONE || cache_reason_is_final((CacheReason)cache->reasons[node]))
        return false;
    for (uint32_t i = cache->nodes[node].first_pod; i != CACHE_NONE; i = cache->pods[i].next_on_node) {
        const CachePod *pod = &cache->pods[i];

        if (pod->deleting && pod->preempted && pod->priority < trial->pod->priority)
            return true;
    }
    return false;
}

CachePreemption cache_preempt(CacheTrial *trial) {
    SchedulerCache *cache = trial->cache;
    Search search = {.trial = trial, .arena = &cache->attempt_arena, .diagnosis = {.nodes = cache->order.count}};
    CachePreemption none = {.node = CACHE_NONE};
    const Candidate *best;
    U32Vec nodes = {0};

    if (trial->pod->never_preempt)
        none.message = SLICE("not eligible due to preemptionPolicy=Never.");
    else if (waits_for_victims(trial))
        none.message = SLICE("not eligible due to a terminating pod on the nominated node.");
    if (none.message.len)
        return none;
    for (uint32_t i = 0; i < cache->order.count; i++) {
        uint32_t node = cache->order.items[i];

        if (!cache_reason_is_final((CacheReason)cache->reasons[node]))
            vec_push(search.arena, &nodes, node);
    }
    if (nodes.count && cache_has_below(cache, trial->pod->priority))
        try_nodes(&search, &nodes);
    else
        search.diagnosis.reasons[REASON_NO_VICTIMS] = nodes.count;
    if (!search.candidates.count) {
        search.diagnosis.reasons[REASON_PREEMPTION_HELPLESS] = cache->order.count - nodes.count;
        none.message = cache_diagnosis_print(search.arena, cache, &search.diagnosis);
        none.clear_nomination = true;
        return none;
    }
    best = best_of(cache, &search.candidates);
    for (uint32_t i = 0; i < best->victims.count; i++)
        cache->pods[best->victims.items[i]].preempted = true;
    return (CachePreemption){.node = best->node, .victims = best->victims};
}
