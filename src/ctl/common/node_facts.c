// Facts about Nodes. Behaviour: reference lifecycle.md 0.1, 0.2, 3.1.
#include "ctl/common/node_facts.h"

#include "text/duration.h"

const Slice node_finalizer = SLICE_INIT("karpenter.sh/termination");
const Slice node_deadline_annotation = SLICE_INIT("karpenter.sh/nodeclaim-termination-timestamp");

static Symbol text_label(const Labels *labels, const Symbols *symbols, Slice key) {
    Symbol symbol = symbol_find(symbols, key);

    return symbol == INDEX_NONE ? INDEX_NONE : labels_get(labels, symbol);
}

bool node_is_managed(const Node *node, const Symbols *symbols, const Settings *settings) {
    return text_label(&node->meta.labels, symbols, settings->node_class_label) != INDEX_NONE;
}

static bool has_finalizer(const ObjectMeta *meta, const Symbols *symbols) {
    for (vec_each(const Symbol, finalizer, &meta->finalizers)) {
        if (slice_eq(symbol_text(symbols, *finalizer), node_finalizer))
            return true;
    }
    return false;
}

bool node_is_terminating(const Node *node, const Symbols *symbols, const Settings *settings) {
    return node->meta.deleting && has_finalizer(&node->meta, symbols) && node_is_managed(node, symbols, settings);
}

static bool keeps_out(const Node *node, Symbol key) {
    for (vec_each(const Taint, taint, &node->taints)) {
        if (taint->key == key && taint->value == NAME_EMPTY && taint->effect == EFFECT_NO_SCHEDULE)
            return true;
    }
    return false;
}

bool node_is_disrupted(const Node *node) {
    return keeps_out(node, NAME_DISRUPTED);
}

bool node_is_fenced(const Node *node) {
    return keeps_out(node, NAME_REBOOTING);
}

const NodeClaim *node_claim(const State *state, const Node *node) {
    const HandleVec *claims;

    if (node->provider_id == NAME_EMPTY)
        return NULL;
    claims = state_claims_with_provider_id(state, node->provider_id);
    return claims->count == 1 ? state_node_claim(state, claims->items[0]) : NULL;
}

ErrCode node_deadline(const NodeClaim *claim, const Symbols *symbols, int64_t *ret_deadline_ns, Err *err) {
    Symbol text = claim ? text_label(&claim->meta.annotations, symbols, node_deadline_annotation) : INDEX_NONE;

    if (text == INDEX_NONE) {
        *ret_deadline_ns = INT64_MAX;
        return OK;
    }
    return time_parse(symbol_text(symbols, text), ret_deadline_ns, err);
}
