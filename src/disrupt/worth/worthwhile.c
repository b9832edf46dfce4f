// Dollars of a disruption.
#include "disrupt/worth/worthwhile.h"

#include "base/time.h"
#include "model/payback.h"
#include "model/pod_predicates.h"

#include <math.h>

// What evicting one ordinary pod costs, $: a cent. The time in which it does nothing useful is worth a tenth of that;
// the rest is for connections, caches and the attention of people, and was found on days of oscillating load, where
// smaller figures moved twice as many pods for little more money saved (docs/design/disrupt-fleet.md).
static const double POD_MOVE = 0.01;
// A pod that was started a moment ago has just paid for that, and is likely to be followed by others. So have those on
// a node that pods were moved to, until that has paid back: they may move again, but only for much.
static const double YOUNG_FACTOR = 4;
static const int64_t YOUNG_NS = 10 * NS_PER_MIN;
// So much lost work of a pod of a Job costs as much as an eviction: two CPUs for that time cost about a cent.
static const double WORK_NS = 10.0 * NS_PER_MIN;
// The new node and the old one are both paid for from the launch of the one until the drain of the other has ended.
static const double BOOT_HOURS = 3.0 / 60;

enum { HOURS_MAX = 1000 };

const double WORTHWHILE_OVERHEAD = 3.0 / 120; // of the default payback
const double WORTHWHILE_LEAST = 1e-4;

static const Symbols *symbols_of(const Round *round) {
    return &round->facts->cluster->symbols;
}

static bool is_young(const Round *round, const Pod *pod) {
    return pod->created_ns && round->facts->wall_ns < pod->created_ns + YOUNG_NS;
}

// What a pod of a Job has done is done again: ten minutes of it cost as much as the eviction.
static double lost_work(const Round *round, const Pod *pod) {
    int64_t age_ns = round->facts->wall_ns - pod->created_ns;

    if (!pod->created_ns || age_ns <= 0 || !pod_is_owned_by(pod, NAME_BATCH_V1, NAME_JOB))
        return 0;
    return (double)age_ns / WORK_NS;
}

// Of moving one pod off a node, $.
static double pod_cost(const Round *round, uint32_t node, const Pod *pod) {
    double eviction = pod_eviction_cost(pod, symbols_of(round), round->facts->cost_rules);
    bool has_just_moved = is_young(round, pod) || (round->facts->node_bits[node] & NODE_SETTLING);

    return eviction > 0 ? eviction * POD_MOVE * fmax(has_just_moved ? YOUNG_FACTOR : 1, 1 + lost_work(round, pod)) : 0;
}

double worthwhile_disruption(const Round *round, const DisruptionCandidate *candidate) {
    int64_t payback_ns = pool_payback_ns(symbols_of(round), candidate->pool->pool, NULL);
    double cost = 0;

    for (vec_each(const PendingPod, pending, whatif_pods(round->whatif, candidate->node)))
        cost += pod_cost(round, candidate->node, pending->pod);
    return cost * NS_PER_HOUR / payback_ns;
}

bool worthwhile_saves(const Round *round, const CandidateList *nodes, double saving_per_hour) {
    double price = 0;

    for (vec_each(const DisruptionCandidate *, candidate, nodes))
        price += (*candidate)->price_per_hour;
    for (vec_each(const DisruptionCandidate *, candidate, nodes)) {
        MinSaving least = pool_min_saving(symbols_of(round), (*candidate)->pool->pool, NULL);

        if (saving_per_hour < least.per_hour || saving_per_hour < least.share * price)
            return false;
    }
    return true;
}

double worthwhile_hours(const Round *round, const CandidateList *nodes, double saving_per_hour) {
    double price = 0, cost = 0;

    for (vec_each(const DisruptionCandidate *, candidate, nodes)) {
        price += (*candidate)->price_per_hour;
        for (vec_each(const PendingPod, pending, whatif_pods(round->whatif, (*candidate)->node)))
            cost += pod_cost(round, (*candidate)->node, pending->pod);
    }
    return fmin((cost + BOOT_HOURS * (price - saving_per_hour)) / saving_per_hour, HOURS_MAX);
}

int64_t worthwhile_paid_back_ns(const Round *round, const CandidateList *nodes, const DisruptCommand *command) {
    if (!(command->saving_per_hour > 0))
        return 0;
    return round->facts->wall_ns + (int64_t)(worthwhile_hours(round, nodes, command->saving_per_hour) * NS_PER_HOUR);
}
