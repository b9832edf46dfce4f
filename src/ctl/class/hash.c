// nodeclass.hash: annotations on a NodeClass and its NodeClaims. Every failure is retried, since a claim that was
// deleted meanwhile must not keep the class from its new version.
#include "ctl/class/class.h"

#include "ctl/common/class_facts.h"
#include "ctl/common/hash_stamp.h"

static void class_hash_reconcile(void *self, Turn *turn, Key key) {
    ClassFacts class;

    (void)self;
    if (class_of_provider(turn, key.name, &class) && !class.meta->deleting)
        turn_intend(turn, INTENT_RESOLVE_CLASS)->ref =
            (KubeRef){class.kind, (Slice){0}, symbol_text(turn->symbols, key.name)};
}

static void stamp_all(Turn *turn, const ClassFacts *class, const HashStamp *stamp) {
    if (!hash_stamp_has_version(turn, class->meta, stamp)) {
        for (Handle at = state_next(turn->state, KUBE_NODE_CLAIM, HANDLE_NONE); at.generation;
             at = state_next(turn->state, KUBE_NODE_CLAIM, at)) {
            const NodeClaim *claim = state_node_claim(turn->state, at);

            if (class_has_claim(turn, class->meta->name, claim))
                hash_stamp_claim(turn, claim, stamp);
        }
    }
    hash_stamp_object(turn, class->kind, class->meta, stamp);
}

static void class_hash_complete(void *self, Turn *turn, Key key, const Completion *completions, uint32_t count) {
    const Completion *last = &completions[count - 1];
    const CloudClass *found = last->node_class;
    ClassFacts class;

    (void)self;
    if (last->code == ERR_NOT_FOUND && class_of_provider(turn, key.name, &class))
        return turn_retry(turn, key);
    if (last->code != OK && last->code != ERR_NOT_FOUND)
        return class_fail(turn, key, last->code, completion_text(last));
    turn_succeed(turn, key);
    if (last->type != INTENT_RESOLVE_CLASS || last->code != OK || !found->hash.key.len ||
        !class_of_provider(turn, key.name, &class) || class.meta->deleting)
        return;
    stamp_all(turn, &class,
              &(HashStamp){found->hash.key, found->hash_version.key, found->hash.value, found->hash_version.value});
}

const Controller class_hash_controller = {
    .name = "nodeclass.hash",
    .reconcile = class_hash_reconcile,
    .complete = class_hash_complete,
    .backoff_first_ns = 100 * NS_PER_MS,
    .backoff_max_ns = NS_PER_MIN,
};
