// Questions to the planner.
#include "disrupt/whatif.h"

#include "base/buffer.h"
#include "base/time.h"
#include "model/pod_predicates.h"

struct Whatif {
    Arena *arena;
    Arena work; // of the last answer
    const DisruptFacts *facts;
    const DisruptOptions *options;
    NodeViewVec views;     // copies of the facts' nodes: which are left differs
    PendingPodVec pending; // pods that are pending, and those of nodes on their way out
    PendingPodVec *on;     // per node: its pods that need another place when it goes
    bool *is_inside;       // per node: within the consolidateAfter of its pool
};

// --- preparation

// Whether something happened to the node's pods, or it became ready, less than its pool's consolidateAfter ago. Nodes
// of pools that cannot grow are always quiet.
static bool is_inside_window(const DisruptFacts *facts, const NodeView *view) {
    const NodePool *pool = view->claim ? disrupt_growing_pool(facts, view->pool) : NULL;
    const Condition *initialized;
    int64_t since_ns, window_ns;

    if (!pool || pool->disruption.consolidate_after_ns <= 0)
        return false;
    window_ns = pool->disruption.consolidate_after_ns;
    initialized = condition_get(&view->claim->conditions, &facts->cluster->symbols, SLICE("Initialized"));
    since_ns = view->claim->last_pod_event_ns;
    if (!since_ns && initialized)
        since_ns = initialized->transition_ns;
    return since_ns && facts->wall_ns < ns_add(since_ns, window_ns);
}

static bool is_leaving(const DisruptFacts *facts, uint32_t node) {
    return facts->nodes.items[node].deleting || (facts->node_bits[node] & NODE_IN_COMMAND);
}

// The node of a selected pod that stays unless that is asked about; INDEX_NONE for pods that wait whatever goes.
static uint32_t find_home(const Whatif *whatif, const NodePods *node_pods, const PendingPod *pending) {
    const DisruptFacts *facts = whatif->facts;
    uint32_t node =
        pending->from_deleting_node ? node_pods->node_of[pending->pod - facts->cluster->pods.items] : INDEX_NONE;

    return node == INDEX_NONE || is_leaving(facts, node) ? INDEX_NONE : node;
}

// Counted first, so that the lists of all nodes lie in one piece.
static void share_out(Whatif *whatif, const NodePods *node_pods, const PendingPodVec *all) {
    PendingPod *piece = arena_array_raw(whatif->arena, PendingPod, all->count + 1);
    Arena scratch = {0};
    uint32_t *homes = arena_array_raw(&scratch, uint32_t, all->count + 1);

    for (uint32_t i = 0; i < all->count; i++) {
        homes[i] = find_home(whatif, node_pods, &all->items[i]);
        if (homes[i] != INDEX_NONE)
            whatif->on[homes[i]].capacity++;
    }
    for (uint32_t i = 0; i < whatif->views.count; i++) {
        whatif->on[i].items = whatif->on[i].capacity ? piece : NULL;
        piece += whatif->on[i].capacity;
    }
    for (uint32_t i = 0; i < all->count; i++) {
        PendingPodVec *list = homes[i] == INDEX_NONE ? &whatif->pending : &whatif->on[homes[i]];

        vec_push(whatif->arena, list, all->items[i]);
        vec_last(list)->moved = homes[i] != INDEX_NONE;
    }
    arena_free(&scratch);
}

// Has the pods of all nodes selected as if all went, and sorts them by node.
static void select_pods(Whatif *whatif, const NodePods *node_pods) {
    const DisruptFacts *facts = whatif->facts;
    PendingPodVec all;

    for (uint32_t i = 0; i < whatif->views.count; i++) {
        NodeView *view = &whatif->views.items[i];

        view->deleting |= view->claim != NULL || (facts->node_bits[i] & NODE_IN_COMMAND);
    }
    all = pending_select(whatif->arena, facts->cluster, &whatif->views, facts->wall_ns);
    share_out(whatif, node_pods, &all);
    for (uint32_t i = 0; i < whatif->views.count; i++)
        whatif->views.items[i].deleting = is_leaving(facts, i);
}

Whatif *whatif_make(Arena *arena, const DisruptFacts *facts, const DisruptOptions *options, const NodePods *node_pods) {
    Whatif *whatif = arena_new(arena, Whatif);
    uint32_t count = facts->nodes.count;

    *whatif = (Whatif){.arena = arena, .facts = facts, .options = options};
    whatif->on = arena_array(arena, PendingPodVec, count);
    whatif->is_inside = arena_array(arena, bool, count);
    for (vec_each(const NodeView, view, &facts->nodes)) {
        whatif->is_inside[whatif->views.count] = is_inside_window(facts, view);
        vec_push(arena, &whatif->views, *view);
    }
    select_pods(whatif, node_pods);
    return whatif;
}

void whatif_free(Whatif *whatif) {
    arena_free(&whatif->work);
}

static void remove_node(Whatif *whatif, uint32_t node, const IndexMap *placed) {
    whatif->views.items[node].deleting = true;
    for (vec_each(PendingPod, pending, &whatif->on[node])) {
        if (u64_map_get(placed, (uintptr_t)pending->pod) != INDEX_NONE)
            continue;
        pending->moved = false;
        vec_push(whatif->arena, &whatif->pending, *pending);
    }
}

void whatif_remove(Whatif *whatif, const U32Vec *nodes, const PodPtrVec *placed) {
    Arena scratch = {0};
    IndexMap known = {0};

    for (vec_each(const Pod *const, pod, placed))
        u64_map_put(&scratch, &known, (uintptr_t)*pod, 1);
    for (vec_each(const uint32_t, node, nodes))
        remove_node(whatif, *node, &known);
    arena_free(&scratch);
}

uint32_t whatif_pods_on(const Whatif *whatif, uint32_t node) {
    return whatif->on[node].count;
}

const PendingPodVec *whatif_pods(const Whatif *whatif, uint32_t node) {
    return &whatif->on[node];
}

void whatif_prefetch(const Whatif *whatif, uint32_t node) {
    for (vec_each(const PendingPod, pending, &whatif->on[node])) {
        __builtin_prefetch(pending->pod);
        __builtin_prefetch(&pending->pod->spec);
    }
}

const PendingPodVec *whatif_waiting(const Whatif *whatif) {
    return &whatif->pending;
}

// --- what does not fit

enum { COMPLAINTS_MAX = 5 };

typedef struct {
    const Symbols *symbols;
    Buffer text;
    uint32_t count;
} Complaints;

static void complain(Complaints *complaints, const Pod *pod, Slice why) {
    if (complaints->count++ < COMPLAINTS_MAX)
        buffer_printf(&complaints->text, "%s%.*s/%.*s => %.*s", complaints->count > 1 ? " " : "",
                      SLICE_ARG(symbol_text(complaints->symbols, pod->ns)),
                      SLICE_ARG(symbol_text(complaints->symbols, pod->name)), SLICE_ARG(why));
}

static Slice uninitialized_text(Arena *arena, const Symbols *symbols, const NodeView *view) {
    Slice claim = symbol_text(symbols, view->claim ? view->claim->meta.name : NAME_EMPTY);

    if (!view->node)
        return arena_printf(arena, "would schedule against uninitialized nodeclaim/%.*s", SLICE_ARG(claim));
    return arena_printf(arena, "would schedule against uninitialized nodeclaim/%.*s, node/%.*s", SLICE_ARG(claim),
                        SLICE_ARG(symbol_text(symbols, view->name)));
}

// Pods that were not pending and found no place.
static void complain_unplaced(Complaints *complaints, const PlanInput *input, const Plan *plan, WhatifAnswer *answer) {
    for (vec_each(const UnplacedPod, unplaced, &plan->unplaced)) {
        const Pod *pod = input->pending.items[unplaced->pod].pod;

        if (pod->node_name == NAME_EMPTY)
            continue;
        answer->is_unknown |= unplaced->aside;
        complain(complaints, pod, unplaced->message);
    }
}

// A node that is not up yet may never be.
static void complain_uninitialized(Whatif *whatif, Complaints *complaints, const PlanInput *input, const Plan *plan) {
    for (vec_each(const PlannedNode, node, &plan->nodes)) {
        if (node->node->initialized)
            continue;
        for (vec_each(const uint32_t, pod, &node->pods)) {
            if (input->pending.items[*pod].moved)
                complain(complaints, input->pending.items[*pod].pod,
                         uninitialized_text(&whatif->work, complaints->symbols, node->node));
        }
    }
}

static void judge(Whatif *whatif, const PlanInput *input, const Plan *plan, WhatifAnswer *answer) {
    Complaints complaints = {.symbols = &whatif->facts->cluster->symbols};

    complain_unplaced(&complaints, input, plan, answer);
    complain_uninitialized(whatif, &complaints, input, plan);
    answer->is_unknown |= plan->cut_short || plan->cancelled;
    answer->works = !complaints.count && !answer->is_unknown;
    if (complaints.count > COMPLAINTS_MAX)
        buffer_printf(&complaints.text, " and %u other(s)", complaints.count - COMPLAINTS_MAX);
    if (complaints.count)
        answer->complaint =
            arena_printf(&whatif->work, "Not all pods would schedule, %.*s", SLICE_ARG(buffer_slice(&complaints.text)));
    buffer_free(&complaints.text);
}

// --- where pods go

static bool has_moved(const PlanInput *input, const U32Vec *pods) {
    for (vec_each(const uint32_t, pod, pods)) {
        if (input->pending.items[*pod].moved)
            return true;
    }
    return false;
}

// New nodes without a pod of the nodes in question are not needed because of them: whoever plans for pending pods makes
// those.
static void collect_places(Whatif *whatif, const PlanInput *input, const Plan *plan, WhatifAnswer *answer) {
    for (vec_each(const PlannedNode, node, &plan->nodes)) {
        if (has_moved(input, &node->pods))
            vec_push(&whatif->work, &answer->destinations, (uint32_t)(node->node - whatif->views.items));
    }
    for (vec_each(const PlannedClaim, claim, &plan->claims)) {
        if (!has_moved(input, &claim->pods))
            continue;
        vec_push(&whatif->work, &answer->claims, *claim);
        vec_last(&answer->claims)->pods = (U32Vec){0};
        for (vec_each(const uint32_t, pod, &claim->pods)) {
            if (input->pending.items[*pod].moved)
                vec_push(&whatif->work, &answer->on_claims, input->pending.items[*pod].pod);
        }
    }
}

// --- the question

static void ask_for(Whatif *whatif, const U32Vec *nodes, PendingPodVec *batch) {
    for (vec_each(const PendingPod, pending, &whatif->pending))
        vec_push(&whatif->work, batch, *pending);
    for (vec_each(const uint32_t, node, nodes)) {
        whatif->views.items[*node].deleting = true;
        for (vec_each(const PendingPod, pending, &whatif->on[*node]))
            vec_push(&whatif->work, batch, *pending);
    }
}

PlanInput whatif_input(Whatif *whatif, WhatifDestinations destinations) {
    const DisruptFacts *facts = whatif->facts;
    PlanInput input = {.cluster = facts->cluster,
                       .pools = facts->growing,
                       .nodes = whatif->views,
                       .default_spread = facts->default_spread,
                       .digests = facts->digests,
                       .preferences = whatif->options->preferences,
                       .min_values = whatif->options->min_values,
                       .search = whatif->options->search};

    input.search.skip_floor = true; // nobody reads it
    if (whatif->options->consolidation == CONSOLIDATION_CLASSIC && !whatif->pending.count) {
        // In Karpenter's manner: other packings need other numbers of new nodes, of which it allows one. Not beside
        // pods that wait: it would put them on the same new node.
        input.search.effort = EFFORT_FAST;
        input.search.strategies = 1U << STRATEGY_EMPTIEST_FIRST;
    }
    for (uint32_t i = 0; i < whatif->views.count; i++)
        whatif->views.items[i].keeps_out_moved = destinations == DESTINATIONS_QUIET && whatif->is_inside[i];
    return input;
}

void whatif_ask(Whatif *whatif, const U32Vec *nodes, WhatifDestinations destinations, WhatifAnswer *ret_answer) {
    WhatifAnswer answer = {0};
    PlanInput input;
    Plan plan;

    arena_free(&whatif->work);
    input = whatif_input(whatif, destinations);
    ask_for(whatif, nodes, &input.pending);
    answer.pods = input.pending.count - whatif->pending.count;
    answer.works = true;
    if (input.pending.items) { // else nobody needs a place
        plan_solve(&whatif->work, &input, &plan);
        judge(whatif, &input, &plan, &answer);
        collect_places(whatif, &input, &plan, &answer);
    }
    for (vec_each(const uint32_t, node, nodes))
        whatif->views.items[*node].deleting = false;
    *ret_answer = answer;
}

static bool is_asked_about(const PendingPodVec *on, const Pod *pod) {
    for (vec_each(const PendingPod, pending, on)) {
        if (pending->pod == pod)
            return true;
    }
    return false;
}

void whatif_ask_for_all(Whatif *whatif, uint32_t node, const Pod *const *pods, uint32_t count,
                        WhatifAnswer *ret_answer) {
    PendingPodVec all = pending_leave(whatif->arena, whatif->facts->cluster, pods, count);
    U32Vec alone = {.items = &node, .count = 1};
    uint32_t usual = whatif->on[node].count;

    for (vec_each(PendingPod, pending, &all)) {
        pending->moved = true;
        if (!is_asked_about(&whatif->on[node], pending->pod))
            vec_push(whatif->arena, &whatif->on[node], *pending);
    }
    whatif_ask(whatif, &alone, DESTINATIONS_ALL, ret_answer);
    whatif->on[node].count = usual;
}

const bool *whatif_awaited(Whatif *whatif, Arena *arena) {
    bool *is_awaited = arena_array(arena, bool, whatif->views.count);
    PlanInput input;
    Plan plan;

    arena_free(&whatif->work);
    if (!whatif->pending.count)
        return is_awaited;
    input = whatif_input(whatif, DESTINATIONS_ALL);
    input.pending = whatif->pending;
    plan_solve(&whatif->work, &input, &plan);
    for (vec_each(const PlannedNode, node, &plan.nodes))
        is_awaited[node->node - whatif->views.items] = true;
    return is_awaited;
}

// --- copies

static Requirements copy_requirements(Arena *arena, const Requirements *requirements) {
    Requirements copy = requirements_copy(arena, requirements);

    for (uint32_t i = 0; i < copy.count; i++) {
        SymbolVec *values = &copy.items[i].values;

        if (values->count)
            values->items = arena_copy(arena, values->items, values->count * sizeof *values->items);
        values->capacity = values->count;
    }
    return copy;
}

PlannedClaim planned_claim_copy(Arena *arena, const PlannedClaim *claim) {
    PlannedClaim copy = *claim;

    copy.name = arena_slice(arena, claim->name);
    copy.types = (InstanceTypeList){0};
    for (vec_each(const InstanceType *, type, &claim->types))
        vec_push(arena, &copy.types, *type);
    copy.requirements = copy_requirements(arena, &claim->requirements);
    copy.requests = resources_copy(arena, &claim->requests);
    copy.labels = (Labels){0};
    for (uint32_t i = 0; i < claim->labels.count; i++)
        labels_set(arena, &copy.labels, claim->labels.items[i].key, claim->labels.items[i].value);
    copy.pods = (U32Vec){0};
    return copy;
}
