// Events and log lines of the eviction queue. Texts: reference lifecycle.md 3.4, 7.2, 7.3.
#include "ctl/common/node_facts.h"
#include "ctl/node/eviction_parts.h"
#include "model/pod_predicates.h"
#include "text/duration.h"

static void once_per(Turn *turn, Slice subject) {
    vec_last(turn->intents)->event.dedupe_key = subject;
}

void eviction_say_do_not_disrupt(Turn *turn, const Pod *pod) {
    ObjectMeta meta = {.ns = pod->ns, .name = pod->name, .uid = pod->uid};
    Slice uid = symbol_text(turn->symbols, meta.uid), until;
    Err err;
    DoNotDisrupt state = pod_do_not_drain(pod, turn->symbols, turn->wall_ns, &err);

    if (state.state == DO_NOT_DISRUPT_INVALID) {
        turn_event(turn, KUBE_POD, &meta, true, "InvalidDoNotDisruptAnnotation",
                   "Invalid karpenter.sh/do-not-disrupt annotation: %s, ignoring annotation", err.text);
        once_per(turn, arena_printf(turn->arena, "%.*s/%s", SLICE_ARG(uid), err.text));
    } else if (state.state == DO_NOT_DISRUPT_UNTIL && state.until_ns != INT64_MAX) {
        until = time_print(turn->arena, state.until_ns);
        turn_event(turn, KUBE_POD, &meta, false, "DoNotDisruptUntil",
                   "The karpenter.sh/do-not-disrupt grace period will elapse at %.*s", SLICE_ARG(until));
        once_per(turn, arena_printf(turn->arena, "%.*s/%.*s", SLICE_ARG(uid), SLICE_ARG(until)));
    } else if (state.state == DO_NOT_DISRUPT_ELAPSED) {
        turn_event(turn, KUBE_POD, &meta, false, "DoNotDisruptGracePeriodElapsed",
                   "The karpenter.sh/do-not-disrupt grace period has elapsed, pod is now disruptable");
        once_per(turn, uid);
    }
}

// Why the node is terminated, for the owner of the pod to read.
static Slice reason_of(const Turn *turn, const Node *node) {
    const NodeClaim *claim = node ? node_claim(turn->state, node) : NULL;
    const Condition *reason =
        claim ? condition_get(&claim->conditions, turn->symbols, SLICE("DisruptionReason")) : NULL;

    if (reason && slice_eq_text(symbol_text(turn->symbols, reason->status), "True"))
        return symbol_text(turn->symbols, reason->reason);
    return SLICE("Forceful Termination");
}

static Slice path_of(const Turn *turn, const EvictionEntry *entry) {
    return arena_printf(turn->arena, "%.*s/%.*s", SLICE_ARG(symbol_text(turn->symbols, entry->pod.ns)),
                        SLICE_ARG(symbol_text(turn->symbols, entry->pod.name)));
}

void eviction_say_gone(Turn *turn, const EvictionEntry *entry, const Node *node, IntentType how) {
    ObjectMeta meta = {.ns = entry->pod.ns, .name = entry->pod.name, .uid = entry->uid};

    if (how == INTENT_EVICT)
        turn_event(turn, KUBE_POD, &meta, false, "Evicted", "Evicted pod: %.*s", SLICE_ARG(reason_of(turn, node)));
    else
        turn_event(turn, KUBE_POD, &meta, false, "Disrupted",
                   "Deleting the pod to accommodate the terminationTime %.*s of the node. The pod was granted %lld "
                   "seconds of grace-period of its %d terminationGracePeriodSeconds. This bypasses the PDB of the pod "
                   "and the do-not-disrupt annotation.",
                   SLICE_ARG(time_print(turn->arena, entry->deadline_ns)), (long long)entry->granted_s,
                   entry->own_grace_s);
    once_per(turn, path_of(turn, entry));
}

void eviction_say_refused(Turn *turn, const EvictionEntry *entry, const Node *node, bool several) {
    turn_event(turn, KUBE_NODE, &node->meta, true, "FailedDraining", "Failed to drain node, %s (Pod=%.*s)",
               several ? "eviction does not support multiple PDBs" : "evicting pod violates a PDB",
               SLICE_ARG(path_of(turn, entry)));
    once_per(turn, arena_printf(turn->arena, "%.*s/%s", SLICE_ARG(symbol_text(turn->symbols, node->meta.name)),
                                several ? "budgets" : "budget"));
}

void eviction_say_surge(Turn *turn, const EvictionEntry *entry) {
    int64_t until_ns = ns_add(turn->wall_ns, mono_left(turn->now, entry->surge_until));
    ObjectMeta meta = {.ns = entry->pod.ns, .name = entry->pod.name, .uid = entry->uid};

    turn_event(turn, KUBE_POD, &meta, false, "Surging",
               "The Deployment starts another pod before this one goes; it is evicted at %.*s at the latest",
               SLICE_ARG(time_print(turn->arena, until_ns)));
    once_per(turn, symbol_text(turn->symbols, entry->uid));
}

void eviction_say_no_surge(Turn *turn, const EvictionEntry *entry, Slice why) {
    ObjectMeta meta = {.ns = entry->pod.ns, .name = entry->pod.name, .uid = entry->uid};

    turn_event(turn, KUBE_POD, &meta, true, "SurgeFailed", "The pod is evicted without another one in its place: %.*s",
               SLICE_ARG(why));
    once_per(turn, symbol_text(turn->symbols, entry->uid));
}

void eviction_log_deletion(Turn *turn, const EvictionEntry *entry) {
    turn_log(turn, LOG_DEBUG, "deleting pod", "namespace", symbol_text(turn->symbols, entry->pod.ns), "name",
             symbol_text(turn->symbols, entry->pod.name), "pod.terminationGracePeriodSeconds",
             arena_printf(turn->arena, "%d", entry->own_grace_s), "delete.gracePeriodSeconds",
             arena_printf(turn->arena, "%lld", (long long)entry->granted_s), "nodeclaim.terminationTime",
             time_print(turn->arena, entry->deadline_ns), NULL);
}
