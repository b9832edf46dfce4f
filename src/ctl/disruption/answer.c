#include "ctl/disruption/answer.h"

static IndexMap set_of(Arena *arena, const SymbolVec *names) {
    IndexMap set = {0};

    for (uint32_t i = 0; i < names->count; i++)
        u64_map_put(arena, &set, names->items[i], i);
    return set;
}

void disruption_mark_nodes(Arena *arena, DisruptFacts *facts, const DisruptIntent *intent) {
    uint8_t *bits = arena_array(arena, uint8_t, facts->nodes.count);
    IndexMap commands = set_of(arena, &intent->in_command), nominated = set_of(arena, &intent->nominated);
    IndexMap settling = set_of(arena, &intent->settling);

    for (uint32_t i = 0; i < facts->nodes.count; i++) {
        const NodeView *view = &facts->nodes.items[i];

        if (view->claim && u64_map_get(&commands, view->claim->meta.uid) != INDEX_NONE)
            bits[i] |= NODE_IN_COMMAND;
        if (view->node && u64_map_get(&nominated, view->node->meta.name) != INDEX_NONE)
            bits[i] |= NODE_NOMINATED;
        if (view->node && u64_map_get(&settling, view->node->meta.name) != INDEX_NONE)
            bits[i] |= NODE_SETTLING;
    }
    facts->node_bits = bits;
}

void disruption_answer(Arena *arena, DisruptFacts *facts, const DisruptOptions *options, const DisruptIntent *intent,
                       Disrupted *ret_disrupted) {
    *ret_disrupted = (Disrupted){.facts = facts};
    if (intent->proposals.count)
        disrupt_prove(arena, facts, options, &intent->proposals, &ret_disrupted->proven);
    else
        disrupt_pass(arena, facts, options, &ret_disrupted->pass);
}
