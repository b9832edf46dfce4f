// The age of NodeClaims.
#include "ctl/claim_expiration.h"

#include "ctl/claim_facts.h"

typedef struct {
    Arena arena;     // this struct
    int64_t next_ns; // no deletion before
} Memory;

static void *make(const Settings *settings) {
    Arena arena = {0};
    Memory *memory = arena_new(&arena, Memory);

    (void)settings;
    memory->arena = arena;
    return memory;
}

static void forget_all(void *self) {
    Arena arena = ((Memory *)self)->arena;

    arena_free(&arena);
}

static void expire(Memory *memory, Turn *turn, const NodeClaim *claim) {
    memory->next_ns = turn->now_ns + CLAIM_EXPIRATION_PAUSE_S * INT64_C(1000000000);
    turn_log(turn, LOG_DEBUG, "deleting expired nodeclaim", "NodeClaim", symbol_text(turn->symbols, claim->meta.name),
             "Node", symbol_text(turn->symbols, claim->node_name), NULL);
    turn_remove(turn, KUBE_NODE_CLAIM, &claim->meta);
}

static void reconcile(void *self, Turn *turn, Key key) {
    const NodeClaim *claim = claim_of_key(turn, key, NULL);
    Memory *memory = self;
    int64_t at_ns;

    if (!claim || claim->meta.deleting || claim->spec.expire_after_ns == DURATION_NEVER)
        return;
    at_ns = claim->meta.created_ns + claim->spec.expire_after_ns;
    if (turn->now_ns < at_ns)
        turn_again(turn, key, at_ns - turn->now_ns);
    else if (turn->now_ns < memory->next_ns)
        turn_again(turn, key, memory->next_ns - turn->now_ns);
    else
        expire(memory, turn, claim);
}

// The time of a claim never changes: its spec is immutable.
static void observe(void *self, Turn *turn, const StateChange *change) {
    (void)self;
    if (change->kind == KUBE_NODE_CLAIM && change->after && !change->before)
        turn_enqueue(turn, &claim_expiration_controller, (Key){.name = change->name}, 0);
}

const Controller claim_expiration_controller = {
    .name = "nodeclaim.expiration",
    .make = make,
    .free = forget_all,
    .observe = observe,
    .reconcile = reconcile,
};
