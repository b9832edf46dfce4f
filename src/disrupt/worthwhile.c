// Dollars of a disruption.
#include "disrupt/worthwhile.h"

#include "base/time.h"

// What evicting one ordinary pod costs, $: about what half a CPU and 2 GiB cost in a minute or two, the time in which
// the pod does nothing useful and its neighbours carry its load.
static const double POD_MOVE = 0.001;
// A pod that was started a moment ago has just paid for that, and is likely to be followed by others.
static const double YOUNG_FACTOR = 4;
static const int64_t YOUNG_NS = 10 * NS_PER_MIN;
// The time in which a move must have saved what it costs. Half of all replaced nodes live longer than this even where
// load follows the hours of the day.
enum { PAYBACK_MINUTES = 60 };
// A new node is paid for from its launch, and takes pods two minutes later; the old one goes a minute after that.
enum { BOOT_MINUTES = 3 };

const double WORTHWHILE_OVERHEAD = (double)BOOT_MINUTES / PAYBACK_MINUTES;
const double WORTHWHILE_LEAST = 1e-4;

static bool is_young(const Round *round, const Pod *pod) {
    return pod->created_ns && round->facts->wall_ns < pod->created_ns + YOUNG_NS;
}

double worthwhile_disruption(const Round *round, const DisruptionCandidate *candidate) {
    const Symbols *symbols = &round->facts->cluster->symbols;
    double cost = 0;

    for (vec_each(const PendingPod, pending, whatif_pods(round->whatif, candidate->node))) {
        double eviction = pod_eviction_cost(pending->pod, symbols, round->facts->cost_rules);

        if (eviction > 0)
            cost += is_young(round, pending->pod) ? eviction * YOUNG_FACTOR : eviction;
    }
    return cost * POD_MOVE * 60 / PAYBACK_MINUTES;
}
