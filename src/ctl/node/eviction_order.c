// The order in which pods leave many nodes at once: the large ones first.
//
// kube-scheduler gives room to whoever comes first, always the emptiest. Small pods that came first would leave holes
// everywhere that no large one fits into, and nodes would be bought for these. So where commands of disruption empty
// many nodes of a pool at once, pods leave by their size, and the next size begins when all larger ones have left and
// kube-scheduler has caught up. Nothing waits on nodes that go for another reason, as those that are interrupted.
#include "ctl/node/eviction_parts.h"
#include "model/pod_predicates.h"

// Sizes: an eighth of the node or more (0), a sixteenth, a thirty-second, less.
enum { MANY_NODES = 10, SIZES = 4, FEW_PENDING = 10 };
static const double LARGE = 1.0 / 8;
// All have left within two minutes, as long as a spot instance has from its notice.
static const int64_t STEP_MIN_NS = 2 * NS_PER_S, STEP_MAX_NS = 40 * NS_PER_S, FORGET_NS = 10 * NS_PER_S;

// Whether the node is one of many of its pool that are going away, by a command.
static bool is_one_of_many(const State *state, const Node *node) {
    Symbol pool = labels_get(&node->meta.labels, NAME_NODEPOOL);

    return pool != INDEX_NONE && labels_get(&node->meta.annotations, NAME_COMMAND) != INDEX_NONE &&
           state_pool_usage(state, pool)->deleting >= MANY_NODES;
}

// The largest part of what the node has to give of a resource that the pod asks for.
static double part_of(const Node *node, const Pod *pod) {
    double largest = 0;

    for (vec_each(const ResourceAmount, request, &pod->spec->requests)) {
        int64_t all = resources_get(&node->allocatable, request->resource);
        double part = all > 0 ? (double)request->amount / (double)all : 0;

        largest = part > largest ? part : largest;
    }
    return largest;
}

static uint32_t size_of(const Node *node, const Pod *pod) {
    double part = part_of(node, pod), least = LARGE;
    uint32_t size = 0;

    for (; size < SIZES - 1 && part < least; least /= 2)
        size++;
    return size;
}

static bool is_to_leave(const Turn *turn, const Node *node, const Pod *pod, uint32_t open) {
    return !pod->deleting && !pod_is_daemon(pod) && pod_is_waiting_eviction(pod, turn->symbols, turn->wall_ns) &&
           size_of(node, pod) <= open;
}

// Whether pods of the sizes that are open are still on nodes that commands empty, or will. O(nodes + their pods).
static bool are_some_left(const Turn *turn, uint32_t open) {
    const State *state = turn->state;

    for (Handle handle = state_next(state, KUBE_NODE, HANDLE_NONE); handle.generation;
         handle = state_next(state, KUBE_NODE, handle)) {
        const Node *node = state_node(state, handle);

        if (labels_get(&node->meta.annotations, NAME_COMMAND) == INDEX_NONE || !state_node_is_deleting(state, handle))
            continue;
        for (vec_each(const Handle, pod, state_pods_on_node(state, node->meta.name))) {
            if (is_to_leave(turn, node, state_pod(state, *pod), open))
                return true;
        }
    }
    return false;
}

// Opens the next size, in time; looks for that once a second.
static void go_on(EvictionOrder *order, const Turn *turn) {
    int64_t open_ns = mono_since(turn->now, order->since);

    if (order->open == SIZES - 1 || open_ns < STEP_MIN_NS ||
        mono_since(turn->now, order->looked) < EVICTION_ORDER_ASK_S * NS_PER_S)
        return;
    order->looked = turn->now;
    if (open_ns < STEP_MAX_NS &&
        (state_pods_pending(turn->state)->count >= FEW_PENDING || are_some_left(turn, order->open)))
        return;
    order->open++;
    order->since = turn->now;
}

bool eviction_order_allows(EvictionOrder *order, const Turn *turn, const Node *node, const Pod *pod) {
    if (!is_one_of_many(turn->state, node))
        return true;
    if (!mono_is_set(order->asked) || mono_since(turn->now, order->asked) >= FORGET_NS)
        *order = (EvictionOrder){.since = turn->now};
    order->asked = turn->now;
    go_on(order, turn);
    return size_of(node, pod) <= order->open;
}
