// The scores with their default weights, and the choice among the best.
//
// Weights: TaintToleration 3; NodeAffinity, PodTopologySpread and InterPodAffinity 2; room left and balance 1. Images
// are not modelled: every node has the same score for them.
#include <math.h>

#include "sim/scheduler/usher_parts.h"

enum { SCORE_MAX = 100 };

typedef struct {
    UsherTrial *trial;
    const UsherList *nodes;
    int64_t *totals, *scores; // by index in `nodes`
} Contest;

static void contest_add(Contest *contest, int64_t weight) {
    for (uint32_t i = 0; i < contest->nodes->count; i++)
        contest->totals[i] += weight * contest->scores[i];
}

// Shares of the largest; `reverse`: the smaller the better.
static void normalize(Contest *contest, bool reverse) {
    int64_t most = 0;

    for (uint32_t i = 0; i < contest->nodes->count; i++)
        most = contest->scores[i] > most ? contest->scores[i] : most;
    for (uint32_t i = 0; i < contest->nodes->count; i++) {
        int64_t score = most ? contest->scores[i] * SCORE_MAX / most : 0;

        contest->scores[i] = reverse ? SCORE_MAX - score : score;
    }
}

// What concerns the node alone. Preferences that nobody meets, and soft taints that nobody has, are the same for all.
static void contest_node_side(Contest *contest) {
    UsherTrial *trial = contest->trial;
    const UsherList *nodes = contest->nodes;
    UsherVerdict *found = arena_alloc_raw(&trial->usher->attempt_arena, nodes->count * sizeof *found);
    bool tainted = false, preferred = false;

    for (uint32_t i = 0; i < nodes->count; i++) {
        UsherVerdict *verdict = usher_shape_look(trial->usher, trial->class->shape, trial->pod->pins, nodes->items[i]);

        usher_room_look(trial->usher, trial->shape, verdict, nodes->items[i]);
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
    const UsherRules *rules;
    bool *ignored;   // nodes that lack a key
    double *weights; // by rule
} Spreading;

static bool lacks_key(const Usher *usher, const UsherRules *rules, uint32_t node) {
    for (uint32_t i = 0; i < rules->count; i++) {
        if (usher->keys[usher->views[rules->items[i].view].key].of_node[node] == USHER_NONE)
            return true;
    }
    return false;
}

// How many domains the nodes that are left to choose from lie in; lacking the label is one, too.
static uint32_t count_domains(Contest *contest, const Spreading *spreading, const UsherRule *rule) {
    Usher *usher = contest->trial->usher;
    const UsherKey *key = &usher->keys[usher->views[rule->view].key];
    ArenaMark mark = arena_mark(&usher->attempt_arena);
    bool *seen = arena_array(&usher->attempt_arena, bool, key->value_count + 1);
    uint32_t count = 0;

    for (uint32_t i = 0; i < contest->nodes->count; i++) {
        uint32_t domain = key->of_node[contest->nodes->items[i]];
        bool *place = &seen[domain == USHER_NONE ? key->value_count : domain];

        if (spreading->ignored[i])
            continue;
        count += rule->is_hostname || !*place;
        *place = true;
    }
    arena_rewind(&usher->attempt_arena, mark);
    return count;
}

static int64_t score_spread(const Contest *contest, const Spreading *spreading, uint32_t node) {
    const Usher *usher = contest->trial->usher;
    double score = 0;

    for (uint32_t i = 0; i < spreading->rules->count; i++) {
        const UsherRule *rule = &spreading->rules->items[i];
        const UsherView *view = &usher->views[rule->view];
        const UsherTally *tally = &usher->tallies[rule->tally];
        uint32_t domain = usher->keys[view->key].of_node[node], count = 0;

        if (domain == USHER_NONE)
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
    UsherTrial *trial = contest->trial;
    Usher *usher = trial->usher;
    Spreading spreading = {.rules = &trial->class->soft};

    if (!spreading.rules->count)
        return;
    spreading.ignored = arena_array(&usher->attempt_arena, bool, contest->nodes->count);
    spreading.weights = arena_array(&usher->attempt_arena, double, spreading.rules->count);
    for (uint32_t i = 0; i < spreading.rules->count; i++)
        usher_view_read(usher, spreading.rules->items[i].view);
    for (uint32_t i = 0; i < contest->nodes->count && !trial->class->soft_is_default; i++)
        spreading.ignored[i] = lacks_key(usher, spreading.rules, contest->nodes->items[i]);
    for (uint32_t i = 0; i < spreading.rules->count; i++)
        spreading.weights[i] = log(count_domains(contest, &spreading, &spreading.rules->items[i]) + 2.0);
    for (uint32_t i = 0; i < contest->nodes->count; i++)
        contest->scores[i] = spreading.ignored[i] ? 0 : score_spread(contest, &spreading, contest->nodes->items[i]);
    normalize_spread(contest, &spreading);
    contest_add(contest, 2);
}

// --- between pods

typedef struct {
    const UsherView *view;
    int64_t weight;
} Pull;
typedef Vec(Pull) PullVec;

static void pull_add(UsherTrial *trial, PullVec *pulls, uint32_t view, int64_t weight) {
    Usher *usher = trial->usher;

    if (usher_view_read(usher, view)->positive)
        vec_push(&usher->attempt_arena, pulls, (Pull){&usher->views[view], weight});
}

// Own preferences, those of the pods that are there, and one point for each that requires to be near this pod.
static PullVec collect_pulls(UsherTrial *trial) {
    static const int64_t signs[] = {[ROLE_AFFINITY] = 1, [ROLE_PREFERRED] = 1, [ROLE_PREFERRED_ANTI] = -1};
    Usher *usher = trial->usher;
    PullVec pulls = {0};

    for (uint32_t i = 0; i < trial->class->preferred.count; i++)
        pull_add(trial, &pulls, trial->class->preferred.items[i].view, trial->class->preferred.items[i].weight);
    for (uint32_t i = 0; i < trial->class->aimed_by.count; i++) {
        const UsherTally *tally = &usher->tallies[trial->class->aimed_by.items[i]];
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

            if (domain != USHER_NONE)
                score += pull->weight * pull->view->sum[domain];
        }
        contest->scores[i] = score;
    }
    normalize_pulls(contest);
    contest_add(contest, 2);
}

// One of the best, each with the same chance.
static uint32_t pick_best(Usher *usher, const Contest *contest) {
    uint32_t best = 0, ties = 1;

    for (uint32_t i = 1; i < contest->nodes->count; i++) {
        if (contest->totals[i] > contest->totals[best]) {
            best = i;
            ties = 1;
        } else if (contest->totals[i] == contest->totals[best] && random_below(&usher->random, ++ties) == 0) {
            best = i;
        }
    }
    return contest->nodes->items[best];
}

uint32_t usher_pick(UsherTrial *trial, const UsherList *feasible) {
    Usher *usher = trial->usher;
    Contest contest = {.trial = trial, .nodes = feasible};

    if (feasible->count == 1)
        return feasible->items[0];
    contest.totals = arena_array(&usher->attempt_arena, int64_t, feasible->count);
    contest.scores = arena_array(&usher->attempt_arena, int64_t, feasible->count);
    contest_node_side(&contest);
    contest_spread(&contest);
    contest_pods(&contest);
    return pick_best(usher, &contest);
}
