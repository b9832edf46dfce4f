// The rules about deletion costs and preferences.
#include "sim/audit/audit_outlook.h"

#include "sim/audit/audit_commands.h"
#include "sim/audit/audit_facts.h"
#include "sim/audit/audit_rules.h"

// Half of a mark is taken off at once, or after failures.
enum { HALF_MINUTES = 6 };

static const Slice COST = SLICE_INIT("controller.kubernetes.io/pod-deletion-cost"),
                   OWN = SLICE_INIT("tenon.sh/pod-deletion-cost"), PLANNED = SLICE_INIT("tenon.sh/planned-to-go");

// The value of an annotation; false: there is none.
static bool annotation(const Audit *audit, const Labels *annotations, Slice key, Slice *ret_value) {
    Symbol symbol = symbol_find(world_symbols(audit->world), key);
    Symbol value = symbol == INDEX_NONE ? INDEX_NONE : labels_get(annotations, symbol);

    if (value == INDEX_NONE)
        return false;
    *ret_value = audit_text(audit, value);
    return true;
}

// --- deletion costs

// The API server refuses a patch that was made of another version.
static bool is_of_version(const Value *body, const Pod *pod) {
    KubeRevision revision = kube_revision(body);

    return !revision || revision == pod->revision;
}

void audit_check_cost(Audit *audit, KubeRef ref, const KubePatch *patch) {
    const Pod *pod = audit_find_pod(audit, ref);
    const Value *change = value_get(value_at(patch->body, "metadata", "annotations", NULL), COST);
    Slice cost, own;

    if (!pod || !change || !is_of_version(patch->body, pod) || !annotation(audit, &pod->annotations, COST, &cost))
        return;
    if (annotation(audit, &pod->annotations, OWN, &own) && slice_eq(own, cost))
        return;
    audit_violate(audit, AUDIT_USERS_COST, "pod %.*s/%.*s has the deletion cost %.*s of its own, which is changed",
                  SLICE_ARG(ref.ns), SLICE_ARG(ref.name), SLICE_ARG(cost));
}

// --- preferences

static const Taint *preference(const Audit *audit, const Node *node) {
    for (vec_each(const Taint, taint, &node->taints)) {
        if (slice_eq(audit_text(audit, taint->key), PLANNED))
            return taint;
    }
    return NULL;
}

static void check_half(Audit *audit, AuditClaim *known, const Node *node, bool is_half) {
    int64_t now = world_now_ns(audit->world), from;

    if (!is_half || node->meta.deleting || audit_is_tainted(node)) {
        known->half_ns = 0;
        return;
    }
    if (!known->half_ns)
        known->half_ns = now;
    from = known->half_ns > audit->excused_ns ? known->half_ns : audit->excused_ns;
    if (now - from <= HALF_MINUTES * NS_PER_MIN)
        return;
    audit_violate(audit, AUDIT_PREFERRED, "node %.*s has had only the taint or only the record of a plan for a while",
                  SLICE_ARG(audit_text(audit, node->meta.name)));
    known->half_ns = INT64_MAX / 2; // reported once
}

void audit_check_preferred(Audit *audit) {
    const State *state = world_state(audit->world);

    for (Handle at = state_next(state, KUBE_NODE_CLAIM, HANDLE_NONE); at.generation;
         at = state_next(state, KUBE_NODE_CLAIM, at)) {
        const Node *node = state_node(state, state_node_of_claim(state, at));
        const Taint *taint = node ? preference(audit, node) : NULL;
        Slice since;

        if (!node)
            continue;
        if (taint && taint->effect != EFFECT_PREFER_NO_SCHEDULE)
            audit_violate(audit, AUDIT_PREFERRED, "node %.*s is planned to go and keeps pods away",
                          SLICE_ARG(audit_text(audit, node->meta.name)));
        check_half(audit, audit_claim(audit, state_node_claim(state, at)), node,
                   (taint != NULL) != annotation(audit, &node->meta.annotations, PLANNED, &since));
    }
}
