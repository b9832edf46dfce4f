// From a plan to NodeClaims. Reference scheduling.md 6.1, 6.2, lifecycle.md 2.2.
//
// The plan is about pods as they were when it was asked for, and re-places pods whose claims are on their way, because
// these are capacity like any other. What it says is held against what is known:
//   - a pod that is gone or bound since needs nothing;
//   - a pod that has a claim on its way keeps it, and no claim is made for it, unless the plan gave its room away: then
//     the claim is *invaded* and the pod may move;
//   - a claim that is left without pods that need it is not made; one that loses some asks for less.
#include "ctl/pod_predicates.h"
#include "ctl/pool_facts.h"
#include "ctl/provision_claim.h"
#include "ctl/provision_limits.h"
#include "ctl/provision_parts.h"

static const int64_t second_ns = 1000000000;

// What this plan takes of a pool in addition to what the State knows.
typedef struct {
    Symbol pool;
    Resources more;
} PoolTake;

// Claims that were not made because of a launch budget.
typedef struct {
    LaunchOffering offering;
    LaunchVerdict verdict;
    int64_t until_ns;
    uint32_t count;
} HeldBack;

typedef struct {
    Provisioner *provisioner;
    Turn *turn;
    const Solved *solved;
    uint32_t *numbers; // per pending pod: its number in the index; INDEX_NONE: it needs no place any more
    bool *fresh;       // per pending pod: it has no place
    bool *invaded;     // per known claim before this plan
    uint32_t invaded_count;
    uint32_t unlaunched; // claims without an instance, with those that were made here
    ClaimRequirementValues values;
    Vec(PoolTake) takes;
    Vec(HeldBack) held;
    uint32_t placed; // fresh pods that got a place
    uint32_t new_claims, new_pods, unready_nodes, unready_pods;
} Apply;

static ProvisionIndex *index_of(const Apply *apply) {
    return &apply->provisioner->index;
}

// --- the pods

static bool needs_place(const Turn *turn, const PendingPod *pending) {
    const Pod *pod = state_pod(turn->state, state_find_uid(turn->state, KUBE_POD, pending->pod->uid));

    if (!pod)
        return false;
    return pending->from_deleting_node && pod->node_name != NAME_EMPTY ? pod_is_reschedulable(pod, turn->symbols)
                                                                       : pod_is_provisionable(pod, turn->symbols);
}

static void number_pods(Apply *apply) {
    const PendingPodVec *pending = &apply->solved->input->pending;

    apply->numbers = arena_array(apply->turn->arena, uint32_t, pending->count);
    apply->fresh = arena_array(apply->turn->arena, bool, pending->count);
    for (uint32_t i = 0; i < pending->count; i++) {
        apply->numbers[i] = INDEX_NONE;
        if (!needs_place(apply->turn, &pending->items[i]))
            continue;
        apply->numbers[i] = provision_index_add_pod(index_of(apply), pending->items[i].pod->uid);
        apply->fresh[i] = !provision_has_place(apply->provisioner, apply->turn, apply->numbers[i],
                                               pending->items[i].from_deleting_node);
    }
}

// Claims that the plan fills with other pods than those it was made for.
static void find_invaded(Apply *apply) {
    apply->invaded_count = index_of(apply)->claims.count;
    apply->invaded = arena_array(apply->turn->arena, bool, apply->invaded_count);
    for (vec_each(const PlannedNode, node, &apply->solved->plan->nodes)) {
        uint32_t claim =
            node->node->claim ? provision_index_find_claim(index_of(apply), node->node->claim->meta.name) : INDEX_NONE;

        for (uint32_t i = 0; claim != INDEX_NONE && i < node->pods.count; i++) {
            uint32_t pod = apply->numbers[node->pods.items[i]];

            if (pod != INDEX_NONE && known_pod(index_of(apply), pod)->claim != claim)
                apply->invaded[claim] = true;
        }
    }
}

static bool wants_place(const Apply *apply, uint32_t pending) {
    uint32_t pod = apply->numbers[pending], claim;

    if (pod == INDEX_NONE)
        return false;
    claim = known_pod(index_of(apply), pod)->claim;
    return apply->fresh[pending] || (claim < apply->invaded_count && apply->invaded[claim]);
}

// --- nodes that are there or on their way

static void nominate(Apply *apply, const NodeView *view) {
    Turn *turn = apply->turn;
    int64_t window_ns = 2 * turn->settings->batch_max_ns;
    Handle node;

    if (!view->node)
        return;
    node = state_find(turn->state, KUBE_NODE, NAME_EMPTY, view->node->meta.name);
    if (node.generation)
        state_nominate(turn->state, node, turn->now_ns + (window_ns > 10 * second_ns ? window_ns : 10 * second_ns));
}

// Number of the claim in the index; one that an earlier process or somebody else created becomes known here.
static uint32_t claim_number(Apply *apply, const NodeClaim *claim) {
    uint32_t number = provision_index_find_claim(index_of(apply), claim->meta.name);

    if (number != INDEX_NONE)
        return number;
    number = provision_index_add_claim(index_of(apply), (LaunchOffering){0}, claim->meta.created_ns);
    provision_index_name_claim(index_of(apply), number, claim->meta.name);
    return number;
}

static bool claim_stands(const Turn *turn, const NodeClaim *claim) {
    Handle handle = state_find(turn->state, KUBE_NODE_CLAIM, NAME_EMPTY, claim->meta.name);

    return handle.generation && !state_claim_is_deleting(turn->state, handle);
}

static void place_on_node(Apply *apply, const PlannedNode *node) {
    const NodeView *view = node->node;
    bool on_way = view->claim && !view->initialized;
    uint32_t claim = INDEX_NONE, placed = 0;
    Slice claim_name = view->claim ? symbol_text(apply->turn->symbols, view->claim->meta.name) : (Slice){0};
    Slice node_name = view->node ? symbol_text(apply->turn->symbols, view->node->meta.name) : (Slice){0};

    if (on_way && !claim_stands(apply->turn, view->claim))
        return; // it went since: its pods are planned for anew
    if (on_way)
        claim = claim_number(apply, view->claim);
    for (vec_each(const uint32_t, pending, &node->pods)) {
        uint32_t pod = apply->numbers[*pending];

        if (pod == INDEX_NONE)
            continue;
        if (on_way)
            provision_index_place_on_claim(index_of(apply), pod, claim);
        else
            provision_index_place_on_node(index_of(apply), pod, apply->turn->now_ns);
        placed++;
        if (!apply->fresh[*pending])
            continue;
        apply->placed++;
        provision_report_nominated(apply->provisioner, apply->turn, apply->solved->input->pending.items[*pending].pod,
                                   claim_name, node_name);
    }
    if (!placed)
        return;
    nominate(apply, view);
    apply->unready_nodes += !view->initialized;
    apply->unready_pods += view->initialized ? 0 : placed;
}

// --- new claims

static Symbol only_value(const Requirements *requirements, Symbol key) {
    const Requirement *requirement = requirements_get(requirements, key);

    return requirement && !requirement->complement && requirement->values.count == 1 ? requirement->values.items[0]
                                                                                     : NAME_EMPTY;
}

static LaunchOffering offering_of(const PlannedClaim *claim) {
    return (LaunchOffering){.pool = claim->pool->meta.name,
                            .type = claim->choice->name,
                            .capacity_type = claim->offering->capacity_type,
                            .zone = only_value(&claim->requirements, NAME_ZONE)};
}

static uint32_t count_unlaunched(const State *state) {
    uint32_t count = 0;

    for (Handle handle = state_next(state, KUBE_NODE_CLAIM, HANDLE_NONE); handle.generation;
         handle = state_next(state, KUBE_NODE_CLAIM, handle))
        count += state_node_claim(state, handle)->provider_id == NAME_EMPTY && !state_claim_is_deleting(state, handle);
    return count;
}

static void hold_back(Apply *apply, LaunchOffering offering, LaunchVerdict verdict, int64_t until_ns) {
    HeldBack *held = NULL;

    for (vec_each(HeldBack, other, &apply->held)) {
        if (memcmp(&other->offering, &offering, sizeof offering) == 0 && other->verdict == verdict)
            held = other;
    }
    if (!held) {
        held = vec_add(apply->turn->arena, &apply->held);
        *held = (HeldBack){.offering = offering, .verdict = verdict, .until_ns = until_ns};
    }
    held->count++;
    if (verdict == LAUNCH_CLOSED && until_ns < apply->provisioner->reopen_ns)
        apply->provisioner->reopen_ns = until_ns;
    apply->provisioner->held_by_window |= verdict == LAUNCH_WINDOW_FULL;
}

static bool budget_allows(Apply *apply, LaunchOffering offering) {
    LaunchVerdict verdict = LAUNCH_WINDOW_FULL;
    int64_t until_ns = 0;

    if (apply->unlaunched < LAUNCH_MAX)
        verdict = launch_budget_ask(&apply->provisioner->budgets, offering, apply->turn->now_ns, &until_ns);
    if (verdict == LAUNCH_ALLOWED)
        return true;
    hold_back(apply, offering, verdict, until_ns);
    return false;
}

static PoolTake *take_of(Apply *apply, Symbol pool) {
    for (vec_each(PoolTake, take, &apply->takes)) {
        if (take->pool == pool)
            return take;
    }
    vec_push(apply->turn->arena, &apply->takes, (PoolTake){.pool = pool});
    return vec_last(&apply->takes);
}

// Why the pool may not have the claim now, though the plan thought so. Empty: it may. `more`: what all claims of this
// plan for the pool take, with this one.
static Slice refusal(Apply *apply, const NodePool *planned, const Resources *more) {
    Turn *turn = apply->turn;
    const NodePool *pool =
        state_node_pool(turn->state, state_find(turn->state, KUBE_NODE_POOL, NAME_EMPTY, planned->meta.name));

    if (!pool || pool->meta.uid != planned->meta.uid || pool->meta.deleting)
        return SLICE("nodepool is gone");
    return provision_limits_complaint(turn->arena, turn->symbols, pool,
                                      &state_pool_usage(turn->state, pool->meta.name)->capacity, more);
}

static void report_error(Turn *turn, Slice pool, Slice error) {
    turn_log(turn, LOG_ERROR, "Reconciler error", "NodePool", pool, "error",
             arena_printf(turn->arena, "creating node claim, %.*s", SLICE_ARG(error)), NULL);
}

static Slice type_names(const Apply *apply, const PlannedClaim *claim) {
    SliceVec names = {0};
    Slice text;

    for (uint32_t i = 0; i < claim->types.count && i < 5; i++)
        vec_push(apply->turn->arena, &names, symbol_text(apply->turn->symbols, claim->types.items[i]->name));
    text = provision_first_five(apply->turn->arena, &names);
    if (claim->types.count > names.count)
        text =
            arena_printf(apply->turn->arena, "%.*s and %u other(s)", SLICE_ARG(text), claim->types.count - names.count);
    return text;
}

static void create(Apply *apply, const PlannedClaim *claim, const Resources *requests, uint32_t number) {
    Provisioner *provisioner = apply->provisioner;
    Turn *turn = apply->turn;
    ClaimContent content = {.labels = &claim->labels,
                            .requirements = &claim->requirements,
                            .requests = requests,
                            .is_dynamic = true,
                            .min_values_relaxed = claim->min_values_relaxed};
    Value *object = arena_new(turn->arena, Value);
    AskedClaim asked = {.claim = number, .pool = claim->pool->meta.name};
    Intent *intent;

    *object = provision_claim_value(turn->arena, turn->symbols, claim->pool, &content, &apply->values);
    asked.requests = arena_slice(&provisioner->round, resources_print_json(turn->arena, turn->symbols, requests));
    asked.types = arena_slice(&provisioner->round, type_names(apply, claim));
    vec_push(&provisioner->round, &provisioner->asked, asked);
    provisioner->answers_left++;

    intent = turn_intend(turn, INTENT_CREATE);
    intent->ref.kind = KUBE_NODE_CLAIM;
    intent->object = object;
    intent->aside = true; // claims of a plan do not wait for each other
    intent->tag = provisioner->asked.count;
}

// The pods of the claim that need it, and what these request.
static U32Vec wanted_pods(Apply *apply, const PlannedClaim *claim, Resources *ret_requests) {
    U32Vec wanted = {0};
    Resources requests = resources_copy(apply->turn->arena, &claim->requests);

    for (vec_each(const uint32_t, pending, &claim->pods)) {
        if (wants_place(apply, *pending))
            vec_push(apply->turn->arena, &wanted, *pending);
        else
            resources_subtract(apply->turn->arena, &requests,
                               &apply->solved->input->pending.items[*pending].pod->spec->requests);
    }
    *ret_requests = requests;
    return wanted;
}

static void place_on_new(Apply *apply, const U32Vec *wanted, uint32_t claim) {
    for (vec_each(const uint32_t, pending, wanted)) {
        provision_index_place_on_claim(index_of(apply), apply->numbers[*pending], claim);
        apply->placed += apply->fresh[*pending];
    }
    apply->new_claims++;
    apply->new_pods += wanted->count;
}

static void make_claim(Apply *apply, const PlannedClaim *claim) {
    LaunchOffering offering = offering_of(claim);
    Resources requests, more;
    U32Vec wanted = wanted_pods(apply, claim, &requests);
    PoolTake *take = take_of(apply, offering.pool);
    Slice refused;
    uint32_t number;

    if (!wanted.count || !budget_allows(apply, offering))
        return;
    more = resources_copy(apply->turn->arena, &take->more);
    resources_add(apply->turn->arena, &more, &requests);
    resources_set(apply->turn->arena, &more, NAME_NODES, resources_get(&more, NAME_NODES) + 1);
    refused = refusal(apply, claim->pool, &more);
    if (refused.len)
        return report_error(apply->turn, symbol_text(apply->turn->symbols, offering.pool), refused);

    take->more = more;
    apply->unlaunched++;
    number = provision_index_add_claim(index_of(apply), offering, apply->turn->now_ns);
    known_claim(index_of(apply), number)->counted = true;
    launch_budget_take(&apply->provisioner->budgets, offering);
    create(apply, claim, &requests, number);
    place_on_new(apply, &wanted, number);
}

// --- the whole

static void report_held(Apply *apply) {
    Turn *turn = apply->turn;

    for (vec_each(const HeldBack, held, &apply->held))
        turn_log(turn, LOG_INFO, "holding back nodeclaim(s), launches are limited", "NodePool",
                 symbol_text(turn->symbols, held->offering.pool), "instance-type",
                 symbol_text(turn->symbols, held->offering.type), "capacity-type",
                 symbol_text(turn->symbols, held->offering.capacity_type), "nodeclaims",
                 arena_printf(turn->arena, "%u", held->count), "until",
                 held->verdict == LAUNCH_CLOSED
                     ? arena_printf(turn->arena, "%llds",
                                    (long long)((held->until_ns - turn->now_ns + second_ns - 1) / second_ns))
                     : SLICE("launches under way are answered"),
                 NULL);
}

// When to plan again for pods that are left over: soon after a plan that brought something, later and later otherwise.
static void set_retry(Provisioner *provisioner, const Turn *turn, bool progress) {
    int64_t most_ns = PROVISION_RETRY_MAX_S * second_ns, next_ns = provisioner->retry_after_ns * 2;

    if (progress || next_ns < PROVISION_LOOK_S * second_ns)
        next_ns = PROVISION_LOOK_S * second_ns;
    provisioner->retry_after_ns = next_ns < most_ns ? next_ns : most_ns;
    provisioner->retry_ns = turn->now_ns + provisioner->retry_after_ns;
}

void provision_apply(Provisioner *provisioner, Turn *turn, const Completion *completion) {
    const Solved *solved = completion->solved;
    Apply apply = {.provisioner = provisioner, .turn = turn, .solved = solved, .values = {.arena = turn->arena}};

    provisioner->nominations = 0;
    provisioner->reopen_ns = INT64_MAX;
    provisioner->held_by_window = false;
    provision_report_found(turn, solved->input, completion->took_ns);
    number_pods(&apply);
    find_invaded(&apply);
    apply.unlaunched = count_unlaunched(turn->state);
    for (vec_each(const PlannedClaim, claim, &solved->plan->claims))
        make_claim(&apply, claim);
    for (vec_each(const PlannedNode, node, &solved->plan->nodes))
        place_on_node(&apply, node);

    provision_report_computed(turn, apply.new_claims, apply.new_pods, apply.unready_nodes, apply.unready_pods);
    provision_report_unplaced(provisioner, turn, solved);
    report_held(&apply);
    set_retry(provisioner, turn, apply.placed > 0);
}

// --- the answers

static void report_created(Provisioner *provisioner, Turn *turn, const AskedClaim *asked, Slice name) {
    const KnownClaim *claim = known_claim(&provisioner->index, asked->claim);

    turn_log(turn, LOG_INFO, "created nodeclaim", "NodePool", symbol_text(turn->symbols, asked->pool), "NodeClaim",
             arena_slice(turn->arena, name), "requests", arena_slice(turn->arena, asked->requests), "instance-types",
             arena_slice(turn->arena, asked->types), NULL);
    for (vec_each(const uint32_t, number, &claim->pods)) {
        const KnownPod *known = known_pod(&provisioner->index, *number);
        const Pod *pod = state_pod(turn->state, state_find_uid(turn->state, KUBE_POD, known->uid));

        if (pod && known->claim == asked->claim)
            provision_report_nominated(provisioner, turn, pod, symbol_text(turn->symbols, claim->name), (Slice){0});
    }
}

// Without an answer nobody knows whether the claim is there: time for the watch to tell of it.
static void create_failed(Provisioner *provisioner, Turn *turn, const AskedClaim *asked, const Completion *completion) {
    KnownClaim *claim = known_claim(&provisioner->index, asked->claim);
    Slice text =
        completion->kube_error ? slice_of(completion->kube_error->err.text) : slice_of(err_code_text(completion->code));

    report_error(turn, symbol_text(turn->symbols, asked->pool), text);
    launch_budget_give_back(&provisioner->budgets, claim->offering);
    claim->counted = false;
    provision_index_forget_claim(&provisioner->index, asked->claim);
    set_retry(provisioner, turn, false);
    provisioner->look_ns = turn->now_ns + PROVISION_CREATE_RETRY_S * second_ns;
    provisioner->retry_ns = turn->now_ns + PROVISION_CREATE_RETRY_S * second_ns;
}

void provision_created(Provisioner *provisioner, Turn *turn, const Completion *completion) {
    const AskedClaim *asked;

    CHECK(completion->tag && completion->tag <= provisioner->asked.count && provisioner->answers_left,
          "an answer to a claim that nobody asked for");
    asked = &provisioner->asked.items[completion->tag - 1];
    if (completion->code == OK) {
        Slice name = kube_name(completion->object);

        provision_index_name_claim(&provisioner->index, asked->claim, symbol_intern(turn->symbols, name));
        report_created(provisioner, turn, asked, name);
        provision_see_claim(provisioner, turn, asked->claim);
    } else {
        create_failed(provisioner, turn, asked, completion);
    }
    if (--provisioner->answers_left)
        return;
    arena_free(&provisioner->round);
    provisioner->round = (Arena){0};
    provisioner->asked.items = NULL;
    provisioner->asked.count = provisioner->asked.capacity = 0;
}
