// NodeClaims of a plan: the expected offering of each, whether limits and launch budgets allow it now, and its
// creation. Behaviour: reference scheduling.md 6.1, lifecycle.md 2.2; launch budgets: provision/launch_budget.h.
#include "ctl/common/pool_limits.h"
#include "ctl/provision/apply.h"
#include "model/pool_name.h"

// --- the expected offering

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

// --- limits and launch budgets

static void hold_back(Apply *apply, LaunchOffering offering, LaunchVerdict verdict, Mono until) {
    HeldBack *held = NULL;

    for (vec_each(HeldBack, other, &apply->held)) {
        if (memcmp(&other->offering, &offering, sizeof offering) == 0 && other->verdict == verdict)
            held = other;
    }
    if (!held) {
        held = vec_add(apply->turn->arena, &apply->held);
        *held = (HeldBack){.offering = offering, .verdict = verdict, .until = until};
    }
    held->count++;
    if (verdict == LAUNCH_CLOSED && until.ns < apply->provisioner->reopen_at.ns)
        apply->provisioner->reopen_at = until;
    apply->provisioner->held_by_window |= verdict == LAUNCH_WINDOW_FULL;
}

static bool budget_allows(Apply *apply, LaunchOffering offering) {
    LaunchVerdict verdict = LAUNCH_WINDOW_FULL;
    Mono until = {0};

    if (apply->unlaunched < LAUNCH_MAX)
        verdict = launch_budget_ask(&apply->provisioner->budgets, offering, apply->turn->now, &until);
    if (verdict == LAUNCH_ALLOWED)
        return true;
    hold_back(apply, offering, verdict, until);
    return false;
}

static PoolTake *take_of(Apply *apply, Symbol pool) {
    for (vec_each(PoolTake, take, &apply->takes)) {
        if (take->pool == pool)
            return take;
    }
    vec_push(apply->turn->arena, &apply->takes, (PoolTake){pool, pool_usage_at_most(apply->turn, pool)});
    return vec_last(&apply->takes);
}

// Why the pool may not have the claim now, though it might when the plan was made; empty: it may.
static Slice refusal(Apply *apply, const NodePool *planned, const PoolTake *take, const Resources *most) {
    Turn *turn = apply->turn;
    const NodePool *pool =
        state_node_pool(turn->state, state_find(turn->state, KUBE_NODE_POOL, NAME_EMPTY, planned->meta.name));

    if (!pool || pool->meta.uid != planned->meta.uid || pool->meta.deleting)
        return SLICE("nodepool is gone");
    return pool_limits_complaint(turn->arena, turn->symbols, pool, &take->usage, most);
}

// --- creation

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

static void create(Apply *apply, const PlannedClaim *claim, const Resources *requests, RequestedClaim asked) {
    Provisioner *provisioner = apply->provisioner;
    Turn *turn = apply->turn;
    ClaimContent content = {.labels = &claim->labels,
                            .requirements = &claim->requirements,
                            .requests = requests,
                            .is_dynamic = true,
                            .min_values_relaxed = claim->min_values_relaxed};
    Value *object = arena_new(turn->arena, Value);
    Intent *intent;

    *object = provision_claim_value(turn->arena, turn->symbols, claim->pool, &content, &apply->values);
    asked.requests = arena_slice(&provisioner->round, resources_print_json(turn->arena, turn->symbols, requests));
    asked.types = arena_slice(&provisioner->round, type_names(apply, claim));
    vec_push(&provisioner->round, &provisioner->asked, asked);
    provisioner->answers_left++;

    intent = turn_intend(turn, INTENT_CREATE);
    intent->ref.kind = KUBE_NODE_CLAIM;
    intent->object = object;
    intent->aside = true; // creates of a plan do not wait for each other
    intent->tag = provisioner->asked.count;
}

// The pods of the planned claim that need it, and the sum of their requests.
static U32Vec wanted_pods(Apply *apply, const PlannedClaim *claim, Resources *ret_requests) {
    U32Vec wanted = {0};
    Resources requests = resources_copy(apply->turn->arena, &claim->requests);

    for (vec_each(const uint32_t, pending, &claim->pods)) {
        if (provision_wants_place(apply, *pending))
            vec_push(apply->turn->arena, &wanted, *pending);
        else
            resources_subtract(apply->turn->arena, &requests,
                               &apply->solved->input->pending.items[*pending].pod->spec->requests);
    }
    *ret_requests = requests;
    return wanted;
}

// Whether consolidation takes the pod from its node: then it was proved that it fits on the nodes that stay and on
// the replacements, which are there. A plan of its own that finds no such place does not buy a node for it; if it
// should find none when it was evicted, it is pending like any other.
static bool is_consolidated(const Apply *apply, uint32_t pending) {
    const Turn *turn = apply->turn;
    Symbol name = apply->solved->input->pending.items[pending].pod->node_name;
    Handle node = name == NAME_EMPTY ? HANDLE_NONE : state_find(turn->state, KUBE_NODE, NAME_EMPTY, name);
    const NodeClaim *claim =
        node.generation ? state_node_claim(turn->state, state_claim_of_node(turn->state, node)) : NULL;
    const Condition *reason =
        claim ? condition_get(&claim->conditions, turn->symbols, SLICE("DisruptionReason")) : NULL;

    return reason && slice_eq_text(symbol_text(turn->symbols, reason->reason), "Underutilized");
}

static bool are_consolidated(const Apply *apply, const U32Vec *wanted) {
    for (vec_each(const uint32_t, pending, wanted)) {
        if (!is_consolidated(apply, *pending))
            return false;
    }
    return true;
}

static void count_claim(Apply *apply, Symbol pool, uint32_t pods) {
    bool is_old = pool_is_provisioner(apply->turn->symbols, pool);
    ComputedCounts *computed = &apply->computed;

    *(is_old ? &computed->machines : &computed->claims) += 1;
    *(is_old ? &computed->machine_pods : &computed->claim_pods) += pods;
}

static void place_on_new(Apply *apply, const U32Vec *wanted, uint32_t claim) {
    for (vec_each(const uint32_t, pending, wanted)) {
        provision_index_place_on_claim(index_of(apply), apply->numbers[*pending], claim);
        apply->placed += apply->fresh[*pending];
    }
}

void provision_make_claim(Apply *apply, const PlannedClaim *claim) {
    LaunchOffering offering = offering_of(claim);
    Resources requests, most;
    U32Vec wanted = wanted_pods(apply, claim, &requests);
    PoolTake *take = take_of(apply, offering.pool);
    Slice refused;
    uint32_t number;

    if (!wanted.count || are_consolidated(apply, &wanted) || !budget_allows(apply, offering))
        return;
    most = planned_most(apply->turn->arena, claim);
    refused = refusal(apply, claim->pool, take, &most);
    if (refused.len)
        return provision_report_error(apply->turn, symbol_text(apply->turn->symbols, offering.pool), refused);

    resources_add(apply->turn->arena, &take->usage, &most);
    apply->unlaunched++;
    number = provision_index_add_claim(index_of(apply), offering, apply->turn->now);
    known_claim(index_of(apply), number)->counted = true;
    launch_budget_take(&apply->provisioner->budgets, offering);
    create(apply, claim, &requests,
           (RequestedClaim){
               .claim = number, .order = state_order(apply->turn->state, offering.pool, &most), .pool = offering.pool});
    place_on_new(apply, &wanted, number);
    count_claim(apply, offering.pool, wanted.count);
}

// --- claims that are held back

void provision_report_held(Apply *apply) {
    Turn *turn = apply->turn;

    for (vec_each(const HeldBack, held, &apply->held))
        turn_log(turn, LOG_INFO, "holding back nodeclaim(s), launches are limited", "NodePool",
                 symbol_text(turn->symbols, held->offering.pool), "instance-type",
                 symbol_text(turn->symbols, held->offering.type), "capacity-type",
                 symbol_text(turn->symbols, held->offering.capacity_type), "nodeclaims",
                 arena_printf(turn->arena, "%u", held->count), "until",
                 held->verdict == LAUNCH_CLOSED
                     ? arena_printf(turn->arena, "%llds",
                                    (long long)((mono_left(turn->now, held->until) + NS_PER_S - 1) / NS_PER_S))
                     : SLICE("launches under way are answered"),
                 NULL);
}

bool provision_wants_place(const Apply *apply, uint32_t pending) {
    uint32_t pod = apply->numbers[pending], claim;

    if (pod == INDEX_NONE)
        return false;
    claim = known_pod(index_of(apply), pod)->claim;
    if (apply->fresh[pending] || (claim < apply->invaded_count && apply->invaded[claim]))
        return true;
    return claim != INDEX_NONE && mono_is_set(known_claim(index_of(apply), claim)->ready);
}
