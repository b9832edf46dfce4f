// The inside of the provisioner, for its own files: triggers and turns (provision/provisioner.c), what waits
// (provision/pending.c), what the pools can have (provision/pools.c), what comes of a plan (provision/apply.c,
// provision/create.c) and of the claims that it asks for (provision/answers.c), what is said of it
// (provision/report.c).
#pragma once

#include "ctl/provision/batch.h"
#include "ctl/provision/claim.h"
#include "ctl/provision/index.h"
#include "ctl/provision/provisioner.h"

enum {
    PROVISION_LOOK_S = 10,       // how often pods that wait are looked at (Karpenter's trigger period)
    PROVISION_RETRY_MAX_S = 120, // how long nothing is tried for pods that no plan could place while nothing changes
    PROVISION_STIRRED_S = 30,    // the same while pods come and go elsewhere, which may change topology
    PROVISION_BIND_S = 10,       // how long a pod may take to be bound to a node that stands
    PROVISION_DRAIN_S = 120,     // how long the place of a pod counts whose node is being drained
    PROVISION_GONE_S = 60,       // how long a claim that is gone is remembered for what is told of it afterwards
    PROVISION_BURST_S = 30,      // plans that follow each other sooner are not searched as long
};

// The instance types that a pool had when the last plan was asked for.
typedef struct {
    Symbol pool;
    const InstanceTypeVec *types;
} SeenTypes;
typedef Vec(SeenTypes) SeenTypesVec;

// A NodeClaim that the API server has been asked for.
typedef struct {
    uint32_t claim; // number in the index
    Symbol pool;
    Slice requests, types; // for the log
} RequestedClaim;

typedef struct {
    ProvisionBatch batch;
    ProvisionIndex index;
    LaunchBudgets budgets;
    bool started;
    // The plan under way.
    bool solving;
    Arena round; // of `asked`; until all creates were answered
    Vec(RequestedClaim) asked;
    uint32_t answers_left; // creates
    uint32_t nominations;  // events that were sent
    bool doubtful;         // a create was not answered: no plan before NodeClaims were read from the API server
    bool reading;          // they are read
    Mono read_at;          // doubtful: when to
    // Pods that no plan has a place for.
    bool changed;           // something that may help them, since the last plan was asked for
    bool stirred;           // a pod was bound or went since then
    Mono asked_at;          // when it was asked for
    uint32_t waiting;       // pods that waited then, with those that have a place
    bool held_by_window;    // a launch that is answered makes room
    Mono look_at;           // when to look at what waits; MONO_END: nothing does
    Mono retry_at;          // when a plan is made though nothing changed
    int64_t retry_after_ns; // and how long that was waited for
    Mono reopen_at;         // when the first closed launch budget opens; MONO_END: none is closed
    Arena types_arena;
    SeenTypesVec types;
} Provisioner;

// --- provision/pending.c

// Whether the pod has a place that it can still get: a claim on its way, or a node where it is to be bound. Takes the
// place away when not.
bool provision_has_place(Provisioner *provisioner, const Turn *turn, uint32_t pod, bool bound);
// Asks for a plan when it can help a pod that waits, and says when to look again.
void provision_look(Provisioner *provisioner, Turn *turn);
// Whether any pod waits that has no place. O(pods that wait + nodes).
bool provision_needs_plan(Provisioner *provisioner, Turn *turn);
// Sets when to plan again for pods that are left over: soon after a plan that brought something (`progress`), later and
// later otherwise.
void provision_set_retry(Provisioner *provisioner, const Turn *turn, bool progress);
// Looks no later than then, if anything waits.
void provision_look_by(Provisioner *provisioner, Mono at);
// The claim is seen as it is now: launched, initialised, gone. Its pods are planned anew when it is gone.
void provision_see_claim(Provisioner *provisioner, Turn *turn, uint32_t claim);

// --- provision/stray.c

// The pod has just been bound; to be called before it is forgotten. The uid of a pod that has lost its place to it and
// must be planned anew, NAME_EMPTY: none. O(pods of the claim that it landed on).
Symbol provision_see_bound(Provisioner *provisioner, const Turn *turn, const Pod *pod);

// --- provision/pools.c

// Looks at what the pools can have; logs what is wrong with them when `turn` is to log. Whether it differs from the
// last call that remembered.
bool provision_pools_changed(Provisioner *provisioner, Turn *turn);
void provision_pools_remember(Provisioner *provisioner, Turn *turn);

// --- provision/apply.c

// Carries a plan out: provision/apply.h.
void provision_apply(Provisioner *provisioner, Turn *turn, const Completion *completion);

// --- provision/answers.c

// One of the claims that were asked for is there, or is not.
void provision_created(Provisioner *provisioner, Turn *turn, const Completion *completion);

// --- provision/report.c

void provision_report_found(Turn *turn, const PlanInput *input, int64_t took_ns);
// Pods whose preferences may keep consolidation from their nodes, each once while it waits.
void provision_report_preferences(Provisioner *provisioner, Turn *turn, const PlanInput *input);
void provision_report_computed(Turn *turn, uint32_t claims, uint32_t claim_pods, uint32_t nodes, uint32_t node_pods);
// Pods that have no place: events and log lines, each pod at most every five minutes and not too many at once.
void provision_report_unplaced(Provisioner *provisioner, Turn *turn, const Solved *solved);
// A claim that could not be made.
void provision_report_error(Turn *turn, Slice pool, Slice error);
// claim, node: either may be empty.
void provision_report_nominated(Provisioner *provisioner, Turn *turn, const Pod *pod, Slice claim, Slice node);
void provision_report_no_capacity(Turn *turn, const Pod *pod, Slice claim, Slice error);
// "a, b, c, d, e and 3 other(s)".
Slice provision_first_five(Arena *arena, const SliceVec *names);
