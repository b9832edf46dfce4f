// Pods by node, budgets by namespace.
#include "disrupt/node_pods.h"

#include "base/buffer.h"
#include "model/disruption_budget.h"
#include "model/pod_predicates.h"

// The node of each pod that counts: an index into facts->nodes, or INDEX_NONE.
static const uint32_t *find_nodes(Arena *arena, const DisruptFacts *facts) {
    const PodVec *pods = &facts->cluster->pods;
    uint32_t *nodes = arena_array_raw(arena, uint32_t, pods->count + 1);
    Arena scratch = {0};
    IndexMap node_of = {0};

    for (uint32_t i = 0; i < facts->nodes.count; i++) {
        if (facts->nodes.items[i].node)
            u64_map_put(&scratch, &node_of, facts->nodes.items[i].name, i);
    }
    for (uint32_t i = 0; i < pods->count; i++) {
        const Pod *pod = &pods->items[i];

        nodes[i] =
            pod->node_name == NAME_EMPTY || pod_is_terminal(pod) ? INDEX_NONE : u64_map_get(&node_of, pod->node_name);
    }
    arena_free(&scratch);
    return nodes;
}

// Counted first, so that all lists lie in one piece.
static void group_pods(Arena *arena, const DisruptFacts *facts, NodePods *node_pods) {
    const PodVec *pods = &facts->cluster->pods;
    const uint32_t *nodes = node_pods->node_of;
    const Pod **all = arena_array_raw(arena, const Pod *, pods->count + 1);

    for (uint32_t i = 0; i < pods->count; i++) {
        if (nodes[i] != INDEX_NONE)
            node_pods->pods[nodes[i]].capacity++;
    }
    for (uint32_t i = 0; i < facts->nodes.count; i++) {
        node_pods->pods[i].items = all;
        all += node_pods->pods[i].capacity;
    }
    for (uint32_t i = 0; i < pods->count; i++) {
        if (nodes[i] != INDEX_NONE)
            vec_push(arena, &node_pods->pods[nodes[i]], &pods->items[i]);
    }
}

NodePods node_pods_make(Arena *arena, const DisruptFacts *facts) {
    NodePods node_pods = {.pods = arena_array(arena, BoundPods, facts->nodes.count),
                          .node_of = find_nodes(arena, facts),
                          .budgets = budget_index_make(arena, &facts->cluster->disruption_budgets)};

    group_pods(arena, facts, &node_pods);
    return node_pods;
}

// --- what blocks

// "[default/a default/b]", those that cover the pod.
static void print_covering(const Symbols *symbols, const PodBudgetList *budgets, const Pod *pod, Buffer *text) {
    bool follows = false;

    buffer_append(text, SLICE("["));
    for (vec_each(const PodDisruptionBudget *, budget, budgets)) {
        const ObjectMeta *meta = &(*budget)->meta;

        if (!budget_covers_pod(*budget, pod))
            continue;
        buffer_printf(text, "%s%.*s/%.*s", follows ? " " : "", SLICE_ARG(symbol_text(symbols, meta->ns)),
                      SLICE_ARG(symbol_text(symbols, meta->name)));
        follows = true;
    }
    buffer_append(text, SLICE("]"));
}

static Slice budget_blocks(Arena *arena, const DisruptFacts *facts, const NodePods *node_pods, const Pod *pod) {
    const Symbols *symbols = &facts->cluster->symbols;
    const PodBudgetList *budgets = budget_index_of(&node_pods->budgets, pod->ns);
    BudgetCover cover = {0};
    Buffer text = {0};
    Slice blocked;

    if (!budgets->count || !pod_is_evictable(pod, symbols, facts->wall_ns))
        return (Slice){0};
    for (vec_each(const PodDisruptionBudget *, budget, budgets))
        budget_cover_add(&cover, *budget, pod);
    if (!budget_cover_refuses_now(&cover, pod))
        return (Slice){0};
    print_covering(symbols, budgets, pod, &text);
    blocked = arena_printf(arena,
                           cover.count > 1 ? "Eviction does not support multiple PDBs (PodDisruptionBudget(s)=%.*s)"
                                           : "Pdb prevents pod evictions (PodDisruptionBudget=%.*s)",
                           SLICE_ARG(buffer_slice(&text)));
    buffer_free(&text);
    return blocked;
}

static Slice annotation_blocks(Arena *arena, const DisruptFacts *facts, const Pod *pod) {
    const Symbols *symbols = &facts->cluster->symbols;

    if (pod_is_disruptable(pod, symbols, facts->wall_ns))
        return (Slice){0};
    return arena_printf(arena, "Pod has \"karpenter.sh/do-not-disrupt\" annotation (Pod=%.*s/%.*s)",
                        SLICE_ARG(symbol_text(symbols, pod->ns)), SLICE_ARG(symbol_text(symbols, pod->name)));
}

Slice node_pods_block(Arena *arena, const DisruptFacts *facts, const NodePods *node_pods, uint32_t node) {
    const BoundPods *pods = &node_pods->pods[node];
    Slice blocked = {0};

    for (vec_each(const Pod *, pod, pods)) {
        blocked = annotation_blocks(arena, facts, *pod);
        if (blocked.len)
            return blocked;
    }
    for (vec_each(const Pod *, pod, pods)) {
        blocked = budget_blocks(arena, facts, node_pods, *pod);
        if (blocked.len)
            return blocked;
    }
    return blocked;
}

int64_t node_pods_kept_until_ns(const DisruptFacts *facts, const NodePods *node_pods, uint32_t node) {
    int64_t last_ns = 0;

    for (vec_each(const Pod *, pod, &node_pods->pods[node])) {
        DoNotDisrupt state = pod_do_not_disrupt(*pod, &facts->cluster->symbols, facts->wall_ns, NULL);

        if (!pod_is_active(*pod) || state.state == DO_NOT_DISRUPT_NONE)
            continue;
        if (state.state == DO_NOT_DISRUPT_ALWAYS)
            return INT64_MAX;
        if (state.state == DO_NOT_DISRUPT_UNTIL && state.until_ns > last_ns)
            last_ns = state.until_ns;
    }
    return last_ns ? last_ns : INT64_MAX;
}
