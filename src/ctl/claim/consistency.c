// nodeclaim.consistency: compares the allocatable resources of a Node with the requests of its NodeClaim.
#include "ctl/claim/consistency.h"

#include "ctl/common/claim_facts.h"
#include "ctl/common/conditions.h"
#include "ctl/common/notes.h"

static const int64_t PERIOD_NS = CLAIM_CONSISTENCY_PERIOD_S * NS_PER_S;

// When a claim was last compared with its Node.
typedef struct {
    Key uid; // {.name = uid of the claim}
    Mono scanned;
} ClaimConsistencyNote;

static void tell(Turn *turn, const NodeClaim *claim, Slice issue) {
    turn_log(turn, LOG_ERROR, "failed consistency check", "NodeClaim", symbol_text(turn->symbols, claim->meta.name),
             "error", issue, NULL);
    turn_event(turn, KUBE_NODE_CLAIM, &claim->meta, true, "FailedConsistencyCheck", "%.*s", SLICE_ARG(issue));
    vec_last(turn->intents)->event.dedupe_key =
        arena_printf(turn->arena, "FailedConsistencyCheck/%.*s/%.*s",
                     SLICE_ARG(symbol_text(turn->symbols, claim->meta.uid)), SLICE_ARG(issue));
}

// Percentage of the requested amount that the Node has; 100 when nothing is requested.
static double percent_found(const NodeClaim *claim, const Node *node, const ResourceAmount *request) {
    int64_t expected = resources_get(&claim->capacity, request->resource);

    if (request->amount == 0 || expected <= 0)
        return 100;
    return (double)resources_get(&node->capacity, request->resource) / (double)expected * 100;
}

bool claim_is_consistent(const NodeClaim *claim, const Node *node) {
    for (vec_each(const ResourceAmount, request, &claim->requests)) {
        if (percent_found(claim, node, request) < CLAIM_CONSISTENCY_PERCENT)
            return false;
    }
    return true;
}

static void tell_what_is_short(Turn *turn, const NodeClaim *claim, const Node *node) {
    for (vec_each(const ResourceAmount, request, &claim->requests)) {
        Symbol resource = request->resource;
        double percent = percent_found(claim, node, request);

        if (percent >= CLAIM_CONSISTENCY_PERCENT)
            continue;
        tell(turn, claim,
             arena_printf(turn->arena, "expected %.*s of resource %.*s, but found %.*s (%.1f%% of expected)",
                          SLICE_ARG(resource_print(turn->arena, resource, resources_get(&claim->capacity, resource))),
                          SLICE_ARG(symbol_text(turn->symbols, resource)),
                          SLICE_ARG(resource_print(turn->arena, resource, resources_get(&node->capacity, resource))),
                          percent));
    }
}

static void scan(Turn *turn, const NodeClaim *claim, const Node *node) {
    Conditions conditions = conditions_open(turn, &claim_condition_rules, &claim->meta, &claim->conditions);
    bool written;

    if (claim->meta.deleting || claim_is_consistent(claim, node)) {
        written = conditions_set_true(&conditions, "ConsistentStateFound");
    } else {
        tell_what_is_short(turn, claim, node);
        written = conditions_set_false(&conditions, "ConsistentStateFound", "ConsistencyCheckFailed",
                                       SLICE("Consistency Check Failed"));
    }
    if (written)
        turn_patch(turn, KUBE_NODE_CLAIM, NAME_EMPTY, claim->meta.name, KUBE_STATUS, conditions_patch(&conditions),
                   claim->meta.revision);
}

// Whether a comparison is due. Before the claim is initialized there is nothing to compare, and nodeclaim.lifecycle
// writes the same status.
static bool is_due(const Turn *turn, const NodeClaim *claim, const Node *node) {
    return node && claim_is(claim, turn->symbols, "Initialized");
}

static void claim_consistency_reconcile(void *self, Turn *turn, Key key) {
    NoteTable *notes = self;
    const NodeClaim *claim = claim_of_key(turn, key, NULL);
    const Node *node = claim ? claim_node(turn->state, claim) : NULL;
    int64_t since_ns;
    ClaimConsistencyNote *note;

    if (!is_due(turn, claim, node))
        return;
    note = notes_add(notes, (Key){.name = claim->meta.uid});
    since_ns = mono_since(turn->now, note->scanned);
    if (since_ns < PERIOD_NS)
        return turn_again(turn, key, PERIOD_NS - since_ns);
    note->scanned = turn->now;
    scan(turn, claim, node);
    turn_again(turn, key, PERIOD_NS);
}

// A comparison whose result could not be written has to be repeated.
static void claim_consistency_complete(void *self, Turn *turn, Key key, const Completion *completions, uint32_t count) {
    NoteTable *notes = self;
    const NodeClaim *claim = claim_of_key(turn, key, NULL);
    ClaimConsistencyNote *note = claim ? notes_find(notes, (Key){.name = claim->meta.uid}) : NULL;

    if (note && completions[count - 1].code != OK)
        note->scanned = (Mono){0};
    claim_settle(turn, key, &completions[count - 1]);
}

static void look_at(const NoteTable *notes, Turn *turn, const NodeClaim *claim) {
    if (claim_is(claim, turn->symbols, "Initialized") && !notes_find(notes, (Key){.name = claim->meta.uid}))
        turn_enqueue(turn, &claim_consistency_controller, claim_key(claim), 0);
}

// Changes matter only until the first comparison; later ones are periodic.
static void claim_consistency_observe(void *self, Turn *turn, const StateChange *change) {
    NoteTable *notes = self;

    if (change->kind == KUBE_NODE_CLAIM) {
        if (claim_ended(change))
            notes_remove(notes, (Key){.name = claim_ended(change)->meta.uid});
        if (change->after)
            look_at(notes, turn, change->after);
        return;
    }
    if (change->kind != KUBE_NODE || !change->after || ((const Node *)change->after)->provider_id == NAME_EMPTY)
        return;
    for (vec_each(const Handle, claim,
                  state_claims_with_provider_id(turn->state, ((const Node *)change->after)->provider_id)))
        look_at(notes, turn, state_node_claim(turn->state, *claim));
}

const Controller claim_consistency_controller = {
    .name = "nodeclaim.consistency",
    .memory_size = sizeof(NoteTable),
    .notes = {{0, sizeof(ClaimConsistencyNote)}},
    .observe = claim_consistency_observe,
    .reconcile = claim_consistency_reconcile,
    .complete = claim_consistency_complete,
    .backoff_first_ns = NS_PER_S,
    .backoff_max_ns = NS_PER_MIN,
};
