// nodeclaim.tagging. An instance that is gone needs no name; every other failure is retried.
#include "ctl/cloud/controllers.h"

#include "ctl/common/claim_facts.h"
#include "text/value_edit.h"

// The annotations of a NodeClaim whose instance has its tags. The second is of upstream's upgrades: it had instances
// without the cluster's name once.
static Slice tagged_key(const Turn *turn, int which) {
    Slice group = turn->settings->node_class_group;

    return which == 0 ? arena_printf(turn->arena, "%.*s/tagged", SLICE_ARG(group))
                      : arena_printf(turn->arena, "compatibility.%.*s/cluster-name-tagged", SLICE_ARG(group));
}

static bool is_tagged(const Turn *turn, const NodeClaim *claim) {
    for (int i = 0; i < 2; i++) {
        Symbol key = symbol_find(turn->symbols, tagged_key(turn, i));

        if (key == INDEX_NONE || labels_get(&claim->meta.annotations, key) != NAME_TRUE)
            return false;
    }
    return true;
}

static bool needs_tags(const Turn *turn, const NodeClaim *claim) {
    return claim && claim_is_managed(claim, turn->symbols, turn->settings) && !claim->meta.deleting &&
           claim->provider_id != NAME_EMPTY && claim->node_name != NAME_EMPTY &&
           claim_is(claim, turn->symbols, "Registered") && !is_tagged(turn, claim);
}

static void claim_tagging_reconcile(void *self, Turn *turn, Key key) {
    Handle handle = HANDLE_NONE;
    const NodeClaim *claim = claim_of_key(turn, key, &handle);
    Value *body, *annotations;

    (void)self;
    if (!needs_tags(turn, claim))
        return;
    turn_intend(turn, INTENT_TAG)->claim = handle;
    body = arena_new(turn->arena, Value);
    *body = value_map();
    annotations = value_make(turn->arena, body, "metadata", "annotations", NULL);
    for (int i = 0; i < 2; i++)
        value_put(turn->arena, annotations, tagged_key(turn, i), value_string(SLICE("true")));
    turn_patch(turn, KUBE_NODE_CLAIM, NAME_EMPTY, key.name, KUBE_OBJECT, body, 0);
}

static void claim_tagging_complete(void *self, Turn *turn, Key key, const Completion *completions, uint32_t count) {
    (void)self;
    claim_settle(turn, key, &completions[count - 1]);
}

static void claim_tagging_observe(void *self, Turn *turn, const StateChange *change) {
    (void)self;
    if (change->kind == KUBE_NODE_CLAIM && cloud_wants_tags(turn->cloud) && needs_tags(turn, change->after))
        turn_enqueue(turn, &claim_tagging_controller, (Key){.name = change->name}, 0);
}

const Controller claim_tagging_controller = {
    .name = "nodeclaim.tagging",
    .observe = claim_tagging_observe,
    .reconcile = claim_tagging_reconcile,
    .complete = claim_tagging_complete,
    .backoff_first_ns = 100 * NS_PER_MS,
    .backoff_max_ns = NS_PER_MIN,
};
