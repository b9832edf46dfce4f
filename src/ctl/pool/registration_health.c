// nodepool.registrationhealth: condition NodeRegistrationHealthy, whether the last nodes of a pool registered.
// Behaviour: reference lifecycle.md 5.4. It is informational: Ready does not depend on it.
//
// The last four outcomes are kept per pool: true for a claim that registered, false for one that was deleted because it
// did not launch or register in time, or never will (claim/early_end.h). In Karpenter the lifecycle controller records
// them; here they are derived from the changes of the claims. A claim whose launch failed for lack of capacity or
// because the NodeClass was not ready is deleted long before the timeout and is no outcome.
#include "ctl/common/conditions.h"
#include "ctl/common/notes.h"
#include "ctl/common/pool_facts.h"
#include "ctl/pool/controllers.h"

enum { RING = 4, UNHEALTHY_FAILURES = 2, REASON_MAX = 64, MESSAGE_MAX = 304 };

static const char *const type = "NodeRegistrationHealthy";

typedef enum { HEALTH_UNKNOWN, HEALTH_GOOD, HEALTH_BAD } Health;

typedef struct {
    Key pool_uid;        // {.name = uid of the pool}
    bool outcomes[RING]; // true: registered
    uint32_t count, next;
    bool last;                                     // the last outcome
    char reason[REASON_MAX], message[MESSAGE_MAX]; // of the last failure
} Ring;

static void record(Ring *ring, bool registered) {
    ring->outcomes[ring->next] = registered;
    ring->next = (ring->next + 1) % RING;
    ring->count += ring->count < RING;
    ring->last = registered;
}

static Health health_of(const Ring *ring) {
    uint32_t failures = 0;

    for (uint32_t i = 0; i < ring->count; i++)
        failures += !ring->outcomes[i];
    return ring->count == 0 ? HEALTH_UNKNOWN : failures >= UNHEALTHY_FAILURES ? HEALTH_BAD : HEALTH_GOOD;
}

// --- outcomes, from changes of NodeClaims

// Since when the condition has not been True; the claim's creation when the condition is absent.
static int64_t waits_since(const Turn *turn, const NodeClaim *claim, const char *condition) {
    const Condition *found = condition_get(&claim->conditions, turn->symbols, slice_of(condition));

    return found && found->transition_ns ? found->transition_ns : claim->meta.created_ns;
}

static bool did_not_register(const Turn *turn, const NodeClaim *claim) {
    const Condition *registered = condition_get(&claim->conditions, turn->symbols, SLICE("Registered"));

    return registered && slice_eq_text(symbol_text(turn->symbols, registered->status), "False");
}

// Whether a claim that was deleted at that time had exceeded its launch or registration timeout.
static bool timed_out(const Turn *turn, const NodeClaim *claim, int64_t deleted_ns) {
    if (!condition_is_true(&claim->conditions, turn->symbols, SLICE("Launched")) &&
        deleted_ns - waits_since(turn, claim, "Launched") >= turn->settings->launch_timeout_ns)
        return true;
    return !condition_is_true(&claim->conditions, turn->symbols, SLICE("Registered")) &&
           deleted_ns - waits_since(turn, claim, "Registered") >= turn->settings->registration_timeout_ns;
}

// The pool that owns the claim; NULL: gone, or another pool has its name now.
static const NodePool *owner_of(const Turn *turn, const NodeClaim *claim) {
    const NodePool *pool = pool_of_claim(turn->state, claim);

    for (uint32_t i = 0; pool && i < claim->meta.owners.count; i++) {
        if (claim->meta.owners.items[i].uid == pool->meta.uid)
            return pool;
    }
    return NULL;
}

static void copy_text(char *to, size_t size, Slice text) {
    size_t len = text.len < size - 1 ? text.len : size - 1;

    if (len)
        memcpy(to, text.ptr, len);
    to[len] = '\0';
}

static void write_down_failure(const Turn *turn, Ring *ring, const NodeClaim *claim) {
    bool did_launch = condition_is_true(&claim->conditions, turn->symbols, SLICE("Launched"));
    const Condition *failed = NULL; // what says why

    if (!did_launch)
        failed = condition_get(&claim->conditions, turn->symbols, SLICE("Launched"));
    else if (did_not_register(turn, claim))
        failed = condition_get(&claim->conditions, turn->symbols, SLICE("Registered"));
    copy_text(ring->reason, sizeof ring->reason,
              failed ? symbol_text(turn->symbols, failed->reason) : SLICE("RegistrationFailed"));
    copy_text(ring->message, sizeof ring->message, failed ? failed->message : SLICE("Failed to register node"));
}

// Restores the ring of a pool from its condition after a restart.
static void seed(const Turn *turn, Ring *ring, const NodePool *pool) {
    const Condition *stored = condition_get(&pool->conditions, turn->symbols, slice_of(type));
    Slice status = stored ? symbol_text(turn->symbols, stored->status) : SLICE("");

    if (ring->count)
        return;
    if (slice_eq_text(status, "True"))
        record(ring, true);
    for (uint32_t i = 0; slice_eq_text(status, "False") && i < UNHEALTHY_FAILURES; i++)
        record(ring, false);
}

static void write_down(NoteTable *rings, Turn *turn, const NodeClaim *claim, bool registered) {
    const NodePool *pool = owner_of(turn, claim);
    Ring *ring;

    if (!pool)
        return;
    ring = notes_add(rings, (Key){.name = pool->meta.uid});
    seed(turn, ring, pool);
    record(ring, registered);
    if (!registered)
        write_down_failure(turn, ring, claim);
    turn_enqueue(turn, &pool_registration_health_controller, (Key){.name = pool->meta.name}, 0);
}

static void observe_claim(NoteTable *rings, Turn *turn, const NodeClaim *before, const NodeClaim *after) {
    bool goes = before && !before->meta.deleting && (!after || after->meta.deleting);
    int64_t gone_ns = after && after->meta.deleted_ns ? after->meta.deleted_ns : turn->wall_ns;

    if (before && after && !condition_is_true(&before->conditions, turn->symbols, SLICE("Registered")) &&
        condition_is_true(&after->conditions, turn->symbols, SLICE("Registered")))
        write_down(rings, turn, after, true);
    else if (goes && (did_not_register(turn, before) || timed_out(turn, before, gone_ns)))
        write_down(rings, turn, before, false);
}

static void pool_registration_health_observe(void *self, Turn *turn, const StateChange *change) {
    if (change->kind == KUBE_NODE_CLAIM)
        return observe_claim(self, turn, change->before, change->after);
    if (change->kind == KUBE_NODE_POOL && change->after)
        turn_enqueue(turn, &pool_registration_health_controller, (Key){.name = change->name}, 0);
    if (change->kind == KUBE_NODE_POOL && change->before &&
        (!change->after || ((const NodePool *)change->after)->meta.uid != ((const NodePool *)change->before)->meta.uid))
        notes_remove(self, (Key){.name = ((const NodePool *)change->before)->meta.uid});
    if (!class_is_kind(change->kind))
        return;
    for (Handle handle = state_next(turn->state, KUBE_NODE_POOL, HANDLE_NONE); handle.generation;
         handle = state_next(turn->state, KUBE_NODE_POOL, handle)) {
        const NodePool *pool = state_node_pool(turn->state, handle);

        if (pool->template_spec.node_class.name == change->name)
            turn_enqueue(turn, &pool_registration_health_controller, (Key){.name = pool->meta.name}, 0);
    }
}

// --- the condition

static bool begins_anew(const NodePool *pool, const ClassFacts *class, const Condition *stored) {
    return !stored || stored->observed_generation != pool->meta.generation ||
           (class->meta && class->meta->generation != pool->node_class_observed_generation);
}

// Sets the condition: False from the second failure in the ring on, True after a success with fewer failures than that.
static void set_condition(Turn *turn, const Ring *ring, Conditions *conditions) {
    Health health = health_of(ring);

    if (ring->last && health == HEALTH_GOOD)
        conditions_set_true(conditions, type);
    if (!ring->last && health == HEALTH_BAD && !conditions_is_false(conditions, type))
        conditions_set_false(conditions, type, arena_text(turn->arena, slice_of(ring->reason)),
                             arena_slice(turn->arena, slice_of(ring->message)));
}

static Value *patch_of(Turn *turn, const Conditions *conditions, int64_t class_generation) {
    Value *body = conditions_patch(conditions);
    Value *status = NULL;

    for (uint32_t i = 0; i < body->map.count; i++) {
        if (slice_eq_text(body->map.items[i].key, "status"))
            status = &body->map.items[i].value;
    }
    CHECK(status, "a patch of conditions without a status");
    value_put(turn->arena, status, SLICE("nodeClassObservedGeneration"), value_int(turn->arena, class_generation));
    return body;
}

static void pool_registration_health_reconcile(void *self, Turn *turn, Key key) {
    const NodePool *pool = state_node_pool(turn->state, state_find(turn->state, KUBE_NODE_POOL, NAME_EMPTY, key.name));
    ClassFacts class;
    Conditions conditions;
    int64_t class_generation;
    Ring *ring;

    if (!pool || !pool_is_managed(pool, turn->symbols, turn->settings))
        return;
    ring = notes_add(self, (Key){.name = pool->meta.uid});
    pool_node_class(turn->state, pool, &class);
    conditions = conditions_open(turn, &pool_condition_rules, &pool->meta, &pool->conditions);
    class_generation = class.meta ? class.meta->generation : pool->node_class_observed_generation;
    if (begins_anew(pool, &class, condition_get(&pool->conditions, turn->symbols, slice_of(type)))) {
        *ring = (Ring){.pool_uid = ring->pool_uid};
        conditions_set_unknown(&conditions, type, "AwaitingReconciliation", SLICE("object is awaiting reconciliation"));
    } else {
        seed(turn, ring, pool);
        set_condition(turn, ring, &conditions);
    }
    if (conditions.changed || class_generation != pool->node_class_observed_generation)
        turn_patch(turn, KUBE_NODE_POOL, NAME_EMPTY, key.name, KUBE_STATUS,
                   patch_of(turn, &conditions, class_generation), pool->meta.revision);
}

const Controller pool_registration_health_controller = {
    .name = "nodepool.registrationhealth",
    .memory_size = sizeof(NoteTable),
    .notes = {{0, sizeof(Ring)}},
    .observe = pool_registration_health_observe,
    .reconcile = pool_registration_health_reconcile,
};
