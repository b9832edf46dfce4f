// Facts about NodeClasses.
#include "ctl/common/class_facts.h"

#include "ctl/common/claim_facts.h"

bool class_is_kind(KubeKind kind) {
    return kind == KUBE_EC2_NODE_CLASS || kind == KUBE_KWOK_NODE_CLASS;
}

KubeKind class_kind_find(Slice name) {
    static const KubeKind kinds[] = {KUBE_EC2_NODE_CLASS, KUBE_KWOK_NODE_CLASS};

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (slice_eq(kube_kind(kinds[i])->kind, name))
            return kinds[i];
    }
    return KUBE_KIND_COUNT;
}

bool class_get(const State *state, KubeKind kind, Symbol name, ClassFacts *ret_class) {
    *ret_class = (ClassFacts){0};
    if (kind == KUBE_EC2_NODE_CLASS) {
        const EC2NodeClass *class = state_ec2_node_class(state, state_find(state, kind, NAME_EMPTY, name));

        if (class)
            *ret_class = (ClassFacts){kind, &class->meta, &class->conditions, class->status};
    } else if (kind == KUBE_KWOK_NODE_CLASS) {
        const KWOKNodeClass *class = state_kwok_node_class(state, state_find(state, kind, NAME_EMPTY, name));

        if (class)
            *ret_class = (ClassFacts){kind, &class->meta, &class->conditions, class->status};
    }
    return ret_class->meta != NULL;
}

bool class_of_provider(const Turn *turn, Symbol name, ClassFacts *ret_class) {
    return class_get(turn->state, class_kind_find(turn->settings->node_class_kind), name, ret_class);
}

Slice class_finalizer(const Turn *turn) {
    return arena_printf(turn->arena, "%.*s/termination", SLICE_ARG(turn->settings->node_class_group));
}

bool class_has_claim(const Turn *turn, Symbol name, const NodeClaim *claim) {
    return claim->spec.node_class.name == name && claim_is_managed(claim, turn->symbols, turn->settings);
}

void class_fail(Turn *turn, Key key, ErrCode code, Slice why) {
    if (code != ERR_CONFLICT)
        turn_log(turn, LOG_ERROR, "Reconciler error", arena_text(turn->arena, turn->settings->node_class_kind),
                 symbol_text(turn->symbols, key.name), "error", why, NULL);
    turn_retry(turn, key);
}
