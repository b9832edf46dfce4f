#include "ctl/outlook/outlook.h"

#include "ctl/outlook/deletion_cost.h"
#include "ctl/outlook/planned_taint.h"

static Handle node_of(const Turn *turn, const NodeView *view) {
    return view->node ? state_find(turn->state, KUBE_NODE, NAME_EMPTY, view->node->meta.name) : HANDLE_NONE;
}

static void forget(Turn *turn, const DisruptFacts *facts, const DisruptPass *pass) {
    for (uint32_t i = 0; i < facts->nodes.count; i++) {
        Handle node = node_of(turn, &facts->nodes.items[i]);
        bool was_planned = state_outlook(turn->state, node).is_planned;

        if (!(facts->node_bits[i] & NODE_IN_COMMAND))
            state_expect(turn->state, node, (NodeOutlook){.is_planned = !pass->has_plan && was_planned});
    }
}

void outlook_take(Turn *turn, const Disrupted *disrupted) {
    const DisruptFacts *facts = disrupted->facts;
    const DisruptPass *pass = &disrupted->pass;

    if (!pass->has_outlooks)
        return;
    forget(turn, facts, pass);
    for (vec_each(const DisruptOutlook, outlook, &pass->outlooks)) {
        Handle node = node_of(turn, &facts->nodes.items[outlook->node]);
        bool was_planned = state_outlook(turn->state, node).is_planned;

        if (facts->node_bits[outlook->node] & NODE_IN_COMMAND)
            continue;
        state_expect(turn->state, node,
                     (NodeOutlook){.place = outlook->place, .is_planned = outlook->is_planned || was_planned});
    }
    state_set_looked_ahead(turn->state);
    turn_enqueue(turn, &deletion_cost_controller, (Key){0}, 0);
    turn_enqueue(turn, &planned_taint_controller, (Key){0}, 0);
}
