// Counting pods per budget, and the budgets' statuses.
#include "sim/budgets.h"

#include "base/alloc.h"
#include "sim/budgets_scale.h"
#include "sim/workloads/build.h"
#include "text/duration.h"

static const int64_t DELETION_TIMEOUT_NS = 2 * NS_PER_MIN;

typedef struct Budgets Budgets;

typedef struct {
    Budgets *budgets;
    Handle handle; // generation 0: no budget here
    Symbol ns, name;
    int64_t generation;             // of the spec that was counted for
    uint32_t pods, ready;           // ready ones that are not being deleted
    Vec(PodController) controllers; // with at least one pod
    Arena arena;                    // of the above
    Alarm recheck;
    bool due;
} Budget;

struct Budgets {
    World *world;
    const State *state;
    Arena arena;           // of the tables
    Arena scratch;         // of one reaction
    Vec(Budget *) budgets; // by the index of their handles
    U32Vec due, working;
};

static void budget_due(Budget *budget) {
    if (budget->due)
        return;
    budget->due = true;
    vec_push(&budget->budgets->arena, &budget->budgets->due, budget->handle.index);
}

// --- counting

static void count_controller(Budget *budget, const OwnerReference *owner, int sign) {
    for (vec_each(PodController, controller, &budget->controllers)) {
        if (controller->owner.uid != owner->uid)
            continue;
        controller->pods += sign > 0 ? 1 : UINT32_MAX;
        if (controller->pods == 0)
            *controller = budget->controllers.items[--budget->controllers.count];
        return;
    }
    CHECK(sign > 0, "a pod leaves a budget that it was not counted in");
    vec_push(&budget->arena, &budget->controllers, (PodController){*owner, 1});
}

static void count_pod(Budget *budget, const Pod *pod, int sign) {
    const OwnerReference *owner = pod_controller(pod);

    budget->pods += sign > 0 ? 1 : UINT32_MAX;
    if (pod->ready && !pod->deleting)
        budget->ready += sign > 0 ? 1 : UINT32_MAX;
    if (owner)
        count_controller(budget, owner, sign);
    budget_due(budget);
}

static void count_everywhere(Budgets *budgets, const Pod *pod, int sign) {
    const HandleVec *handles = state_budgets_in(budgets->state, pod->ns);

    for (vec_each(const Handle, handle, handles)) {
        const PodDisruptionBudget *budget = state_pod_disruption_budget(budgets->state, *handle);

        if (selector_matches(budget->selector, &pod->labels))
            count_pod(budgets->budgets.items[handle->index], pod, sign);
    }
}

static void count_anew(Budget *budget, const PodDisruptionBudget *object) {
    const State *state = budget->budgets->state;

    budget->pods = budget->ready = 0;
    memset(&budget->controllers, 0, sizeof budget->controllers);
    arena_free(&budget->arena);
    budget->arena = (Arena){0};
    budget->generation = object->meta.generation;
    for (Handle at = state_next(state, KUBE_POD, HANDLE_NONE); at.generation; at = state_next(state, KUBE_POD, at)) {
        const Pod *pod = state_pod(state, at);

        if (pod->ns == object->meta.ns && selector_matches(object->selector, &pod->labels))
            count_pod(budget, pod, 1);
    }
}

// --- new and removed budgets

static void drop_budget(Budgets *budgets, uint32_t index) {
    Budget *budget = index < budgets->budgets.count ? budgets->budgets.items[index] : NULL;

    if (!budget)
        return;
    world_cancel(budgets->world, budget->recheck);
    arena_free(&budget->arena);
    free(budget);
    budgets->budgets.items[index] = NULL;
}

static Budget *add_budget(Budgets *budgets, Handle handle, const PodDisruptionBudget *object) {
    Budget *budget = NEW(Budget);

    *budget = (Budget){.budgets = budgets, .handle = handle, .ns = object->meta.ns, .name = object->meta.name};
    while (budgets->budgets.count <= handle.index)
        vec_push(&budgets->arena, &budgets->budgets, NULL);
    budgets->budgets.items[handle.index] = budget;
    budget->generation = -1;
    return budget;
}

static void observe_budget(Budgets *budgets, const StateChange *change) {
    const PodDisruptionBudget *object = change->after;
    uint32_t index = change->handle.index;
    Budget *budget = index < budgets->budgets.count ? budgets->budgets.items[index] : NULL;

    if (budget && (!object || !handle_eq(budget->handle, change->handle))) {
        drop_budget(budgets, index);
        budget = NULL;
    }
    if (!object)
        return;
    if (!budget)
        budget = add_budget(budgets, change->handle, object);
    if (budget->generation != object->meta.generation)
        count_anew(budget, object);
    budget_due(budget);
}

// Whether the pods are equal for budgets: most changes of pods are about something else.
static bool counts_the_same(const Pod *before, const Pod *after) {
    const OwnerReference *old_owner, *new_owner;

    if (!before || !after || before->uid != after->uid)
        return false;
    old_owner = pod_controller(before);
    new_owner = pod_controller(after);
    return before->ready == after->ready && before->deleting == after->deleting &&
           (old_owner ? old_owner->uid : NAME_EMPTY) == (new_owner ? new_owner->uid : NAME_EMPTY) &&
           labels_eq(&before->labels, &after->labels);
}

static void budgets_observe(void *self, const StateChange *change) {
    Budgets *budgets = self;

    if (change->kind == KUBE_POD_DISRUPTION_BUDGET)
        observe_budget(budgets, change);
    if (change->kind != KUBE_POD || counts_the_same(change->before, change->after))
        return;
    if (change->before)
        count_everywhere(budgets, change->before, -1);
    if (change->after)
        count_everywhere(budgets, change->after, 1);
}

// --- the status

typedef struct {
    int64_t expected, desired, healthy;
    Value disrupted; // pods that are expected to go
    int64_t recheck_ns;
} Verdict;

static Slice text_of(const Budgets *budgets, Symbol symbol) {
    return symbol_text(world_symbols(budgets->world), symbol);
}

static const Pod *find_pod(const Budget *budget, Slice name) {
    const Budgets *budgets = budget->budgets;
    Symbol symbol = symbol_find(world_symbols(budgets->world), name);

    if (symbol == INDEX_NONE)
        return NULL;
    return state_pod(budgets->state, state_find(budgets->state, KUBE_POD, budget->ns, symbol));
}

// Reads status.disruptedPods: evictions that were granted and not seen yet; those pods count as gone, for two minutes.
static void judge_disrupted(Budget *budget, const Value *object, Verdict *verdict) {
    Budgets *budgets = budget->budgets;
    const PodDisruptionBudget *decoded = state_pod_disruption_budget(budgets->state, budget->handle);
    const Value *noted = value_at(object, "status", "disruptedPods", NULL);
    int64_t now_ns = world_now_ns(budgets->world);

    verdict->disrupted = value_map();
    for (uint32_t i = 0; noted && noted->kind == VALUE_MAP && i < noted->map.count; i++) {
        const ValueMember *member = &noted->map.items[i];
        const Pod *pod = find_pod(budget, member->key);
        int64_t until_ns = 0;

        if (!pod || pod->deleting || !selector_matches(decoded->selector, &pod->labels) ||
            member->value.kind != VALUE_STRING || time_parse(member->value.text, &until_ns, NULL) != OK)
            continue;
        until_ns += DELETION_TIMEOUT_NS;
        if (until_ns <= now_ns)
            continue;
        value_put(&budgets->scratch, &verdict->disrupted, member->key, member->value);
        verdict->healthy -= pod->ready;
        verdict->recheck_ns = until_ns < verdict->recheck_ns ? until_ns : verdict->recheck_ns;
    }
}

static ErrCode judge(Budget *budget, const Value *object, Verdict *verdict, Err *err) {
    Budgets *budgets = budget->budgets;
    const Value *spec = value_get_text(object, "spec");
    const Value *least = value_get_text(spec, "minAvailable");
    bool is_number = least && least->kind == VALUE_NUMBER;

    *verdict = (Verdict){.expected = budget->pods, .healthy = budget->ready, .recheck_ns = INT64_MAX};
    if (value_get_text(spec, "maxUnavailable") || (least && !is_number))
        TRY(pod_controllers_scale(world_kube(budgets->world), &budgets->scratch, budgets->state, budget->ns,
                                  budget->controllers.items, budget->controllers.count, &verdict->expected, err));
    if (value_get_text(spec, "maxUnavailable"))
        verdict->desired = verdict->expected - read_share(spec, "maxUnavailable", verdict->expected, true, 0);
    else if (least)
        verdict->desired = read_share(spec, "minAvailable", verdict->expected, true, 0);
    else
        verdict->expected = 0;
    if (verdict->desired < 0)
        verdict->desired = 0;
    judge_disrupted(budget, object, verdict);
    return OK;
}

static const Value *find_condition(const Value *object) {
    const ValueList *conditions = read_list(value_get_text(object, "status"), "conditions");

    for (vec_each(const Value, condition, conditions)) {
        if (slice_eq_text(kube_text(condition, "type", NULL), "DisruptionAllowed"))
            return condition;
    }
    return NULL;
}

static Value make_condition(const Budget *budget, const Value *object, bool allowed, const char *reason, Slice message,
                            int64_t generation) {
    Arena *arena = &budget->budgets->scratch;
    const Value *before = find_condition(object);
    Slice status = allowed ? SLICE("True") : SLICE("False");
    bool kept = before && slice_eq(kube_text(before, "status", NULL), status);
    Value condition = value_map();

    put_text(arena, &condition, "type", SLICE("DisruptionAllowed"));
    put_text(arena, &condition, "status", status);
    put_int(arena, &condition, "observedGeneration", generation);
    if (kept)
        put_text(arena, &condition, "lastTransitionTime", kube_text(before, "lastTransitionTime", NULL));
    else
        put_time(arena, &condition, "lastTransitionTime", world_now_ns(budget->budgets->world));
    put_text(arena, &condition, "reason", slice_of(reason));
    put_text(arena, &condition, "message", message);
    return condition;
}

static void put_condition(Arena *arena, Value *status, Value condition) {
    Value *conditions = value_find_text(status, "conditions");

    if (!conditions || conditions->kind != VALUE_LIST)
        conditions = put_list(arena, status, "conditions");
    for (vec_each(Value, present, &conditions->list)) {
        if (slice_eq_text(kube_text(present, "type", NULL), "DisruptionAllowed")) {
            *present = condition;
            return;
        }
    }
    value_append(arena, conditions, condition);
}

static void fill_status(const Budget *budget, const Value *object, const Verdict *verdict, Value *status) {
    Arena *arena = &budget->budgets->scratch;
    int64_t allowed = verdict->expected > 0 ? verdict->healthy - verdict->desired : 0;

    allowed = allowed > 0 ? allowed : 0;
    put_int(arena, status, "currentHealthy", verdict->healthy);
    put_int(arena, status, "desiredHealthy", verdict->desired);
    put_int(arena, status, "expectedPods", verdict->expected);
    put_int(arena, status, "disruptionsAllowed", allowed);
    put_int(arena, status, "observedGeneration", kube_generation(object));
    if (verdict->disrupted.map.count)
        value_put(arena, status, SLICE("disruptedPods"), verdict->disrupted);
    else
        value_remove_text(status, "disruptedPods");
    put_condition(arena, status,
                  make_condition(budget, object, allowed > 0, allowed > 0 ? "SufficientPods" : "InsufficientPods",
                                 SLICE(""), kube_generation(object)));
}

// Sets a status that allows no eviction, while the expected number of pods is unknown.
static void fill_failure(const Budget *budget, const Value *object, const Err *err, Value *status) {
    Arena *arena = &budget->budgets->scratch;
    int64_t generation = 0;

    value_to_int64(value_get_text(status, "observedGeneration"), &generation);
    put_int(arena, status, "disruptionsAllowed", 0);
    put_condition(arena, status, make_condition(budget, object, false, "SyncFailed", slice_of(err->text), generation));
}

static void ring(void *context) {
    Budget *budget = context;

    budget->recheck = 0;
    budget_due(budget);
}

static void set_recheck(Budget *budget, int64_t at_ns) {
    World *world = budget->budgets->world;

    world_cancel(world, budget->recheck);
    budget->recheck = at_ns == INT64_MAX ? 0 : world_alarm(world, at_ns, ring, budget);
}

static void sync_budget(Budget *budget) {
    static const Slice manager = SLICE_INIT("kube-controller-manager");
    Budgets *budgets = budget->budgets;
    Arena *arena = &budgets->scratch;
    Kube kube = world_kube(budgets->world);
    KubeRef ref = {KUBE_POD_DISRUPTION_BUDGET, text_of(budgets, budget->ns), text_of(budgets, budget->name)};
    Verdict verdict;
    KubeError error = {0};
    Value object, wanted;
    ErrCode code;
    Err err = {0};

    if (kube_get(kube, arena, ref, &object, NULL) != OK)
        return;
    wanted = value_copy_tree(arena, &object);
    if (judge(budget, &object, &verdict, &err) == OK)
        fill_status(budget, &object, &verdict, value_make(arena, &wanted, "status", NULL));
    else
        fill_failure(budget, &object, &err, value_make(arena, &wanted, "status", NULL));
    set_recheck(budget, verdict.recheck_ns);
    if (value_eq(&wanted, &object))
        return;
    code = kube_update(kube, NULL, manager, KUBE_POD_DISRUPTION_BUDGET, KUBE_STATUS, &wanted, NULL, &error);
    CHECK(code == OK || code == ERR_CONFLICT || code == ERR_NOT_FOUND, "status of a budget: %s", error.err.text);
    if (code == ERR_CONFLICT)
        budget_due(budget);
}

// --- the component

static bool budgets_react(void *self) {
    Budgets *budgets = self;
    U32Vec due = budgets->due;

    budgets->due = budgets->working;
    budgets->due.count = 0;
    budgets->working = due;
    for (uint32_t i = 0; i < due.count; i++) {
        Budget *budget = budgets->budgets.items[due.items[i]];
        ArenaMark mark = arena_mark(&budgets->scratch);

        if (!budget)
            continue;
        budget->due = false;
        sync_budget(budget);
        arena_rewind(&budgets->scratch, mark);
    }
    return due.count > 0;
}

static void free_budgets(void *self) {
    Budgets *budgets = self;

    for (uint32_t i = 0; i < budgets->budgets.count; i++)
        drop_budget(budgets, i);
    arena_free(&budgets->scratch);
    arena_free(&budgets->arena);
    free(budgets);
}

// Counts the pods that exist at the start.
static void look_around(Budgets *budgets) {
    const State *state = budgets->state;
    Handle at = HANDLE_NONE;

    while ((at = state_next(state, KUBE_POD_DISRUPTION_BUDGET, at)).generation)
        observe_budget(budgets, &(StateChange){.kind = KUBE_POD_DISRUPTION_BUDGET,
                                               .handle = at,
                                               .after = state_pod_disruption_budget(state, at)});
}

void sim_budgets_add(World *world) {
    static const ComponentTable table = {
        .name = "disruption", .observe = budgets_observe, .react = budgets_react, .free = free_budgets};
    Budgets *budgets = NEW(Budgets);

    budgets->world = world;
    budgets->state = world_state(world);
    look_around(budgets);
    world_add(world, &table, budgets);
}
