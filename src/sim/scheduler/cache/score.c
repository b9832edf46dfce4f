// Scores with their default weights, and choosing among the best nodes.
//
// Weights: TaintToleration 3; NodeAffinity, PodTopologySpread and InterPodAffinity 2; room left and balance 1. Images
// are not modelled: every node has the same score for them.
#include "sim/scheduler/cache/score.h"

#include "sim/scheduler/cache/room.h"
#include "sim/scheduler/cache/shape.h"
#include "sim/scheduler/cache/view.h"

#include <math.h>

enum { SCORE_MAX = 100 };

typedef struct {
    CacheTrial *trial;
    const CacheList *nodes;
    int64_t *totals, *scores; // by index in `nodes`
} Contest;

static void contest_add(Contest *contest, int64_t weight) {
    for (uint32_t i = 0; i < contest->nodes->count; i++)
        contest->totals[i] += weight * contest->scores[i];
}

// Scales the scores to the largest; `reverse`: smaller ones score higher.
static void normalize(Contest *contest, bool reverse) {
    int64_t most = 0;

    for (uint32_t i = 0; i < contest->nodes->count; i++)
        most = contest->scores[i] > most ? contest->scores[i] : most;
    for (uint32_t i = 0; i < contest->nodes->count; i++) {
        int64_t score = most ? contest->scores[i] * SCORE_MAX / most : 0;

        contest->scores[i] = reverse ? SCORE_MAX - score : score;
    }
}

// Scores that depend on the node alone. Preferences that no node meets, and soft taints that no node has, score all the
// same.
static void contest_node_side(Contest *contest) {
    CacheTrial *trial = contest->trial;
    const CacheList *nodes = contest->nodes;
    CacheVerdict *found = arena_array_raw(&trial->cache->attempt_arena, CacheVerdict, nodes->count);
    bool tainted = false, preferred = false;

    for (uint32_t i = 0; i < nodes->count; i++) {
        CacheVerdict *verdict = cache_shape_look(trial->cache, trial->class->shape, trial->pod->pins, nodes->items[i]);

        cache_room_look(trial->cache, trial->shape, verdict, nodes->items[i]);
        found[i] = *verdict;
        contest->totals[i] = verdict->room_score;
        tainted |= verdict->intolerable > 0;
        preferred |= verdict->preference != 0;
    }
    for (uint32_t i = 0; i < nodes->count && tainted; i++)
        contest->scores[i] = found[i].intolerable;
    if (tainted) {
        normalize(contest, true);
        contest_add(contest, 3);
    }
    for (uint32_t i = 0; i < nodes->count && preferred; i++)
        contest->scores[i] = found[i].preference;
    if (preferred) {
        normalize(contest, false);
        contest_add(contest, 2);
    }
}

// --- spread

typedef struct {
    const CacheRules *rules;
    bool *ignored;   // nodes that lack a key
    double *weights; // by rule
} Spreading;

static bool lacks_key(const SchedulerCache *cache, const CacheRules *rules, uint32_t node) {
    for (uint32_t i = 0; i < rules->count; i++) {
        if (cache->keys[cache->views[rules->items[i].view].key].of_node[node] == CACHE_NONE)
            return true;
    }
    return false;
}

// Number of domains of the remaining nodes; nodes without the label count as one domain.
static uint32_t count_domains(Contest *contest, const Spreading *spreading, const CacheRule *rule) {
    SchedulerCache *cache = contest->trial->cache;
    const CacheKey *key = &cache->keys[cache->views[rule->view].key];
    ArenaMark mark = arena_mark(&cache->attempt_arena);
    bool *seen = arena_array(&cache->attempt_arena, bool, key->value_count + 1);
    uint32_t count = 0;

    for (uint32_t i = 0; i < contest->nodes->count; i++) {
        uint32_t domain = key->of_node[contest->nodes->items[i]];
        bool *place = &seen[domain == CACHE_NONE ? key->value_count : domain];

        if (spreading->ignored[i])
            continue;
        count += rule->is_hostname || !*place;
        *place = true;
    }
    arena_rewind(&cache->attempt_arena, mark);
    return count;
}

static int64_t score_spread(const Contest *contest, const Spreading *spreading, uint32_t node) {
    const SchedulerCache *cache = contest->trial->cache;
    double score = 0;

    for (uint32_t i = 0; i < spreading->rules->count; i++) {
        const CacheRule *rule = &spreading->rules->items[i];
        const CacheView *view = &cache->views[rule->view];
        const CacheTally *tally = &cache->tallies[rule->tally];
        uint32_t domain = cache->keys[view->key].of_node[node], count = 0;

        if (domain == CACHE_NONE)
            continue;
        if (rule->counts_nobody)
            count = 0;
        else if (rule->is_hostname)
            count = node < tally->on_node_capacity ? tally->on_node[node] : 0;
        else if (domain < view->domain_capacity && view->nodes[domain])
            count = view->sum[domain];
        score += (double)count * spreading->weights[i] + (double)(rule->max_skew - 1);
    }
    return (int64_t)round(score);
}

static void normalize_spread(Contest *contest, const Spreading *spreading) {
    int64_t least = INT64_MAX, most = 0;

    for (uint32_t i = 0; i < contest->nodes->count; i++) {
        if (spreading->ignored[i])
            continue;
        least = contest->scores[i] < least ? contest->scores[i] : least;
        most = contest->scores[i] > most ? contest->scores[i] : most;
    }
    for (uint32_t i = 0; i < contest->nodes->count; i++) {
        if (spreading->ignored[i])
            contest->scores[i] = 0;
        else
            contest->scores[i] = most ? SCORE_MAX * (most + least - contest->scores[i]) / most : SCORE_MAX;
    }
}

static void contest_spread(Contest *contest) {
    CacheTrial *trial = contest->trial;
    SchedulerCache *cache = trial->cache;
    Spreading spreading = {.rules = &trial->class->soft};

    if (!spreading.rules->count)
        return;
    spreading.ignored = arena_array(&cache->attempt_arena, bool, contest->nodes->count);
    spreading.weights = arena_array(&cache->attempt_arena, double, spreading.rules->count);
    for (uint32_t i = 0; i < spreading.rules->count; i++)
        cache_view_read(cache, spreading.rules->items[i].view);
    for (uint32_t i = 0; i < contest->nodes->count && !trial->class->soft_is_default; i++)
        spreading.ignored[i] = lacks_key(cache, spreading.rules, contest->nodes->items[i]);
    for (uint32_t i = 0; i < spreading.rules->count; i++)
        spreading.weights[i] = log(count_domains(contest, &spreading, &spreading.rules->items[i]) + 2.0);
    for (uint32_t i = 0; i < contest->nodes->count; i++)
        contest->scores[i] = spreading.ignored[i] ? 0 : score_spread(contest, &spreading, contest->nodes->items[i]);
    normalize_spread(contest, &spreading);
    contest_add(contest, 2);
}

// --- between pods

typedef struct {
    const CacheView *view;
    int64_t weight;
} Pull;
typedef Vec(Pull) PullVec;

static void pull_add(CacheTrial *trial, PullVec *pulls, uint32_t view, int64_t weight) {
    SchedulerCache *cache = trial->cache;

    if (cache_view_read(cache, view)->positive)
        vec_push(&cache->attempt_arena, pulls, (Pull){&cache->views[view], weight});
}

// Collects the preferences: the pod's own, those of existing pods, and one point for each required affinity to this
// pod.
static PullVec collect_pulls(CacheTrial *trial) {
    static const int64_t signs[] = {[ROLE_AFFINITY] = 1, [ROLE_PREFERRED] = 1, [ROLE_PREFERRED_ANTI] = -1};
    SchedulerCache *cache = trial->cache;
    PullVec pulls = {0};

    for (uint32_t i = 0; i < trial->class->preferred.count; i++)
        pull_add(trial, &pulls, trial->class->preferred.items[i].view, trial->class->preferred.items[i].weight);
    for (uint32_t i = 0; i < trial->class->aimed_by.count; i++) {
        const CacheTally *tally = &cache->tallies[trial->class->aimed_by.items[i]];
        int64_t weight = tally->role == ROLE_AFFINITY ? 1 : tally->weight;

        if (tally->role != ROLE_ANTI_AFFINITY && tally->total)
            pull_add(trial, &pulls, tally->view, signs[tally->role] * weight);
    }
    return pulls;
}

static void normalize_pulls(Contest *contest) {
    int64_t least = INT64_MAX, most = INT64_MIN;

    for (uint32_t i = 0; i < contest->nodes->count; i++) {
        least = contest->scores[i] < least ? contest->scores[i] : least;
        most = contest->scores[i] > most ? contest->scores[i] : most;
    }
    for (uint32_t i = 0; i < contest->nodes->count; i++)
        contest->scores[i] =
            most > least ? (int64_t)(SCORE_MAX * ((double)(contest->scores[i] - least) / (double)(most - least))) : 0;
}

static void contest_pods(Contest *contest) {
    PullVec pulls = collect_pulls(contest->trial);

    if (!pulls.count)
        return;
    for (uint32_t i = 0; i < contest->nodes->count; i++) {
        int64_t score = 0;

        for (vec_each(const Pull, pull, &pulls)) {
            uint32_t domain = pull->view->domain_of[contest->nodes->items[i]];

            if (domain != CACHE_NONE)
                score += pull->weight * pull->view->sum[domain];
        }
        contest->scores[i] = score;
    }
    normalize_pulls(contest);
    contest_add(contest, 2);
}

// Picks one of the best nodes, with equal probability.
static uint32_t pick_best(SchedulerCache *cache, const Contest *contest) {
    uint32_t best = 0, ties = 1;

    for (uint32_t i = 1; i < contest->nodes->count; i++) {
        if (contest->totals[i] > contest->totals[best]) {
            best = i;
            ties = 1;
        } else if (contest->totals[i] == contest->totals[best] && random_below(&cache->random, ++ties) == 0) {
            best = i;
        }
    }
    return contest->nodes->items[best];
}

uint32_t cache_pick(CacheTrial *trial, const CacheList *feasible) {
    SchedulerCache *cache = trial->cache;
    Contest contest = {.trial = trial, .nodes = feasible};

    if (feasible->count == 1)
        return feasible->items[0];
    contest.totals = arena_array(&cache->attempt_arena, int64_t, feasible->count);
    contest.scores = arena_array(&cache->attempt_arena, int64_t, feasible->count);
    contest_node_side(&contest);
    contest_spread(&contest);
    contest_pods(&contest);
    return pick_best(cache, &contest);
}
