// Taint and label of a terminating Node. Behaviour: reference lifecycle.md 3.2 step 4.
#include "ctl/node/pass.h"
#include "text/value_edit.h"

static const Slice EXCLUDE_BALANCERS = SLICE_INIT("node.kubernetes.io/exclude-from-external-load-balancers");

static Value taint_value(Arena *arena, const Symbols *symbols, const Taint *taint) {
    Value value = value_map();

    value_put(arena, &value, SLICE("key"), value_string(symbol_text(symbols, taint->key)));
    if (taint->value != NAME_EMPTY)
        value_put(arena, &value, SLICE("value"), value_string(symbol_text(symbols, taint->value)));
    value_put(arena, &value, SLICE("effect"), value_string(slice_of(taint_effect_text(taint->effect))));
    return value;
}

// The node's taints, with karpenter.sh/disrupted:NoSchedule as the only one of its key.
static Value disrupted_taints(NodePass *pass) {
    static const Taint disrupted = {.key = NAME_DISRUPTED, .effect = EFFECT_NO_SCHEDULE};
    Turn *turn = pass->turn;
    Value list = value_list();

    for (vec_each(const Taint, taint, &pass->node->taints)) {
        if (taint->key != NAME_DISRUPTED)
            value_append(turn->arena, &list, taint_value(turn->arena, turn->symbols, taint));
    }
    value_append(turn->arena, &list, taint_value(turn->arena, turn->symbols, &disrupted));
    return list;
}

static bool is_excluded_from_balancers(const NodePass *pass) {
    Symbol key = symbol_find(pass->turn->symbols, EXCLUDE_BALANCERS), value;

    if (key == INDEX_NONE)
        return false;
    value = labels_get(&pass->node->meta.labels, key);
    return value != INDEX_NONE && slice_eq_text(symbol_text(pass->turn->symbols, value), "karpenter");
}

// Keeps new pods and the requests of load balancers away, in one patch. It carries the node's resourceVersion, since it
// replaces the list of taints.
void node_taint(NodePass *pass) {
    Arena *arena = pass->turn->arena;
    Value *body = arena_new(arena, Value);
    bool tainted = node_is_disrupted(pass->node), excluded = is_excluded_from_balancers(pass);

    if (tainted && excluded)
        return;
    *body = value_map();
    if (!excluded)
        value_put(arena, value_make(arena, body, "metadata", "labels", NULL), EXCLUDE_BALANCERS,
                  value_string(SLICE("karpenter")));
    if (!tainted)
        value_put(arena, value_make(arena, body, "spec", NULL), SLICE("taints"), disrupted_taints(pass));
    turn_patch(pass->turn, KUBE_NODE, NAME_EMPTY, pass->node->meta.name, KUBE_OBJECT, body, pass->node->meta.revision);
    vec_last(pass->turn->intents)->tag = NODE_TAG_TAINT;
    pass->wrote = true;
}
