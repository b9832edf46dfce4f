// Events and log lines of the provisioner: reference scheduling.md 6.2 and 6.3, changes.md 5.2.
#include "ctl/provision/parts.h"

#include "model/pod_bounds.h"
#include "text/duration.h"

enum {
    TOLD_AGAIN_S = 300, // FailedScheduling: once in this time per pod
    DAEMONS_TOLD = 20,  // of a plan: whoever makes thousands of DaemonSets is told of some
    TOLD_MAX = 1000,    // pods reported per plan; the others are reported with a later one
    NOMINATED_MAX = 60, // events per plan: the recorder lets 10 through, and then 5 a second
    NAMES_MAX = 5,
    PARTS_MAX = 10,       // pods per plan that are told that not all their rules are read
    PARTS_AGAIN_S = 3600, // each once in this time
};

static const Slice no_karpenter = SLICE_INIT("configured to not run on a Karpenter provisioned node");

Slice provision_first_five(Arena *arena, const SliceVec *names) {
    Slice text = {0};

    for (uint32_t i = 0; i < names->count && i < NAMES_MAX; i++)
        text =
            i == 0 ? names->items[i] : arena_printf(arena, "%.*s, %.*s", SLICE_ARG(text), SLICE_ARG(names->items[i]));
    if (names->count > NAMES_MAX)
        text = arena_printf(arena, "%.*s and %u other(s)", SLICE_ARG(text), names->count - NAMES_MAX);
    return text;
}

static Slice number(Arena *arena, uint32_t count) {
    return arena_printf(arena, "%u", count);
}

void provision_report_found(Turn *turn, const PlanInput *input, int64_t took_ns) {
    SliceVec names = {0};
    uint32_t more, leaving = 0;
    Slice text;

    for (uint32_t i = 0; i < input->pending.count && i < NAMES_MAX; i++)
        vec_push(turn->arena, &names, pod_print_name(turn->arena, turn->symbols, input->pending.items[i].pod));
    if (!names.count)
        return;
    text = provision_first_five(turn->arena, &names);
    more = input->pending.count - names.count;
    if (more)
        text = arena_printf(turn->arena, "%.*s and %u other(s)", SLICE_ARG(text), more);
    for (vec_each(const PendingPod, pending, &input->pending))
        leaving += pending->from_deleting_node;
    turn_log(turn, LOG_DEBUG, "computing scheduling decision for provisionable pod(s)", "pending-pods",
             number(turn->arena, input->pending.count - leaving), "deleting-pods", number(turn->arena, leaving), NULL);
    turn_log(turn, LOG_INFO, "found provisionable pod(s)", "Pods", text, "duration",
             duration_print(turn->arena, took_ns), NULL);
}

EventIntent *provision_pod_event(Turn *turn, const Pod *pod, bool warning, const char *reason, Slice message) {
    EventIntent *event = &turn_intend(turn, INTENT_EVENT)->event;

    event->about = (KubeRef){KUBE_POD, symbol_text(turn->symbols, pod->ns), symbol_text(turn->symbols, pod->name)};
    event->uid = symbol_text(turn->symbols, pod->uid);
    event->dedupe_key = event->uid;
    event->warning = warning;
    event->reason = reason;
    event->message = message;
    return event;
}

static bool prefers_spread(const PodSpec *spec) {
    for (vec_each(const TopologySpread, spread, &spec->spreads)) {
        if (spread->schedule_anyway)
            return true;
    }
    return false;
}

void provision_report_preferences(Provisioner *provisioner, Turn *turn, const PlanInput *input) {
    SliceVec apart = {0}, spread = {0};
    uint32_t told = 0;

    for (vec_each(const PendingPod, pending, &input->pending)) {
        const PodSpec *spec = pending->pod->spec;
        uint32_t known = provision_index_find_pod(&provisioner->index, pending->pod->uid);
        bool keeps_apart = spec->anti_affinity.preferred.count > 0, spreads = prefers_spread(spec);

        if ((!keeps_apart && !spreads && !spec->dropped_preferences) || known == INDEX_NONE ||
            known_pod(&provisioner->index, known)->warned)
            continue;
        if (spec->dropped_preferences && told++ == TOLD_MAX)
            break; // the others with a later plan
        known_pod(&provisioner->index, known)->warned = true;
        if (spec->dropped_preferences)
            provision_pod_event(turn, pending->pod, true, "PreferencesDropped",
                                pod_preferences_text(turn->arena, spec->dropped_preferences));
        if (keeps_apart)
            vec_push(turn->arena, &apart, pod_print_name(turn->arena, turn->symbols, pending->pod));
        if (spreads)
            vec_push(turn->arena, &spread, pod_print_name(turn->arena, turn->symbols, pending->pod));
    }
    if (apart.count)
        turn_log(turn, LOG_INFO, "pod(s) have a preferred Anti-Affinity which can prevent consolidation", "pods",
                 provision_first_five(turn->arena, &apart), NULL);
    if (spread.count)
        turn_log(turn, LOG_INFO, "pod(s) have a preferred TopologySpreadConstraint which can prevent consolidation",
                 "pods", provision_first_five(turn->arena, &spread), NULL);
}

void provision_report_computed(Turn *turn, const ComputedCounts *computed) {
    if (computed->claims)
        turn_log(turn, LOG_INFO, "computed new nodeclaim(s) to fit pod(s)", "nodeclaims",
                 number(turn->arena, computed->claims), "pods", number(turn->arena, computed->claim_pods), NULL);
    if (computed->machines) // the words of v0.31: reference legacy.md 5.6
        turn_log(turn, LOG_INFO, "computed new machine(s) to fit pod(s)", "machines",
                 number(turn->arena, computed->machines), "pods", number(turn->arena, computed->machine_pods), NULL);
    if (computed->claims + computed->machines && computed->nodes)
        turn_log(turn, LOG_INFO, "computed unready node(s) will fit pod(s)", "nodes",
                 number(turn->arena, computed->nodes), "pods", number(turn->arena, computed->node_pods), NULL);
}

void provision_report_error(Turn *turn, Slice pool, Slice error) {
    turn_log(turn, LOG_ERROR, "Reconciler error", "NodePool", pool, "error",
             arena_printf(turn->arena, "creating node claim, %.*s", SLICE_ARG(error)), NULL);
}

void provision_report_nominated(Provisioner *provisioner, Turn *turn, const Pod *pod, Slice claim, Slice node) {
    Slice message;

    if (provisioner->nominations++ >= NOMINATED_MAX)
        return;
    message =
        arena_printf(turn->arena, "Pod should schedule on: %s%.*s%s%s%.*s", claim.len ? "nodeclaim/" : "",
                     SLICE_ARG(claim), claim.len && node.len ? ", " : "", node.len ? "node/" : "", SLICE_ARG(node));
    provision_pod_event(turn, pod, false, "Nominated", message);
}

void provision_report_no_capacity(Turn *turn, const Pod *pod, Slice claim, Slice error) {
    Slice message = arena_printf(turn->arena, "NodeClaim %.*s, nominated for this pod failed to launch: %.*s",
                                 SLICE_ARG(claim), SLICE_ARG(error));

    provision_pod_event(turn, pod, true, "InsufficientCapacityError", message);
}

// --- pods without a place

static bool contains(Slice text, Slice part) {
    return part.len <= text.len && memmem(text.ptr, text.len, part.ptr, part.len);
}

// Whether the pod waits for reserved capacity only: that is logged, no event is published.
static bool is_deferred(const UnplacedPod *unplaced) {
    for (vec_each(const Reason, reason, &unplaced->reasons)) {
        if (reason->check == CHECK_RESERVED)
            return true;
    }
    return false;
}

static void tell_unplaced(Turn *turn, const Pod *pod, const UnplacedPod *unplaced, bool ignored) {
    Slice name = pod_print_name(turn->arena, turn->symbols, pod);
    EventIntent *event;

    if (ignored)
        turn_log(turn, LOG_DEBUG, "ignoring pod", "Pod", name, "error", unplaced->message, NULL);
    else
        turn_log(turn, LOG_ERROR, "could not schedule pod", "Pod", name, "error", unplaced->message, NULL);
    if (ignored && contains(unplaced->message, no_karpenter))
        return;
    event =
        provision_pod_event(turn, pod, true, "FailedScheduling",
                            arena_printf(turn->arena, "Failed to schedule pod, %.*s", SLICE_ARG(unplaced->message)));
    event->dedupe_ns = TOLD_AGAIN_S * NS_PER_S;
}

// Logs the pools whose instance types were all filtered out, each once.
static void tell_pool(Turn *turn, const UnplacedPod *unplaced, SymbolVec *told) {
    for (vec_each(const Reason, reason, &unplaced->reasons)) {
        const NodePool *pool =
            state_node_pool(turn->state, state_find(turn->state, KUBE_NODE_POOL, NAME_EMPTY, reason->pool));
        bool known = reason->check != CHECK_POOL || !pool;

        for (vec_each(const Symbol, other, told))
            known |= *other == reason->pool;
        if (known)
            continue;
        vec_push(turn->arena, told, reason->pool);
        turn_log(turn, LOG_INFO, "skipping, nodepool requirements filtered out all instance types", "NodePool",
                 symbol_text(turn->symbols, reason->pool), NULL);
        turn_event(turn, KUBE_NODE_POOL, &pool->meta, true, "NoCompatibleInstanceTypes",
                   "NodePool requirements filtered out all compatible available instance types%s",
                   contains(reason->nearest_miss, SLICE("minValues")) ? " due to minValues incompatibility" : "");
        vec_last(turn->intents)->event.dedupe_key = symbol_text(turn->symbols, pool->meta.uid);
        vec_last(turn->intents)->event.dedupe_ns = 60 * NS_PER_S;
    }
}

void provision_report_unplaced(Provisioner *provisioner, Turn *turn, const Solved *solved) {
    uint32_t told = 0, deferred = 0;
    const ReasonVec *last = NULL;
    SymbolVec pools = {0};

    for (vec_each(const UnplacedPod, unplaced, &solved->plan->unplaced)) {
        const PendingPod *pending = &solved->input->pending.items[unplaced->pod];
        uint32_t number_of = provision_index_find_pod(&provisioner->index, pending->pod->uid);
        KnownPod *known = number_of == INDEX_NONE ? NULL : known_pod(&provisioner->index, number_of);

        if (!last || last->items != unplaced->reasons.items)
            tell_pool(turn, unplaced, &pools);
        last = &unplaced->reasons;
        deferred += is_deferred(unplaced);
        if (!known || is_deferred(unplaced) || told >= TOLD_MAX ||
            mono_since(turn->now, known->told) < TOLD_AGAIN_S * NS_PER_S)
            continue;
        known->told = turn->now;
        told++;
        tell_unplaced(turn, pending->pod, unplaced, !slice_is_empty(pending->ignored));
    }
    if (deferred)
        turn_log(turn, LOG_DEBUG,
                 "deferring scheduling decision for provisionable pod(s) to future simulation due to limited reserved "
                 "offering capacity",
                 "pods", number(turn->arena, deferred), NULL);
}

void provision_report_daemons(Turn *turn, const Plan *plan) {
    for (uint32_t i = 0; i < plan->daemons.count && i < DAEMONS_TOLD; i++) {
        const LeftOutDaemon *left_out = &plan->daemons.items[i];
        const ObjectMeta *meta = &left_out->daemon->meta;

        turn_event(turn, KUBE_DAEMON_SET, meta, true, "DaemonSetTooLarge", "%.*s",
                   SLICE_ARG(left_out_daemon_text(turn->arena, turn->symbols, left_out)));
        vec_last(turn->intents)->event.dedupe_key = symbol_text(turn->symbols, meta->uid);
        vec_last(turn->intents)->event.dedupe_ns = TOLD_AGAIN_S * NS_PER_S;
    }
}

// --- bound pods

void provision_report_read_in_part(Turn *turn, const Plan *plan) {
    for (uint32_t i = 0; i < plan->read_in_part.count && i < PARTS_MAX; i++) {
        EventIntent *event = provision_pod_event(turn, plan->read_in_part.items[i], true, "AntiAffinityReadInPart",
                                                 SLICE(READ_IN_PART_TEXT));

        event->dedupe_ns = PARTS_AGAIN_S * NS_PER_S;
    }
}
