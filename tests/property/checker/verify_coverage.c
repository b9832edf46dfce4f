// Checks that the plan has each pod that it must have, once.
#include "checker/verify.h"

static bool tolerates_disruption(World *world, const PodClass *class) {
    Taint taint = {judge_symbol(world, "karpenter.sh/disrupted"), SYMBOL_EMPTY, EFFECT_NO_SCHEDULE};

    return judge_taint_is_tolerated(world, class, &taint);
}

// Whether the pod has more than one budget, or one that never allows an eviction.
static bool is_held_by_budget(const World *world, const Pod *pod, const PodClass *class) {
    uint32_t count = 0;
    bool blocked = false;

    for (vec_each(const DisruptionBudget, budget, &world->budgets)) {
        if (budget->ns != class->ns || !judge_selector_matches(world, &budget->selector, &class->labels))
            continue;
        count++;
        blocked |= budget->blocks_fully && !(budget->always_allows_unready && !pod->is_ready);
    }
    return count > 1 || blocked;
}

// Pods of a deleting node that a planner finds a new place for (scheduling.md 4.1, lifecycle.md 0.5).
static bool is_reschedulable(World *world, const Pod *pod) {
    const PodClass *class = judge_class(world, pod);
    bool is_active = !pod->is_terminal && !pod->is_deleting;
    bool evictable = is_active && !pod->do_not_disrupt && !tolerates_disruption(world, class);

    if (pod->daemon_set != SYMBOL_EMPTY || pod->is_mirror || (!is_active && !(pod->is_stateful && pod->is_deleting)))
        return false;
    if (is_active && pod->do_not_disrupt)
        return false;
    return !evictable || !is_held_by_budget(world, pod, class);
}

void judge_settle_bound_pods(World *world) {
    for (vec_each(Pod, pod, &world->pods)) {
        Node *node = pod->node != SYMBOL_EMPTY ? judge_find_node(world, pod->node) : NULL;

        if (!node || pod->is_terminal)
            continue;
        vec_push(world->arena, &node->pods, (uint32_t)(pod - world->pods.items));
        pod->is_moved = node->is_deleting && is_reschedulable(world, pod);
    }
}

static void count_pods(const U32Vec *pods, uint32_t *times) {
    for (uint32_t i = 0; i < pods->count; i++)
        times[pods->items[i]]++;
}

static void judge_placed(World *world, const U32Vec *pods) {
    for (uint32_t i = 0; i < pods->count; i++) {
        const Pod *pod = &world->pods.items[pods->items[i]];

        if (!pod->is_pending && !pod->is_moved)
            judge_report(world, "not-pending", pod->name, "it is not waiting for a node, but is planned");
        else if (pod->is_pending && pod->ignored == IGNORED_YES)
            judge_report(world, "ignored-pod", pod->name, "it must be left out (scheduling.md 4.1), but is placed");
        else if (pod->is_moved && judge_class(world, pod)->has_resource_claims)
            judge_report(world, "ignored-pod", pod->name, "its resource claims cannot be met (scheduling.md 5.4)");
    }
}

void judge_verify_coverage(World *world) {
    uint32_t *times = arena_array(world->arena, uint32_t, world->pods.count + 1);

    for (vec_each(Claim, claim, &world->claims)) {
        count_pods(&claim->pods, times);
        judge_placed(world, &claim->pods);
    }
    for (vec_each(NodePlan, plan, &world->node_plans)) {
        count_pods(&plan->pods, times);
        judge_placed(world, &plan->pods);
        if (!plan->node)
            judge_report(world, "unknown-node", plan->name, "the input has no such node");
    }
    count_pods(&world->unschedulable, times);
    for (vec_each(Pod, pod, &world->pods)) {
        uint32_t count = times[pod - world->pods.items];

        if (count > 1)
            judge_report(world, "duplicate-pod", pod->name, "it is in the plan %u times", count);
        if (count == 0 && (pod->is_pending || pod->is_moved))
            judge_report(world, "missing-pod", pod->name, "it waits for a node, but the plan does not name it");
    }
}
