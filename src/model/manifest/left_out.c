// The reasons of pod_is_pending that a user can do something about.
#include "model/manifest/left_out.h"

#include "model/manifest/kinds.h"
#include "model/manifest/state.h"
#include "model/pod_predicates.h"

typedef enum { REASON_NONE, REASON_GATED, REASON_DELETED, REASON_NOMINATED, REASONS } Reason;

static const char *const texts[REASONS] = {
    [REASON_GATED] = "spec.schedulingGates is not empty",
    [REASON_DELETED] = "metadata.deletionTimestamp is set",
    [REASON_NOMINATED] = "status.nominatedNodeName names a node that is not in the input",
};

static bool has_node(const Cluster *cluster, Symbol name) {
    return object_find(cluster->reading, object_kind_find(SLICE(""), SLICE("Node")), NAME_EMPTY, name) != NULL;
}

static Reason reason_of(const Cluster *cluster, const Pod *pod) {
    if (pod->node_name != NAME_EMPTY || pod_is_terminal(pod) || pod_is_daemon(pod) || pod_is_mirror(pod))
        return REASON_NONE;
    if (pod->gated)
        return REASON_GATED;
    if (pod->deleting)
        return REASON_DELETED;
    return pod->nominated_node_name != NAME_EMPTY && !has_node(cluster, pod->nominated_node_name) ? REASON_NOMINATED
                                                                                                  : REASON_NONE;
}

void left_out_check(Cluster *cluster) {
    const Pod *first[REASONS] = {0};
    uint32_t counts[REASONS] = {0};

    for (vec_each(const Pod, pod, &cluster->pods)) {
        Reason reason = reason_of(cluster, pod);

        if (counts[reason]++ == 0)
            first[reason] = pod;
    }
    for (Reason reason = REASON_GATED; reason < REASONS; reason++) {
        if (counts[reason])
            cluster_warn(cluster, "%u pod%s without a node %s not planned (%s%.*s/%.*s): %s", counts[reason],
                         counts[reason] == 1 ? "" : "s", counts[reason] == 1 ? "is" : "are",
                         counts[reason] == 1 ? "" : "first ",
                         SLICE_ARG(symbol_text(&cluster->symbols, first[reason]->ns)),
                         SLICE_ARG(symbol_text(&cluster->symbols, first[reason]->name)), texts[reason]);
    }
}
