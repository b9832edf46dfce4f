// Nodes of Provisioners on their way.
#include "disrupt/one_at_a_time.h"

#include "model/pool_name.h"

static const int64_t WAIT_NS = ONE_AT_A_TIME_WAIT_S * NS_PER_S;

static bool is_old(const Round *round, Symbol pool) {
    return pool_is_provisioner(&round->facts->cluster->symbols, pool);
}

bool candidate_is_old(const Round *round, const DisruptionCandidate *candidate) {
    return candidate->pool && is_old(round, candidate->pool->pool->meta.name);
}

// Until when the node is waited for; 0: it is not.
static int64_t waited_for_until(const Round *round, uint32_t node) {
    const NodeView *view = &round->facts->nodes.items[node];
    int64_t until_ns;

    if (!is_old(round, labels_get(&view->labels, NAME_NODEPOOL)))
        return 0;
    if (round->is_gone[node] || round->facts->node_bits[node] & NODE_IN_COMMAND)
        return INT64_MAX;
    if (!view->claim || !view->claim->meta.deleting)
        return 0;
    until_ns = ns_add(view->claim->meta.deleted_ns, WAIT_NS);
    return until_ns > round->facts->wall_ns ? until_ns : 0;
}

bool round_old_is_busy(const Round *round, int64_t *ret_until_ns) {
    int64_t last_ns = 0;

    for (uint32_t i = 0; i < round->facts->nodes.count; i++) {
        int64_t until_ns = waited_for_until(round, i);

        if (until_ns > last_ns)
            last_ns = until_ns;
    }
    *ret_until_ns = last_ns;
    return last_ns > 0;
}
