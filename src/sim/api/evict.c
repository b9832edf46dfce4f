// Eviction with PodDisruptionBudgets, and binding.
//
// Behaviour and texts: k8s.io/kubernetes v1.36 pkg/registry/core/pod/storage/eviction.go and storage.go.
#include "sim/api/evict.h"

#include "sim/api/condition.h"
#include "sim/api/meta.h"
#include "sim/api/remove.h"
#include "sim/api/request.h"

#include <inttypes.h>
#include <stdio.h>

enum { DISRUPTED_PODS_MAX = 2000, RETRY_S = 10 };

static const char REFUSED[] = "Cannot evict pod as it would violate the pod's disruption budget.";

typedef Vec(Entry *) EntryVec;

// The budgets that select the pod. O(budgets of the namespace).
static EntryVec budgets_of(const Request *request, const Value *pod) {
    const Order *order = &request->store->kinds[KUBE_POD_DISRUPTION_BUDGET].order;
    Slice first = arena_printf(request->arena, "%.*s/", SLICE_ARG(request->ns));
    EntryVec budgets = {0};

    for (OrderPlace place = order_seek(order, first); order_get(order, place); place = order_next(order, place)) {
        Entry *entry = order_get(order, place);
        Selector selector;
        Value written;

        if (!slice_starts_with(entry_key(entry), first))
            break;
        if (packed_part(request->arena, &request->store->names, entry->packed, &written, "spec", "selector", NULL) &&
            selector_read(request->arena, &written, &selector) &&
            selector_matches_map(&selector, value_at(pod, "metadata", "labels", NULL)))
            vec_push(request->arena, &budgets, entry);
    }
    return budgets;
}

static int64_t status_number(const Value *budget, const char *name) {
    int64_t number = 0;

    value_to_int64(value_at(budget, "status", name, NULL), &number);
    return number;
}

static ErrCode refuse(const Request *request, int64_t retry_s, Slice cause) {
    kube_fail(request->error, KUBE_REASON_TOO_MANY_REQUESTS, "%s", REFUSED);
    if (request->error) {
        request->error->retry_after_ns = retry_s * NS_PER_S;
        snprintf(request->error->cause, sizeof request->error->cause, "%.*s", SLICE_ARG(cause));
    }
    return ERR_THROTTLED;
}

static ErrCode refuse_unsynced(const Request *request, Slice budget) {
    return refuse(request, RETRY_S,
                  arena_printf(request->arena, "The disruption budget %.*s is still being processed by the server.",
                               SLICE_ARG(budget)));
}

// Error of a budget that allows no disruption.
static ErrCode refuse_exhausted(const Request *request, const Value *budget, Slice name) {
    const Value *condition = condition_find(budget, "DisruptionAllowed");
    Slice reason = kube_text(condition, "reason", NULL), message = kube_text(condition, "message", NULL);
    int64_t desired = status_number(budget, "desiredHealthy"), current = status_number(budget, "currentHealthy");
    bool told = slice_eq_text(kube_text(condition, "status", NULL), "False") && message.len;

    if (told && slice_eq_text(reason, "SyncFailed"))
        return refuse(
            request, 0,
            arena_printf(request->arena,
                         "The disruption budget %.*s does not allow evicting pods currently because it failed "
                         "sync: %.*s",
                         SLICE_ARG(name), SLICE_ARG(message)));
    if (current <= desired)
        return refuse(request, 0,
                      arena_printf(request->arena,
                                   "The disruption budget %.*s needs %" PRId64 " healthy pods and has %" PRId64
                                   " currently",
                                   SLICE_ARG(name), desired, current));
    if (told)
        return refuse(request, 0,
                      arena_printf(request->arena,
                                   "The disruption budget %.*s does not allow evicting pods currently (%.*s): %.*s",
                                   SLICE_ARG(name), SLICE_ARG(reason), SLICE_ARG(message)));
    return refuse(request, 0,
                  arena_printf(request->arena, "The disruption budget %.*s does not allow evicting pods currently",
                               SLICE_ARG(name)));
}

// Takes one disruption from the budget and records the pod in it until the budget's controller has seen it go.
static ErrCode take_disruption(const Request *request, Entry *entry, Slice pod) {
    Request about = request_about(request, KUBE_POD_DISRUPTION_BUDGET, arena_slice(request->arena, entry_key(entry)));
    Value budget = request_open(&about, entry), *status = value_make(about.arena, &budget, "status", NULL), *disrupted;
    int64_t allowed = status_number(&budget, "disruptionsAllowed");

    if (status_number(&budget, "observedGeneration") < kube_generation(&budget))
        return refuse_unsynced(request, about.name);
    if (allowed < 0)
        return kube_fail(request->error, KUBE_REASON_FORBIDDEN,
                         "poddisruptionbudget.policy \"%.*s\" is forbidden: pdb disruptions allowed is negative",
                         SLICE_ARG(about.name));
    disrupted = value_make(about.arena, status, "disruptedPods", NULL);
    if (disrupted->map.count > DISRUPTED_PODS_MAX)
        return kube_fail(request->error, KUBE_REASON_FORBIDDEN,
                         "poddisruptionbudget.policy \"%.*s\" is forbidden: DisruptedPods map too big - too many "
                         "evictions not confirmed by PDB controller",
                         SLICE_ARG(about.name));
    if (allowed == 0)
        return refuse_exhausted(request, &budget, about.name);
    value_put(about.arena, disrupted, pod, value_string(request_now(&about)));
    value_put(about.arena, status, SLICE("disruptionsAllowed"), value_int(about.arena, allowed - 1));
    if (allowed == 1)
        condition_set(&about, &budget, "DisruptionAllowed", "False", "InsufficientPods", "");
    return request_write(&about, entry, &budget, NULL);
}

// Whether the eviction costs no disruption: the pod does not run, or is terminating already.
static bool is_free(const Value *pod) {
    Slice phase = kube_text(pod, "status", "phase", NULL);

    return slice_eq_text(phase, "Succeeded") || slice_eq_text(phase, "Failed") || slice_eq_text(phase, "Pending") ||
           kube_is_deleting(pod);
}

// Whether an unready pod may be evicted without a disruption: the budget's policy allows it, or it has enough healthy
// pods.
static bool may_go_unready(const Value *pod, const Value *budget) {
    const Value *ready = condition_find(pod, "Ready");
    int64_t desired = status_number(budget, "desiredHealthy");

    if (slice_eq_text(kube_text(ready, "status", NULL), "True"))
        return false;
    return slice_eq_text(kube_text(budget, "spec", "unhealthyPodEvictionPolicy", NULL), "AlwaysAllow") ||
           (status_number(budget, "currentHealthy") >= desired && desired > 0);
}

static ErrCode check_budgets(const Request *request, const Value *pod) {
    EntryVec budgets = budgets_of(request, pod);
    Value budget;

    if (is_free(pod) || budgets.count == 0)
        return OK;
    if (budgets.count > 1)
        return kube_fail(request->error, KUBE_REASON_UNKNOWN,
                         "This pod has more than one PodDisruptionBudget, which the eviction subresource does not "
                         "support.");
    budget = request_open(request, budgets.items[0]);
    if (may_go_unready(pod, &budget))
        return OK;
    return take_disruption(request, budgets.items[0], request->name);
}

// Sets the condition DisruptionTarget, before the deletion.
static ErrCode mark_disrupted(const Request *request, Entry *entry, Value *pod) {
    if (!condition_set(request, pod, "DisruptionTarget", "True", "EvictionByEvictionAPI", "Eviction API: evicting"))
        return OK;
    return request_write(request, entry, pod, NULL);
}

static ErrCode check_preconditions(const Request *request, const Entry *entry, const Value *pod,
                                   const KubeDeletion *deletion) {
    if (deletion->uid.len && !slice_eq(deletion->uid, kube_uid(pod)))
        return kube_fail(request->error, KUBE_REASON_CONFLICT,
                         "Operation cannot be fulfilled on Pod \"%.*s\": the UID in the precondition (%.*s) does not "
                         "match the UID in record (%.*s). The object might have been deleted and then recreated",
                         SLICE_ARG(request->name), SLICE_ARG(deletion->uid), SLICE_ARG(kube_uid(pod)));
    if (deletion->revision && deletion->revision != entry->packed->revision)
        return kube_fail(request->error, KUBE_REASON_CONFLICT,
                         "Operation cannot be fulfilled on Pod \"%.*s\": the ResourceVersion in the precondition "
                         "(%" PRIu64 ") does not match the ResourceVersion in record (%" PRIu64
                         "). The object might have been modified",
                         SLICE_ARG(request->name), deletion->revision, entry->packed->revision);
    return OK;
}

// The disruption is taken before the preconditions are checked, as in the real API server.
ErrCode do_evict(Request *request, const KubeDeletion *deletion) {
    KubeDeletion left = *deletion;
    Entry *entry;
    Value pod;

    TRY(request_find(request, &entry));
    pod = request_open(request, entry);
    TRY(check_budgets(request, &pod));
    TRY(check_preconditions(request, entry, &pod, deletion));
    TRY(mark_disrupted(request, entry, &pod));
    left.revision = 0; // it was checked, and the condition has changed it since
    return do_remove(request, &left);
}

// Binding.

static ErrCode check_bindable(const Request *request, const Value *pod) {
    Slice node = kube_text(pod, "spec", "nodeName", NULL);
    const Value *gates = value_at(pod, "spec", "schedulingGates", NULL);
    Slice why = SLICE("");

    if (kube_is_deleting(pod))
        why = arena_printf(request->arena, "pod %.*s is being deleted, cannot be assigned to a host",
                           SLICE_ARG(request->name));
    else if (node.len)
        why = arena_printf(request->arena, "pod %.*s is already assigned to node \"%.*s\"", SLICE_ARG(request->name),
                           SLICE_ARG(node));
    else if (gates && gates->kind == VALUE_LIST && gates->list.count)
        why = arena_printf(request->arena, "pod %.*s has non-empty .spec.schedulingGates", SLICE_ARG(request->name));
    if (why.len == 0)
        return OK;
    return kube_fail(request->error, KUBE_REASON_CONFLICT,
                     "Operation cannot be fulfilled on pods/binding \"%.*s\": %.*s", SLICE_ARG(request->name),
                     SLICE_ARG(why));
}

ErrCode do_bind(Request *request, Slice uid, Slice node) {
    Entry *entry;
    Value pod, *status;

    TRY(request_find(request, &entry));
    if (node.len == 0)
        return kube_fail(request->error, KUBE_REASON_INVALID, "target.name: Required value");
    pod = request_open(request, entry);
    if (uid.len && !slice_eq(uid, kube_uid(&pod)))
        return fail_other_uid(request, uid, kube_uid(&pod));
    TRY(check_bindable(request, &pod));
    value_put(request->arena, value_make(request->arena, &pod, "spec", NULL), SLICE("nodeName"), value_string(node));
    status = value_make(request->arena, &pod, "status", NULL);
    value_remove_text(status, "nominatedNodeName");
    condition_set(request, &pod, "PodScheduled", "True", "", "");
    return request_write(request, entry, &pod, NULL);
}
