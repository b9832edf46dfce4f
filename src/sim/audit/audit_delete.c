// Rules about deletions of NodeClaims by tenon: only what a command marked goes, when its replacements are there, and
// for less money.
#include "sim/audit/audit_delete.h"

#include "model/names.h"
#include "sim/audit/audit_commands.h"
#include "sim/audit/audit_disrupt.h"
#include "sim/audit/audit_expire.h"
#include "sim/audit/audit_facts.h"
#include "sim/audit/audit_rules.h"
#include "text/duration.h"

#include <inttypes.h>

// --- other reasons than a command

static bool has_lost_its_machine(const Audit *audit, const NodeClaim *claim, const Node *node) {
    uint32_t number = sim_cloud_find_instance(audit->cloud, claim->provider_id);
    const SimInstance *instance = number == UINT32_MAX ? NULL : sim_cloud_instance(audit->cloud, number);

    return !instance || instance->state != SIM_INSTANCE_RUNNING || instance->is_impaired || instance->taken_ns ||
           !node_is_ready(node, world_symbols(audit->world));
}

// Whether its static pool has more nodes than it should, beside replacements.
static bool is_surplus(Audit *audit, const NodePool *pool) {
    const State *state = world_state(audit->world);
    int64_t count = 0;

    if (!pool->is_static)
        return false;
    for (vec_each(const Handle, handle, state_claims_of_pool(state, pool->meta.name))) {
        const NodeClaim *claim = state_node_claim(state, *handle);

        count += !claim->meta.deleting && !audit_claim(audit, claim)->replacement_of;
    }
    return count > pool->replicas;
}

static bool goes_anyway(Audit *audit, const NodeClaim *claim, const Node *node) {
    const State *state = world_state(audit->world);
    Symbol name = labels_get(&claim->meta.labels, NAME_NODEPOOL);
    const NodePool *pool =
        name == INDEX_NONE ? NULL : state_node_pool(state, state_find(state, KUBE_NODE_POOL, SYMBOL_EMPTY, name));

    if (!node || node->meta.deleting || !audit_claim_is(audit, claim, "Initialized") || !pool)
        return true;
    return audit_expires(audit, claim) || has_lost_its_machine(audit, claim, node) || is_surplus(audit, pool);
}

// --- replacements

static void check_replaced(Audit *audit, const AuditClaim *known, const AuditCommand *command) {
    uint32_t ready = audit_command_ready(audit, command);

    if (ready < command->awaited)
        audit_violate(audit, AUDIT_REPLACED_FIRST,
                      "NodeClaim %.*s is deleted when %u of the %u replacements of its command are initialized",
                      SLICE_ARG(audit_text(audit, known->name)), ready, command->awaited);
}

// -1: one is not known.
static int64_t price_of(const Audit *audit, const AuditClaimVec *claims) {
    int64_t sum = 0;

    for (vec_each(AuditClaim *const, claim, claims)) {
        int64_t price_nano = audit_price(audit, *claim);

        if (price_nano < 0)
            return -1;
        sum += price_nano;
    }
    return sum;
}

// Prices move: the candidates count with the higher one of that at the command's begin and that of today.
static void check_price(Audit *audit, AuditCommand *command) {
    int64_t before = price_of(audit, &command->candidates), after = price_of(audit, &command->replacements);

    if (command->reason != DISRUPTION_UNDERUTILIZED || command->price_checked)
        return;
    command->price_checked = true;
    if (before < command->price_nano)
        before = command->price_nano;
    if (before < 0 || command->price_nano < 0 || after < before)
        return;
    audit_violate(audit, AUDIT_NEVER_DEARER, "command %.*s costs $%.4f an hour instead of $%.4f",
                  SLICE_ARG(audit_text(audit, command->uuid)), (double)after / 1e9, (double)before / 1e9);
}

// --- the rules

static void say_unmarked(Audit *audit, const NodeClaim *claim) {
    if (audit_goes_early(audit, claim)) {
        audit_check_early(audit, claim);
        return;
    }
    audit_violate(audit, AUDIT_TAINTED_FIRST, "NodeClaim %.*s is deleted, and nothing has marked its node before",
                  SLICE_ARG(audit_text(audit, claim->meta.name)));
}

void audit_check_deletion(Audit *audit, KubeRef ref, const KubeDeletion *deletion) {
    const State *state = world_state(audit->world);
    Symbol name = symbol_find(world_symbols(audit->world), ref.name);
    Handle handle = name == INDEX_NONE ? HANDLE_NONE : state_find(state, KUBE_NODE_CLAIM, SYMBOL_EMPTY, name);
    const NodeClaim *claim = state_node_claim(state, handle);
    const Node *node = state_node(state, state_node_of_claim(state, handle));
    const AuditClaim *known;

    if (!claim || claim->meta.deleting || !audit_means(audit, deletion, claim->meta.uid) ||
        goes_anyway(audit, claim, node) || claim_is_rebooting(claim, world_symbols(audit->world)))
        return;
    known = audit_claim(audit, claim);
    if (!known->candidate_of || !audit_is_tainted(node)) {
        say_unmarked(audit, claim);
        return;
    }
    // A condition that a command found there, since its predecessor could not be taken back whole, did not change.
    if (known->candidate_of->reason == DISRUPTION_REASON_COUNT)
        known->candidate_of->reason = audit_reason(audit, claim);
    if (known->candidate_of->reason == DISRUPTION_REASON_COUNT)
        audit_check_early(audit, claim);
    check_replaced(audit, known, known->candidate_of);
    check_price(audit, known->candidate_of);
}

void audit_check_tainted(Audit *audit, const Pod *pod) {
    const State *state = world_state(audit->world);
    const Node *node = state_node(state, state_find(state, KUBE_NODE, SYMBOL_EMPTY, pod->node_name));

    if (node && !audit_is_tainted(node) && !audit_is_fenced(node))
        audit_violate(audit, AUDIT_TAINTED_FIRST, "pod %.*s/%.*s is evicted from a node without a taint",
                      SLICE_ARG(audit_text(audit, pod->ns)), SLICE_ARG(audit_text(audit, pod->name)));
}
