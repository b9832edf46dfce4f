// The table around tenon's Kube: deletions of pods and NodeClaims, evictions, patches of pods.
#include "sim/audit/audit_delete.h"
#include "sim/audit/audit_facts.h"
#include "sim/audit/audit_outlook.h"
#include "sim/audit/audit_protect.h"
#include "sim/audit/audit_rules.h"

// Whether the pod is in the force set (lifecycle.md 3.3): it terminates later than the deadline allows, or has too
// little time left for its grace period. The latter also holds for a terminating pod: tenon may not have seen that it
// terminates.
static bool may_be_forced(const Audit *audit, const Pod *pod) {
    const NodeClaim *claim = audit_claim_of_node(audit, pod->node_name);
    int64_t deadline = audit_deadline(audit, claim), now = world_now_ns(audit->world);

    if (deadline == INT64_MAX)
        return false;
    return now > deadline - pod->grace_s * NS_PER_S || (pod->deleted_ns && pod->deleted_ns > deadline);
}

static void check_removal(Audit *audit, KubeRef ref, const KubeDeletion *deletion) {
    const Pod *pod = ref.kind == KUBE_POD ? audit_find_pod(audit, ref) : NULL;

    if (!pod || !audit_means(audit, deletion, pod->uid))
        return;
    if (!deletion || !deletion->uid.len)
        audit_violate(audit, AUDIT_UID, "pod %.*s/%.*s is deleted by name only", SLICE_ARG(ref.ns),
                      SLICE_ARG(ref.name));
    if (!deletion || !deletion->has_grace || deletion->grace_s < 1)
        audit_violate(audit, AUDIT_GRACE, "pod %.*s/%.*s is deleted without a second of grace", SLICE_ARG(ref.ns),
                      SLICE_ARG(ref.name));
    if (!may_be_forced(audit, pod))
        audit_violate(audit, AUDIT_EVICT_FIRST,
                      "pod %.*s/%.*s is deleted though its node's deadline does not ask for it", SLICE_ARG(ref.ns),
                      SLICE_ARG(ref.name));
}

static ErrCode audited_remove(void *self, KubeRef ref, const KubeDeletion *deletion, KubeError *error) {
    AuditedTables *tables = self;

    check_removal(tables->audit, ref, deletion);
    if (ref.kind == KUBE_NODE_CLAIM)
        audit_check_deletion(tables->audit, ref, deletion);
    return kube_remove(tables->kube, ref, deletion, error);
}

static ErrCode audited_evict(void *self, KubeRef pod, const KubeDeletion *deletion, KubeError *error) {
    AuditedTables *tables = self;
    const Pod *evicted = audit_find_pod(tables->audit, pod);

    if (!deletion || !deletion->uid.len)
        audit_violate(tables->audit, AUDIT_UID, "pod %.*s/%.*s is evicted by name only", SLICE_ARG(pod.ns),
                      SLICE_ARG(pod.name));
    if (evicted && audit_means(tables->audit, deletion, evicted->uid)) {
        audit_check_tainted(tables->audit, evicted);
        audit_check_evictable(tables->audit, evicted);
    }
    return kube_evict(tables->kube, pod, deletion, error);
}

// --- passed through

static ErrCode audited_get(void *self, Arena *arena, KubeRef ref, Value *ret_object, KubeError *error) {
    return kube_get(((AuditedTables *)self)->kube, arena, ref, ret_object, error);
}

static ErrCode audited_list(void *self, Arena *arena, const KubeListRequest *request, KubeList *ret_list,
                            KubeError *error) {
    return kube_list(((AuditedTables *)self)->kube, arena, request, ret_list, error);
}

static ErrCode audited_create(void *self, Arena *arena, Slice manager, KubeKind kind, const Value *object,
                              Value *ret_object, KubeError *error) {
    return kube_create(((AuditedTables *)self)->kube, arena, manager, kind, object, ret_object, error);
}

static ErrCode audited_update(void *self, Arena *arena, Slice manager, KubeKind kind, KubePart part,
                              const Value *object, Value *ret_object, KubeError *error) {
    return kube_update(((AuditedTables *)self)->kube, arena, manager, kind, part, object, ret_object, error);
}

static ErrCode audited_patch(void *self, Arena *arena, Slice manager, KubeRef ref, KubePart part,
                             const KubePatch *patch, Value *ret_object, KubeError *error) {
    if (ref.kind == KUBE_POD)
        audit_check_cost(((AuditedTables *)self)->audit, ref, patch);
    return kube_patch(((AuditedTables *)self)->kube, arena, manager, ref, part, patch, ret_object, error);
}

static ErrCode audited_bind(void *self, KubeRef pod, Slice uid, Slice node, KubeError *error) {
    return kube_bind(((AuditedTables *)self)->kube, pod, uid, node, error);
}

static ErrCode audited_watch(void *self, const KubeWatchRequest *request, KubeSink sink, KubeWatch **ret_watch,
                             KubeError *error) {
    return kube_watch(((AuditedTables *)self)->kube, request, sink, ret_watch, error);
}

static void audited_unwatch(void *self, KubeWatch *watch) {
    kube_unwatch(((AuditedTables *)self)->kube, watch);
}

static bool audited_now(void *self, int64_t *ret_wall_ns) {
    return kube_now(((AuditedTables *)self)->kube, ret_wall_ns);
}

Kube audit_kube(Audit *audit, Kube inner) {
    static const KubeTable table = {audited_get,   audited_list,    audited_create, audited_update,
                                    audited_patch, audited_remove,  audited_evict,  audited_bind,
                                    audited_watch, audited_unwatch, audited_now};
    AuditedTables *tables = arena_new(&audit->arena, AuditedTables);

    *tables = (AuditedTables){.audit = audit, .kube = inner};
    return (Kube){&table, tables};
}
