// Taint and label of a terminating Node. Behaviour: reference lifecycle.md 3.2 step 4.
#include "ctl/common/node_taints.h"
#include "ctl/node/pass.h"
#include "text/value_edit.h"

static const Slice EXCLUDE_BALANCERS = SLICE_INIT("node.kubernetes.io/exclude-from-external-load-balancers");

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
        value_put(arena, value_make(arena, body, "spec", NULL), SLICE("taints"),
                  node_taints_value(arena, pass->turn->symbols, pass->node, NAME_DISRUPTED, EFFECT_NO_SCHEDULE));
    turn_patch(pass->turn, KUBE_NODE, NAME_EMPTY, pass->node->meta.name, KUBE_OBJECT, body, pass->node->meta.revision);
    vec_last(pass->turn->intents)->tag = NODE_TAG_TAINT;
    pass->wrote = true;
}
